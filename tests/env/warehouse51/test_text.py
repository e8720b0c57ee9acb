"""Words: each event as a sentence, and the table as each viewer may know it."""

import ast
import inspect

import numpy as np
import pytest

from tests.env.warehouse51.relic_files import relic, write_relic_file
from tests.env.warehouse51.table import Table
from w51_agents.text.warehouse51 import rules_page
from w51_env import warehouse51
from w51_env.engine.batch import Batch
from w51_env.engine.events import Event
from w51_env.engine.game import ALL, PUBLIC
from w51_env.warehouse51.event_kinds import EVENT_KINDS
from w51_env.warehouse51.relics import load_relic_set
from w51_env.warehouse51.show import text as text_lines
from w51_env.warehouse51.show import view
from w51_env.warehouse51.state import PHASES, POINT_SOURCES

GRAIL = load_relic_set("reconstruction-1").index("holy_grail")

SENTENCES = [
    (Event(event="set_up", seat=2), "Player 2 begins."),
    (Event(event="revealed", seat=0, relic=GRAIL), "Player 0 turns over Holy Grail."),
    (Event(event="passed", seat=1), "Player 1 passes."),
    (Event(event="bid", seat=1, ingots=4), "Player 1 bids 4."),
    (Event(event="bid_in_secret", seat=3), "Player 3 has chosen a bid."),
    (Event(event="bid_shown", seat=3, ingots=0), "Player 3 opens the hand: 0."),
    (Event(event="sold", seat=1, relic=GRAIL, ingots=7, payee=2), "Player 1 buys Holy Grail and pays 7 to Player 2."),
    (Event(event="unsold", seat=0, relic=GRAIL), "Nobody wants Holy Grail; it leaves the game."),
    (
        Event(event="surcharged", seat=1, ingots=1),
        "Player 1 pays a surcharge of 1 to the reserve (Malleus Maleficarum).",
    ),
    (Event(event="income", seat=1, ingots=1), "Player 1 gets 1 from the reserve (Cornucopia)."),
    (Event(event="gained", seat=1, ingots=5), "Player 1 takes 5 from the reserve (Aladdin's Lamp)."),
    (Event(event="paid", seat=1, payee=0, ingots=2), "Player 1 pays 2 to Player 0 (Pandora's Box)."),
    (Event(event="took", seat=1, relic=GRAIL, owner=3), "Player 1 takes Holy Grail from Player 3 (Flying Carpet)."),
    (Event(event="gave", seat=3, relic=GRAIL, receiver=0), "Player 3 gives Holy Grail to Player 0 (Muramasa)."),
    (Event(event="looked", seat=1, gap=3), "Player 1 looks at the gap between Player 3 and Player 0 (Oracle Bones)."),
    (
        Event(event="saw", seat=1, gap=2, relic=GRAIL),
        "Player 1 sees in the gap between Player 2 and Player 3: Holy Grail is a counterfeit.",
    ),
    (
        Event(event="took_certificate", seat=1, relic=GRAIL),
        "Player 1 takes a certificate of authenticity with Holy Grail.",
    ),
    (Event(event="pawned", seat=1, relic=GRAIL, ingots=5), "Player 1 pawns Holy Grail for 5."),
    (Event(event="redeemed", seat=1, relic=GRAIL, ingots=10), "Player 1 redeems Holy Grail for 10."),
    (Event(event="certified", seat=1, relic=GRAIL), "Player 1 puts a certificate on Holy Grail."),
    (Event(event="declined", seat=1, phase=PHASES.index("redeem")), "Player 1 does nothing more (redeeming)."),
    (Event(event="declined", seat=1, phase=PHASES.index("certify")), "Player 1 does nothing more (certificates)."),
    (Event(event="declined", seat=1, phase=PHASES.index("cancel")), "Player 1 does nothing more (counterfeits)."),
    (
        Event(event="counterfeit_shown", seat=-1, relic=GRAIL, gap=0),
        "The counterfeit of Holy Grail is turned over in the gap between Player 0 and Player 1.",
    ),
    (Event(event="cancelled", seat=1, relic=GRAIL), "Player 1 cancels the counterfeit of Holy Grail (Unicorn's Horn)."),
    (
        Event(event="exposed", seat=1, relic=GRAIL),
        "Holy Grail of Player 1 was a counterfeit and leaves the collection.",
    ),
    (Event(event="scored", seat=1, source=POINT_SOURCES.index("ingots"), points=2), "Player 1 scores 2 for ingots."),
    (Event(event="scored", seat=1, source=POINT_SOURCES.index("sets"), points=5), "Player 1 scores 5 for sets."),
    (
        Event(event="scored", seat=1, source=POINT_SOURCES.index("golden"), points=6),
        "Player 1 scores 6 for the golden majority.",
    ),
    (Event(event="finished", seat=1, points=23, rank=2), "Player 1 ends with 23 points, rank 2."),
]


@pytest.mark.parametrize(("event", "sentence"), SENTENCES)
def test_each_event_is_a_sentence(event: Event, sentence: str):
    game = warehouse51.make(4)
    assert game.event_text(event) == sentence


@pytest.mark.parametrize(("payment_to", "payee"), [("bank", "the reserve"), ("others", "all others in equal parts")])
def test_a_price_without_a_single_payee_says_who_gets_it(payment_to, payee):  # option: payment_to
    game = warehouse51.make(4, payment_to=payment_to)
    sold = Event(event="sold", seat=1, relic=GRAIL, ingots=7, payee=-1)
    assert game.event_text(sold) == f"Player 1 buys Holy Grail and pays 7 to {payee}."


def test_every_kind_of_event_has_its_sentence_above():
    assert {event["event"] for event, _ in SENTENCES} == {kind.name for kind in EVENT_KINDS}


def test_events_of_whole_games_become_sentences_for_every_viewer():
    game = warehouse51.make(5)
    batch = Batch(game, 1, autoreset="disabled", events=True)
    for seed in range(3):
        batch.reset(seed=seed)
        while batch.seat[0] >= 0:
            batch.step(batch.sample_actions())
            for viewer in (None, PUBLIC, 0, 4):
                for event in batch.events(0, viewer):
                    sentence = game.event_text(event)
                    assert sentence.startswith(("Player", "Nobody", "The ", game_relic(event)))
                    assert "{" not in sentence


def test_names_are_those_of_the_file_a_game_was_made_from(tmp_path):  # option: relics
    path = write_relic_file(tmp_path, relic("red_lamp", "red"), relic("blue_lamp", "blue"))
    game = warehouse51.make(3, relics=path, counterfeits_per_gap=0)
    write_relic_file(tmp_path, relic("red_ring", "red"), relic("blue_ring", "blue"))
    other = warehouse51.make(3, relics=path, counterfeits_per_gap=0)
    revealed = Event(event="revealed", seat=0, relic=1)
    assert game.event_text(revealed) == "Player 0 turns over red lamp."
    assert other.event_text(revealed) == "Player 0 turns over red ring."


def game_relic(event: Event) -> str:
    return load_relic_set("reconstruction-1").names[event.get("relic", 0)]


# ---- the table

# Fields of a view that the text does not show, because it says them in another way or another place.
NOT_IN_TEXT = {
    *("id", "amount", "gap", "bids", "value_source"),
    *(
        "beliefs",
        "gains",
        "standing",
        "payee",
        "categories",
        "pawn_tokens",
        "first_player",
        "last_winner",
        "counterfeits_shown",
        "giver",
        "holder",
        "on",
    ),
}


def test_the_text_shows_every_field_of_a_view():
    source = "".join(map(inspect.getsource, (text_lines, rules_page)))
    used = {node.value for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Constant)}
    parts = (
        view.TableView,
        view.SeatView,
        view.OwnedView,
        view.LotView,
        view.GapView,
        view.CertificateView,
        view.RelicView,
    )
    fields = {field for part in parts for field in part.__annotations__}
    assert fields - used == NOT_IN_TEXT, "show it in show/text.py, or say in NOT_IN_TEXT that it need not be shown"


def test_an_open_auction_says_whose_turn_it_is_what_is_on_the_block_and_who_is_still_in():
    table = Table(4).decks("mjollnir", "holy_grail").ingots(10, 9, 12, 9)
    table.play("choose_deck_blue", "bid_3", "pass")
    lines = table.text(0).splitlines()
    assert lines[0] == "Warehouse 51: Player 3 may bid (open auction)"
    assert lines[1] == "Lot: Holy Grail (blue 3, open auction), standing bid 3 by Player 1"
    assert lines[2] == "Decks: blue 0, green 1, golden 0, red 0 | reserve 20 | revealer Player 0"
    assert "Player 0: 10 ingots (still in, you)" in lines
    assert "Player 1: 9 ingots (bid 3, still in)" in lines
    assert "Player 2: 12 ingots (passed)" in lines


def test_a_secret_bid_is_shown_to_its_seat_and_to_one_who_may_see_all_only():  # T5
    table = Table(4).decks("mjollnir").ingots(10, 10, 10, 10)
    table.play("choose_deck_green", "bid_7")
    assert (
        "Lot: Mjöllnir (green 2, blind auction, blessed: may match the standing bid of an open auction)"
        in table.text(0)
    )
    own, other, public, privileged = (table.text(viewer) for viewer in (1, 2, PUBLIC, ALL))
    assert "Player 1: 10 ingots (bid 7 in secret, you)" in own
    assert "Player 1: 10 ingots (bid 7 in secret)" in privileged
    for text in (other, public):
        assert "Player 1: 10 ingots (has bid in secret)" in text
        assert "7" not in text


def test_counterfeits_are_shown_to_the_neighbours_of_their_gap_to_who_looked_and_to_all_at_the_end():  # S4, E3
    table = Table(5).decks("holy_grail", "golden_fleece").counterfeits(sharur=0, excalibur=2)
    line = {gap: f"Counterfeits in the gap between Player {gap} and Player {(gap + 1) % 5}: " for gap in range(5)}
    seen = {
        seat: [text for text in table.text(seat).splitlines() if text.startswith("Counterfeits")] for seat in range(5)
    }
    assert seen[0] == [line[0] + "Sharur", line[4] + "none"]
    assert seen[1] == [line[0] + "Sharur", line[1] + "none"]
    assert seen[3] == [line[2] + "Excalibur", line[3] + "none"]
    assert "Counterfeits" not in table.text(PUBLIC)
    looked = np.zeros((5, 5), np.int8)
    looked[0, 2] = 1
    table.change(looked=looked)
    assert line[2] + "Excalibur" in table.text(0)
    assert line[2] not in table.text(4)
    assert "Player 0 has looked at the gap between Player 2 and Player 3" in table.text(4)
    table.change(shown=1)
    assert all(line[gap] in table.text(4) for gap in range(5))


def test_decks_are_shown_to_one_who_may_see_all_only():
    table = Table(3).decks("golden_fleece", "holy_grail", "excalibur")
    privileged = table.text(ALL)
    assert "Decks from the top: Holy Grail, Excalibur, Golden Fleece" in privileged
    for viewer in (0, 1, 2, PUBLIC):
        text = table.text(viewer)
        assert "from the top" not in text
        assert "Excalibur" not in text


def test_a_collection_says_what_each_relic_does_and_what_it_cost_and_whether_it_is_pawned_or_certified():
    table = Table(4).decks("gleipnir", "philosophers_stone").ingots(10, 10, 10, 10).give(2, "cornucopia", pawned=True)
    table.play("choose_deck_blue", "pass", "bid_4", "pass", "pass")
    text = table.text(0)
    assert "Player 2: 6 ingots" in text
    assert "    blue 1  Philosopher's Stone  [each 4 ingots score a point; bought for 4]" in text
    assert "    green 1  Cornucopia  [gets 1 from the reserve after each auction; pawned]" in text


def test_the_label_of_pawning_says_what_it_brings_and_what_redeeming_costs():
    table = Table(3, pawn_loan=3, redeem_price=7).decks("gleipnir", "philosophers_stone").ingots(1, 1, 1)
    table.give(0, "oracle_bones", "peaches_of_immortality")
    labels = {action["name"]: action.get("label") for action in table.batch.view(0, 0).actions}
    assert labels["pawn_oracle_bones"] == "pawn Oracle Bones for 3 (5 to redeem)"  # the Peaches help
    assert labels["pawn_peaches_of_immortality"] == "pawn Peaches of Immortality for 3 (7 to redeem)"
    assert labels["choose_deck_blue"] is None


def test_a_relic_that_has_changed_hands_says_who_bought_it():
    table = Table(4).decks("gleipnir", "philosophers_stone").ingots(10, 10, 10, 10)
    table.play("choose_deck_blue", "pass", "bid_4", "pass", "pass")
    table.change(place=np.where(table.state["place"] == 2, 3, table.state["place"]))
    assert "Philosopher's Stone  [each 4 ingots score a point; bought by Player 2 for 4]" in table.text(0)


@pytest.mark.parametrize(("belongs_to", "holder"), [("buyer", 1), ("owner", 3)])
def test_a_certificate_not_placed_yet_is_shown_with_who_holds_it(belongs_to: str, holder: int):  # E2
    table = Table(4, certificate_belongs_to=belongs_to).decks("holy_grail").give(3, "gleipnir")
    gleipnir = table.relics.index("gleipnir")
    buyer = np.full(26, -1)
    buyer[gleipnir] = 1
    table.change(certificate_from=[gleipnir, -1], buyer=buyer)
    lines = [line for line in table.text(0).splitlines() if "certificate to place" in line]
    assert len(lines) == 1
    assert lines[0].startswith(f"Player {holder}: ")
    table.change(certificate_on=[table.relics.index("gleipnir"), -1])
    assert "certificate to place" not in table.text(0)
    assert "certified" in table.text(0)


def test_the_end_shows_points_by_source_ranks_and_what_was_exposed():  # E3, E4
    table = Table(3).decks("holy_grail").give(1, "golden_fleece", "sharur").ingots(10, 4, 10).counterfeits(sharur=0)
    table.play("choose_deck_blue", "bid_4", "pass", "pass")
    text = table.text(2)
    assert text.splitlines()[0] == "Warehouse 51: the game is over"
    assert "Exposed counterfeits: Sharur" in text
    assert "Points: ingots, sets, blue, green, golden, red" in text
    assert "Player 0: 2 + 0 + 0 + 0 + 0 + 0 = 2, rank 2" in text
    assert "Player 1: 0 + 0 + 8 + 7 + 0 + 0 = 15, rank 1" in text
    assert "Player 2: 2 + 0 + 0 + 0 + 0 + 0 = 2, rank 2" in text  # 14 ingots


def test_a_cancelled_counterfeit_and_a_relic_that_nobody_wanted_are_named():
    table = Table(3).decks("holy_grail", "excalibur", "golden_fleece").counterfeits(sharur=0)
    table.play("choose_deck_blue", "pass", "pass", "pass")
    assert "Unsold: Holy Grail" not in table.text(0)  # `decks` put all other relics there, too
    assert "Holy Grail" in next(line for line in table.text(0).splitlines() if line.startswith("Unsold: "))
    cancelled = np.zeros(26)
    cancelled[table.relics.index("sharur")] = 1
    table.change(cancelled=cancelled, shown=1)
    assert "Counterfeits in the gap between Player 0 and Player 1: Sharur (cancelled)" in table.text(2)
