"""Options contract: each option is in the observation, unobserved (a checkpoint is bound to its value), or exempt."""

import re
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from tests.env import third_game
from w51_env import make_game, registered_games
from w51_env.engine.batch import Batch
from w51_env.engine.errors import OptionError
from w51_env.engine.game import Game

IDS = [*registered_games(), f"{third_game.__name__}:make"]
DEALS = 8
# Options that change the rules only beside another value of another option.
BESIDE: dict[str, dict[str, Any]] = {
    "alpha": {"distribution": "beta"},
    "beta": {"distribution": "beta"},
    "low_value": {"distribution": "two_point"},
    "high_chance": {"distribution": "two_point"},
    "refund": {"payment_to": "others"},
}


def first_observations(game: Game) -> bytes:
    """What all seats observe at the beginning of a few games."""
    batch = Batch(game, DEALS, seed=1)
    batch.reset()
    return b"".join(batch.observe(seat).tobytes() for seat in range(game.num_players))


def other_values(game_id: str, name: str) -> list[Any]:
    """Up to three values of an option that change the rules: numbers, flags, names that an error lists as allowed."""
    names: list[str] = []
    beside = BESIDE.get(name, {})
    try:
        make_game(game_id, **{name: "?"})
    except OptionError as error:
        names = re.findall(r"'([^']*)'", str(error).partition("allowed are")[2])
    default, others = make_game(game_id, **beside), []
    for value in (*range(-1, 41), True, False, *names):
        try:
            game = make_game(game_id, **beside, **{name: value})
        except OptionError:
            continue
        if game.rules.tobytes() != default.rules.tobytes():
            others.append(value)
        if len(others) == 3:
            break
    return others


def is_observed(game_id: str, name: str) -> bool:
    """Whether each other value of the option changes an observation at the beginning of a game."""
    default, others = first_observations(make_game(game_id)), other_values(game_id, name)
    assert others, f"{game_id}: no other value of {name} was found"
    return all(first_observations(make_game(game_id, **{name: value})) != default for value in others)


@pytest.mark.parametrize("game_id", IDS)
def test_each_option_is_observed_unobserved_or_exempt_as_declared(game_id: str):
    game = make_game(game_id)
    kinds = (game.observed_options, game.unobserved, tuple(game.exempt_options))
    assert all(sum(name in kind for kind in kinds) == 1 for name in game.options)
    assert set(game.observed_options) | set(game.unobserved) <= set(game.options), "an option that does not exist"
    assert all(len(reason.split()) > 3 for reason in game.exempt_options.values())
    for name in game.observed_options:
        assert is_observed(game_id, name), f"{name} does not change the observation"
    for name in set(game.exempt_options) & set(game.options):
        assert not is_observed(game_id, name), f"{name} changes the observation"
    for name in set(game.unobserved) - {"relics", "bidders"}:
        assert other_values(game_id, name), f"{name} changes nothing that kernels read: see `pack`"


def with_new_option(value: int = 0, **contract: Any) -> Game:
    """Warehouse 51 with a new option that the observation does not show."""
    game = make_game("warehouse51_v1")
    return replace(
        game, options={**game.options, "new_option": value}, make=lambda **_: with_new_option(**contract), **contract
    )


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ([*third_game.STATE.descr, ("more", "i1")], r"has padding at its end: it needs \('unused', 'i1', \(2,\)\)"),
        ([*third_game.STATE.descr, ("more", "i1", (3,))], "has padding at its end: it needs no field 'unused'"),
        ([("more", "i1"), *third_game.STATE.descr], "has padding between fields: order them by the size"),
        ([field for field in third_game.STATE.descr if field[0] != "ranks"], "lacks ranks"),
    ],
)
def test_a_record_with_padding_or_without_a_field_is_refused(fields, message):
    with pytest.raises(ValueError, match=f"one_lot: the record of the state {message}"):
        replace(make_game("tests.env.third_game:make"), record=np.dtype(fields, align=True))


def test_a_new_option_that_is_declared_nowhere_or_twice_is_refused():
    message = "warehouse51: option 'new_option' is in none of observed_options, unobserved, exempt_options, but must"
    with pytest.raises(ValueError, match=message):
        with_new_option()
    exempt = {"relics": "for no good reason", "reward": "", "ask_forced": ""}
    with pytest.raises(ValueError, match="option 'relics' is in unobserved and exempt_options of"):
        replace(make_game("warehouse51_v1"), exempt_options=exempt)
