"""The network that remembers."""
