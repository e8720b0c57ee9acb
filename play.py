"""Play, watch and export games: `python play.py` serves a web page; `python play.py --help` has the commands."""

import sys
from pathlib import Path

# The packages beside this file, installed or not, and not those of another checkout.
sys.path[:0] = [str(Path(__file__).resolve().parent / folder) for folder in ("agents", "lab", "table")]

from w51_agents.console.loading import loading  # noqa: E402

with loading():
    from w51_table.commands.play import app

if __name__ == "__main__":
    app()
