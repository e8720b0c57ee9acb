"""How many decisions a second each trainer learns from, at the same network size: `python benchmarks/trainers.py`.

Each trainer runs for some seconds by its quick config, one after the other, and what its first update took is left out.
"""

import time
from collections.abc import Callable
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table

from agents import maskable
from agents.config import TrainingConfig, load_config
from agents.selfplay import learning
from agents.training import Training, Update
from w51_env import make_game

CONFIGS = Path(__file__).resolve().parents[1] / "configs"
TRAINERS = {"maskable_ppo": ("quick.yaml", maskable.train), "selfplay": ("selfplay_quick.yaml", learning.train)}


def main(
    seconds: Annotated[float, typer.Option(help="For each trainer.")] = 40.0,
    width: Annotated[int, typer.Option(help="Of both hidden layers.")] = 256,
) -> None:
    """Measure and print."""
    paces = {}
    for name, (config, train) in TRAINERS.items():
        sizes = [f"{section}.network=[{width},{width}]" for section in ("ppo", "selfplay")]
        paces[name] = pace(load_config(CONFIGS / config, [*sizes, "decisions=1000000000"]), train, seconds)
    table = Table("trainer", "decisions/s", "ratio")
    for name, found in paces.items():
        table.add_row(name, f"{found:,.0f}", f"{found / paces['maskable_ppo']:.2f}")
    Console().print(table)


def pace(config: TrainingConfig, train: Callable[..., Training], seconds: float) -> float:
    """Decisions a second after the first update."""
    told: list[Update] = []
    stop = time.monotonic() + seconds
    train(config, make_game(config.game, **config.options), told.append, lambda: time.monotonic() > stop)
    first, last = told[0], told[-2 if config.trainer == "maskable_ppo" else -1]  # the first trainer's last one is cut short
    return (last.decisions - first.decisions) / (last.seconds - first.seconds)


if __name__ == "__main__":
    typer.run(main)
