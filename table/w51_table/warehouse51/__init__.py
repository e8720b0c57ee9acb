"""How Warehouse 51 looks: its pictures and its table of points."""
