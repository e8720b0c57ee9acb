"""Positions of real tables: a game as one seat sees it, read as a state, and what has happened since."""
