"""Warehouse 51, the auction game of relics and counterfeits for 3 to 5. Rules only: nothing here knows an API."""

from w51_env.warehouse51.game import make

__all__ = ["make"]
