"""T5: the closed fists, and who wins a tie. That bids are secret: properties/test_leaks.py."""

import pytest

from tests.env.warehouse51.table import Table
from w51_env.engine.game import ALL
from w51_env.warehouse51.state import MAX_INGOTS, UNSOLD


def sword(num_players: int = 4, **options) -> Table:
    """The Vorpal Sword, a weapon, is turned over; a green and a golden relic are left."""
    table = Table(num_players, **options).decks("vorpal_sword", "golden_fleece", "ark_of_the_covenant")
    return table.play("choose_deck_blue")


def bid_all(table: Table, *bids: int) -> Table:
    """Each seat bids in secret, in the order they are asked; `bids` by seat."""
    for _ in bids:
        bid = bids[table.seat]
        table.play(f"bid_{bid}" if bid else "pass")
    return table


def test_a_fist_makes_a_blind_auction():  # T5
    table = sword()
    assert table.phase == "blind_auction"
    assert not table.read(1, "bidding").any()  # nobody is in an open auction
    assert Table(4).decks("holy_grail", "golden_fleece").play("choose_deck_blue").phase == "open_auction"


def test_any_bid_from_none_to_all_is_allowed_whatever_others_chose():  # T5, T3
    table = sword()
    for seat in (1, 2, 3, 0):
        assert table.seat == seat
        assert table.legal() == {"pass", *(f"bid_{ingots}" for ingots in range(1, 11))}
        table.play("bid_10")


def test_the_highest_bid_wins_and_only_the_winner_pays():  # T5, T4
    table = bid_all(sword(), 4, 6, 7, 5)
    assert table.owner("vorpal_sword") == 2
    assert table.purses == [10, 10, 3, 17]
    assert table.reserve == 20
    assert (table.seat, table.phase) == (2, "reveal")


@pytest.mark.parametrize(
    ("revealer", "bids", "winner"),
    [
        (0, (3, 3, 1, 0), 0),  #     the revealer is the first in the order
        (2, (5, 5, 0, 1), 0),  #     2, 3, 0: the first tied one
        (1, (4, 2, 4, 4), 2),  #     1 is not tied, 2 is
        (3, (0, 6, 6, 0), 1),  #     3, 0, 1
        (0, (1, 0, 8, 8), 2),
        (3, (8, 1, 8, 1), 0),  #     3 is not tied; 0 comes before 2
        (2, (7, 7, 7), 2),  #        three players, all tied
        (1, (9, 0, 9), 2),  #        1, 2, 0
        (4, (2, 9, 0, 9, 1), 1),  #  five players: 4, 0, 1, 2, 3
        (2, (8, 8, 1, 1, 1), 0),  #  2, 3, 4, 0, 1
        (3, (1, 10, 10, 1, 10), 4),
    ],
)
def test_a_tie_goes_clockwise_from_and_including_the_revealer(revealer, bids, winner):  # T5, T4
    num_players = len(bids)
    table = bid_all(sword(num_players, first_player=revealer), *bids)
    assert table.owner("vorpal_sword") == winner
    purses = [10] * num_players
    purses[winner] -= max(bids)
    purses[(winner + 1) % num_players] += max(bids)
    assert table.purses == purses


def test_no_bid_above_none_is_no_sale():  # T5, T6
    table = bid_all(sword(first_player=2), 0, 0, 0, 0)
    assert table.owner("vorpal_sword") == UNSOLD
    assert table.purses == [10, 10, 10, 10]
    assert (table.seat, table.phase) == (2, "reveal")
    assert table.event_names() == ["bid_in_secret", "bid_shown", "bid_shown", "bid_shown", "bid_shown", "unsold"]


def test_who_holds_nothing_opens_an_empty_hand_unasked():  # T5, T9
    table = sword().ingots(10, 10, 0, 10).play("bid_2")
    assert table.seat == 3
    assert table.events() == [
        {"event": "bid_in_secret", "seat": 1, "forced": False},
        {"event": "bid_in_secret", "seat": 2, "forced": True},
    ]


# ---- wins_blind_ties


@pytest.mark.parametrize(
    ("owner", "bids", "winner"),
    [
        (3, (5, 5, 0, 5), 3),  #  though the revealer, seat 0, is tied too
        (2, (5, 0, 5, 5), 2),
        (0, (5, 5, 5, 5), 0),
        (3, (5, 5, 0, 4), 0),  #  not among the highest: no help
        (3, (5, 6, 0, 5), 1),  #  tied, but not for the highest bid
        (3, (5, 6, 6, 5), 1),  #  a tie of others for the highest
        (3, (4, 5, 0, 5), 3),
        (3, (1, 1, 0, 1), 3),
    ],
)
def test_the_owner_of_excalibur_wins_a_tie_for_the_highest_bid(owner, bids, winner):  # T5, effect: wins_blind_ties
    table = Table(4).give(owner, "excalibur").decks("vorpal_sword", "golden_fleece", "ark_of_the_covenant")
    bid_all(table.play("choose_deck_blue"), *bids)
    assert table.owner("vorpal_sword") == winner
    (sale,) = (event["text"] for event in table.batch.view(0, ALL).news if event["event"] == "sold")
    assert ("(Excalibur)" in sale) == (winner != bids.index(max(bids)))  # it is named where it decides


def test_excalibur_does_not_help_in_its_own_auction():  # T5, effect: wins_blind_ties
    table = Table(4).decks("excalibur", "golden_fleece", "ark_of_the_covenant").play("choose_deck_blue")
    assert bid_all(table, 4, 4, 4, 4).owner("excalibur") == 0


def test_any_bid_of_a_seat_with_nearly_all_ingots_may_be_redrawn():  # T5, S3
    table = sword(5).ingots(1, MAX_INGOTS - 1, 0, 0, 0).play("bid_3")
    redrawn = set()
    for seed in range(400):
        table.batch.resample_hidden(0, seed)
        redrawn.add(int(table["secret_bid"][1]))
    assert 0 in redrawn
    assert MAX_INGOTS - 1 in redrawn
    assert redrawn <= set(range(MAX_INGOTS))
