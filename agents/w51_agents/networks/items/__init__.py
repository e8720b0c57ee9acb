"""The network that plays with any items of a game."""
