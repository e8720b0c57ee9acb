"""Agents: the interface, bots, trained policies, search, and training."""
