"""Cost of a process of its own for an isolated agent.

    python -m benchmarks.isolation --json benchmarks/results/isolation.json

The same `act_batch` agent, a linear policy in numpy, plays the same block of games inside the process of the match and
in a process of its own, in turns. The speed of a machine may vary within seconds, so each time is compared with that of
its neighbour, and the cost is the median of these ratios.
"""

import os
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import quantiles
from typing import Annotated

import numpy as np
import typer

from benchmarks import measure
from w51_agents.agent.interface import BatchAgent, Infos
from w51_agents.isolation.isolated import IsolatedAgent
from w51_agents.isolation.link import ONE_THREAD
from w51_env.engine.game import Game
from w51_lab.arena.blocks import play_block
from w51_lab.arena.plan import Plan
from w51_lab.arena.spec import TournamentSpec

GAMES = 2000
INSIDE, APART = "inside the match", "in a process of its own"


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


@dataclass(frozen=True)
class Cost:
    """What a block of games took.

    Attributes:
        elapsed: Seconds.
        processor: Seconds of processor time, of the match and of the agents' processes.
    """

    elapsed: float
    processor: float


def play(plan: Plan) -> Cost:
    """The cost of all blocks, without the start of the process that makes the agent."""
    isolated = [agent for agent in plan.agents if isinstance(agent, IsolatedAgent)]
    elapsed, processor = time.perf_counter(), _processor(isolated)
    for block in plan.blocks:
        play_block(plan, block)
    return Cost(time.perf_counter() - elapsed, _processor(isolated) - processor)


def _processor(isolated: Sequence[IsolatedAgent]) -> float:
    """Seconds of processor time so far, also of the ended processes in which the agents have played."""
    stats = (Path(f"/proc/{agent.pid}/stat").read_text("utf-8").rpartition(")")[2].split() for agent in isolated)
    ticks = sum(int(ticks) for stat in stats for ticks in stat[11:15])  # of the process and of its children
    return time.process_time() + ticks / os.sysconf("SC_CLK_TCK")


def main(
    json: measure.JsonFile = None,
    pairs: Annotated[int, typer.Option(min=2, help="Blocks of each kind; the medians are shown.")] = 40,
) -> None:
    """Measure the cost of the process, and the times."""
    if not ONE_THREAD.items() <= os.environ.items():  # both play with one thread, which numpy reads when it is loaded
        os.execve(sys.executable, sys.orig_argv, {**os.environ, **ONE_THREAD})
    facts = measure.machine()
    name = "benchmarks.isolation:Linear"
    apart = Plan(TournamentSpec(agents=(name, "heuristic"), games=GAMES))
    inside = Plan(TournamentSpec(agents=(name, "heuristic"), games=GAMES))
    inside.close()
    inside.agents[0] = Linear(inside.game)
    play(inside), play(apart)  # compiles
    costs: dict[str, list[Cost]] = {INSIDE: [], APART: []}
    for number in range(pairs):
        order = ((INSIDE, inside), (APART, apart))
        for kind, plan in order if number % 2 else reversed(order):  # so that a drift favours neither
            costs[kind].append(play(plan))
    apart.close()
    console = measure.wide_console()
    console.print(measure.headline(facts), markup=False)
    results, more = [], {}
    for what in ("elapsed", "processor"):
        times = {kind: [getattr(cost, what) for cost in of_kind] for kind, of_kind in costs.items()}
        results += [
            measure.summarize(f"{GAMES:,} games, {what}", kind, "s", of_kind) for kind, of_kind in times.items()
        ]
        ratios = [second / first for first, second in zip(times[INSIDE], times[APART], strict=True)]
        low, middle, high = quantiles(ratios, n=4)
        more[what] = {"median": middle - 1, "low": low - 1, "high": high - 1}
    measure.show(console, results)
    for what, cost in more.items():
        text = "{median:+.1%}, the middle half of the pairs {low:+.1%} to {high:+.1%}".format(**cost)
        console.print(f"{what}: {text}")
    if json is not None:
        measure.write_json(json, facts, results, games=GAMES, pairs=pairs, cost=more)


if __name__ == "__main__":
    typer.run(main)
