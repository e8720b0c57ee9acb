"""S1 to S5: players, ingots, decks, counterfeit cards, and who begins."""

import numpy as np
import pytest

from tests.deals import assert_even, dealer
from tests.env.warehouse51.relic_files import relic, write_relic_file
from tests.env.warehouse51.table import Table
from w51_env import warehouse51
from w51_env.engine.errors import OptionError
from w51_env.warehouse51.relics import load_relic_set
from w51_env.warehouse51.state import IN_DECK, NO_GAP

RELICS = load_relic_set("reconstruction-1")
deal = dealer(warehouse51.make, seed=51)


# ---- S1, S2


@pytest.mark.parametrize("num_players", [3, 4, 5])
def test_three_to_five_players_are_asked_in_turn(num_players):  # S1
    table = Table(num_players).decks("holy_grail", "golden_fleece", "sharur").play("choose_deck_blue")
    asked = []
    while table.phase == "open_auction":
        asked.append(table.seat)
        table.play("pass")
    assert asked == [*range(1, num_players), 0]


@pytest.mark.parametrize(("num_players", "in_play"), [(3, 50), (4, 60), (5, 70)])
def test_ten_ingots_each_and_twenty_in_the_reserve_and_nobody_has_a_relic_or_a_token(num_players, in_play):  # S2
    table = Table(num_players)
    assert table["ingots"].tolist() == [10] * num_players + [0] * (5 - num_players)
    assert (table.reserve, table.ingots_in_play) == (20, in_play)
    assert set(table["place"].tolist()) == {IN_DECK}
    assert not table["pawned"].any()
    assert table.read(0, "pawn_tokens").tolist() == [6]


def test_other_ingots_by_option():  # S2, option: start_ingots, option: reserve
    table = Table(3, start_ingots=4, reserve=7)
    assert (table.purses, table.reserve) == ([4, 4, 4], 7)


# ---- S3


def test_a_shuffled_deck_for_each_category():  # S3
    categories = [entry.category for entry in RELICS.relics]
    assert [categories.count(category) for category in ("blue", "green", "golden", "red")] == [8, 7, 6, 5]
    assert Table(4).read(2, "deck_left").tolist() == [8, 7, 6, 5]
    decks = deal(4)["deck"]
    for start, stop in ((0, 8), (8, 15), (15, 21), (21, 26)):
        np.testing.assert_array_equal(
            *np.broadcast_arrays(np.sort(decks[:, start:stop], axis=1), np.arange(start, stop))
        )
        for position in range(start, stop):
            assert_even(np.bincount(decks[:, position] - start, minlength=stop - start), 1 / (stop - start))


# ---- S4


@pytest.mark.parametrize(("num_players", "in_each_gap"), [(3, 2), (4, 1), (5, 1)])
def test_counterfeit_cards_lie_between_neighbours(num_players, in_each_gap):  # S4
    gaps = deal(num_players)["counterfeit_gap"]
    for gap in range(num_players):
        np.testing.assert_array_equal((gaps == gap).sum(axis=1), in_each_gap)
    np.testing.assert_array_equal((gaps == NO_GAP).sum(axis=1), 26 - num_players * in_each_gap)


def test_each_player_sees_the_gaps_beside_them_and_no_other():  # S4
    table = Table(4).counterfeits(holy_grail=0, mjollnir=1, sharur=2, muramasa=3)
    left = {0: "holy_grail", 1: "mjollnir", 2: "sharur", 3: "muramasa"}
    right = {0: "muramasa", 1: "holy_grail", 2: "mjollnir", 3: "sharur"}
    for seat in range(4):
        assert table.seen(seat, "counterfeit_left") == {left[seat]: 1}
        assert table.seen(seat, "counterfeit_right") == {right[seat]: 1}
        assert table.seen(seat, "counterfeit_elsewhere") == {}


def test_counterfeits_in_each_gap_by_option():  # S4, option: counterfeits_per_gap
    gaps = Table(5, counterfeits_per_gap=4)["counterfeit_gap"].tolist()
    assert [gaps.count(gap) for gap in range(5)] == [4, 4, 4, 4, 4]
    with pytest.raises(OptionError, match=r"25 counterfeit cards are dealt to 5 players, but the set has 23"):
        warehouse51.make(5, counterfeits_per_gap=5)


def test_blank_cards_lie_among_the_counterfeits(tmp_path):  # S4, option: relics
    cards = relic("bow", "blue", counterfeit=True), relic("cup", "green")
    relics = write_relic_file(tmp_path, *cards, blank_counterfeits=3)
    gaps = deal(3, relics=relics, counterfeits_per_gap=1)["counterfeit_gap"]
    np.testing.assert_array_equal(gaps[:, 1:], NO_GAP)
    # Set aside, or in one of three gaps: 4 cards, 3 dealt.
    assert_even(np.bincount(gaps[:, 0] - NO_GAP, minlength=4), 1 / 4)


# ---- S5


@pytest.mark.parametrize("first_player", [0, 1, 2, 3])
def test_the_first_player_by_option(first_player):  # S5, option: first_player
    table = Table(4, first_player=first_player)
    assert (table.seat, table.phase) == (first_player, "reveal")
    assert table.events() == [{"event": "set_up", "seat": first_player, "forced": False}]
    assert [table.read(seat, "first_player").tolist().index(1) for seat in range(4)] == [
        (first_player - seat) % 4 for seat in range(4)
    ]


def test_the_first_player_is_drawn_by_default():  # S5, option: first_player, preset: default
    games = deal(5)
    assert_even(np.bincount(games["first_player"], minlength=5), 1 / 5)
    np.testing.assert_array_equal(games["seat"], games["first_player"])
