"""Policies: networks, the agents that play them, and their checkpoints. Playing, apart from learning."""
