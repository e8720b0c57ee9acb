"""Fingerprints of whole playthroughs: `python -m tests.core.fingerprints` prints them, so that two ways of running are compared."""

import hashlib
import json
import sys

import numpy as np

from benchmarks.fuzz import all_games
from w51_env.core.batch import Batch
from w51_env.core.game import Game

NUM_GAMES = 1


def play_through(game: Game, controllers: list[str] | None, seed: int) -> str:
    """Hash of all states, observations, masks, rewards and events of a few games played to their ends by random choices."""
    digest = hashlib.sha256()
    batch = Batch(game, NUM_GAMES, seed=seed, controllers=controllers, autoreset="disabled", events=True)
    batch.reset()
    step = 0
    while (batch.seat >= 0).any():
        for array in (batch.games, batch.seat, batch.action_mask, batch.rewards, batch.done):
            digest.update(array.tobytes())
        digest.update(repr([list(batch.events(index)) for index in range(NUM_GAMES)]).encode())
        if step % 4 == 0:  # the slowest of all with the JIT off
            digest.update(np.stack([batch.observe(seat) for seat in range(game.num_players)]).tobytes())
        if step % 16 == 0:
            true = batch.clone()
            batch.resample_hidden(step % game.num_players, step)
            digest.update(batch.games.tobytes())
            batch.games[:] = true
            batch.refresh()
        batch.step(batch.sample_actions(step))
        step += 1
    for array in (batch.games, batch.rewards, batch.final_scores, batch.final_ranks, batch.final_length, batch.final_observation):
        digest.update(np.ascontiguousarray(array).tobytes())
    return digest.hexdigest()


def fingerprints() -> dict[str, str]:
    """One for each preset and number of players: all seats played from outside, and with scripted players in most."""
    found = {}
    for name, game in all_games():
        found[name] = play_through(game, None, seed=1)
        bots = ["external", *(game.bots[1 + seat % (len(game.bots) - 1)] for seat in range(game.num_players - 2)), "random"]
        found[f"{name}, bots"] = play_through(game, bots, seed=2)
    return found


if __name__ == "__main__":
    json.dump(fingerprints(), sys.stdout)
