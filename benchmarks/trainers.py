"""The trainers beside each other: decisions learned from a second, and, with `--minutes`, whose agent wins: `python benchmarks/trainers.py`.

For the pace all have networks of the same size. For the duel each has its quick config and the same wall time, its learning rate and
entropy schedules stretched over the decisions it can make in that time.
"""

import json
import time
from itertools import permutations
from pathlib import Path
from typing import Annotated, Any

import torch
import typer
from rich.console import Console
from rich.table import Table

from agents import make_agent, play_matches
from agents.agent import Agent
from agents.files import write_whole
from agents.tables import standings_data, standings_table
from agents.training.config import TrainingConfig, load_config
from agents.training.trainer import Trainer, load_trainer
from benchmarks.measure import machine
from w51_env import make_game

CONFIGS = Path(__file__).resolve().parents[1] / "configs"
RESULTS = Path(__file__).resolve().parent / "results" / "trainers.json"
TRAINERS = {
    "maskable_ppo": ("quick.yaml", []),
    "selfplay": ("selfplay_quick.yaml", []),
    "selfplay without advice": ("selfplay_quick.yaml", ["selfplay.advisor=null"]),
}
SO_MANY = 10**12  #  decisions that no run comes to
console = Console()


def main(
    seconds: Annotated[float, typer.Option(help="For the pace of each trainer.")] = 30.0,
    width: Annotated[int, typer.Option(help="Of both hidden layers, for the pace.")] = 256,
    minutes: Annotated[float, typer.Option(help="Of training before the duel; 0 for none.")] = 0.0,
    games: Annotated[int, typer.Option(help="Of each match of the duel.")] = 8000,
    threads: Annotated[int | None, typer.Option(help="Of PyTorch; None: as many as it likes.")] = None,
) -> None:
    """Measure, print and keep."""
    if threads:
        torch.set_num_threads(threads)
    sizes = [f"{section}.network=[{width},{width}]" for section in ("ppo", "selfplay")]
    paces = {name: pace(config_of(name, sizes), seconds) for name in TRAINERS}
    table = Table("trainer", f"decisions/s, two layers of {width}", "ratio")
    for name, found in paces.items():
        table.add_row(name, f"{found:,.0f}", f"{found / paces['maskable_ppo']:.2f}")
    console.print(table)
    data: dict[str, Any] = {"machine": machine(), "threads": torch.get_num_threads(), "width": width, "decisions_a_second": paces}
    if minutes:
        data |= {"minutes": minutes, "duel": duel(minutes, games)}
    write_whole(RESULTS, lambda path: path.write_text(json.dumps(data, indent=1) + "\n", "utf-8"))


def config_of(name: str, changes: list[str], decisions: int = SO_MANY) -> TrainingConfig:
    """A trainer's quick config."""
    file, own = TRAINERS[name]
    return load_config(CONFIGS / file, [*own, *changes, f"decisions={decisions}"])


def make(config: TrainingConfig) -> Trainer:
    """The trainer, before its first update."""
    return load_trainer(config.trainer)(config, make_game(config.game, **config.options))


def pace(config: TrainingConfig, seconds: float) -> float:
    """Decisions a second after the first update."""
    trainer = make(config)
    try:
        trainer.update()
        begun, before = time.monotonic(), trainer.decisions
        while time.monotonic() - begun < seconds:
            trainer.update()
        return (trainer.decisions - before) / (time.monotonic() - begun)
    finally:
        trainer.close()


def duel(minutes: float, games: int) -> list[dict[str, Any]]:
    """Train each for so long, and let one of each play three of each other one, and three heuristic players."""
    trained = {name: (name, train(name, minutes)) for name in TRAINERS}
    game = make_game("warehouse51_v0", num_players=4)
    pairs = [*permutations(trained.values(), 2), *((agent, ("heuristic", make_agent("heuristic", game))) for agent in trained.values())]
    found = []
    for pair in pairs:
        results = play_matches(game, pair, games, seed=0)
        console.print(standings_table(results, f"{pair[0][0]} against {pair[1][0]}"))
        found.append(standings_data(results))
    return found


def train(name: str, minutes: float) -> Agent:
    """The agent after so many minutes."""
    decisions = round(60 * minutes * pace(config_of(name, []), 20.0))
    trainer = make(config_of(name, [], decisions))
    begun = time.monotonic()
    try:
        while time.monotonic() - begun < 60 * minutes:
            trainer.update()
        console.print(f"{name}: {trainer.decisions:,} decisions in {time.monotonic() - begun:.0f} s", highlight=False)
        return trainer.agent(make_game("warehouse51_v0", num_players=4))
    finally:
        trainer.close()


if __name__ == "__main__":
    typer.run(main)
