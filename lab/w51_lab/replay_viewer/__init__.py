"""Replays decision by decision, with what agents report, and as a page."""
