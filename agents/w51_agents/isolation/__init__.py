"""Agents of others in processes of their own."""
