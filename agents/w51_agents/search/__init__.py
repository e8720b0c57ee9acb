"""Agents that search: they draw determinizations of what their seat knows and play them to the end."""
