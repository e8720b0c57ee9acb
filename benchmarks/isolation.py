"""Cost of a process of its own for an isolated agent.

    python -m benchmarks.isolation --json benchmarks/results/isolation.json

The same `act_batch` agent, a linear policy in numpy, plays the same block of games inside the process of the match and
in a process of its own, in turns. The speed of a machine may vary within seconds, so each time is compared with that of
its neighbour, and the cost is the median of these ratios.
"""

import os
import sys
import time
from pathlib import Path
from statistics import median, quantiles
from typing import Annotated

import numpy as np
import typer

from benchmarks import measure
from w51_env.agents.agent import BatchAgent, Infos
from w51_env.agents.isolated import ONE_THREAD, IsolatedAgent
from w51_env.arena.blocks import play_block
from w51_env.arena.plan import Plan, Spec
from w51_env.core.game import Game

GAMES = 2000  # a block


class Linear(BatchAgent):
    """The legal action with the highest score of a small network.

    Args:
        game: The game it plays.
        hidden: Width of the hidden layer.
    """

    def __init__(self, game: Game, hidden: int = 64):
        generator = np.random.default_rng(1)
        self._first = generator.normal(size=(game.layout.size, hidden)).astype(np.float32)
        self._second = generator.normal(size=(hidden, len(game.actions))).astype(np.float32)

    def reset(self, seed: int) -> None:
        """Does nothing."""

    def act_batch(self, observations: np.ndarray, action_masks: np.ndarray, infos: Infos = None) -> np.ndarray:
        scores = np.maximum(observations.astype(np.float32) @ self._first, 0.0) @ self._second
        return np.where(action_masks, scores, -np.inf).argmax(axis=1)


def seconds(plan: Plan) -> float:
    """Time of the first block, without the start of processes."""
    for agent in plan.agents:
        if isinstance(agent, IsolatedAgent):
            agent.begin()
    begun = time.perf_counter()
    play_block(plan, plan.blocks[0])
    return time.perf_counter() - begun


def main(
    json: Annotated[Path | None, typer.Option(help="JSON file for the results.")] = None,
    pairs: Annotated[int, typer.Option(min=2, help="Blocks of each kind; the medians are shown.")] = 40,
) -> None:
    """Measure the cost of the process, and the times."""
    if not ONE_THREAD.items() <= os.environ.items():  # both play with one thread, which numpy reads when it is loaded
        os.execve(sys.executable, sys.orig_argv, {**os.environ, **ONE_THREAD})
    facts = measure.machine()
    name = "benchmarks.isolation:Linear"
    apart = Plan(Spec(agents=(name, "heuristic"), games=GAMES))
    inside = Plan(Spec(agents=(name, "heuristic"), games=GAMES))
    inside.close()
    inside.agents[0] = Linear(inside.game)
    seconds(inside), seconds(apart)  # compiles
    times = []
    for number in range(pairs):
        order = (inside, apart) if number % 2 else (apart, inside)  # so that a drift favours neither
        first, second = (seconds(plan) for plan in order)
        times.append((first, second) if number % 2 else (second, first))
    apart.close()
    ratios = [second / first for first, second in times]
    low, _, high = quantiles(ratios, n=4)
    rows = ("inside the match", "in a process of its own")
    group = f"a block of {GAMES:,} games"
    results = [
        measure.summarize(group, row, "s", column) for row, column in zip(rows, zip(*times, strict=True), strict=True)
    ]
    console = measure.wide_console()
    console.print(measure.headline(facts), markup=False)
    measure.show(console, results)
    cost = {"median": median(ratios) - 1, "low": low - 1, "high": high - 1}
    console.print("cost {median:+.1%}, the middle half of the pairs {low:+.1%} to {high:+.1%}".format(**cost))
    if json is not None:
        measure.write_json(json, facts, results, games=GAMES, pairs=pairs, cost=cost)


if __name__ == "__main__":
    typer.run(main)
