"""P1 to P4: who may pawn what, when, and what a pawned relic still does."""

import pytest

from tests.env.warehouse51.table import Table

PAWN_GRAIL = "pawn_holy_grail"


def pawnable(*ingots: int, relics: tuple[str, ...] = ("holy_grail",), **options) -> Table:
    """Seat 0 is asked for a deck and has these relics; two open lots and one blind one are left."""
    table = Table(4, **options).give(0, *relics).decks("baba_yagas_mortar", "golden_fleece", "sharur")
    return table.ingots(*ingots)


# ---- P1


def test_pawning_brings_five_ingots_from_the_reserve():  # P1
    table = pawnable(3, 10, 10, 10).play(PAWN_GRAIL)
    assert table.purses == [8, 10, 10, 10]
    assert table.reserve == 22  # 60 in play, 33 held before; 27 - 5
    assert table.is_pawned("holy_grail")
    assert table.owner("holy_grail") == 0
    for seat in range(4):
        assert table.seen(seat, "pawned") == {"holy_grail": 1}
        assert table.read(seat, "pawn_tokens")[0] == 5
        assert table.events(viewer=seat) == [
            {"event": "pawned", "seat": 0, "relic": table.index("holy_grail"), "ingots": 5, "forced": False}
        ]


@pytest.mark.parametrize(
    ("options", "limit"),
    [
        *(({"preset": preset}, 4 if preset in ("de", "hu") else 5) for preset in ("default", "en", "fr", "de", "hu")),
        *(({"pawn_limit": limit}, limit) for limit in (0, 12)),
    ],
)
def test_few_ingots_are_five_or_less_and_less_than_five_in_german_and_hungarian(options, limit):
    # P1, option: pawn_limit, preset: default, preset: en, preset: fr, preset: de, preset: hu
    for ingots, may in ((0, True), (limit, True), (limit + 1, False)):
        assert (PAWN_GRAIL in pawnable(ingots, 10, 10, 10, **options).legal()) is may


def test_pawning_twice_while_ingots_are_few():  # P1, P3
    table = pawnable(0, 10, 10, 10, relics=("holy_grail", "excalibur", "mjollnir")).play(PAWN_GRAIL)
    assert table.purses[0] == 5
    table.play("pawn_excalibur")
    assert table.purses[0] == 10
    assert "pawn_mjollnir" not in table.legal()


# ---- P2


@pytest.mark.parametrize(("reserve", "may"), [(4, False), (5, True), (6, True)])
def test_the_reserve_must_hold_the_whole_loan(reserve, may):  # P2
    table = pawnable(2, 20, 20, 18 - reserve)
    assert table.reserve == reserve
    assert (PAWN_GRAIL in table.legal()) == may


def test_there_are_six_tokens():  # P2
    pawned = ("excalibur", "mjollnir", "gleipnir", "davids_harp", "muramasa")
    table = pawnable(0, 10, 10, 10, relics=("holy_grail", "vorpal_sword")).give(2, *pawned, pawned=True)
    assert table.read(0, "pawn_tokens")[0] == 1
    assert {PAWN_GRAIL, "pawn_vorpal_sword"} <= table.legal()
    table.play(PAWN_GRAIL)  # the sixth; 5 ingots and a reserve of 25 would allow a seventh
    assert table.read(0, "pawn_tokens")[0] == 0
    assert (table.purses[0], table.reserve) == (5, 25)
    assert "pawn_vorpal_sword" not in table.legal()


# ---- P3


def test_pawning_while_choosing_a_deck_does_not_end_the_turn():  # P3
    table = pawnable(5, 10, 10, 10).play(PAWN_GRAIL)
    assert (table.seat, table.phase) == (0, "reveal")
    assert table.legal() == {"choose_deck_blue", "choose_deck_green", "choose_deck_golden"}


def test_pawning_while_bidding_openly():  # P3, T2, T3
    table = pawnable(10, 10, 2, 10).give(2, "mjollnir").play("choose_deck_blue", "bid_6")
    assert table.seat == 2  # asked, though 2 ingots are not enough to outbid 6
    assert table.legal() == {"pass", "pawn_mjollnir"}
    table.play("pawn_mjollnir")
    assert (table.seat, table.phase, table["standing_bid"], table["leader"]) == (2, "open_auction", 6, 1)
    assert table.legal() == {"pass", "bid_7"}
    table.play("bid_7", "pass", "pass", "pass")
    assert table.owner("baba_yagas_mortar") == 2
    assert table.purses == [10, 10, 0, 17]


def test_pawning_in_a_blind_auction_is_public_and_comes_before_the_bid():  # P3, T5
    table = pawnable(10, 10, 1, 10).give(2, "holy_grail").play("choose_deck_golden", "bid_6")
    assert table.legal() == {"pass", "bid_1", PAWN_GRAIL}
    table.play(PAWN_GRAIL)
    assert (table.seat, table.phase) == (2, "blind_auction")
    assert table.legal() == {"pass", *(f"bid_{ingots}" for ingots in range(1, 7))}
    for seat in range(4):
        assert [event["event"] for event in table.events(viewer=seat)] == ["pawned"]
        assert table.seen(seat, "pawned") == {"holy_grail": 1}
        assert table.read(seat, "ingots")[(2 - seat) % 4] == 6
    table.play("bid_6", "pass", "pass")  # who has bid is not asked again
    assert table.owner("sharur") == 1  # 6 and 6, clockwise from seat 0
    assert table.purses == [10, 4, 12, 10]


# ---- P4


def test_pawning_the_last_giveable_relic_lets_the_effect_lapse():  # P4, P3, effect: give_relic
    table = Table(4).give(1, "holy_grail").decks("muramasa", "golden_fleece", "excalibur")
    table.play("choose_deck_red", "bid_6", "pass", "pass", "pass")
    assert table.legal() == {"choose_holy_grail", PAWN_GRAIL, "pawn_muramasa"}
    table.play(PAWN_GRAIL)
    assert table.event_names() == ["pawned"]
    assert (table.owner("holy_grail"), table.owner("muramasa")) == (1, 1)
    assert (table.seat, table.phase, table.purses) == (1, "reveal", [10, 9, 16, 10])


def test_pawning_the_cursed_relic_does_not_stop_its_effect():  # P4, T9, effect: give_relic
    table = Table(4).give(1, "holy_grail").decks("muramasa", "golden_fleece", "excalibur")
    table.play("choose_deck_red", "bid_6", "pass", "pass", "pass", "pawn_muramasa")
    assert table.events("gave") == [
        {"event": "gave", "seat": 1, "relic": table.index("holy_grail"), "receiver": 2, "forced": True}
    ]
    assert table.owner("holy_grail") == 2
    assert table.is_pawned("muramasa")
