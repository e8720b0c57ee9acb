"""Positions of Warehouse 51."""
