"""The heuristic: better than random at every number of players, sensible, and not slow."""

import numpy as np
import pytest

from tests.env.alles_futsch.generate import many_games
from tests.env.alles_futsch.table import Table
from w51_env import alles_futsch
from w51_env.alles_futsch.bots import BOTS, HEURISTIC
from w51_env.alles_futsch.rules import PRESETS
from w51_env.engine.batch import Batch
from w51_env.engine.bots import Bot
from w51_env.engine.game import Game


def play_out(game: Game, controllers: np.ndarray) -> Batch:
    """(N, players) bots play whole games."""
    batch = Batch(
        game, len(controllers), seed=12, controllers=controllers, autoreset="disabled", observe=False, keep_final=False
    )
    batch.reset()
    return batch


def chosen(table: Table) -> str:
    """What the heuristic does here."""
    batch = table.batch
    actions = Bot(table.game, "heuristic").choose(batch.observation, batch.action_mask, np.zeros(1, np.uint64))
    return table.game.actions[actions[0]].name


def played(table: Table) -> Table:
    """One whole decision of the heuristic: both parts of a raise."""
    table.play(chosen(table))
    return table.play(chosen(table)) if table["added"] else table


@many_games
@pytest.mark.parametrize(("num_players", "least"), [(2, 0.97), (3, 0.97), (4, 0.92), (5, 0.86)])
def test_one_heuristic_among_random_players_wins_most_games(num_players: int, least: float):
    games = 4000
    learner = np.arange(games) % num_players
    controllers = np.where(np.arange(num_players) == learner[:, None], HEURISTIC, 0).astype(np.int8)  # 0 is random
    batch = play_out(alles_futsch.make(num_players), controllers)
    first = batch.final_ranks == 1
    share = (first / first.sum(1, keepdims=True))[np.arange(games), learner]
    low = share.mean() - 2.58 * share.std() / games**0.5  # of a 99 % interval
    assert low > least > 1 / num_players


@many_games
@pytest.mark.parametrize(("num_players", "most"), [(2, 150), (3, 220), (4, 300), (5, 380)])
def test_games_among_heuristics_are_short_and_end_with_someone_broke(num_players: int, most: int):
    batch = play_out(alles_futsch.make(num_players), np.full((500, num_players), HEURISTIC, np.int8))
    assert batch.final_length.max() <= most
    assert (batch.games["broke"] >= 0).mean() > 0.95


@pytest.mark.parametrize("preset", PRESETS)
@pytest.mark.parametrize(
    "options", [{}, {"ask_forced": True, "minimum_bid": 0, "no_buyer": "taken"}, {"minimum_bid": 20, "cards": "random"}]
)
@pytest.mark.parametrize("bot", range(1, len(BOTS)))
@many_games
def test_each_plays_every_preset_and_ruling(bot: int, preset: str, options: dict):
    game = alles_futsch.make(preset=preset, **options)
    np.testing.assert_array_less(play_out(game, np.full((200, game.num_players), bot, np.int8)).seat, 0)


def test_it_outbids_what_the_others_would_pay_at_once():
    # Player 0 would sell all three: 20 x 1.186 and 0.867 / 2 of a rival's loss of 20 - 17.2 each, 75 in all. Each of
    # the others would keep them: 17.2 + 19.5 + 30 less 3 x 4, that is 55. So they go up to 1.04 x (55 x (3 - 0.613) +
    # 75 x 0.613) / 3, that is 61.
    table = Table(3).cards("painting painting painting").play("select_0")
    assert played(table).events("bid") == [{"event": "bid", "seat": 0, "money": 62, "forced": False}]
    assert chosen(table) == "pass"


def test_it_passes_on_what_is_worth_less_than_the_standing_bid():
    table = Table(3).cards("vase clock jewel").play("select_0")
    assert chosen(table.play("add_100", "raise_1")) == "pass"


def test_it_never_bids_its_last_money():
    table = Table(2).cards("painting painting painting").money(30, 200).play("select_0")
    assert played(table)["standing_bid"] == 27


def test_it_takes_its_bonus_before_it_sells():  # A4: a sale may end the game
    table = Table(3).cards("painting vase clock").give(0, vase=2, clock=3).buy(5)
    assert chosen(table) == "place_vase"


def test_it_sells_a_fourth_rather_than_a_first_and_a_first_rather_than_a_third():
    table = Table(4).cards("painting clock jewel").give(1, painting=2).give(2, painting=3).buy(5).play("place_painting")
    assert chosen(table) == "sell_to_2"  # costs 30; the others lose 14 or win 10
    table = Table(4).cards("painting clock jewel").give(1, painting=2).give(2, painting=2).buy(5).play("place_painting")
    assert chosen(table) == "sell_to_3"


def test_among_equals_it_sells_to_the_richest():
    table = Table(4).cards("painting clock jewel").money(90, 50, 70, 60).buy(5).play("place_painting")
    assert chosen(table) == "sell_to_2"


def test_it_breaks_a_player_only_when_that_wins():
    table = Table(3).cards("painting clock jewel").money(60, 15, 69).buy(5).play("place_painting")
    assert chosen(table) == "sell_to_1"  # 55 and the 15 that are left are more than 69
    table = Table(3).cards("painting clock jewel").money(60, 15, 70).buy(5).play("place_painting")
    assert chosen(table) == "sell_to_2"  # no more than 70


def test_it_selects_a_card_that_brings_its_bonus_and_least_to_the_other():
    cards = ["vase vase vase", "clock clock clock", "jewel jewel jewel", "clock clock jewel", "vase vase jewel"]
    table = Table(2).cards(*cards).give(0, jewel=2).give(1, jewel=5, vase=5, clock=5)
    assert chosen(table) == "select_3"  # the other could sell it one jewel of this card, and three of that in slot 2
