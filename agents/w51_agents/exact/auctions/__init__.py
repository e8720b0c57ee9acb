"""Auctions exactly: payoffs of bids, equilibria, and strategies as agents."""
