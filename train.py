"""Train an agent and evaluate it against the baselines; `python train.py --help` has examples."""

import sys
from pathlib import Path

# The packages beside this file, installed or not, and not those of another checkout.
sys.path[:0] = [str(Path(__file__).resolve().parent / folder) for folder in ("agents", "lab", "table")]

from w51_lab.commands.train import app  # noqa: E402

if __name__ == "__main__":
    app()
