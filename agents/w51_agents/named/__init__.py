"""Agents by name, also mimics, styles and opponents; the files that they read; what they say of a decision."""
