"""A1: money, tables, and the cards."""

from collections import Counter
from itertools import combinations_with_replacement

import numpy as np
import pytest

from tests.deals import assert_even, dealer
from tests.env.alles_futsch.table import CARD_NAMES, Table
from w51_env import alles_futsch
from w51_env.alles_futsch.state import CARDS, NO_CARD, NUM_CARDS, NUM_TYPES, OBJECTS
from w51_env.engine.batch import Batch

deal = dealer(alles_futsch.make, seed=98)


@pytest.mark.parametrize("num_players", [2, 3, 4, 5])
def test_two_to_five_players_have_200_each_and_own_nothing(num_players):  # A1, option: num_players
    table = Table(num_players)
    assert table["money"].tolist() == [200] * num_players + [0] * (5 - num_players)
    assert not table["owned"].any()


def test_the_default_is_the_rulebook():  # A1, A2, A3, preset: default
    options = {
        "num_players": 4,
        "first_player": "random",
        "start_money": 200,
        "cards": "multisets",
        "num_cards": 35,
        "minimum_bid": 1,
        "no_bid_selector": "same",
        "no_buyer": "lost",
        "deck_exhausted": "play_on",
        "sale_price": 20,
        "fine": 10,
        "bonus": 30,
        "reward": "win",
        "ask_forced": False,
    }
    assert alles_futsch.make().options == options


def test_start_money_is_an_option():  # A1, option: start_money, preset: short
    assert Table(3, start_money=35).balances == [35, 35, 35]
    assert Table(3, preset="short").balances == [100, 100, 100]


def test_there_is_one_card_for_each_multiset_of_three_out_of_five_types():  # A1
    assert [tuple(card) for card in CARDS] == list(combinations_with_replacement(range(5), 3))
    assert len(CARDS) == 35
    np.testing.assert_array_equal(OBJECTS.sum(1), 3)
    assert OBJECTS.sum(0).tolist() == [21] * 5  # 105 objects, as many of each type
    assert OBJECTS[CARD_NAMES.index("painting painting clock")].tolist() == [2, 0, 0, 1, 0]


def test_each_game_has_all_35_cards_five_of_them_face_up():  # A1
    games = deal(4)
    np.testing.assert_array_equal(*np.broadcast_arrays(np.sort(games["deck"], 1), np.arange(NUM_CARDS)))
    np.testing.assert_array_equal(games["face_up"], games["deck"][:, :5])
    np.testing.assert_array_equal(games["next_card"], 5)


def test_every_card_comes_to_every_place_of_the_deck_equally_often():  # A1
    deck = deal(4)["deck"]
    for place in range(NUM_CARDS):
        assert_even(np.bincount(deck[:, place], minlength=NUM_CARDS), 1 / NUM_CARDS)


def test_random_cards_are_three_random_objects_each():  # A1, option: cards
    deck = deal(4, cards="random")["deck"]
    orders = np.array([(1, 3, 6)[len(set(card.tolist())) - 1] for card in CARDS])  # in which three objects can be drawn
    for place in (0, 34):
        assert_even(np.bincount(deck[:, place], minlength=NUM_CARDS), orders / 125)
    assert any(len(set(cards)) < NUM_CARDS for cards in deck[:20].tolist())  # a card can come twice


@pytest.mark.parametrize("num_players", [2, 5])
def test_each_table_lacks_another_type_and_any_player_may_get_any_table(num_players):  # A1
    lacks = deal(num_players)["lacks"]
    np.testing.assert_array_equal(*np.broadcast_arrays(np.sort(lacks, 1), np.arange(NUM_TYPES)))
    for seat in range(num_players):
        assert_even(np.bincount(lacks[:, seat], minlength=NUM_TYPES), 1 / NUM_TYPES)


def test_fewer_cards_leave_the_rest_aside_unseen():  # A1, option: num_cards
    table = Table(2, num_cards=7)
    assert (table["next_card"], table.read(0, "deck_left").tolist()) == (5, [2])
    table = Table(2, num_cards=3)
    assert (table["face_up"] != NO_CARD).tolist() == [True, True, True, False, False]
    assert table.legal() == {"select_0", "select_1", "select_2"}
    assert table.read(0, "deck_left").tolist() == [0]


def test_the_events_contain_all_that_is_public():  # A1
    batch = Batch(alles_futsch.make(3, first_player=2), 1, seed=3, events=True)
    batch.reset()
    events = list(batch.events(0, viewer=1))
    assert Counter(event["event"] for event in events) == {"set_up": 1, "got_table": 3, "turned_up": 5}
    assert events[0] == {"event": "set_up", "seat": 2, "forced": False}
    assert [event["type"] for event in events if event["event"] == "got_table"] == batch.games["lacks"][0, :3].tolist()
    assert [event["card"] for event in events if event["event"] == "turned_up"] == batch.games["face_up"][0].tolist()


@pytest.mark.parametrize("seat", range(3))
def test_the_player_of_the_option_selects_first_in_every_game(seat: int):  # A2, option: first_player
    assert {int(Table(3, first_player=seat, seed=seed)["selector"]) for seed in range(8)} == {seat}
