"""`play.py` with the third game of the tests beside the games of the package: a program of its own."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[4]))

from w51_env.engine.registry import register_game
from w51_table.commands.play import app

if __name__ == "__main__":
    register_game("one_lot_v0", "tests.env.third_game:make")
    app()
