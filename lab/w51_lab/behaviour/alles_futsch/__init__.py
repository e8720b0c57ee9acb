"""Behaviour tables of Alles Futsch!"""
