"""Tables at which people and agents play: the game in progress, its file, the terminal and the web page."""

if __name__ == "play":  # a second copy of every module otherwise
    raise ImportError("play is the package w51_env.play: import w51_env.play")
