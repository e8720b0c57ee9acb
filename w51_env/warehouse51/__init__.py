"""Warehouse 51, the auction game of relics and counterfeits for 3 to 5 players: rules only, no API."""

from w51_env.warehouse51.game import make

__all__ = ["make"]
