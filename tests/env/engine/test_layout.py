"""Layouts: named slices that together cover the vector, and the float view; the table of actions."""

import itertools

import numpy as np
import pytest

from w51_env import alles_futsch, warehouse51
from w51_env.engine.errors import OptionError
from w51_env.engine.game import MAX_ACTIONS, Action, ActionTable
from w51_env.engine.layout import Layout


@pytest.fixture
def layout() -> Layout:
    return Layout(
        [
            ("ingots", (5,), 0, 70, "Ingots held."),
            ("owned", (2, 3), 0, 1, "Who has what."),
            ("balance", (), -4, 2, "A number alone."),
        ]
    )


def test_slices_follow_each_other_and_cover_the_vector(layout: Layout):
    assert list(layout) == ["ingots", "owned", "balance"]
    assert [(part.start, part.stop) for part in layout.values()] == [(0, 5), (5, 11), (11, 12)]
    assert layout.size == 12
    assert len(layout) == 3
    assert layout["owned"].slice == slice(5, 11)
    assert layout["owned"].meaning == "Who has what."


def test_read_gives_a_view_in_the_shape_of_the_slice(layout: Layout):
    observation = np.arange(24, dtype=np.int8).reshape(2, 12)
    owned = layout.read(observation, "owned")
    assert owned.shape == (2, 2, 3)
    assert owned[1].tolist() == [[17, 18, 19], [20, 21, 22]]
    assert layout.read(observation[0], "balance") == 11
    owned[0, 0, 0] = 99
    assert observation[0, 5] == 99


def test_the_float_view_divides_by_the_largest_magnitude(layout: Layout):
    observation = np.array([0, 7, 35, 70, 14, 1, 0, 1, 0, 1, 0, -4], np.int8)
    seen = layout.to_float(observation)
    assert seen.dtype == np.float32
    assert seen == pytest.approx([0, 0.1, 0.5, 1, 0.2, 1, 0, 1, 0, 1, 0, -1])
    out = np.empty(12, np.float32)
    assert layout.to_float(observation, out) is out
    assert layout.to_float(layout.low) == pytest.approx([0] * 11 + [-1])
    assert layout.to_float(layout.high) == pytest.approx([1] * 11 + [0.5])


@pytest.mark.parametrize(("low", "high"), [(0, 128), (-129, 0), (5, 4)])
def test_a_range_that_does_not_fit_is_an_error(low: int, high: int):
    with pytest.raises(ValueError, match=f"slice 'wrong': range {low}..{high} does not fit int8"):
        Layout([("wrong", (1,), low, high, "")])


def test_an_unknown_slice_is_a_key_error(layout: Layout):
    with pytest.raises(KeyError, match="nothing"):
        layout["nothing"]


def test_the_layout_of_the_game_is_the_same_for_all_options():
    layouts = [warehouse51.make(num_players).layout for num_players in (3, 4, 5)]
    assert layouts[0] is layouts[1] is layouts[2]
    parts = list(layouts[0].values())
    assert parts[0].start == 0
    assert all(one.stop == other.start for one, other in itertools.pairwise(parts))
    assert parts[-1].stop == layouts[0].size
    assert all(part.stop - part.start == np.prod(part.shape) for part in parts)
    assert all(part.meaning.endswith(".") for part in parts)


@pytest.mark.parametrize("make", [warehouse51.make, alles_futsch.make])
def test_the_float_view_can_be_turned_back_exactly(make):
    layout = make(4).layout
    values = np.random.default_rng(0).integers(layout.low, layout.high, (200, layout.size), np.int8, endpoint=True)
    np.testing.assert_array_equal(layout.to_int8(layout.to_float(values)), values)
    assert layout.to_int8(values) is values


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (np.zeros((2, 681)), r"observations: float64 of shape \(2, 681\), but int8, or its float32 view"),
        (
            np.zeros((2, 680), np.int8),
            r"observations: int8 of shape \(2, 680\), but .* of shape \(..., 681\) is needed",
        ),
        (
            np.full((2, 681), 3, np.float32),
            r"observations: floats from 3.0 to 3.0, but the float32 view is in \[-1, 1\]",
        ),
    ],
)
def test_observations_of_another_dtype_size_or_scale_are_refused(wrong, message):
    with pytest.raises(OptionError, match=message):
        warehouse51.make(4).layout.to_int8(wrong)


def test_the_id_of_an_action_is_its_place_in_the_table_whose_names_differ_and_whose_ids_fit_a_byte():
    def table(*names: str) -> ActionTable:
        return ActionTable([Action(name, name.capitalize()) for name in names])

    actions = table("pass", "bid")
    assert (actions.id("bid"), actions[1].text, len(actions)) == (1, "Bid", 2)
    with pytest.raises(ValueError, match="the same name"):
        table("pass", "pass")
    assert len(table(*map(str, range(MAX_ACTIONS)))) == 256
    with pytest.raises(ValueError, match="257 actions, but a table has 256 at most"):
        table(*map(str, range(MAX_ACTIONS + 1)))
