"""Auctions of one or two lots for 2 to 6 bidders, whose equilibria are known. Rules only, no API."""

from w51_env.auctions.game import make

__all__ = ["make"]
