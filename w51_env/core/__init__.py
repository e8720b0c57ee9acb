"""The part that knows no game: the contract a game fulfils, N games at once, randomness, compilation, replays."""
