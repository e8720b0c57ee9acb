"""`play.py` with the third game of the tests beside the games of the package: a program of its own."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from w51_env.commands.play import app
from w51_env.core.registry import register_game

if __name__ == "__main__":
    register_game("one_lot_v0", "tests.third_game:make")
    app()
