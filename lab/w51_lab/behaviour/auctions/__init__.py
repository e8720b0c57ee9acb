"""Behaviour tables of auctions."""
