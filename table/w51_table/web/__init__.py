"""The web table: a server that owns the games, and one page."""
