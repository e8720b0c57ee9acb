"""Auctions of Warehouse 51 exactly."""
