"""Behaviour tables of single-item auctions."""
