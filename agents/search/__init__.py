"""Agents that think before they play: they draw worlds that fit what their seat knows, and play them to the end."""
