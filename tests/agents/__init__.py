"""Agents: the protocol, the scripted and the learned ones, and matches between them."""
