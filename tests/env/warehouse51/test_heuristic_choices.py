"""What the heuristic does in clear cases: bids, pawns, certificates, counterfeits."""

import numpy as np
import pytest

from tests.env.warehouse51.endings import take_certificate
from tests.env.warehouse51.table import Table
from w51_env.engine.bots import Bot
from w51_env.warehouse51.state import PHASES


def chosen(table: Table) -> str:
    """What the heuristic does here."""
    actions = Bot(table.game, "heuristic").choose(
        table.batch.observation, table.batch.action_mask, np.zeros(1, np.uint64)
    )
    return table.game.actions[actions[0]].name


def at_the_end(table: Table, phase: str) -> Table:
    """Player 1 is asked first in a phase of the end."""
    return table.change(phase=PHASES.index(phase), last_winner=1, seat=1, turn=0)


def bids_up_to(table: Table) -> int:
    """The last bid of the heuristic on this open lot, if its left neighbour answers each bid with one more."""
    seat, left = table.seat, (table.seat + 1) % table.game.num_players
    last = 0
    while chosen(table).startswith("bid_"):
        last = int(chosen(table).removeprefix("bid_"))
        lacking = max(0, last + 1 - table.purses[left])
        table.state["ingots"][left] += lacking
        table.state["reserve"] -= min(lacking, table.reserve)
        table.change(standing_bid=last + 1, leader=left, seat=seat)
    return last


# ---- what a relic is worth to it


def lot(relic: str, **owned: tuple[str, ...]) -> Table:
    """This relic is the first of eight left, and player 1, who is rich, is asked; `seat_2`: relics of player 2."""
    table = Table(4).counterfeits().ingots(5, 30, 5, 5)
    for seat, relics in owned.items():
        table.give(int(seat.removeprefix("seat_")), *relics)
    others = "mjollnir", "gleipnir", "cornucopia", "ark_of_the_covenant", "book_of_thoth", "ame_no_nuhoko", "muramasa"
    return table.decks(relic, *others).play(f"choose_deck_{table.relics.relics[table.index(relic)].category}")


def test_it_bids_more_for_a_contested_majority_than_for_one_that_is_lost():  # G3
    contested = lot("holy_grail", seat_0=("malleus_maleficarum",))
    lost = lot("holy_grail", seat_0=("malleus_maleficarum", "excalibur"), seat_2=("vorpal_sword", "baba_yagas_mortar"))
    assert bids_up_to(contested) > bids_up_to(lost)


def test_it_bids_more_for_the_last_relic_of_a_set():  # G2
    with_set = lot("holy_grail", seat_1=("golden_fleece", "sharur", "oracle_bones"))
    without = lot("holy_grail", seat_1=("golden_fleece",), seat_2=("sharur", "oracle_bones"))
    assert bids_up_to(with_set) > bids_up_to(without)


def test_it_bids_more_for_a_blessing():  # section 6
    assert bids_up_to(lot("yata_no_kagami")) > bids_up_to(lot("oracle_bones"))  # both are red and worth 2


def test_it_bids_less_for_a_curse_unless_the_curse_is_lifted():  # section 6
    assert bids_up_to(lot("shirt_of_nessus")) < bids_up_to(lot("golden_fleece"))  # both are green and worth 3
    cursed = lot("ring_of_the_nibelung", seat_1=("flying_carpet",))
    lifted = lot("ring_of_the_nibelung", seat_1=("davids_harp",))  # as golden as the carpet, and worth as much
    assert bids_up_to(cursed) < bids_up_to(lifted)


def grail(**counterfeits: int) -> Table:
    """Player 1 is asked first in the auction of the last relic; all are rich."""
    return Table(4).ingots(15, 15, 15, 15).counterfeits(**counterfeits).decks("holy_grail")


def test_it_passes_on_a_counterfeit_that_it_has_seen_unless_it_can_certify_it():  # S4, E2, E3
    genuine, fake, unseen = (
        grail(**card).play("choose_deck_blue") for card in ({}, {"holy_grail": 1}, {"holy_grail": 2})
    )
    assert bids_up_to(genuine) == bids_up_to(unseen) > 0
    assert chosen(fake) == "pass"
    certified = take_certificate(grail(holy_grail=1), "gleipnir", buyer=1).play("choose_deck_blue")
    assert chosen(certified) == "bid_1"


@pytest.mark.parametrize(("ingots", "choice"), [(30, "bid_2"), (2, "pass")])  # 3 is more than player 3 has
def test_it_bids_up_a_counterfeit_for_one_who_takes_it_for_genuine(ingots, choice):
    # S4: the gap is not beside player 3
    table = Table(4).ingots(10, 10, 10, ingots).counterfeits(holy_grail=1).decks("holy_grail").play("choose_deck_blue")
    table.state["reserve"] = 0
    assert chosen(table.change(standing_bid=1, leader=3)) == choice


def test_it_bids_up_a_counterfeit_less_far_for_one_whom_it_would_curse():  # section 6: both are green and worth 3
    def bids_up_for_player_3(relic: str) -> int:
        table = Table(4).ingots(5, 25, 5, 25).counterfeits(**{relic: 1}).decks(relic, "oracle_bones", "holy_grail")
        table.play("choose_deck_green").state["reserve"] = 0
        standing = 1
        while chosen(table.change(standing_bid=standing, leader=3)) != "pass":
            standing += 1
        return standing

    assert 1 < bids_up_for_player_3("pandoras_box") < bids_up_for_player_3("golden_fleece")


@pytest.mark.parametrize(("ingots", "standing_bid", "choice"), [(14, 3, "bid_4"), (14, 4, "pass"), (15, 1, "pass")])
def test_it_counts_whole_points_of_ingots_when_no_relic_is_to_come(ingots, standing_bid, choice):
    # G1: of 14 ingots, 4 make no point; of 15, all do
    table = Table(4).counterfeits().ingots(10, ingots, 10, 10).give(0, "holy_grail", "malleus_maleficarum", "excalibur")
    table.give(2, "vorpal_sword", "baba_yagas_mortar").decks("seven_league_boots").play("choose_deck_blue")
    assert chosen(table.change(standing_bid=standing_bid, leader=2)) == choice


def test_it_bids_in_secret_no_more_than_it_holds_and_something_for_a_majority():  # T3, T5
    table = Table(4).decks("vorpal_sword").play("choose_deck_blue")
    assert chosen(table) in {f"bid_{ingots}" for ingots in range(1, 11)}
    poor = Table(4).ingots(10, 2, 10, 10).decks("vorpal_sword").play("choose_deck_blue")
    assert chosen(poor) in {"bid_1", "bid_2"}


def test_it_turns_over_a_deck_it_can_still_win():  # T1
    table = Table(4).give(1, "malleus_maleficarum", "excalibur").give(2, "holy_grail", "vorpal_sword")
    assert chosen(table.decks("baba_yagas_mortar", "oracle_bones")) == "choose_deck_red"


# ---- the pawnbroker


def test_it_pawns_a_counterfeit_rather_than_a_genuine_relic():  # P1
    table = Table(4).give(1, "holy_grail", "golden_fleece").counterfeits(holy_grail=1).ingots(12, 3, 12, 12)
    table.decks("excalibur", "ark_of_the_covenant", "mjollnir", "baba_yagas_mortar").change(seat=1, revealer=1)
    assert chosen(table) == "pawn_holy_grail"


def test_it_pawns_nothing_of_worth_for_the_last_auction():  # P1: the loan is worth a point, redeeming costs two
    table = Table(4).give(1, "holy_grail").ingots(12, 3, 12, 12).decks("ark_of_the_covenant").play("choose_deck_golden")
    assert "pawn_holy_grail" in table.legal()
    assert not chosen(table).startswith("pawn")


def test_it_redeems_a_relic_that_wins_a_majority_and_no_other():  # E1: 10 ingots are 2 points
    beaten = {
        0: ("malleus_maleficarum", "excalibur", "vorpal_sword"),
        2: ("baba_yagas_mortar", "philosophers_stone", "unicorns_horn", "seven_league_boots"),
    }
    for others, choice in (({}, "redeem_holy_grail"), (beaten, "decline")):
        table = Table(4).counterfeits()
        for seat, relics in others.items():
            table.give(seat, *relics)
        table.decks().give(1, "holy_grail", pawned=True).ingots(5, 15, 5, 5)
        assert chosen(at_the_end(table, "redeem")) == choice


# ---- counterfeits at the end


def test_it_certifies_the_counterfeit_that_adds_most_or_else_what_it_would_miss_most():  # E2
    table = Table(4).give(1, "holy_grail", "aladdins_lamp", "golden_fleece").give(2, "ark_of_the_covenant")
    take_certificate(table.counterfeits(aladdins_lamp=1, holy_grail=0).decks(), "gleipnir", buyer=1)
    # 8 points alone in blue; in golden it would come second for 4.
    assert chosen(at_the_end(table, "certify")) == "certify_holy_grail"
    table = Table(4).give(1, "holy_grail", "oracle_bones").give(2, "ame_no_nuhoko").counterfeits().decks()
    take_certificate(table, "gleipnir", buyer=1)
    # It knows of no counterfeit; gleipnir has none, oracle_bones is worth 3.
    assert chosen(at_the_end(table, "certify")) == "certify_holy_grail"


@pytest.mark.parametrize(
    ("fakes", "choice"),
    [(("oracle_bones", "golden_fleece", "mjollnir"), "choose_golden_fleece"), (("mjollnir",), "decline")],
)
def test_it_cancels_its_own_most_valuable_counterfeit_or_none(fakes, choice):  # E3
    table = Table(4).give(1, "unicorns_horn", "golden_fleece", "oracle_bones").give(2, "ame_no_nuhoko")
    table.give(3, "mjollnir").decks().counterfeits(**{fake: gap for gap, fake in enumerate(fakes)})
    assert chosen(at_the_end(table.change(shown=1), "cancel")) == choice


# ---- relics that change hands


def test_it_takes_what_helps_most():  # section 6, take_relic
    table = Table(4).give(2, "seven_league_boots").give(3, "philosophers_stone", "excalibur")
    table.counterfeits(seven_league_boots=0).decks("flying_carpet")
    table.play("choose_deck_golden", "bid_1", "pass", "pass", "pass")
    assert table.phase == "take"
    assert chosen(table) == "choose_philosophers_stone"  # the boots are a counterfeit


def test_it_gives_away_a_counterfeit():  # section 6, give_relic
    table = Table(4).give(1, "holy_grail", "golden_fleece", "oracle_bones").counterfeits(golden_fleece=0)
    table.decks("muramasa").play("choose_deck_red", "bid_5", "pass", "pass", "pass")
    assert table.phase == "give"
    assert chosen(table) == "choose_golden_fleece"


def test_it_looks_at_a_gap_that_is_not_beside_it():  # section 6, look_at_counterfeits
    table = Table(5).decks("oracle_bones").play("choose_deck_red", "bid_1", "pass", "pass", "pass", "pass")
    assert chosen(table) in {"choose_gap_1", "choose_gap_2", "choose_gap_3"}
