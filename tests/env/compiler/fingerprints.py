"""Fingerprints of games: `python -m tests.env.compiler.fingerprints` prints them, to compare two ways of running."""

import hashlib
import json
import sys

import numpy as np

from w51_env import make_game
from w51_env.engine.batch import Batch
from w51_env.engine.game import Game

VARIANTS = {
    "warehouse51_v1": (("default", 3), ("fr", 3), ("de", 5), ("hu", 4), ("mini", 3), ("nano", 3)),
    "alles_futsch_v1": (("default", 4), ("short", 3), ("mini", 2)),
    "auctions_v0": (("clock", 3), ("repeated", 4), ("mini", 2)),
}
WITH_BOTS = ("hu", "short", "mini")
NUM_GAMES = 1


def play_through(game: Game, controllers: list[str] | None, seed: int) -> str:
    """Hash of all states, observations, masks, rewards and events of a few games played to the end at random."""
    digest = hashlib.sha256()
    batch = Batch(game, NUM_GAMES, seed=seed, controllers=controllers, autoreset="disabled", events=True)
    batch.reset()
    step = 0
    while (batch.seat >= 0).any():
        for array in (batch.games, batch.seat, batch.action_mask, batch.rewards, batch.done):
            digest.update(array.tobytes())
        digest.update(repr([list(batch.events(index)) for index in range(NUM_GAMES)]).encode())
        if step % 8 == 0:  # the slowest of all with the JIT off
            digest.update(np.stack([batch.observe(seat) for seat in range(game.num_players)]).tobytes())
        if step % 16 == 0:
            true = batch.clone()
            batch.resample_hidden(step % game.num_players, step)
            digest.update(batch.games.tobytes())
            batch.games[:] = true
            batch.refresh()
        batch.step(batch.sample_actions(step))
        step += 1
    for array in (
        batch.games,
        batch.rewards,
        batch.final_scores,
        batch.final_ranks,
        batch.final_length,
        batch.final_observation,
    ):
        digest.update(np.ascontiguousarray(array).tobytes())
    return digest.hexdigest()


def fingerprints() -> dict[str, str]:
    """A fingerprint for each variant: all seats external; for some variants also with bots in all seats but one."""
    found = {}
    for game_id, variants in VARIANTS.items():
        for preset, num_players in variants:
            game = make_game(game_id, num_players=num_players, preset=preset)
            found[f"{game_id} {preset} {num_players}"] = play_through(game, None, seed=1)
            if preset in WITH_BOTS:
                bots = ["external", *(game.bots[seat % len(game.bots)] for seat in range(1, num_players))]
                found[f"{game_id} {preset} {num_players} bots"] = play_through(game, bots, seed=2)
    return found


if __name__ == "__main__":
    json.dump(fingerprints(), sys.stdout)
