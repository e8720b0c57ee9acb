"""Where the time of an update of self-play goes: `python -m benchmarks.update`, `--config populations`.

A decision is one that the network learns from, of a seat that learns. The time for those of opponents is part of its
time, and they are not counted.

Processor time of each step, without that of the steps inside it, summed over all threads: so other processes matter
little. The first updates are not measured.
"""

import threading
import time
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any
from unittest.mock import patch

import torch
import typer
from rich.console import Console
from rich.table import Table

from benchmarks.measure import RESULTS, ResultsFile, machine, write_json
from w51_agents.training import player, selfplay
from w51_agents.training.config import load_config
from w51_agents.training.games import GamesPart
from w51_agents.training.model import LearnerModel
from w51_agents.training.player import Player
from w51_agents.training.registry import trainer_spec
from w51_agents.training.rollout import Minibatch, ShapedRewards
from w51_agents.training.seats import SeatedGames
from w51_agents.training.selfplay import Learner
from w51_env import make_game
from w51_env.engine.batch import Batch

CONFIGS = Path(__file__).resolve().parents[1] / "configs"
ROLLOUT, LEARNING = "rollout", "learning"
# (owner, attribute): the step, in the order of an update. The forward pass belongs to what calls it.
STEPS: dict[tuple[Any, str], str] = {
    (player, "_exhaust"): f"{ROLLOUT}: all else",
    (Player, "ask"): f"{ROLLOUT}: observations are kept, and compiled decisions",
    (LearnerModel, "step"): "forward pass",
    (LearnerModel, "outputs"): "forward pass",
    (Player, "_act"): f"{ROLLOUT}: decisions that PyTorch makes",
    (Batch, "step"): f"{ROLLOUT}: the engine",
    (GamesPart, "step"): f"{ROLLOUT}: arrays of several batches as one",
    (SeatedGames, "_let_opponents_play"): f"{ROLLOUT}: opponents",
    (ShapedRewards, "terms"): f"{ROLLOUT}: shaping",
    (selfplay, "estimate_advantages"): f"{LEARNING}: advantages",
    (Minibatch, "select"): f"{LEARNING}: minibatches are gathered",
    (torch.autograd, "grad"): f"{LEARNING}: backward pass",
    (LearnerModel, "update_input_stats"): f"{LEARNING}: statistics of inputs",
}


class Clock:
    """Processor time of steps that call each other, in any thread."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = defaultdict(float)
        self._local = threading.local()
        self._lock = threading.Lock()

    @contextmanager
    def step(self, name: str) -> Iterator[None]:
        """What runs inside counts for a step, not for the step around it; as a decorator, what each call runs."""
        outer: list[str] = self._local.__dict__.setdefault("outer", [])
        self._switch(outer[-1] if outer else None)
        outer.append(f"{outer[-1].partition(':')[0]}: {name}" if outer and ":" not in name else name)
        try:
            yield
        finally:
            self._switch(outer.pop())

    def _switch(self, name: str | None) -> None:
        now = time.thread_time()
        if name is not None:
            with self._lock:
                self.seconds[name] += now - self._local.since
        self._local.since = now


def main(
    config: Annotated[str, typer.Option(help="Name of a config.")] = "selfplay_quick",
    changes: Annotated[list[str] | None, typer.Option("--set", metavar="KEY=VALUE", help="Of the config.")] = None,
    updates: Annotated[int, typer.Option(help="Number of updates.")] = 20,
    json_file: ResultsFile = RESULTS / "update.json",
) -> None:
    """Measure, print and keep."""
    torch.set_num_threads(1)
    settings = load_config(CONFIGS / f"{config}.yaml", ["decisions=1_000_000_000_000", *(changes or ())])
    trainer = trainer_spec(settings.trainer).make(settings, make_game(settings.game, **settings.options))
    for _ in range(3):
        trainer.update()
    clock, before = Clock(), trainer.decisions
    with timing(clock, trainer):
        for _ in range(updates):
            trainer.update()
    decisions = trainer.decisions - before
    trainer.close()
    steps = {name: 1e6 * seconds / decisions for name, seconds in clock.seconds.items()}
    total = sum(steps.values())
    steps = {name: steps[name] for name in sorted(steps, reverse=True)}
    table = Table("step", "us a decision", "share")
    for name, spent in steps.items():
        table.add_row(name, f"{spent:.2f}", f"{spent / total:.1%}")
    table.add_row("an update", f"{total:.2f}", f"{1e6 / total:,.0f} decisions/s")
    Console().print(table)
    write_json(json_file, machine(), [], config=config, changes=changes or [], microseconds=steps)


@contextmanager
def timing(clock: Clock, trainer: Learner) -> Iterator[None]:
    """Time the steps of a trainer's updates."""
    steps = dict(STEPS)
    steps[trainer, "update"] = f"{LEARNING}: all else"
    steps[trainer, "loss"] = f"{LEARNING}: loss"
    steps[trainer.optimizer, "step"] = f"{LEARNING}: Adam"
    steps[trainer, "collect"] = f"{ROLLOUT}: all else"
    patches = [
        patch.object(owner, name, clock.step(step)(getattr(owner, name))) for (owner, name), step in steps.items()
    ]
    for one in patches:
        one.start()
    try:
        yield
    finally:
        for one in patches:
            one.stop()


if __name__ == "__main__":
    typer.run(main)
