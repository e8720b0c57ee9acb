"""What all games share: the contract of a game, batches, randomness, compilation, events, replays."""
