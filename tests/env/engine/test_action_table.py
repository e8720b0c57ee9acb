"""The table of actions: names, ids and its size."""

import pytest

from w51_env.engine.game import MAX_ACTIONS, Action, ActionTable


def table(*names: str) -> ActionTable:
    return ActionTable([Action(name, name.capitalize()) for name in names])


def test_the_id_is_the_place_in_the_table():
    actions = table("pass", "bid")
    assert actions.id("bid") == 1
    assert actions[1].text == "Bid"
    assert len(actions) == 2


def test_two_actions_of_one_name_are_refused():
    with pytest.raises(ValueError, match="the same name"):
        table("pass", "pass")


def test_more_ids_than_fit_a_byte_are_refused():
    assert len(table(*map(str, range(MAX_ACTIONS)))) == 256
    with pytest.raises(ValueError, match="257 actions, but a table has 256 at most"):
        table(*map(str, range(MAX_ACTIONS + 1)))
