"""Batches of games at their beginning and in their middle, and what is no seed."""

import numpy as np

from w51_env import make_game, warehouse51
from w51_env.engine.batch import Batch
from w51_env.engine.game import Game

GAME = warehouse51.make(4, first_player=0)
GAMES = (make_game("warehouse51_v1", num_players=3), make_game("alles_futsch_v1", num_players=3))
NO_SEEDS = [1.5, 1.0, -1, 2**64, True, "a", float("nan"), np.float64(1), np.int64(-1), np.bool_(True), np.array(5), {}]


def begin(num_games: int = 3, **settings) -> Batch:
    """Games that wait for a deck to be chosen."""
    batch = Batch(GAME, num_games, seed=51, **{"autoreset": "disabled", **settings})
    batch.reset()
    return batch


def stepped(game: Game, num_games: int, steps: int, **settings) -> Batch:
    """Games after as many random steps."""
    batch = Batch(game, num_games, **settings)
    batch.reset()
    for _ in range(steps):
        batch.step(batch.sample_actions())
    return batch


def snapshot(batch: Batch) -> tuple[bytes, ...]:
    """All that a caller can see, but for the last observations of finished games."""
    now = (batch.games, batch.observation, batch.action_mask, batch.seat, batch.rewards, batch.done, batch.illegal)
    last = (batch.final_scores, batch.final_ranks, batch.final_length, batch.learner, batch.skipped)
    controllers = (batch.controllers, batch.first_controllers)
    return tuple(array.tobytes() for array in (*now, *last, *controllers, batch.seeds))


def running(game: Game, *phases: int) -> Batch:
    """A batch of two games in their middle, both in one of these phases."""
    batch = stepped(game, 64, 40, seed=3, autoreset="disabled")
    found = Batch(game, 2, seed=1, autoreset="disabled")
    while True:
        is_in = np.isin(batch.games["phase"], phases) if phases else batch.seat >= 0
        if is_in.sum() >= 2:
            found.load(batch.clone(np.flatnonzero(is_in)[:2]))
            return found
        batch.step(batch.sample_actions())
