"""Effects added later: new phases, slices, actions and kinds come last, and games without them do not change."""

import numpy as np
import pytest

from w51_env import warehouse51
from w51_env.core.game import Action
from w51_env.core.language import Words
from w51_env.warehouse51 import actions, effect_kinds, event_kinds, observe, rules, state
from w51_env.warehouse51.actions import action_table
from w51_env.warehouse51.effect_kinds import EFFECT_KINDS, EFFECT_NAMES, FIRST_KINDS, parts_in_use
from w51_env.warehouse51.event_kinds import EVENT_KINDS
from w51_env.warehouse51.observe import LAYOUT, PHASE_AT, layout_for
from w51_env.warehouse51.ownership import effect_count
from w51_env.warehouse51.relics import load_relic_set
from w51_env.warehouse51.rules import rules_dtype
from w51_env.warehouse51.state import OVER, PHASES, is_bidding, is_ending

RELICS = load_relic_set("reconstruction-1")
OLD = EFFECT_NAMES[:FIRST_KINDS]
ADDED = [
    ("swap_relics", ("phase_swap", (1,), 0, 1, "1 while a relic to swap is chosen.")),
    ("toss", ("coin", (2,), 0, 1, ".")),
]
ADDED_ACTIONS = [("swap_relics", Action("swap", "swap")), ("toss", Action("heads", "heads"))]


def test_a_kind_of_effect_beyond_the_table_of_a_relic_set_has_no_relics():
    rules = warehouse51.make(3).rules.view(np.recarray)[0]
    count = getattr(effect_count, "py_func", effect_count)
    assert count(rules, EFFECT_NAMES.index("take_relic")) > 0
    assert count(rules, len(rules.effect_count)) == count(rules, len(rules.effect_count) + 3) == 0


def _is(kernel, phase: int) -> bool:
    """A property of a phase, from the kernel as plain Python."""
    return getattr(kernel, "py_func", kernel)(phase)


def test_an_added_slice_moves_no_other():
    before = {part.name: (part.start, part.stop) for part in layout_for(OLD, []).values()}
    for effects in ({"swap_relics"}, {"toss"}, {"swap_relics", "toss"}):
        after = layout_for({*OLD, *effects}, ADDED)
        assert {name: (after[name].start, after[name].stop) for name in before} == before
        assert after["phase_swap"].start == 681


def test_a_game_without_the_added_kind_has_the_layout_and_actions_that_it_had():
    assert layout_for(OLD, ADDED).size == layout_for(OLD, []).size == 681
    assert list(action_table(RELICS, ADDED_ACTIONS)) == list(action_table(RELICS, []))


def test_a_slice_has_one_position_in_all_games():
    alone, both = layout_for({"toss"}, ADDED), layout_for({"toss", "swap_relics"}, ADDED)
    assert alone["coin"] == both["coin"]
    assert "coin" not in layout_for({"swap_relics"}, ADDED)


def test_an_added_action_changes_no_other_id():
    before = [action.name for action in action_table(RELICS, [])]
    added = parts_in_use(ADDED_ACTIONS, {"toss"})
    assert len(before) == actions.FIRST_ADDED == 185
    assert [action.name for action in added] == ["swap", "heads"]


def test_rules_of_a_game_without_the_added_kind_are_the_same_record(monkeypatch):
    before = rules_dtype(OLD)
    monkeypatch.setattr(rules, "EFFECT_NAMES", (*EFFECT_NAMES, "swap_relics"))
    assert rules_dtype(OLD) == before
    assert rules_dtype({"swap_relics"})["effect_count"].shape == (len(EFFECT_NAMES) + 1,)


def test_games_of_the_built_in_sets_end_with_the_first_tables():
    for preset in rules.PRESETS:
        game = warehouse51.make(preset=preset)
        assert (game.layout.size, len(game.actions), len(game.event_kinds)) == (681, 185, 26)
        assert game.rules["effect_count"].shape == (1, FIRST_KINDS)


def test_each_phase_has_one_bit():
    assert len(set(PHASE_AT.tolist())) == len(PHASES)
    assert PHASE_AT[: OVER + 1].tolist() == list(range(LAYOUT["phase"].start, LAYOUT["phase"].stop))
    assert all(LAYOUT[f"phase_{name}"].start == PHASE_AT[phase] for phase, name in enumerate(PHASES) if phase > OVER)


@pytest.mark.parametrize(
    ("module", "names"),
    [
        (state, PHASES),
        (effect_kinds, EFFECT_NAMES),
        (event_kinds, tuple(kind.name for kind in EVENT_KINDS)),
    ],
    ids=["phases", "effects", "events"],
)
def test_the_constants_have_the_numbers_of_the_names(module, names):
    assert {name: getattr(module, name.upper()) for name in names} == {
        name: number for number, name in enumerate(names)
    }


def test_every_phase_has_words_and_every_phase_of_the_ending_words_for_declining():
    assert set(Words().section("warehouse51.phase")) == set(PHASES)
    assert set(Words().section("warehouse51.declined")) == {
        name for phase, name in enumerate(PHASES) if _is(is_ending, phase)
    }


def test_the_properties_of_phases():
    assert [name for phase, name in enumerate(PHASES) if _is(is_bidding, phase)] == ["open_auction", "blind_auction"]
    assert [name for phase, name in enumerate(PHASES) if _is(is_ending, phase)] == ["redeem", "certify", "cancel"]


def test_every_added_part_belongs_to_an_effect_kind():
    for kind, _ in (*observe.ADDED_PARTS, *actions.ADDED_ACTIONS, *event_kinds.ADDED_EVENTS):
        assert kind in EFFECT_NAMES[FIRST_KINDS:]


def test_every_kind_fills_in_its_amount():
    texts = Words().section("warehouse51.effect")
    assert set(texts) == set(EFFECT_NAMES)
    assert all(("{amount}" in texts[kind.name]) == (kind.amount is not None) for kind in EFFECT_KINDS)
