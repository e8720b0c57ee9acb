"""Wall time of tournaments, from the command to the table, with all cores: `python benchmarks/arena_speed.py`."""

import subprocess
import sys
import time
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table

from benchmarks.measure import RESULTS, ResultsFile, machine, write_json

ROOT = Path(__file__).resolve().parents[1]
TOURNAMENTS = {
    "four bots": (10_000, ["heuristic", "random", "heuristic", "random"]),
    "four heuristic bots": (10_000, ["heuristic"]),
    "four networks": (1_000, ["pretrained-v2"]),
}


def main(
    json_file: ResultsFile = RESULTS / "arena_speed.json",
    part: Annotated[float, typer.Option(min=0.001, max=1.0, help="Of the games of each tournament.")] = 1.0,
) -> None:
    """Measure, print and write the results; rules are compiled before."""
    facts = machine()
    table = Table("tournament", "games", "seconds")
    measured = {}
    for name, (games, agents) in TOURNAMENTS.items():
        games = max(2, round(part * games))
        play(2, agents)
        measured[name] = {"games": games, "seconds": play(games, agents)}
        table.add_row(name, f"{games:,}", f"{measured[name]['seconds']:.1f}")
    Console().print(table)
    write_json(json_file, facts, [], tournaments=measured)


def play(games: int, agents: list[str]) -> float:
    """Return the wall time of a tournament in seconds."""
    begun = time.monotonic()
    subprocess.run(
        [sys.executable, ROOT / "evaluate.py", *agents, "--games", str(games)],
        cwd=ROOT,
        check=True,
        capture_output=True,
    )
    return time.monotonic() - begun


if __name__ == "__main__":
    typer.run(main)
