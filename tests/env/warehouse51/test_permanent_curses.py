"""Permanent curses (section 6): they work when they matter, pawned too (P4), unless a blessing lifts them."""

import pytest

from tests.env.warehouse51.relic_files import relic, table_with
from tests.env.warehouse51.table import bids, owning

# ---- bid_cap


@pytest.mark.parametrize("pawned", [False, True])
def test_the_cap_holds_in_open_auctions_pawned_or_not(pawned):  # T2, P4, effect: bid_cap
    table = owning(1, "ring_of_the_nibelung", pawned=pawned).ingots(10, 20, 10, 10).play("choose_deck_blue")
    assert table.legal() == {"pass", *bids(1, 8)}


def test_the_cap_is_for_its_owner_only_and_no_more_than_is_held():  # T3, effect: bid_cap
    table = owning(1, "ring_of_the_nibelung").ingots(10, 5, 20, 10).play("choose_deck_blue")
    assert table.legal() == {"pass", *bids(1, 5), "pawn_ring_of_the_nibelung"}
    assert table.play("pass").legal() == {"pass", *bids(1, 20)}


def test_there_is_no_cap_while_bidding_for_the_ring_itself():  # effect: bid_cap
    table = owning(1, lots=("ring_of_the_nibelung", "holy_grail", "sharur")).ingots(10, 20, 10, 10)
    assert table.play("choose_deck_green").legal() == {"pass", *bids(1, 20)}


def test_the_lowest_of_two_caps_counts(tmp_path):  # R2, effect: bid_cap
    caps = [relic("chain", "green", effect="bid_cap", amount=6), relic("lock", "red", effect="bid_cap", amount=3)]
    table = table_with(tmp_path, *caps, relic("cup", "blue"), relic("bow", "golden")).give(1, "chain", "lock")
    assert table.decks("cup", "bow").play("choose_deck_blue").legal() == {"pass", *bids(1, 3)}


# ---- surcharge


@pytest.mark.parametrize("pawned", [False, True])
def test_the_winner_pays_a_surcharge_to_the_reserve_pawned_or_not(pawned):  # T4, P4, effect: surcharge
    table = owning(1, "malleus_maleficarum", pawned=pawned).play("choose_deck_blue", "bid_3", "pass", "pass", "pass")
    assert (table.purses, table.reserve) == ([10, 6, 13, 10], 21)
    assert table.events("surcharged") == [{"event": "surcharged", "seat": 1, "ingots": 1, "forced": False}]


def test_nothing_is_left_for_the_surcharge_after_bidding_all():  # effect: surcharge
    table = owning(1, "malleus_maleficarum").play("choose_deck_blue", "bid_10")  # nobody can outbid it
    assert (table.purses, table.reserve) == ([10, 0, 20, 10], 20)
    assert table.events("surcharged") == []


def test_surcharges_beyond_a_byte_stop_at_what_is_held(tmp_path):  # effect: surcharge
    taxes = [relic(name, "green", effect="surcharge", amount=70) for name in ("toll", "tithe")]
    table = table_with(tmp_path, *taxes, relic("cup", "blue"), relic("bow", "golden"), relic("bell", "golden"))
    table.give(1, "toll", "tithe").decks("cup", "bow", "bell").play("choose_deck_blue", "bid_4", "pass", "pass", "pass")
    assert (table.purses, table.reserve) == ([10, 0, 14, 10], 26)


def test_no_surcharge_for_buying_the_malleus_itself():  # T4, effect: surcharge
    table = owning(1, lots=("malleus_maleficarum", "golden_fleece", "sharur"))
    table.play("choose_deck_blue", "bid_3", "pass", "pass", "pass")
    assert (table.purses, table.reserve) == ([10, 7, 13, 10], 20)
    assert table.owner("malleus_maleficarum") == 1


# ---- lifts_curses


@pytest.mark.parametrize(("harp_pawned", "most"), [(False, 20), (True, 8)])
def test_the_harp_lifts_the_cap(harp_pawned, most):  # P4, effect: lifts_curses, effect: bid_cap
    for deck in ("choose_deck_blue", "choose_deck_golden"):
        table = owning(1, "ring_of_the_nibelung").give(1, "davids_harp", pawned=harp_pawned).ingots(10, 20, 10, 10)
        assert table.play(deck).legal() == {"pass", *bids(1, most)}


@pytest.mark.parametrize(("harp_pawned", "purse", "reserve"), [(False, 7, 20), (True, 6, 21)])
def test_the_harp_lifts_the_surcharge(harp_pawned, purse, reserve):  # P4, effect: lifts_curses, effect: surcharge
    table = owning(1, "malleus_maleficarum").give(1, "davids_harp", pawned=harp_pawned)
    table.play("choose_deck_blue", "bid_3", "pass", "pass", "pass")
    assert (table.purses[1], table.reserve) == (purse, reserve)


def test_the_surcharge_comes_before_the_harp_that_is_being_bought():  # T4, effect: lifts_curses, effect: surcharge
    table = owning(1, "malleus_maleficarum", lots=("davids_harp", "golden_fleece", "holy_grail"))
    table.play("choose_deck_golden", "bid_3", "pass", "pass", "pass")
    assert (table.purses, table.reserve) == ([10, 6, 13, 10], 21)


def test_pawning_the_harp_while_bidding_brings_the_cap_back():  # P3, P4, effect: lifts_curses, effect: bid_cap
    table = owning(1, "ring_of_the_nibelung", "davids_harp").ingots(10, 5, 10, 10).play("choose_deck_blue")
    assert table.legal() == {"pass", *bids(1, 5), "pawn_ring_of_the_nibelung", "pawn_davids_harp"}
    table.play("pawn_davids_harp")
    assert table.legal() == {"pass", *bids(1, 8)}  # of 10
