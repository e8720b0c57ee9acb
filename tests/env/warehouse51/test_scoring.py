"""G1 to G3 and E4: points for ingots, sets and majorities, without ties."""

import pytest

from tests.env.warehouse51.endings import finish, table_without_counterfeits
from tests.env.warehouse51.relic_files import relic, table_with
from tests.env.warehouse51.table import Table
from w51_env.warehouse51.state import CATEGORIES

# ---- G1


@pytest.mark.parametrize(("ingots", "points"), [(0, 0), (4, 0), (5, 1), (9, 1), (10, 2), (14, 2), (60, 12)])
def test_every_full_five_ingots_score_a_point(ingots, points):  # G1
    table = finish(table_without_counterfeits(4).ingots(ingots, 0, 0, 0))
    assert table.points(0) == {"ingots": points, "sets": 0, "blue": 0, "green": 0, "golden": 0, "red": 0}
    assert table["scores"][:4].tolist() == [points, 0, 0, 0]


@pytest.mark.parametrize(("ingots", "points"), [(3, 0), (4, 1), (7, 1), (8, 2), (15, 3), (16, 4)])
def test_with_the_philosophers_stone_every_four_ingots_score_a_point(ingots, points):  # G1, effect: ingots_per_point
    table = finish(table_without_counterfeits(4).give(0, "philosophers_stone").ingots(ingots, 15, 0, 0))
    assert table.points(0)["ingots"] == points
    assert table.points(1)["ingots"] == 3  # the owner's alone


@pytest.mark.parametrize(("choices", "points"), [(["decline"], 3), (["redeem_philosophers_stone"], 2)])
def test_a_pawned_philosophers_stone_does_not_work(choices, points):  # G1, P4, E1, effect: ingots_per_point
    table = table_without_counterfeits(4).give(0, "philosophers_stone", pawned=True).ingots(19, 0, 0, 0)
    finish(table, *choices)  # 19 / 5 = 3; redeemed (19 - 10) / 4 = 2
    assert table.points(0)["ingots"] == points


@pytest.mark.parametrize(("amounts", "points"), [((6,), 3), ((5,), 4), ((1,), 20), ((6, 3), 6), ((8, 9), 2)])
def test_so_many_ingots_as_a_relic_says_score_a_point(amounts, points, tmp_path):  # R2, G1, effect: ingots_per_point
    stones = [relic(f"stone_{amount}", "blue", 1, "ingots_per_point", amount) for amount in amounts]
    table = table_with(tmp_path, *stones, relic("lot", "red")).give(0, *(stone["id"] for stone in stones))
    # The least, if there are several, even where it is worse than the usual five.
    assert finish(table.ingots(20, 0, 0, 0)).points(0)["ingots"] == points


# ---- G2

BLUE = ("seven_league_boots", "holy_grail", "excalibur", "philosophers_stone")
GREEN = ("mjollnir", "gleipnir")
GOLDEN = ("sharur", "davids_harp", "flying_carpet")
RED = ("oracle_bones", "ame_no_nuhoko")


def sets(*relics: str, pawned: tuple[str, ...] = ()) -> int:
    """The set points of a collection."""
    table = table_without_counterfeits(4).give(0, *relics).give(0, *pawned, pawned=True).ingots(0, 0, 0, 0)
    return finish(table).points(0)["sets"]


def test_four_relics_of_different_colours_score_five_and_none_of_them_pawned():  # G2, E1
    assert sets("holy_grail", "gleipnir", "sharur", "oracle_bones") == 5
    assert sets("holy_grail", "gleipnir", "sharur", pawned=("oracle_bones",)) == 0
    # Two sets score ten, as in the rulebook's example: 4 blue, 2 green, 3 golden, 2 red; in the French one 4, 2, 2, 2.
    assert sets(*BLUE, *GREEN, *GOLDEN, *RED) == sets(*BLUE, *GREEN, *GOLDEN[:2], *RED) == 10


@pytest.mark.parametrize("colours", [2, 3])
def test_a_set_has_the_colours_of_its_relic_set(colours, tmp_path):  # G2, option: relics
    used = CATEGORIES[4 - colours :]
    relics = [relic(f"{category}_{number}", category) for category in used for number in range(2)]
    table = table_with(tmp_path, *relics, relic("lot", "red")).ingots(0, 0, 0, 0)
    table.give(0, *(f"{category}_0" for category in used), "red_1")
    finish(table.give(1, *(f"{category}_1" for category in used[:-1])))
    assert (table.points(0)["sets"], table.points(1)["sets"]) == (5, 0)


@pytest.mark.parametrize(("preset", "blue"), [("mini", "seal"), ("nano", "dagger")])
def test_a_set_of_a_mini_game_is_one_blue_and_one_red(preset, blue):  # G2, preset: mini, preset: nano
    table = finish(table_without_counterfeits(3, preset=preset).give(1, blue, "purse").ingots(0, 0, 0))
    assert table.points(1) == {"ingots": 0, "sets": 5, "blue": 8, "green": 0, "golden": 0, "red": 5}


# ---- G3

# Two relics of each category, of value 3 and 2, and one of value 1 or another of value 2.
THREE_OF_EACH = {
    "blue": ("holy_grail", "vorpal_sword", "seven_league_boots"),
    "green": ("golden_fleece", "mjollnir", "cornucopia"),
    "golden": ("ark_of_the_covenant", "sharur", "davids_harp"),
    "red": ("ame_no_nuhoko", "oracle_bones", "peaches_of_immortality"),
}


@pytest.mark.parametrize(
    ("category", "first", "second"), [("blue", 8, 6), ("green", 7, 5), ("golden", 6, 4), ("red", 5, 3)]
)
def test_the_first_and_the_second_of_each_category_score(category, first, second):  # G3
    three, two, one = THREE_OF_EACH[category]
    table = finish(table_without_counterfeits(4).give(2, three).give(0, two).give(3, one).ingots(0, 0, 0, 0))
    assert [table.points(seat)[category] for seat in range(4)] == [second, 0, first, 0]
    assert table["scores"][:4].tolist() == [second, 0, first, 0]


# ---- E4


def whole_game() -> Table:
    """Four collections with every source of points, worked out below."""
    table = table_without_counterfeits(4, last_winner=0)
    table.give(0, "holy_grail", "excalibur", "golden_fleece", "aladdins_lamp", "muramasa")
    table.give(1, "malleus_maleficarum", "philosophers_stone", "mjollnir", "sharur", "ark_of_the_covenant")
    table.give(2, "vorpal_sword", "pandoras_box", "cornucopia", "davids_harp", "ame_no_nuhoko", "oracle_bones")
    table.give(3, "seven_league_boots").give(3, "yata_no_kagami", pawned=True)
    return table.counterfeits(excalibur=0, davids_harp=2).ingots(13, 17, 6, 12)


def test_a_whole_game_is_scored():  # E4, E1, E3, G1, G2, G3, G5
    # Seat 2's Cornucopia takes 1 of the reserve after the last auction: 7 ingots. Seat 3 redeems Yata for 10: 2 left.
    # Excalibur and the Harp are counterfeits: seat 2 has no golden relic left, so no set.
    #         blue   green  golden red    ingots         sets
    # seat 0  3 (2.) 3 (2.) 2 (2.) 3 (2.) 13 / 5 = 2     1
    # seat 1  4 (1.) 2      5 (1.) 0      17 / 4 = 4     0 (no red)
    # seat 2  2      4 (1.) 0      5 (1.) 7 / 5 = 1      0
    # seat 3  1      0      0      2      2 / 5 = 0      0
    table = finish(whole_game(), "redeem_yata_no_kagami")
    assert table.over
    assert table.points(0) == {"ingots": 2, "sets": 5, "blue": 6, "green": 5, "golden": 4, "red": 3}
    assert table.points(1) == {"ingots": 4, "sets": 0, "blue": 8, "green": 0, "golden": 6, "red": 0}
    assert table.points(2) == {"ingots": 1, "sets": 0, "blue": 0, "green": 7, "golden": 0, "red": 5}
    assert table.points(3) == {"ingots": 0, "sets": 0, "blue": 0, "green": 0, "golden": 0, "red": 0}
    assert table["scores"].tolist() == [25, 18, 13, 0, 0]
    assert table["ranks"].tolist() == [1, 2, 3, 4, 0]


def test_the_events_say_what_was_scored_for_what():  # E4
    table = finish(table_without_counterfeits(3).give(1, "holy_grail").ingots(4, 11, 5))
    scored = [(event["seat"], event["source"], event["points"]) for event in table.events("scored")]
    assert scored == [(1, 0, 2), (1, 2, 8), (2, 0, 1)]  # sources 0: ingots, 2: blue
    finished = [(event["seat"], event["points"], event["rank"]) for event in table.events("finished")]
    assert finished == [(0, 0, 3), (1, 10, 1), (2, 1, 2)]
