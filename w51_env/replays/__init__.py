"""Games as files: replays, their recording, and their decisions one by one."""
