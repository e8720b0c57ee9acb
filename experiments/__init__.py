"""Research with this environment: a question each, one command, a figure and its data."""
