"""The table: pictures, the web page, the terminal, the viewer of replays."""
