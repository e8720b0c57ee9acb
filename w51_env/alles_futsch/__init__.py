"""Alles Futsch!, the auction game of sets that turn into losses, for 2 to 5. Rules only: nothing here knows an API."""

from w51_env.alles_futsch.game import make

__all__ = ["make"]
