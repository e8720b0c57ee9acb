"""Certificates of authenticity: which relics bring them, and who may put them on which relics, and when (E2)."""

import pytest

from tests.env.warehouse51.endings import asked_in_turn, finish, table_without_counterfeits, take_certificate
from tests.env.warehouse51.relic_files import relic, table_with
from tests.env.warehouse51.table import Table

# ---- the relics that bring one


def test_gleipnir_and_the_book_of_thoth_bring_a_certificate_each():  # T8, effect: certificate
    table = Table(4).decks("gleipnir", "book_of_thoth", "holy_grail", "muramasa")
    table.play("choose_deck_green", "bid_1", "pass", "pass", "pass")
    assert table.events("took_certificate") == [
        {"event": "took_certificate", "seat": 1, "relic": table.index("gleipnir"), "forced": False}
    ]
    for seat in range(4):
        assert table.seen(seat, "certificate_from") == {"gleipnir": 1}
        assert table.read(seat, "certificates").tolist() == [int(place == (1 - seat) % 4) for place in range(5)]
    table.play("choose_deck_golden", "pass", "pass", "bid_1", "pass")
    assert table["certificate_from"].tolist() == [table.index("gleipnir"), table.index("book_of_thoth")]
    assert table.read(0, "certificates").tolist() == [1, 1, 0, 0, 0]


def test_there_are_two_certificates_in_all(tmp_path):  # effect: certificate
    names = ("first", "second", "third")
    seals = [relic(name, "green", effect="certificate") for name in names]
    table = table_with(tmp_path, *seals, relic("cup", "blue"), relic("bell", "red")).decks(*names, "cup", "bell")
    for _ in seals:
        table.play("choose_deck_green", "bid_1", "pass", "pass", "pass")
    assert [table.owner(name) for name in names] == [1, 2, 3]
    assert table["certificate_from"].tolist() == [table.index("first"), table.index("second")]
    assert table.events("took_certificate") == []
    assert table.read(0, "certificates").tolist() == [0, 1, 1, 0, 0]


# ---- at the end


def test_the_buyer_of_a_certifying_relic_may_place_the_certificate_at_the_end():  # E2, T8, effect: certificate
    table = table_without_counterfeits(4).decks("gleipnir").give(1, "sharur")
    table.play("choose_deck_green", "bid_1", "pass", "pass", "pass")
    assert (table.phase, table.seat) == ("certify", 1)
    assert table.legal() == {"decline", "certify_gleipnir", "certify_sharur"}
    table.play("certify_sharur")
    assert table.over
    assert table.events("certified") == [
        {"event": "certified", "seat": 1, "relic": table.index("sharur"), "forced": False}
    ]
    assert table.seen(3, "certified") == {"sharur": 1}


@pytest.mark.parametrize(("winner", "order"), [(None, [1, 3]), (2, [3, 1])])
def test_certificates_go_in_the_order_of_redeeming(winner, order):  # E2, E1, effect: certificate
    table = table_without_counterfeits(4, last_winner=winner)
    take_certificate(take_certificate(table, "gleipnir", buyer=3), "book_of_thoth", buyer=1)
    assert asked_in_turn(finish(table)) == order


def test_who_holds_two_certificates_places_each_on_another_relic():  # E2, effect: certificate
    table = table_without_counterfeits(4).give(1, "sharur")
    finish(take_certificate(take_certificate(table, "gleipnir", buyer=1), "book_of_thoth", buyer=1))
    assert table.play("certify_sharur").legal() == {"decline", "certify_gleipnir", "certify_book_of_thoth"}
    table.play("certify_gleipnir")
    assert table.over
    assert table.seen(0, "certified") == {"sharur": 1, "gleipnir": 1}


# ---- whose certificate it is


def bought_by_one_and_owned_by_two(*, pawned: bool = False, **options) -> Table:
    table = table_without_counterfeits(4, **options).give(1, "holy_grail").give(2, "excalibur").ingots(10, 5, 5, 10)
    return take_certificate(table, "gleipnir", buyer=1, owner=2, pawned=pawned)


FRENCH = [{"preset": "fr"}, {"certificate_belongs_to": "owner"}]
OTHERS = [{"preset": preset} for preset in ("default", "en", "de", "hu")]


@pytest.mark.parametrize(
    ("options", "pawned", "holder", "placed_on"),
    [
        *((options, pawned, 1, {"holy_grail"}) for options in OTHERS for pawned in (False, True)),
        *((options, False, 2, {"excalibur", "gleipnir"}) for options in FRENCH),
    ],
)
def test_the_certificate_stays_with_the_buyer_but_goes_with_the_relic_in_french(options, pawned, holder, placed_on):
    # E2, option: certificate_belongs_to, preset: fr
    table = finish(bought_by_one_and_owned_by_two(pawned=pawned, **options))
    assert (table.phase, table.seat) == ("certify", holder)
    assert table.legal() == {"decline", *(f"certify_{name}" for name in placed_on)}
    assert table.read(0, "certificates").tolist() == [int(seat == holder) for seat in range(5)]


@pytest.mark.parametrize("options", FRENCH)
def test_no_certificate_of_an_owner_is_placed_while_its_giver_is_pawned(options):
    # R7, E2, P4, option: certificate_belongs_to, preset: fr
    table = bought_by_one_and_owned_by_two(pawned=True, **options)
    assert table.read(0, "certificates").tolist() == [0, 0, 0, 0, 0]
    assert "certificate to place" not in table.text(0)
    assert table.batch.view(0, 0).table["certificates"][0]["holder"] is None
    finish(table)  # seat 2 cannot pay 10 ingots to redeem it
    assert table.over


@pytest.mark.parametrize("timing", ["end", "anytime"])
def test_once_its_giver_is_redeemed_a_certificate_of_an_owner_is_placed(timing):  # R7, E1, option: certificate_timing
    table = bought_by_one_and_owned_by_two(pawned=True, preset="fr", certificate_timing=timing).ingots(5, 5, 15, 5)
    finish(table)
    assert (table.phase, table.seat, table.legal()) == ("redeem", 2, {"decline", "redeem_gleipnir"})
    table.play("redeem_gleipnir")
    assert (table.phase, table.seat) == ("certify", 2)
    assert table.legal() == {"decline", "certify_excalibur", "certify_gleipnir"}


def test_of_two_certificates_of_an_owner_the_one_whose_giver_is_not_pawned_is_placed():  # R7
    table = table_without_counterfeits(4, preset="fr").give(1, "sharur").ingots(10, 5, 5, 10)
    take_certificate(table, "gleipnir", buyer=1, pawned=True)
    finish(take_certificate(table, "book_of_thoth", buyer=1), "certify_sharur")
    assert table.over
    assert table["certificate_on"].tolist() == [-1, table.index("sharur")]


@pytest.mark.parametrize(("belongs_to", "holder"), [("buyer", 1), ("owner", 3)])
def test_the_certificate_goes_with_a_relic_that_is_taken(belongs_to, holder):
    # E2, T8, effect: take_relic, option: certificate_belongs_to
    table = table_without_counterfeits(4, certificate_belongs_to=belongs_to).give(1, "sharur")
    take_certificate(table.decks("flying_carpet", "golden_fleece"), "gleipnir", buyer=1)
    # The Carpet takes Gleipnir, the only relic of value 1.
    table.play("choose_deck_golden", "pass", "pass", "bid_1", "pass")
    assert table.owner("gleipnir") == 3
    assert table.events("took_certificate") == []
    table.play("pass", "pass", "pass", "pass")
    assert (table.phase, table.seat) == ("certify", holder)


# ---- when it may be placed


def holding_a_certificate(*lots: str, **options) -> Table:
    """Seat 0, who is asked for a deck, holds a certificate and has Gleipnir and a Golden Fleece."""
    table = table_without_counterfeits(4, **options).give(0, "golden_fleece")
    return take_certificate(table, "gleipnir", buyer=0).decks(*lots)


CERTIFY = {"certify_gleipnir", "certify_golden_fleece"}


def test_anytime_a_certificate_may_be_placed_while_choosing_a_deck():  # E2, option: certificate_timing, preset: hu
    for options in ({"preset": "hu"}, {"certificate_timing": "anytime"}):
        table = holding_a_certificate("holy_grail", "sharur", **options)
        assert table.legal() == {"choose_deck_blue", "choose_deck_golden", *CERTIFY}
        table.play("certify_golden_fleece")
        assert table.legal() == {"choose_deck_blue", "choose_deck_golden"}  # still the same decision
        assert table.seen(2, "certified") == {"golden_fleece": 1}


def test_anytime_a_certificate_may_be_placed_while_bidding():  # E2, T2, T5, option: certificate_timing
    table = holding_a_certificate("holy_grail", "sharur", certificate_timing="anytime").play("choose_deck_blue")
    assert table.legal() & CERTIFY == set()  # seat 1 holds none
    table.play("pass", "pass", "bid_10")
    assert table.legal() == {"pass", *CERTIFY}  # a bid of 11 is not to be had, but the certificate is
    table.play("certify_gleipnir")
    assert table.owner("holy_grail") == 3  # nothing else was left to decide

    table = holding_a_certificate("holy_grail", "sharur", certificate_timing="anytime")
    table.play("choose_deck_golden", "pass", "pass", "pass")
    assert table.legal() & CERTIFY == CERTIFY
    assert table.play("certify_golden_fleece").phase == "blind_auction"
    assert table.seen(1, "certified") == {"golden_fleece": 1}  # public before the hands open
    assert table.play("bid_3").owner("sharur") == 0
