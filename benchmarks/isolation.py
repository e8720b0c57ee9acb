"""Cost of a process of its own for an agent from outside: `python -m benchmarks.isolation`.

The same `act_batch` agent, a linear policy in numpy, plays the same tournament inside the process of the match and in a
process of its own, in turns.
"""

import time

import numpy as np

from w51_env.agents.agent import BatchAgent, Infos
from w51_env.agents.isolated import IsolatedAgent
from w51_env.arena.blocks import play_block
from w51_env.arena.plan import Plan, Spec
from w51_env.core.game import Game

TURNS = 3
GAMES = 2000


class Linear(BatchAgent):
    """The legal action with the highest linear score.

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
    """Time of all blocks, without the start of processes."""
    for agent in plan.agents:
        if isinstance(agent, IsolatedAgent):
            agent.begin()
    begun = time.perf_counter()
    for block in plan.blocks:
        play_block(plan, block)
    return time.perf_counter() - begun


def main() -> None:
    """Print the times of both, and what the process costs."""
    name = "benchmarks.isolation:Linear"
    apart = Plan(Spec(agents=(name, "heuristic"), games=GAMES))
    inside = Plan(Spec(agents=(name, "heuristic"), games=GAMES))
    inside.close()
    inside.agents[0] = Linear(inside.game)
    seconds(inside)  # compiles
    times = [(seconds(inside), seconds(apart)) for _ in range(TURNS)]
    least_inside, least_apart = (min(column) for column in zip(*times, strict=True))
    apart.close()
    print(f"inside {least_inside:.3f} s, in a process of its own {least_apart:.3f} s for {GAMES:,} games, ", end="")
    print(f"{least_apart / least_inside - 1:+.1%}")


if __name__ == "__main__":
    main()
