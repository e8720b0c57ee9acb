"""Matches whose behaviour is recorded."""

from collections.abc import Sequence

import numpy as np

from w51_env.engine.batch import Batch
from w51_env.engine.game import Game
from w51_lab.behaviour import BehaviourRecorder
from w51_lab.behaviour.contract import Tables

RANDOM, HEURISTIC, EXTERNAL = 0, 1, -1
NAMES = ("random", "heuristic")


def seats_of(game: Game, num_games: int) -> np.ndarray:
    """(num_games, num_players) the agent in each seat: random and heuristic in all mixtures."""
    return (np.arange(num_games)[:, None] >> np.arange(game.num_players)) % 2


def recorded_bots(game: Game, controllers: Sequence[str], num_games: int, seed: int = 1) -> tuple[Batch, Tables]:
    """Games of bots inside the batch. The agents of the tables are the bots, in the order of their first seats."""
    batch = Batch(game, num_games, seed=seed, controllers=controllers, autoreset="disabled", events=True)
    recorder = BehaviourRecorder(game)
    batch.reset()
    recorder.read(batch)
    agents = [list(dict.fromkeys(controllers)).index(bot) for bot in controllers]
    return batch, recorder.tables(batch, np.arange(num_games), 0, np.tile(agents, (num_games, 1)))


def record(
    game: Game, num_games: int, seed: int = 1, external: bool = False, events: bool = False
) -> tuple[Batch, Tables]:
    """Play and record. With `external`, random agents outside the batch act like the random bots inside it."""
    agents = seats_of(game, num_games)
    controllers = np.where((agents == RANDOM) & external, EXTERNAL, agents)
    batch = Batch(
        game, num_games, controllers=controllers, autoreset="disabled", observe=False, keep_final=False, events=True
    )
    recorder = BehaviourRecorder(game, events)
    batch.reset(seed=np.arange(num_games, dtype=np.uint64) + np.uint64(1000 * seed))
    recorder.read(batch)
    while (batch.seat >= 0).any():
        batch.step(batch.sample_actions())
        recorder.read(batch)
    return batch, recorder.tables(batch, np.arange(num_games) // 2 + 7, 3, agents)
