"""The network that reads what happened."""
