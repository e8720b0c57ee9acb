"""Decisions per second of processor time of each trainer, with networks of one size, in turns.

`python -m benchmarks.trainers`. The first update is not measured.
"""

import time
from collections.abc import Callable
from pathlib import Path
from typing import Annotated

import numpy as np
import torch
import typer
from rich.console import Console
from rich.table import Table

from benchmarks.measure import RESULTS, ResultsFile, Threads, machine, write_json
from w51_agents.training.config import load_config
from w51_agents.training.registry import trainer_spec
from w51_agents.training.settings import TrainingConfig
from w51_agents.training.trainer import Trainer
from w51_env import make_game

CONFIGS = Path(__file__).resolve().parents[1] / "configs"
TRAINERS = {
    "maskable_ppo": ("quick.yaml", []),
    "selfplay": ("selfplay_base_policy.yaml", []),
    "selfplay without base policy": ("selfplay_base_policy.yaml", ["selfplay.base_policy=null"]),
    "selfplay with a GRU": ("selfplay_base_policy.yaml", ["selfplay.base_policy=null", "selfplay.network=recurrent"]),
    "selfplay with history": ("selfplay_base_policy.yaml", ["selfplay.base_policy=null", "selfplay.network=history"]),
}
ENDLESS = 10**12  # decisions that no run reaches


def main(
    seconds: Annotated[float, typer.Option(help="Seconds of processor time for each trainer.")] = 30.0,
    rounds: Annotated[int, typer.Option(help="Rounds in which they take turns.")] = 5,
    width: Annotated[int, typer.Option(help="Width of both hidden layers.")] = 256,
    threads: Threads = 1,
    json_file: ResultsFile = RESULTS / "trainers.json",
) -> None:
    """Measure, print and keep."""
    torch.set_num_threads(threads)
    rates = rates_of({name: config_of(name, width) for name in TRAINERS}, seconds, rounds, time.process_time)
    table = Table("trainer", f"decisions/s, two layers of {width}", "ratio")
    for name, rate in rates.items():
        table.add_row(name, f"{rate:,.0f}", f"{rate / rates['maskable_ppo']:.2f}")
    Console().print(table)
    write_json(json_file, machine(), [], threads=threads, width=width, decisions_a_second=rates)


def config_of(name: str, width: int | None = None, decisions: int = ENDLESS) -> TrainingConfig:
    """A trainer's quick config; with a width, its two hidden layers have this width."""
    file, trainer = TRAINERS[name]
    changes = [*trainer, f"decisions={decisions}"]
    if width is not None:
        section = "ppo" if name == "maskable_ppo" else "selfplay"
        changes.append(f"{section}.hidden_sizes=[{width},{width}]")
    return load_config(CONFIGS / file, changes)


def make(config: TrainingConfig) -> Trainer:
    """The trainer, before its first update."""
    return trainer_spec(config.trainer).make(config, make_game(config.game, **config.options))


def rates_of(
    configs: dict[str, TrainingConfig], seconds: float, rounds: int, clock: Callable[[], float] = time.monotonic
) -> dict[str, float]:
    """Decisions per second of a clock of each: the median over rounds in which they take turns."""
    trainers = {name: make(config) for name, config in configs.items()}
    by_config: dict[str, list[float]] = {name: [] for name in configs}
    try:
        for trainer in trainers.values():
            trainer.update()
        for _ in range(rounds):
            for name, trainer in trainers.items():
                begun, before = clock(), trainer.decisions
                while clock() - begun < seconds / rounds:
                    trainer.update()
                by_config[name].append((trainer.decisions - before) / (clock() - begun))
    finally:
        for trainer in trainers.values():
            trainer.close()
    return {name: float(np.median(rates)) for name, rates in by_config.items()}


if __name__ == "__main__":
    typer.run(main)
