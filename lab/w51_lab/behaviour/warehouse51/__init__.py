"""Behaviour tables of Warehouse 51."""
