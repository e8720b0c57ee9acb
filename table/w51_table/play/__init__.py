"""Tables at which people and agents play: the game in progress, its file, the terminal and the web page."""
