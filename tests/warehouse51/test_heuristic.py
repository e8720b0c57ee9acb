"""The heuristic: legal in every state, the same each time, better than random, and sensible where one can say what is."""

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings

from tests.properties.generate import every_preset, games, habits
from tests.warehouse51.relic_files import relic, table_with
from tests.warehouse51.table import Table
from w51_env import warehouse51
from w51_env.core.batch import Batch
from w51_env.core.bots import Bot
from w51_env.core.compile import JIT_DISABLED
from w51_env.core.game import Game

MANY = 5 if JIT_DISABLED else 400  # without the compiler a game takes a second


def chosen(table: Table) -> str:
    """What the heuristic does here."""
    actions = Bot(table.game, "heuristic").choose(table.batch.observation, table.batch.action_mask, np.zeros(1, np.uint64))
    return table.game.actions[actions[0]].name


def bids_up_to(table: Table) -> int:
    """The last bid of the heuristic on this open lot, were each of its bids answered by one more from its left neighbour."""
    seat, left = table.seat, (table.seat + 1) % table.game.num_players
    last = 0
    while chosen(table).startswith("bid_"):
        last = int(chosen(table).removeprefix("bid_"))
        table.change(standing_bid=last + 1, leader=left, seat=seat)
    return last


# ---- in every state


@every_preset
def test_it_plays_legal_actions_to_the_end_in_games_among_its_like(game: Game):
    batch = Batch(game, MANY, seed=4, autoreset="disabled")
    batch.reset()
    bot, bits = Bot(game, "heuristic"), np.zeros(MANY, np.uint64)
    while (batch.seat >= 0).any():
        actions = bot.choose(batch.observation, batch.action_mask, bits)
        asked = batch.seat >= 0
        assert batch.action_mask[asked, actions[asked]].all()
        batch.step(actions)


@every_preset
def test_it_plays_legal_actions_in_whatever_state_others_bring_about(game: Game):
    batch = Batch(game, MANY, seed=5, autoreset="disabled")
    batch.reset()
    bot, bits, others = Bot(game, "heuristic"), np.zeros(MANY, np.uint64), habits(game, MANY, seed=5)
    while (batch.seat >= 0).any():
        actions = bot.choose(batch.observation, batch.action_mask, bits)
        asked = batch.seat >= 0
        assert batch.action_mask[asked, actions[asked]].all()
        batch.step(others.choose(batch.action_mask))


@settings(
    max_examples=5 if JIT_DISABLED else 60,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
@given(game=games())
def test_it_plays_any_relic_set_with_any_options_to_the_end(game: Game):
    batch = Batch(game, 4 if JIT_DISABLED else 50, seed=6, autoreset="disabled", controllers=["heuristic"] * game.num_players)
    batch.reset()
    assert (batch.games["over"] == 1).all()
    outside = Batch(game, batch.num_games, seed=6, autoreset="disabled")
    outside.reset()
    bot, bits = Bot(game, "heuristic"), np.zeros(batch.num_games, np.uint64)
    while (outside.seat >= 0).any():
        outside.step(bot.choose(outside.observation, outside.action_mask, bits))  # an error, were one illegal
    assert (outside.final_scores == batch.final_scores).all()


def test_its_random_bits_change_nothing():
    game = warehouse51.make(4)
    batch = Batch(game, MANY, seed=7)
    batch.reset()
    bot, generator = Bot(game, "heuristic"), np.random.default_rng(1)
    for _ in range(60):
        first, second = (bot.choose(batch.observation, batch.action_mask, generator.integers(0, 2**64, MANY, np.uint64)) for _ in range(2))
        assert (first == second).all()
        batch.step(first)


def test_two_who_may_match_each_others_bids_do_not_go_on_for_ever(tmp_path):
    relics = [relic(f"m{place}", "blue", 1, "may_match_bid") for place in range(2)] + [relic(f"r{place}", "red", 3) for place in range(6)]
    table = table_with(tmp_path, *relics, num_players=3)
    table.give(0, "m0").give(1, "m1").decks("r0", "r1", "r2", "r3", "r4", "r5")
    for _ in range(500):
        if table.over:
            return
        table.play(chosen(table))
    raise AssertionError("the game did not end")


# ---- against random


@pytest.mark.skipif(JIT_DISABLED, reason="takes minutes without the compiler")
@pytest.mark.parametrize(("num_players", "least"), [(3, 0.97), (4, 0.93), (5, 0.88)])
def test_one_heuristic_among_random_players_wins_most_games(num_players: int, least: float):
    played = 4000
    seat = np.arange(played) % num_players
    controllers = (np.arange(num_players) == seat[:, None]).astype(np.int8)  # 1 is the heuristic, 0 random
    batch = Batch(warehouse51.make(num_players), played, seed=8, controllers=controllers, autoreset="disabled", observe=False)
    batch.reset()
    first = batch.final_ranks == 1
    share = (first / first.sum(1, keepdims=True))[np.arange(played), seat]
    low = share.mean() - 2.58 * share.std() / played**0.5  # of a 99 % interval
    assert low > least


@pytest.mark.skipif(JIT_DISABLED, reason="takes minutes without the compiler")
@pytest.mark.parametrize("preset", ["mini", "nano"])
def test_it_beats_random_in_mini_games_too(preset: str):
    played = 6000
    seat = np.arange(played) % 3
    controllers = (np.arange(3) == seat[:, None]).astype(np.int8)
    batch = Batch(warehouse51.make(preset=preset), played, seed=8, controllers=controllers, autoreset="disabled", observe=False)
    batch.reset()
    first = batch.final_ranks == 1
    share = (first / first.sum(1, keepdims=True))[np.arange(played), seat]
    assert share.mean() - 2.58 * share.std() / played**0.5 > 1 / 3


# ---- what a relic is worth to it


def test_it_bids_more_for_a_majority_than_for_a_lead_it_has_already():  # G3
    contested = Table(4).give(0, "malleus_maleficarum").give(1, "excalibur").decks("holy_grail").play("choose_deck_blue")
    safe = Table(4).give(1, "malleus_maleficarum", "excalibur", "vorpal_sword").decks("holy_grail").play("choose_deck_blue")
    assert bids_up_to(contested) > bids_up_to(safe)


def test_it_bids_more_for_the_last_relic_of_a_set():  # G2
    three = ("excalibur", "golden_fleece", "sharur")
    without = (
        Table(4).give(1, *three[:2]).give(2, "sharur").decks("ame_no_nuhoko").play("choose_deck_red").play("bid_0" if False else "pass")
    )
    with_set = Table(4).give(1, *three).decks("ame_no_nuhoko").play("choose_deck_red", "pass")
    assert without.seat == with_set.seat == 2
