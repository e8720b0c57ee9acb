"""The table in a terminal: to play at, and to watch playbacks. By keyboard alone, from 80 x 24 characters on."""
