"""Policies: networks, the agents that play them, and their checkpoints; no learning."""
