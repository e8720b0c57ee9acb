"""Games as files: replays and their recording."""
