"""What holds in every state of each game, and random play in search of a state where it does not."""
