"""Alles Futsch!, an auction game for 2 to 5 players in which too large a set costs money. Rules only, no API."""

from w51_env.alles_futsch.game import make

__all__ = ["make"]
