"""E3: the counterfeit cards are turned over, and relics leave their collections with their effects."""

import numpy as np
import pytest

from tests.env.warehouse51.endings import finish, table_without_counterfeits, take_certificate
from tests.env.warehouse51.table import Table
from w51_env.warehouse51.state import EXPOSED

# ---- turning over


def test_all_counterfeit_cards_are_turned_over():  # E3
    table = table_without_counterfeits(4).give(1, "sharur").counterfeits(sharur=2, excalibur=0)
    table.decks("holy_grail").play("choose_deck_blue", "pass", "pass", "pass")
    for seat in range(4):
        assert table.read(seat, "counterfeits_shown").tolist() == [0]
    table.play("pass")
    assert [(event["relic"], event["gap"]) for event in table.events("counterfeit_shown")] == [
        (table.index("excalibur"), 0),  # unsold: shown all the same
        (table.index("sharur"), 2),
    ]
    for seat in range(4):
        assert table.read(seat, "counterfeits_shown").tolist() == [1]


def test_a_counterfeit_leaves_the_collection_and_scores_nothing():  # E3, G2, G3
    table = table_without_counterfeits(4).give(0, "holy_grail", "cornucopia", "sharur", "oracle_bones")
    finish(table.give(1, "excalibur").counterfeits(holy_grail=3).ingots(0, 0, 0, 0))
    assert table.owner("holy_grail") == EXPOSED
    assert table.events("exposed") == [
        {"event": "exposed", "seat": 0, "relic": table.index("holy_grail"), "forced": False}
    ]
    assert table.seen(2, "exposed") == {"holy_grail": 1}
    assert table.points(0) == {"ingots": 0, "sets": 0, "blue": 0, "green": 7, "golden": 6, "red": 5}
    assert table.points(1)["blue"] == 8


def test_the_counterfeit_of_a_certified_relic_is_ignored():  # E3, E2, effect: certificate
    table = table_without_counterfeits(4).give(1, "sharur", "oracle_bones").counterfeits(sharur=0, oracle_bones=1)
    finish(take_certificate(table, "gleipnir", buyer=1), "certify_sharur")
    assert table.over
    assert (table.owner("sharur"), table.owner("oracle_bones")) == (1, EXPOSED)
    assert table.points(1)["golden"] == 6
    assert table.points(1)["red"] == 0


# ---- the Unicorn's Horn


def horn(*, pawned: bool = False, **counterfeits: int) -> Table:
    """Seat 2 has the Horn and Sharur, seat 0 the Grail and the Oracle Bones."""
    table = table_without_counterfeits(4).give(2, "unicorns_horn", pawned=pawned).give(2, "sharur")
    return table.give(0, "holy_grail", "oracle_bones").counterfeits(**counterfeits)


def test_the_horn_may_cancel_the_counterfeit_of_ones_own_relic_or_of_anothers():  # E3, effect: cancels_counterfeit
    table = finish(horn(sharur=0, holy_grail=1))
    assert (table.phase, table.seat) == ("cancel", 2)
    table.play("choose_sharur")
    assert (table.owner("sharur"), table.owner("holy_grail")) == (2, EXPOSED)
    assert np.flatnonzero(table["cancelled"] == 1).tolist() == [table.index("sharur")]
    assert table.events("cancelled") == [
        {"event": "cancelled", "seat": 2, "relic": table.index("sharur"), "forced": False}
    ]
    assert table.points(2)["golden"] == 6
    table = finish(horn(sharur=0, holy_grail=1), "choose_holy_grail")
    assert (table.owner("sharur"), table.owner("holy_grail")) == (EXPOSED, 0)
    assert (table.points(0)["blue"], table.points(2)["blue"]) == (8, 6)  # the Grail's 3 before the Horn's 1


def test_the_horn_is_used_after_all_cards_are_turned_over():  # E3, effect: cancels_counterfeit
    table = finish(horn(sharur=0, vorpal_sword=1))
    assert table.phase == "cancel"
    assert table.read(2, "counterfeits_shown").tolist() == [1]
    assert table.seen(2, "counterfeit_elsewhere") == {"sharur": 2}  # the Vorpal Sword's lies on the seat's right
    assert len(table.events("counterfeit_shown")) == 2


def test_the_horn_chooses_among_unprotected_counterfeits_in_collections():
    # E3, E2, effect: cancels_counterfeit
    table = horn(sharur=0, holy_grail=1, oracle_bones=2, vorpal_sword=3).give(1, "muramasa", pawned=True)
    table.state["counterfeit_gap"][table.index("muramasa")] = 0
    finish(take_certificate(table, "gleipnir", buyer=0).ingots(10, 0, 10, 10), "certify_oracle_bones")
    # Nobody has the Vorpal Sword.
    assert table.legal() == {"decline", "choose_sharur", "choose_holy_grail", "choose_muramasa"}


def test_a_horn_that_is_a_counterfeit_works_only_with_a_certificate():  # E3, E2, effect: cancels_counterfeit
    table = finish(horn(unicorns_horn=3, sharur=0))
    assert table.over
    assert (table.owner("unicorns_horn"), table.owner("sharur")) == (EXPOSED, EXPOSED)
    table = take_certificate(horn(unicorns_horn=3, sharur=0), "gleipnir", buyer=2)
    finish(table, "certify_unicorns_horn")
    assert (table.phase, table.legal()) == ("cancel", {"decline", "choose_sharur"})
    table.play("choose_sharur")
    assert (table.owner("unicorns_horn"), table.owner("sharur")) == (2, 2)


@pytest.mark.parametrize(("choice", "works"), [("decline", False), ("redeem_unicorns_horn", True)])
def test_a_pawned_horn_does_not_work_unless_redeemed(choice, works):  # E3, E1, P4, effect: cancels_counterfeit
    table = finish(horn(pawned=True, sharur=0), choice)
    assert table.over is not works
