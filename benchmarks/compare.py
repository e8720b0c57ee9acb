"""Speed of these sources beside those of another checkout: `python benchmarks/compare.py ../other-checkout`.

A process each, which play by turns for some hundredths of a second: so a machine whose speed varies slows both alike.
All play is random and legal, in Warehouse 51 for four players; a step is one decision of one seat.
"""

import os
import statistics
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.progress import track
from rich.table import Table

ROOT = Path(__file__).resolve().parents[1]
# Names of the lines, and how often the other checkout's rate these sources must reach.
LINES = {
    "1 game": 0.98,
    "1 game, no observations": 0.98,
    "1024 games": 0.98,
    "1024 games, no observations": 0.98,
    "PettingZoo env()": 0.98,
}
# One process: reads the name of a line, plays for a while, writes the steps per second.
PLAY = """
import sys, time
from w51_env import make_vec, warehouse51_v0

def batch(num_games, observe, calls):
    games = make_vec("warehouse51_v0", num_games, num_players=4, seed=0, observe=observe)
    games.reset()
    def play():
        for _ in range(calls):
            games.step(games.sample_actions())
        return num_games * calls
    return play

def aec():
    env = warehouse51_v0.env(num_players=4)
    def play():
        env.reset(seed=0)
        steps = 0
        for agent in env.agent_iter():
            observation, _, over, _, _ = env.last()
            if over:
                return steps
            env.step(int(observation["action_mask"].argmax()))
            steps += 1
    return play

LINES = {
    "1 game": lambda: batch(1, True, 1000),
    "1 game, no observations": lambda: batch(1, False, 1000),
    "1024 games": lambda: batch(1024, True, 40),
    "1024 games, no observations": lambda: batch(1024, False, 60),
    "PettingZoo env()": aec,
}
play = LINES[sys.argv[1]]()
play()
print("ready", flush=True)
for _ in sys.stdin:
    begun = time.perf_counter()
    steps = play()
    print(steps / (time.perf_counter() - begun), flush=True)
"""


class Engine:
    """A process with the sources of one folder that plays when it is asked."""

    def __init__(self, folder: Path, line: str):
        self.folder = folder
        env = {**os.environ, "PYTHONPATH": str(folder), "OMP_NUM_THREADS": "1"}
        self.process = subprocess.Popen(
            [sys.executable, "-c", PLAY, line],
            cwd=folder, env=env, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
        )  # fmt: skip
        self._read()

    def rate(self) -> float:
        """Steps per second of one turn."""
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
) -> None:
    """Print the rates of both and their ratio; status 1 if a line is below its target."""
    table = Table("what", "other, steps/s", "these, steps/s", "ratio", "of the rounds", "target")
    missed = False
    for line, target in track(LINES.items(), console=Console(stderr=True)):
        measured = [compare(line, other.resolve(), turns, swapped=bool(index % 2)) for index in range(rounds)]
        theirs, ours, ratio = (statistics.median(column) for column in zip(*measured, strict=True))
        ratios = sorted(each[2] for each in measured)
        missed |= ratio < target
        row = (f"{theirs:,.0f}", f"{ours:,.0f}", f"{ratio:.2f}", f"{ratios[0]:.2f} to {ratios[-1]:.2f}", f"{target}")
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
