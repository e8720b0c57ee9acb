"""Research with this environment: a question each, one command, a figure and its data."""

import w51_env  # noqa: F401 (before Matplotlib: it removes a MPLBACKEND that is not installed)
