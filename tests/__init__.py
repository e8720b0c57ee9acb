"""All tests; run them with `python -m pytest`."""
