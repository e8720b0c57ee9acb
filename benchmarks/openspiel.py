"""Random play through OpenSpiel's interface, in moves per second on one core, beside a plain adapter.

The plain adapter loads the state into a batch, steps it and clones it at each move. The two are measured in turns.
Run: python benchmarks/openspiel.py
"""

import random
import time
from typing import Any

import numpy as np
import pyspiel

from w51_env.adapters import openspiel
from w51_env.core.batch import Batch

GAMES, ROUNDS = 60, 5


class PlainState:
    """The calls of random play, made with the batch alone."""

    def __init__(self, batch: Batch, seed: int):
        self._batch = batch
        batch.reset(seed=seed)
        self._look()

    def _look(self) -> None:
        self._state = self._batch.clone()
        self._over = bool(self._batch.done[0])
        self._legal = np.flatnonzero(self._batch.action_mask[0]).tolist()

    def is_chance_node(self) -> bool:
        return False

    def is_terminal(self) -> bool:
        return self._over

    def legal_actions(self) -> list[int]:
        return self._legal

    def apply_action(self, action: int) -> None:
        self._batch.load(self._state)
        self._batch.step(np.array([action]))
        self._look()


def play(state: Any, draw: random.Random) -> int:
    """Play a game at random; the number of moves of players."""
    moves = 0
    while not state.is_terminal():
        if state.is_chance_node():
            state.apply_action(draw.randrange(len(state.chance_outcomes())))
        else:
            state.apply_action(draw.choice(state.legal_actions()))
            moves += 1
    return moves


def main() -> None:
    game: pyspiel.Game = openspiel.make("warehouse51_v0", num_players=4)
    batch = Batch(game.game, 1, seed=0, autoreset="disabled", keep_final=False)
    makers = {
        "w51_env.adapters.openspiel": lambda number: game.new_initial_state(),
        "plain": lambda number: PlainState(batch, number),
    }
    best = dict.fromkeys(makers, 0.0)
    for _ in range(ROUNDS):
        for name, make in makers.items():
            draw = random.Random(1)
            start = time.process_time()
            moves = sum(play(make(number), draw) for number in range(GAMES))
            best[name] = max(best[name], moves / (time.process_time() - start))
    for name, rate in best.items():
        print(f"{name:28} {rate:8,.0f} moves/s")


if __name__ == "__main__":
    main()
