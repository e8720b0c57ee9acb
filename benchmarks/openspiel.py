"""Random play through OpenSpiel's interface, in moves per second on one core, beside a plain adapter.

The plain adapter loads the state into a batch, steps it and clones it at each move. The two are measured in turns.
Run: `python benchmarks/openspiel.py`.
"""

import random
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import pyspiel
import typer
from open_spiel.python import rl_environment

from benchmarks import measure
from w51_env.adapters import openspiel
from w51_env.engine.batch import Batch

GROUP = "random play through OpenSpiel's interface"


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


def learning_play(game: Any, kind: Any) -> Callable[[int, random.Random], int]:
    """Plays a game at random through `rl_environment`, which makes the tensors of all players at each move."""
    env = rl_environment.Environment(game, observation_type=kind)

    def play_one(number: int, draw: random.Random) -> int:
        step, moves = env.reset(), 0
        while not step.last():
            player = step.observations["current_player"]
            step = env.step([draw.choice(step.observations["legal_actions"][player])])
            moves += 1
        return moves

    return play_one


def main(
    json: measure.JsonFile = None,
    games: measure.Games = 60,
    repeats: measure.Repeats = 5,
) -> None:
    """Measure moves per second of processor time."""
    facts = measure.machine()
    game: pyspiel.Game = openspiel.make("warehouse51_v1", num_players=4)
    batch = Batch(game.game, 1, seed=0, autoreset="disabled", keep_final=False)
    whole = openspiel.make("warehouse51_v1", num_players=4, history=openspiel.ALL)
    kinds = rl_environment.ObservationType
    players: dict[str, Callable[[int, random.Random], int]] = {
        "w51_env.adapters.openspiel": lambda number, draw: play(game.new_initial_state(), draw),
        "plain adapter": lambda number, draw: play(PlainState(batch, number), draw),
        "rl_environment, observations": learning_play(game, kinds.OBSERVATION),
        "rl_environment, information states": learning_play(game, kinds.INFORMATION_STATE),
        "rl_environment, information states with all rows": learning_play(whole, kinds.INFORMATION_STATE),
    }
    rates: dict[str, list[float]] = {name: [] for name in players}
    for _ in range(repeats):
        for name, play_one in players.items():
            draw = random.Random(1)
            some = max(1, games // 20) if name.startswith("rl") else games
            start = time.process_time()
            moves = sum(play_one(number, draw) for number in range(some))
            rates[name].append(moves / (time.process_time() - start))
    results = [measure.summarize(GROUP, name, "steps/s", values) for name, values in rates.items()]
    console = measure.wide_console()
    console.print(measure.headline(facts), markup=False)
    measure.show(console, results)
    if json is not None:
        measure.write_json(json, facts, results)


if __name__ == "__main__":
    typer.run(main)
