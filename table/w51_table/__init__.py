"""The table: the web page, the terminal, hints, positions of real tables."""
