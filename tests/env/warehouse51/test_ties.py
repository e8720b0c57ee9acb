"""G4: ties for a place of a majority, and what Yata no Kagami and the Shirt of Nessus make of them.

Most cases are played with made-up blue relics of value 1, so that a test can set the totals: eight points for the
first place, six for the second. Yata and the Shirt are red and green, so they do not count in blue.
"""

import itertools

import numpy as np
import pytest

from tests.env.warehouse51.endings import finish, table_without_counterfeits
from tests.env.warehouse51.relic_files import relic, write_relic_file
from w51_env import warehouse51
from w51_env.compiler.compile import JIT_DISABLED
from w51_env.engine.batch import Batch
from w51_env.warehouse51.relics import load_relic_set
from w51_env.warehouse51.state import MAJORITY_POINTS, NOBODY, OPEN_AUCTION, UNSOLD

FIRST, SECOND = 8, 6


@pytest.fixture(scope="module")
def blue_relics(tmp_path_factory) -> str:
    """A relic file: Yata, the Shirt, the Harp, a last lot, and 20 blue relics of value 1."""
    blue = [relic(f"blue_{number}", "blue", 1) for number in range(20)]
    yata, shirt = relic("yata_no_kagami", "red", 2, "wins_ties"), relic("shirt_of_nessus", "green", 3, "loses_ties")
    harp = relic("davids_harp", "golden", 1, "lifts_curses")
    return write_relic_file(tmp_path_factory.mktemp("relics"), *blue, yata, shirt, harp, relic("lot", "golden"))


# ---- G4 without Yata and the Shirt


@pytest.mark.parametrize(
    ("third", "points"),
    [
        ("cornucopia", [5, 0, 5, 0]),  # two tied for the first place score the second
        ("golden_fleece", [0, 0, 0, 7]),  # two tied for the second place score nothing
    ],
)
def test_ties_in_green_score_as_in_the_rulebooks_examples(third, points):  # G4
    table = table_without_counterfeits(4).give(0, "mjollnir").give(2, "ring_of_the_nibelung").give(3, third)
    finish(table)
    assert [table.points(seat)["green"] for seat in range(4)] == points


# ---- G4 with Yata, whose owner comes before the tied group, and the Shirt, whose owner comes after it


def places(totals: tuple[int, ...], yata: int, shirt: int) -> list[int]:
    """G4 word by word, slowly: the tied group is reordered, then shares out the places that are left."""
    points = [0] * len(totals)
    left = [FIRST, SECOND]
    for total in sorted(set(totals) - {0}, reverse=True):
        group = [seat for seat, own in enumerate(totals) if own == total]
        ahead = [seat for seat in group if seat == yata != shirt]
        behind = [seat for seat in group if seat == shirt != yata]
        for tied in (ahead, [seat for seat in group if seat not in ahead + behind], behind):
            if not tied or not left:
                continue
            if len(tied) == 1:
                points[tied[0]] = left.pop(0)
            else:
                if len(tied) == 2 and len(left) == 2:
                    for seat in tied:
                        points[seat] = SECOND
                left = []
    return points


@pytest.mark.parametrize("num_players", [3] if JIT_DISABLED else [3, 4, 5])
def test_every_tie_there_is(blue_relics, num_players):  # G4, G3, effect: wins_ties, effect: loses_ties
    """All totals from 0 to 3 with every owner of the two relics, against a slow reading of the rule."""
    owners = range(-1, num_players)  # -1: nobody
    cases = list(itertools.product(itertools.product(range(4), repeat=num_players), owners, owners))
    relics = load_relic_set(blue_relics)
    game = warehouse51.make(num_players, relics=blue_relics, counterfeits_per_gap=0)
    batch = Batch(game, len(cases), seed=0, autoreset="disabled", observe=False)
    batch.reset()
    games = batch.games
    games["place"] = np.where(games["place"] >= -1, UNSOLD, games["place"])
    each = len(owners) ** 2  # cases with the same totals, one after the other
    for first in range(0, len(cases), each):
        unowned = iter(range(20))
        for seat, total in enumerate(cases[first][0]):
            for _ in range(total):
                games["place"][first : first + each, relics.index(f"blue_{next(unowned)}")] = seat
    for name, column in (("yata_no_kagami", 1), ("shirt_of_nessus", 2)):
        owner = np.array([case[column] for case in cases])
        games["place"][:, relics.index(name)] = np.where(owner >= 0, owner, UNSOLD)
    games["drawn"] = game.rules["deck_size"][0]  # the last lot is on the block, and only seat 0 has not passed
    games["phase"], games["lot"], games["seat"], games["leader"] = OPEN_AUCTION, relics.index("lot"), 0, NOBODY
    games["bidding"] = [1, 0, 0, 0, 0]
    batch.refresh()
    batch.step(np.full(len(cases), game.actions.id("pass")))
    np.testing.assert_array_equal(batch.done, True)
    expected = np.array([places(*case) for case in cases])
    np.testing.assert_array_equal(games["points"][:, :num_players, MAJORITY_POINTS], expected)


# ---- G4 with the printed relics: whether Yata and the Shirt work


def tied_in_blue(*relics: str, pawned: tuple[str, ...] = ()) -> tuple[int, int]:
    """Blue points of seats 0 and 1, who have 3 each; seat 0 has these relics, too."""
    table = table_without_counterfeits(4).give(0, "holy_grail", *relics).give(0, *pawned, pawned=True)
    finish(table.give(1, "malleus_maleficarum").give(2, "excalibur").ingots(0, 0, 0, 0))
    return table.points(0)["blue"], table.points(1)["blue"]


YATA, SHIRT, HARP = "yata_no_kagami", "shirt_of_nessus", "davids_harp"


@pytest.mark.parametrize(
    ("relics", "pawned", "points"),
    [
        ((), (), (6, 6)),
        ((YATA,), (), (8, 6)),
        ((SHIRT,), (), (6, 8)),
        ((YATA, SHIRT), (), (6, 6)),
        # a pawned Yata works no more, a pawned Shirt does
        ((), (YATA,), (6, 6)),
        ((), (SHIRT,), (6, 8)),
        ((SHIRT,), (YATA,), (6, 8)),
        ((YATA,), (SHIRT,), (6, 6)),
        # the Harp lifts the Shirt, unless it is pawned
        ((SHIRT, HARP), (), (6, 6)),
        ((SHIRT, HARP, YATA), (), (8, 6)),
        ((HARP,), (SHIRT,), (6, 6)),
        ((SHIRT,), (HARP,), (6, 8)),
    ],
)
def test_yata_wins_and_the_shirt_loses_a_tie_as_far_as_they_work(
    relics, pawned, points
):  # G4, P4, effect: wins_ties, effect: loses_ties, effect: lifts_curses
    assert tied_in_blue(*relics, pawned=pawned) == points
