"""How Alles Futsch! looks: its pictures and its table of points."""
