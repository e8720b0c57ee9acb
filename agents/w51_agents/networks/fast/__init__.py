"""Compiled code that any form of network may use: layers that learn, and play as one call."""
