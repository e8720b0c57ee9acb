"""The heuristic: legal in every state, the same each time, and better than random."""

import numpy as np
import pytest

from tests.env.properties.generate import PRESET_GAMES
from tests.env.random_policies import random_policies
from w51_env import warehouse51
from w51_env.compiler.compile import JIT_DISABLED
from w51_env.engine.batch import Batch
from w51_env.engine.bots import Bot
from w51_env.engine.game import Game

# Without the compiler a game takes seconds.
MANY = 1 if JIT_DISABLED else 100
SOME_GAMES = {
    name: game
    for name, game in PRESET_GAMES.items()
    if not JIT_DISABLED or name.startswith(("default, 4", "hu, 3", "mini"))
}
every_preset = pytest.mark.parametrize("game", SOME_GAMES.values(), ids=SOME_GAMES)


# ---- in every state


@every_preset
@pytest.mark.parametrize("among", ["its like", "random players"])
def test_it_plays_legal_actions_to_the_end(game: Game, among: str):
    """In whatever state others bring about."""
    batch = Batch(game, MANY, seed=4, autoreset="disabled")
    batch.reset()
    bot, bits, others = Bot(game, "heuristic"), np.zeros(MANY, np.uint64), random_policies(game, MANY, seed=5)
    while (batch.seat >= 0).any():
        actions = bot.choose(batch.observation, batch.action_mask, bits)
        asked = batch.seat >= 0
        np.testing.assert_array_equal(batch.action_mask[asked, actions[asked]], True)
        batch.step(actions if among == "its like" else others.choose(batch.action_mask))


def test_its_random_bits_change_nothing():
    game = warehouse51.make(4)
    batch = Batch(game, MANY, seed=7)
    batch.reset()
    bot, generator = Bot(game, "heuristic"), np.random.default_rng(1)
    for _ in range(60):
        first, second = (
            bot.choose(batch.observation, batch.action_mask, generator.integers(0, 2**64, MANY, np.uint64))
            for _ in range(2)
        )
        np.testing.assert_array_equal(first, second)
        batch.step(first)


# ---- against random


@pytest.mark.skipif(JIT_DISABLED, reason="takes minutes without the compiler")
@pytest.mark.parametrize(
    ("options", "played", "least"),
    [
        ({"num_players": 3}, 4000, 0.97),
        ({"num_players": 4}, 4000, 0.93),
        ({"num_players": 5}, 4000, 0.88),
        ({"preset": "mini"}, 6000, 1 / 3),
        ({"preset": "nano"}, 6000, 1 / 3),
    ],
)
def test_one_heuristic_among_random_players_wins_most_games(options: dict, played: int, least: float):
    game = warehouse51.make(**options)
    seat = np.arange(played) % game.num_players
    controllers = (np.arange(game.num_players) == seat[:, None]).astype(np.int8)  # 1 is the heuristic, 0 random
    batch = Batch(game, played, seed=8, controllers=controllers, autoreset="disabled", observe=False)
    batch.reset()
    first = batch.final_ranks == 1
    share = (first / first.sum(1, keepdims=True))[np.arange(played), seat]
    low = share.mean() - 2.58 * share.std() / played**0.5  # of a 99 % interval
    assert low > least
