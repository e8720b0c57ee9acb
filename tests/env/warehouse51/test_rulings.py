"""Rulings R1 to R6: what the rulebooks leave open, where relics or relic sets meet in rare ways.

R7 is in test_certificates.py.
"""

from pathlib import Path

import pytest

from tests.env.warehouse51.endings import asked_in_turn, finish, table_without_counterfeits, take_certificate
from tests.env.warehouse51.relic_files import relic, table_with
from tests.env.warehouse51.table import Table
from w51_env.warehouse51.state import EXPOSED, UNSOLD

CUP, BOW, BELL = relic("cup", "blue"), relic("bow", "golden"), relic("bell", "red")

# ---- R1: a relic pawned during its own effect's choice


@pytest.mark.parametrize(
    ("lot", "deck", "bid", "choice"),
    [
        ("flying_carpet", "golden", 1, "choose_gleipnir"),
        ("muramasa", "red", 5, "choose_sharur"),
        ("oracle_bones", "red", 1, "choose_gap_1"),
    ],
)
def test_an_effect_applies_although_its_relic_is_pawned_during_the_choice(lot, deck, bid, choice):  # R1, T8, P3
    table = Table(4).give(0, "gleipnir", "cornucopia").give(1, "excalibur", "sharur")
    table.decks(lot, "holy_grail", "ark_of_the_covenant").ingots(10, 5, 10, 10)
    table.play(f"choose_deck_{deck}", f"bid_{bid}", "pass", "pass", "pass", f"pawn_{lot}", choice)
    assert table.is_pawned(lot)
    done = {"flying_carpet": table.owner("gleipnir") == 1, "muramasa": table.owner("sharur") == 2}
    assert {**done, "oracle_bones": bool(table["looked"].any())} == {
        name: name == lot for name in ("flying_carpet", "muramasa", "oracle_bones")
    }


def test_pawning_is_possible_in_the_choice_that_follows_the_last_lot():  # R1, P3, T7
    table = Table(4).give(0, "gleipnir", "cornucopia").decks("flying_carpet").ingots(10, 5, 10, 10)
    table.play("choose_deck_golden", "bid_1", "pass", "pass", "pass")
    assert table.legal() == {"choose_gleipnir", "choose_cornucopia", "pawn_flying_carpet"}


# ---- R2: several of a kind


def test_each_surcharge_is_an_event(tmp_path: Path):  # R2, T4, effect: surcharge
    taxes = [relic("toll", "green", effect="surcharge", amount=4), relic("tithe", "red", effect="surcharge", amount=3)]
    for bid, paid in ((2, [4, 3]), (5, [4, 1]), (6, [4]), (10, [])):
        table = table_with(tmp_path, *taxes, CUP, BOW).give(1, "toll", "tithe").decks("cup", "bow")
        table.play("choose_deck_blue", f"bid_{bid}", *["pass"] * (3 if bid < 10 else 0))
        assert [(event["seat"], event["ingots"]) for event in table.events("surcharged")] == [(1, one) for one in paid]
        assert (table.purses[1], table.reserve) == (10 - bid - sum(paid), 20 + sum(paid))


def test_each_income_is_an_event_clockwise_from_the_revealer(tmp_path: Path):  # R2, effect: income
    rents = [relic(f"rent_{amount}", "green", effect="income", amount=amount) for amount in (1, 2, 4)]
    table = table_with(tmp_path, *rents, CUP, BOW, first_player=2).give(1, "rent_1", "rent_4").give(3, "rent_2")
    table.decks("cup", "bow").ingots(10, 20, 20, 4).play("choose_deck_blue", "pass", "pass", "pass", "pass")
    assert [(event["seat"], event["ingots"]) for event in table.events("income")] == [(3, 2), (1, 1), (1, 3)]


@pytest.mark.parametrize(("ingots", "gained"), [(10, []), (9, [1])])  # with an empty reserve, and one of 1
def test_only_what_is_gained_is_an_event(ingots: int, gained: list[int], tmp_path: Path):  # R2, effect: gain_ingots
    lamp = relic("lamp", "green", effect="gain_ingots", amount=5)
    table = table_with(tmp_path, lamp, CUP, BOW).decks("lamp", "cup", "bow").ingots(20, 10, 20, ingots)
    table.play("choose_deck_green", "bid_1", "pass", "pass", "pass")
    assert (table.reserve, [event["ingots"] for event in table.events("gained")]) == (0, gained)


@pytest.mark.parametrize(("first_player", "revealer"), [(0, 1), (1, 1), (2, 3), (3, 3)])
def test_the_first_of_two_who_always_reveal_reveals(first_player: int, revealer: int, tmp_path: Path):
    # R2, T1, effect: always_reveals
    boots = [relic(name, "green", effect="always_reveals") for name in ("left", "right")]
    table = table_with(tmp_path, *boots, CUP, BOW, BELL, relic("hat", "golden")).give(1, "left").give(3, "right")
    table.change(first_player=first_player, revealer=first_player, seat=first_player).decks("cup", "bow", "bell", "hat")
    table.play("choose_deck_blue", "pass", "pass", "pass", "pass")  # nobody won: counted from the first player
    assert (table.phase, table.seat) == ("reveal", revealer)


# ---- R3: always_reveals, pawned while choosing the deck


def with_boots(*, last_winner: int) -> Table:
    """Seat 2 has the Boots and reveals; three open relics are left."""
    table = Table(4).give(2, "seven_league_boots").change(last_winner=last_winner, revealer=2, seat=2)
    return table.decks("holy_grail", "golden_fleece", "ark_of_the_covenant").ingots(10, 10, 5, 10)


@pytest.mark.parametrize(("pawned", "next_revealer"), [(True, 3), (False, 2)])
def test_unsold_the_owner_of_always_reveals_reveals_again_only_if_it_works(pawned: bool, next_revealer: int):
    # R3, T6, effect: always_reveals
    table = with_boots(last_winner=3).play(*["pawn_seven_league_boots"] * pawned)
    assert (table.phase, table.seat) == ("reveal", 2)  # this time it is the revealer in any case
    table.play("choose_deck_blue")
    assert table["revealer"] == 2
    table.play("pass", "pass", "pass", "pass")
    assert table.owner("holy_grail") == UNSOLD
    assert (table.phase, table.seat) == ("reveal", next_revealer)


# ---- R4: several relics that cancel counterfeits


def several_horns(folder: Path, *seats: int, last_winner: int = 0, **gaps: int) -> Table:
    """`horn_0`, `horn_1`, ... in the order of the relic set, owned by these seats; seat 3 has three counterfeits."""
    horns = [relic(f"horn_{seat}", "blue", 1, "cancels_counterfeit", counterfeit=True) for seat in range(len(seats))]
    fakes = [relic(f"fake_{number}", "golden", 1, counterfeit=True) for number in range(3)]
    table = table_with(folder, *horns, *fakes, relic("lot", "red")).give(3, *(fake["id"] for fake in fakes))
    for horn, seat in zip(horns, seats, strict=True):
        table.give(seat, horn["id"])
    return finish(table.change(last_winner=last_winner).counterfeits(fake_0=0, fake_1=1, fake_2=2, **gaps))


@pytest.mark.parametrize(("last_winner", "order"), [(0, [0, 1, 2]), (1, [1, 2, 0]), (2, [2, 0, 1]), (3, [0, 1, 2])])
def test_owners_of_cancelling_relics_are_asked_clockwise_from_the_last_winner(last_winner, order, tmp_path):
    # R4, E1, E3, effect: cancels_counterfeit
    assert asked_in_turn(several_horns(tmp_path, 2, 0, 1, last_winner=last_winner)) == order


def test_a_seat_with_two_cancelling_relics_is_asked_twice(tmp_path: Path):  # R4, effect: cancels_counterfeit
    table = several_horns(tmp_path, 1, 0, 1, last_winner=1)
    assert (table.seat, table.play("choose_fake_0").seat, table.play("choose_fake_1").seat) == (1, 1, 0)
    assert table.play("choose_fake_2").over
    assert [table.owner(f"fake_{number}") for number in range(3)] == [3, 3, 3]


def test_a_cancelling_relic_that_an_earlier_one_saved_works_in_its_turn(tmp_path):
    # R4, E3, effect: cancels_counterfeit
    table = several_horns(tmp_path, 2, 1, last_winner=1, horn_0=3)  # seat 2's own is a counterfeit
    assert table.play("choose_horn_0").seat == 2
    assert table.play("choose_fake_1").over
    assert [table.owner(name) for name in ("horn_0", "fake_0", "fake_1")] == [2, EXPOSED, 3]
    table = several_horns(tmp_path, 2, 1, last_winner=1, horn_0=3)
    assert table.play("choose_fake_0").over  # not saved, it does not work
    assert table.owner("horn_0") == EXPOSED


def test_a_cancelling_relic_saved_after_its_turn_is_not_used(tmp_path):  # R4, effect: cancels_counterfeit
    table = several_horns(tmp_path, 2, 1, last_winner=2, horn_0=3)  # seat 2 is passed over, seat 1 is asked
    assert table.seat == 1
    assert table.play("choose_horn_0").over
    assert table.owner("horn_0") == 2


# ---- R5: certificates


def holder_of_two(**options) -> Table:
    """Seat 1 holds both certificates and has their relics and the pawned Sharur."""
    table = table_without_counterfeits(4, last_winner=1, **options).give(1, "sharur", pawned=True)
    take_certificate(table, "gleipnir", buyer=1)
    return take_certificate(table, "book_of_thoth", buyer=1)


def test_declining_is_for_all_certificates_that_the_seat_holds():  # R5, E2
    table = finish(holder_of_two(), "decline")  # nothing is redeemed
    assert table.phase == "certify"
    assert table.play("decline").over
    assert table["certificate_on"].tolist() == [-1, -1]


def test_a_relic_takes_one_certificate_and_may_be_pawned():  # R5, E2
    table = finish(holder_of_two(), "decline", "certify_sharur")
    assert table.legal() == {"decline", "certify_gleipnir", "certify_book_of_thoth"}


def test_anytime_includes_the_decisions_of_redeeming_and_not_those_of_cancelling():
    # R5, E1, E3, option: certificate_timing
    table = holder_of_two(certificate_timing="anytime").give(1, "unicorns_horn", "excalibur")
    finish(table.counterfeits(excalibur=3))
    assert (table.phase, {name for name in table.legal() if name.startswith("certify")}) == (
        "redeem",
        {f"certify_{name}" for name in ("sharur", "gleipnir", "book_of_thoth", "unicorns_horn", "excalibur")},
    )
    table.play("decline", "decline")
    assert (table.phase, table.legal()) == ("cancel", {"decline", "choose_excalibur"})


# ---- R6: who is asked at the end


def test_redeeming_is_offered_to_seats_with_something_pawned_and_no_others():  # R6, E1, option: ask_forced
    table = table_without_counterfeits(4, last_winner=0, ask_forced=True).ingots(0, 20, 10, 10)
    finish(table.give(0, "sharur", pawned=True).give(1, "excalibur").give(2, "oracle_bones", pawned=True))
    assert (table.phase, table.seat, table.legal()) == ("redeem", 0, {"decline"})  # asked, though too poor
    assert table.play("decline").seat == 2
    assert table.play("redeem_oracle_bones").over


def test_the_owner_of_a_cancelling_relic_is_asked_only_where_there_is_a_card_to_cancel():  # R6, E3, option: ask_forced
    for gaps, phase in (({}, "over"), ({"excalibur": 0}, "over"), ({"sharur": 0}, "cancel")):
        table = table_without_counterfeits(4, ask_forced=True).give(2, "unicorns_horn", "sharur")
        assert finish(table.counterfeits(**gaps)).phase == phase  # nobody has Excalibur


# ---- what follows from them in the observation


def test_no_bid_stands_while_an_effect_is_chosen():  # T2, T8
    table = Table(4).give(0, "gleipnir", "cornucopia").decks("flying_carpet", "holy_grail")
    table.play("choose_deck_golden", "bid_3", "pass", "pass", "pass")
    assert table.phase == "take"
    for seat in range(4):
        assert not any(table.read(seat, part).any() for part in ("standing_bid", "leader", "bidding"))
        assert table.seen(seat, "lot") == {"flying_carpet": 1}
        assert table.seen(seat, "price") == {"flying_carpet": 3}


def test_the_token_of_an_exposed_relic_is_free_again():  # E3, P2
    table = table_without_counterfeits(4).give(1, "sharur", "excalibur", pawned=True).counterfeits(sharur=0)
    finish(table.ingots(10, 0, 10, 10))
    assert table.over
    assert (table.seen(2, "pawned"), table.seen(2, "exposed")) == ({"excalibur": 1}, {"sharur": 1})
    assert table.read(2, "pawn_tokens").tolist() == [5]
