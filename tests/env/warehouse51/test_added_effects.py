"""Effects added later: new phases, slices, actions and kinds come last, and games without them do not change."""

import ast
import inspect
from collections import Counter
from types import ModuleType

import numpy as np
import pytest

from tests.env.warehouse51.relic_files import every_kind
from w51_env import warehouse51
from w51_env.compiler.compile import JIT_DISABLED
from w51_env.engine.batch import Batch
from w51_env.engine.game import Action
from w51_env.pictures.seating import FORMS
from w51_env.pictures.svg import draw
from w51_env.views.language import LANGUAGES, Words
from w51_env.views.text_table import table as text_table
from w51_env.views.view import ViewContext
from w51_env.warehouse51 import actions, event_types, observe, rules, state
from w51_env.warehouse51.actions import action_table
from w51_env.warehouse51.bots import choices, effects
from w51_env.warehouse51.effect_kinds import EFFECT_KINDS, EFFECT_NAMES, FIRST_KINDS, parts_in_use
from w51_env.warehouse51.observe import LAYOUT, PHASE_AT, layout_for, num_phases
from w51_env.warehouse51.ownership import effect_count
from w51_env.warehouse51.relics import load_relic_set
from w51_env.warehouse51.rules import rules_dtype
from w51_env.warehouse51.show import descriptions
from w51_env.warehouse51.state import AUCTIONS, ENDING, OVER, PHASES
from w51_env.warehouse51.validity import ranges

MAX_SHOWN = 6  # states of each phase
RELICS = load_relic_set("reconstruction-1")
OLD = EFFECT_NAMES[:FIRST_KINDS]
ADDED = [
    ("imagined", ("phase_imagined", (1,), 0, 1, "1 in the phase of an effect that no game has.")),
    ("imagined_too", ("imagined_slice", (2,), 0, 1, ".")),
]
ADDED_ACTIONS = [("imagined", Action("one", "one")), ("imagined_too", Action("other", "other"))]


def test_a_kind_of_effect_beyond_the_table_of_a_relic_set_has_no_relics():
    rules = warehouse51.make(3).rules.view(np.recarray)[0]
    count = getattr(effect_count, "py_func", effect_count)
    assert count(rules, EFFECT_NAMES.index("take_relic")) > 0
    assert count(rules, len(rules.effect_count)) == count(rules, len(rules.effect_count) + 3) == 0


def test_an_added_slice_or_action_moves_no_other():
    assert layout_for(OLD, ADDED).size == layout_for(OLD, []).size == 681
    before = {part.name: (part.start, part.stop) for part in layout_for(OLD, []).values()}
    for added in ({"imagined"}, {"imagined_too"}, {"imagined", "imagined_too"}):
        after = layout_for({*OLD, *added}, ADDED)
        assert {name: (after[name].start, after[name].stop) for name in before} == before
        assert after["phase_imagined"].start == 681
    alone, both = layout_for({"imagined_too"}, ADDED), layout_for({"imagined_too", "imagined"}, ADDED)
    assert alone["imagined_slice"] == both["imagined_slice"]  # one position in all games
    assert "imagined_slice" not in layout_for({"imagined"}, ADDED)
    assert list(action_table(RELICS, ADDED_ACTIONS)) == list(action_table(RELICS, []))
    assert len(action_table(RELICS, [])) == actions.FIRST_ADDED == 185
    assert [action.name for action in parts_in_use(ADDED_ACTIONS, {"imagined_too"})] == ["one", "other"]


def test_a_game_without_the_added_kind_refuses_its_phase(monkeypatch):
    """Its observation has no place for this phase, and compiled code does not check bounds."""
    monkeypatch.setattr(observe, "PHASES", (*PHASES, "imagined"))
    assert num_phases(layout_for(OLD, ADDED)) == OVER + 1
    assert num_phases(layout_for({*OLD, "imagined"}, ADDED)) == len(PHASES) + 1
    rules = warehouse51.make(3).rules[0]
    assert ranges(rules, len(PHASES))["phase"] == (0, len(PHASES) - 1)


def test_rules_of_a_game_without_the_added_kind_are_the_same_record(monkeypatch):
    before = rules_dtype(OLD)
    monkeypatch.setattr(rules, "EFFECT_NAMES", (*EFFECT_NAMES, "imagined"))
    assert rules_dtype(OLD) == before
    assert rules_dtype({"imagined"})["effect_count"].shape == (len(EFFECT_NAMES) + 1,)


def test_games_of_the_built_in_sets_end_with_the_first_tables():
    for preset in rules.PRESETS:
        game = warehouse51.make(preset=preset)
        assert (game.layout.size, len(game.actions), len(game.event_types)) == (681, 185, 26)
        assert game.rules["effect_count"].shape == (1, FIRST_KINDS)


def test_each_phase_has_one_bit_and_a_constant_with_its_number():
    assert len(set(PHASE_AT.tolist())) == len(PHASES)
    assert PHASE_AT[: OVER + 1].tolist() == list(range(LAYOUT["phase"].start, LAYOUT["phase"].stop))
    assert all(LAYOUT[f"phase_{name}"].start == PHASE_AT[phase] for phase, name in enumerate(PHASES) if phase > OVER)
    assert [getattr(state, name.upper()) for name in PHASES] == list(range(len(PHASES)))
    assert [PHASES[phase] for phase in AUCTIONS] == ["open_auction", "blind_auction"]
    assert [PHASES[phase] for phase in ENDING] == ["redeem", "certify", "cancel"]


def test_every_phase_has_words_and_every_phase_of_the_ending_words_for_declining():
    missing = set(PHASES) ^ set(Words().section("warehouse51.phase"))
    assert missing == set(), "[warehouse51.phase] in the language files"
    declined = set(Words().section("warehouse51.declined"))
    assert {PHASES[phase] for phase in ENDING} <= declined <= set(PHASES)


@pytest.mark.parametrize("action", ["choose_deck_blue", "choose_gap_1", "pass", "bid_3", "choose_relic"])
def test_a_choice_in_a_phase_without_words_is_an_error_that_names_them(action: str, monkeypatch):
    """A deck that is chosen in another phase than `reveal` is not turned over, so no phase has the words of another."""
    game = warehouse51.make(4)
    names = [action.name for action in game.actions]
    chosen = names.index(action) if action in names else names.index(f"choose_{RELICS.ids[0]}")
    monkeypatch.setattr(descriptions, "PHASES", (*PHASES, "imagined"))
    record = np.zeros(1, game.record)[0]
    record["phase"] = len(PHASES)
    with pytest.raises(KeyError, match=r"warehouse51\.action\.imagined"):
        descriptions.describe_action(ViewContext(game, record, 0, Words()), chosen)


def test_every_added_part_belongs_to_an_effect_kind():
    for kind, _ in (*observe.ADDED_PARTS, *actions.ADDED_ACTIONS, *event_types.ADDED_EVENTS):
        assert kind in EFFECT_NAMES[FIRST_KINDS:]


def test_every_kind_fills_in_its_amount():
    texts = Words().section("warehouse51.effect")
    assert sorted(set(EFFECT_NAMES) ^ set(texts)) == [], "[warehouse51.effect] in the language files"
    for kind in EFFECT_KINDS:
        assert ("{amount}" in texts[kind.name]) == (kind.amount is not None), f"{kind.name}: {texts[kind.name]}"


def _names_in(module: ModuleType) -> set[str]:
    """The names that the code of a module reads."""
    nodes = list(ast.walk(ast.parse(inspect.getsource(module))))
    names = {node.id for node in nodes if isinstance(node, ast.Name)}
    return names | {node.attr for node in nodes if isinstance(node, ast.Attribute)}


def test_the_heuristic_values_every_kind_of_effect_and_chooses_in_every_phase():
    """Else it values the effect at 0 and takes the first choice, which no game shows to be wrong."""
    values, decides = _names_in(effects), _names_in(choices)
    assert [name for name in EFFECT_NAMES if name.upper() not in values] == ["look_at_counterfeits"], "bots/effects.py"
    assert [name for name in PHASES if name.upper() not in decides] == ["reveal", "over"], "bots/choices.py"


# ---- whole games with every kind of effect


def test_every_phase_is_met_and_shown_in_all_languages_and_pictures():
    """A phase, a choice, an event or a line of the table without words is an error that names the missing entry."""
    game = warehouse51.make(4, relics=every_kind(), ask_forced=True)
    batch = Batch(game, 4 if JIT_DISABLED else 40, seed=1, autoreset="disabled", events=True)
    batch.reset()
    shown: Counter[str] = Counter()
    step = 0
    while (batch.seat >= 0).any():
        for index in np.flatnonzero(batch.seat >= 0).tolist():
            phase = PHASES[batch.games["phase"][index]]
            if shown[phase] < MAX_SHOWN:
                shown[phase] += 1
                for language in LANGUAGES:
                    view = batch.view(index, int(batch.seat[index]), words=Words(language))
                    assert text_table(view).splitlines()[0].endswith(view.headline)
                for form in FORMS:
                    assert draw(view, form=form).startswith("<svg")
            for event in batch.events(index):
                assert "{" not in game.event_text(event)
        batch.step(batch.sample_actions(step))
        step += 1
    assert [name for name in PHASES if not shown[name]] == ["over"]
