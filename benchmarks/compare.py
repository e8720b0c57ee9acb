"""Speed of these sources beside those of another checkout: `python benchmarks/compare.py ../other-checkout`.

A process each, which play by turns for some hundredths of a second: so a machine whose speed varies slows both alike.
Rates are per second of processor time, since other processes may run beside, unless a line says by wall time. All play
is random and legal, in Warehouse 51 for four players; a step is one decision of one seat.
"""

import os
import statistics
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, NamedTuple

import typer
from rich.console import Console
from rich.progress import track
from rich.table import Column, Table

ROOT = Path(__file__).resolve().parents[1]
PLAYER = Path(__file__).with_name("compare_player.py")


class Line(NamedTuple):
    """What is compared.

    Attributes:
        target: How often the other checkout's rate these sources must reach; beside commit db1eea5 that of the work on
            calls, starts and playouts.
        turns: The most turns of a pair of processes.
    """

    target: float
    turns: int = 1000


LINES = {
    "1 game": Line(2.9),
    "1 game, no observations": Line(2.9),
    "64 games": Line(1.4),
    "1024 games": Line(1.43),
    "1024 games, no observations": Line(1.2),
    "PettingZoo env()": Line(1.5),
    "PettingZoo raw_env()": Line(1.5),
    "OpenSpiel, moves": Line(1.92),
    "Gymnasium vector, 8 games": Line(2.0),
    "Stable-Baselines3, 8 games": Line(2.0),
    "resample_hidden, 1 game": Line(9.6),
    "clone, 1 game": Line(3.0),
    "load, 1 game": Line(2.4),
    "heuristic games in a batch": Line(3.0, 20),
    "search, 100 playouts": Line(3.0, 20),
    "self-play, learned decisions": Line(1.5, 8),
    "self-play, two threads, by wall time": Line(1.5, 8),
    "start, compiled before": Line(2.2, 5),
    "start, the first time": Line(2.8, 1),
}


def sources(folder: Path) -> list[str]:
    """The folders of packages in a checkout, also of one from before there were four packages."""
    return [str(folder), *(str(folder / house) for house in ("agents", "lab", "table"))]


class Engine:
    """A process with the sources of one folder that plays when it is asked."""

    def __init__(self, folder: Path, line: str):
        self.folder = folder
        env = {**os.environ, "PYTHONPATH": os.pathsep.join(sources(folder)), "OMP_NUM_THREADS": "1"}
        self.process = subprocess.Popen(
            [sys.executable, "-P", str(PLAYER), line],  # -P: this folder has names of packages
            cwd=folder, env=env, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
        )  # fmt: skip
        self._read()

    def rate(self) -> float:
        """The rate of one turn."""
        assert self.process.stdin is not None
        self.process.stdin.write("play\n")
        self.process.stdin.flush()
        return float(self._read())

    def _read(self) -> str:
        assert self.process.stdout is not None
        if line := self.process.stdout.readline():
            return line
        raise RuntimeError(f"the player of {self.folder} ended with status {self.process.wait()}")


def main(
    other: Annotated[Path, typer.Argument(exists=True, file_okay=False, help="A checkout of another commit.")],
    rounds: Annotated[int, typer.Option(min=1, help="Pairs of processes for each line.")] = 5,
    turns: Annotated[int, typer.Option(min=1, help="Turns of each pair.")] = 60,
    only: Annotated[str, typer.Option(help="Compare only lines whose name contains this.")] = "",
) -> None:
    """Print the rates of both and their ratio; status 1 if a line is below its target."""
    what = Column("what", min_width=18)  # the longest word of a name, which would be cut
    table = Table(what, "other / s", "these / s", "ratio", "of the rounds", "target")
    missed = False
    lines = {name: line for name, line in LINES.items() if only in name}
    for line, (target, most) in track(lines.items(), console=Console(stderr=True)):
        some = min(turns, most)
        measured = [compare(line, other.resolve(), some, swapped=bool(index % 2)) for index in range(rounds)]
        theirs, ours, ratio = (statistics.median(column) for column in zip(*measured, strict=True))
        ratios = sorted(each[2] for each in measured)
        missed |= ratio < target
        row = (f"{theirs:,.4g}", f"{ours:,.4g}", f"{ratio:.2f}", f"{ratios[0]:.2f} to {ratios[-1]:.2f}", f"{target}")
        table.add_row(line, *row)
    Console().print(table)
    sys.exit(missed)


def compare(line: str, other: Path, turns: int, swapped: bool) -> tuple[float, float, float]:
    """Medians of both rates and of the ratios of the turns, the other checkout's first."""
    folders = [ROOT, other] if swapped else [other, ROOT]
    with players(folders, line) as pair:
        rates: dict[Path, list[float]] = {folder: [] for folder in folders}
        for turn in range(turns):
            for folder, player in list(zip(folders, pair, strict=True))[:: 1 if turn % 2 else -1]:
                rates[folder].append(player.rate())
    ratios = [ours / theirs for ours, theirs in zip(rates[ROOT], rates[other], strict=True)]
    return statistics.median(rates[other]), statistics.median(rates[ROOT]), statistics.median(ratios)


@contextmanager
def players(folders: list[Path], line: str) -> Iterator[list[Engine]]:
    """A player for each folder; they are ended afterwards."""
    pair = [Engine(folder, line) for folder in folders]
    try:
        yield pair
    finally:
        for player in pair:
            player.process.kill()
            player.process.wait()


if __name__ == "__main__":
    typer.run(main)
