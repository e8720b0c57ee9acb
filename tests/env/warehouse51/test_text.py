"""Words: events as sentences, and the table as each viewer may know it.

The golden playthroughs have a sentence of each event type.
"""

import ast
import inspect

import numpy as np
import pytest

from tests.env.warehouse51.table import Table
from w51_agents.language.warehouse51 import rules_page
from w51_env import warehouse51
from w51_env.engine.events import Event
from w51_env.engine.game import ALL, PUBLIC
from w51_env.warehouse51.relics import load_relic_set
from w51_env.warehouse51.show import text as text_lines
from w51_env.warehouse51.show import view

GRAIL = load_relic_set("reconstruction-1").index("holy_grail")


@pytest.mark.parametrize(
    ("payment_to", "refund", "payee"),
    [
        ("bank", 100, "the reserve"),
        ("others", 100, "all others in equal parts"),
        ("others", 50, "the others in part, the rest to the reserve"),
    ],
)
def test_a_price_without_a_single_payee_says_who_gets_it(payment_to, refund, payee):  # option: payment_to
    game = warehouse51.make(4, payment_to=payment_to, refund=refund)
    sold = Event(event="sold", seat=1, relic=GRAIL, ingots=7, payee=-1)
    assert game.event_text(sold) == f"Player 1 buys Holy Grail and pays 7 to {payee}."


# ---- the table

# Fields of a view that the text does not show, because it says them in another way or another place.
NOT_IN_TEXT = {
    *("id", "amount", "gap", "bids", "value_source", "beliefs", "gains", "standing", "payee", "categories"),
    *("pawn_tokens", "first_player", "last_winner", "counterfeits_shown", "giver", "holder", "on"),
}
PARTS = [getattr(view, f"{part}View") for part in ("Table", "Seat", "Owned", "Lot", "Gap", "Certificate", "Relic")]


def test_the_text_shows_every_field_of_a_view():
    source = "".join(map(inspect.getsource, (text_lines, rules_page)))
    used = {node.value for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Constant)}
    fields = {field for part in PARTS for field in part.__annotations__}
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


def test_a_secret_bid_and_the_decks_are_shown_to_one_who_may_see_all():  # T5
    table = Table(4).decks("mjollnir", "holy_grail", "golden_fleece").play("choose_deck_green", "bid_7")
    lot = "Lot: Mjöllnir (green 2, blind auction, blessed: may match the standing bid of an open auction)"
    for viewer, bid in (
        (1, "bid 7 in secret, you"),
        (ALL, "bid 7 in secret"),
        (2, "has bid in secret"),
        (PUBLIC, None),
    ):
        text = table.text(viewer)
        assert lot in text
        assert f"Player 1: 10 ingots ({bid or 'has bid in secret'})" in text
        assert ("Decks from the top: Holy Grail, Golden Fleece" in text) == (viewer == ALL)


def test_counterfeits_are_shown_to_the_neighbours_of_their_gap_to_who_looked_and_to_all_at_the_end():  # S4, E3
    table = Table(5).decks("holy_grail", "golden_fleece").counterfeits(sharur=0, excalibur=2)
    line = {gap: f"Counterfeits in the gap between Player {gap} and Player {(gap + 1) % 5}: " for gap in range(5)}
    for seat, shown in ((0, {0: "Sharur", 4: "none"}), (3, {2: "Excalibur", 3: "none"})):
        lines = [text for text in table.text(seat).splitlines() if text.startswith("Counterfeits")]
        assert lines == [line[gap] + cards for gap, cards in shown.items()]
    assert "Counterfeits" not in table.text(PUBLIC)
    looked = np.zeros((5, 5), np.int8)
    looked[0, 2] = 1
    table.change(looked=looked)
    assert line[2] + "Excalibur" in table.text(0)
    assert line[2] not in table.text(4)
    assert "Player 0 has looked at the gap between Player 2 and Player 3" in table.text(4)
    cancelled = np.zeros(26)
    cancelled[table.relics.index("sharur")] = 1
    table.change(shown=1, cancelled=cancelled)
    assert all(line[gap] in table.text(4) for gap in range(5))
    assert line[0] + "Sharur (cancelled)" in table.text(4)


def test_a_collection_says_what_each_relic_does_what_it_cost_who_bought_it_and_whether_it_is_pawned():
    table = Table(4).decks("gleipnir", "philosophers_stone").ingots(10, 10, 10, 10).give(2, "cornucopia", pawned=True)
    table.play("choose_deck_blue", "pass", "bid_4", "pass", "pass")
    text = table.text(0)
    assert "Player 2: 6 ingots" in text
    assert "    blue 1  Philosopher's Stone  [each 4 ingots score a point; bought for 4]" in text
    assert "    green 1  Cornucopia  [gets 1 from the reserve after each auction; pawned]" in text
    table.change(place=np.where(table.state["place"] == 2, 3, table.state["place"]))
    assert "Philosopher's Stone  [each 4 ingots score a point; bought by Player 2 for 4]" in table.text(0)


def test_the_label_of_pawning_says_what_it_brings_and_what_redeeming_costs():
    table = Table(3, pawn_loan=3, redeem_price=7).decks("gleipnir", "philosophers_stone").ingots(1, 1, 1)
    table.give(0, "oracle_bones", "peaches_of_immortality")
    labels = {action["name"]: action.get("label") for action in table.batch.view(0, 0).actions}
    assert labels["pawn_oracle_bones"] == "pawn Oracle Bones for 3 (5 to redeem)"  # the Peaches help
    assert labels["pawn_peaches_of_immortality"] == "pawn Peaches of Immortality for 3 (7 to redeem)"
    assert labels["choose_deck_blue"] is None


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


def test_a_relic_that_nobody_wanted_is_named():
    table = Table(3).decks("holy_grail", "excalibur", "golden_fleece").play("choose_deck_blue", "pass", "pass", "pass")
    assert "Holy Grail" in next(line for line in table.text(0).splitlines() if line.startswith("Unsold: "))
