"""T1 to T4, T6, T7: who turns over, the open auction, paying, relics that nobody wants, and the end of the auctions."""

from tests.env.warehouse51.table import Table
from w51_env.warehouse51.state import ON_THE_BLOCK


def three_decks(**options) -> Table:
    """Four players, player 0 first; the Grail on top of the blue deck, one relic in the green and one in the golden."""
    return Table(4, **options).decks("holy_grail", "golden_fleece", "ark_of_the_covenant")


# ---- T1


def test_the_winner_of_the_last_auction_is_the_next_revealer():  # T1
    table = three_decks().play("choose_deck_blue", "bid_3", "bid_4", "pass", "pass", "pass")
    assert table.owner("holy_grail") == 2
    assert (table.seat, table.phase, table["last_winner"]) == (2, "reveal", 2)


def test_the_revealer_chooses_among_the_decks_that_are_not_empty():  # T1
    table = three_decks()
    assert table.legal() == {"choose_deck_blue", "choose_deck_green", "choose_deck_golden"}
    table.play("choose_deck_green", "bid_1", "pass", "pass", "pass")
    assert table.legal() == {"choose_deck_blue", "choose_deck_golden"}


def test_the_top_relic_is_turned_over_for_all_to_see():  # T1
    table = Table(4).decks("baba_yagas_mortar", "holy_grail", "golden_fleece", "ark_of_the_covenant")
    table.play("choose_deck_blue")
    for seat in range(4):
        assert table.seen(seat, "lot") == {"baba_yagas_mortar": 1}
        assert table.events("revealed", seat) == [
            {"event": "revealed", "seat": 0, "relic": table.index("baba_yagas_mortar"), "forced": False}
        ]
        assert table.read(seat, "deck_left").tolist() == [1, 1, 1, 0]
    assert table.owner("baba_yagas_mortar") == ON_THE_BLOCK
    assert table.play("bid_1", "pass", "pass", "pass", "choose_deck_blue").lot == "holy_grail"


# ---- T2


def test_bidding_goes_clockwise_from_the_revealers_left():  # T2
    table = three_decks(first_player=2).play("choose_deck_blue")
    asked = []
    for bid in ("bid_1", "bid_2", "bid_3", "bid_4", "bid_5"):
        asked.append(table.seat)
        table.play(bid)
    assert asked == [3, 0, 1, 2, 3]


def test_it_ends_when_all_but_one_have_passed():  # T2
    table = three_decks().play("choose_deck_blue", "bid_2", "bid_3", "pass", "pass")
    assert (table.phase, table.seat) == ("open_auction", 1)
    table.play("bid_6", "pass")
    assert table.phase == "reveal"
    assert table.owner("holy_grail") == 1
    assert table.purses == [10, 4, 16, 10]


def test_the_revealer_speaks_last_and_may_still_bid():  # T2
    table = three_decks().play("choose_deck_blue", "pass", "pass", "pass")
    assert (table.seat, table.phase, table["standing_bid"]) == (0, "open_auction", 0)
    assert table.legal() == {"pass", *(f"bid_{ingots}" for ingots in range(1, 11))}
    table.play("bid_1")
    assert table.owner("holy_grail") == 0
    assert table.purses == [9, 11, 10, 10]


# ---- T3


def test_nobody_may_bid_more_than_they_hold():  # T3
    table = three_decks().ingots(10, 3, 20, 7).play("choose_deck_blue")
    assert table.legal() == {"pass", "bid_1", "bid_2", "bid_3"}
    table.play("bid_3")
    assert table.legal() == {"pass", *(f"bid_{ingots}" for ingots in range(4, 21))}


def test_who_can_not_outbid_is_out_unasked():  # T3, T9
    table = three_decks().ingots(10, 8, 4, 5).play("choose_deck_blue", "bid_5")
    assert table.events("passed") == [
        {"event": "passed", "seat": 2, "forced": True},  # holds 4, needs 6
        {"event": "passed", "seat": 3, "forced": True},  # holds 5, needs 6
    ]
    assert table.seat == 0


# ---- T4


def test_the_winner_pays_the_left_neighbour():  # T4
    table = three_decks().ingots(10, 10, 20, 5).play("choose_deck_blue", "pass", "bid_9", "pass")
    assert table.purses == [10, 10, 11, 14]
    assert table.reserve == 15
    assert table.events("sold") == [
        {"event": "sold", "seat": 2, "relic": table.index("holy_grail"), "ingots": 9, "payee": 3, "forced": False}
    ]


def test_the_relic_lies_face_up_before_its_buyer():  # T4
    table = three_decks().play("choose_deck_blue", "bid_3", "bid_4", "pass", "bid_6", "pass", "pass")
    grail = table.index("holy_grail")
    for seat in range(4):
        to_buyer = (0 - seat) % 4
        assert table.read(seat, "owned")[:, grail].tolist() == [int(place == to_buyer) for place in range(5)]
        assert table.seen(seat, "buyer") == {"holy_grail": to_buyer + 1}
        assert table.seen(seat, "price") == {"holy_grail": 6}
    assert table.read(0, "highest_bid")[:4, grail].tolist() == [6, 3, 4, 0]


# ---- T6


def test_a_relic_that_nobody_wants_leaves_the_game():  # T6
    table = three_decks().play("choose_deck_blue", "pass", "pass", "pass", "pass")
    assert table.purses == [10, 10, 10, 10]
    assert table.events("unsold") == [
        {"event": "unsold", "seat": 0, "relic": table.index("holy_grail"), "forced": False}
    ]
    for seat in range(4):
        assert "holy_grail" in table.seen(seat, "unsold")
        assert table.seen(seat, "lot") == table.seen(seat, "buyer") == {}
        assert not table.read(seat, "owned").any()
    assert table.legal() == {"choose_deck_green", "choose_deck_golden"}


def test_the_first_player_goes_on_while_nobody_has_ever_won():  # T6, T1, T9
    table = three_decks(first_player=3).play("choose_deck_blue", "pass", "pass", "pass", "pass")
    assert (table.seat, table.phase) == (3, "reveal")


# ---- T7


def test_the_auctions_are_over_when_the_last_relic_is_sold():  # T7
    table = Table(4).decks("holy_grail").counterfeits().give(1, "sharur", "muramasa", pawned=True)
    table.ingots(10, 20, 10, 10).play("choose_deck_blue", "bid_9", "pass", "pass", "pass")
    assert (table.phase, table.seat, table.owner("holy_grail")) == ("redeem", 1, 1)
