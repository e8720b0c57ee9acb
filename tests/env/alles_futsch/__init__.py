"""Alles Futsch!: the rules A1 to A5, one case after the other, and against a second, slow version of them."""
