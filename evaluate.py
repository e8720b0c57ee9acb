"""Matches between agents on the same deals in every seat: `python evaluate.py heuristic random random random`."""

from w51_lab.commands.evaluate import app

if __name__ == "__main__":
    app()
