"""Every option of every game, from its own description: each value that is allowed, at the ends of ranges and as a
number of numpy, and values beside these, which errors name with what is allowed.
"""

import json
import pickle
import re
from typing import Any

import numpy as np
import pytest

from w51_env import make_game
from w51_env.alles_futsch import rules as alles_futsch
from w51_env.auctions import rules as auctions
from w51_env.engine.errors import OptionError, W51Error
from w51_env.engine.options import REWARDS, plain
from w51_env.warehouse51 import rules as warehouse51
from w51_env.warehouse51.state import MAX_RELICS

RULES = {"warehouse51_v1": warehouse51, "alles_futsch_v1": alles_futsch, "auctions_v0": auctions}
# Values of other types, as the same number or text may be given.
ODD = (None, float("nan"), 3 + 0j, b"x", object(), [], {}, (3,), "\0", "\ud800", 10**30, np.array([3, 3]), np.array(3))
ODD = (*ODD, np.datetime64("2020"), np.timedelta64(3, "s"))


def described(game_id: str) -> tuple[dict[str, tuple], dict[str, tuple[int, int]]]:
    """Choices and ranges of the options, by name."""
    game, rules = make_game(game_id), RULES[game_id]
    seats = ("random", *range(game.num_players))
    common = {"first_player": seats, "reward": REWARDS, "ask_forced": (False, True), "preset": game.presets}
    choices, ranges = {**common, **rules.CHOICES}, dict(rules.RANGES)
    if "first_player" not in game.options:
        del choices["first_player"]
    if game_id == "warehouse51_v1":
        del choices["relics"]  # may be a file: tests/env/warehouse51/test_relic_files.py
        ranges["counterfeits_per_gap"] = (0, MAX_RELICS)
    assert {*choices, *ranges} == {*game.options, "preset"} - {"relics", "bidders"}
    return choices, ranges


def made(game_id: str, name: str, value: Any) -> Any:
    """The option as the game keeps it; None if it does not go with the others: more ingots than the box holds."""
    try:
        return make_game(game_id, **{name: value}).options[name]
    except OptionError as error:
        if " is allowed" in str(error):
            raise
        return None


CHOICES = [(game, name, allowed) for game in RULES for name, allowed in described(game)[0].items()]
RANGES = [(game, name, *ends) for game in RULES for name, ends in described(game)[1].items()]


def refused(game_id: str, name: str, value: Any, allowed: str) -> None:
    shown = re.escape(repr(value if name == "preset" else plain(value)))
    with pytest.raises(OptionError, match=f"^{name}: {shown}.*{re.escape(allowed)}"):
        make_game(game_id, **{name: value})


@pytest.mark.parametrize(("game_id", "name", "allowed"), CHOICES)
def test_an_option_takes_its_choices_and_nothing_else(game_id: str, name: str, allowed: tuple):
    for value in allowed:
        forms = [value, *([np.int8(value), np.uint64(value)] if type(value) is int else [])]
        forms += [np.str_(value)] if isinstance(value, str) else [np.bool_(value)] if isinstance(value, bool) else []
        for form in forms:
            kept = make_game(game_id, **{name: form}).options
            assert name == "preset" or (kept[name] == value and type(kept[name]) is type(value))
    listed = ", ".join(allowed if name == "preset" else map(repr, allowed))
    flags, numbers = (any(isinstance(value, kind) for value in allowed) for kind in (bool, int))
    others = (1, 0, 1.0) if flags else (True, np.True_, max([0, *(v for v in allowed if type(v) is int)]) + 1, 1.0, "1")
    for value in (*others, *([-1] if numbers else []), *ODD):
        if not (value is None and name == "num_players"):  # that of the preset
            refused(game_id, name, value, listed)
    if word := next((value for value in reversed(allowed) if isinstance(value, str)), None):
        refused(game_id, name, f"{word}x", f"{listed} (did you mean {word!r}?)")


@pytest.mark.parametrize(("game_id", "name", "low", "high"), RANGES)
def test_an_option_takes_the_numbers_of_its_range_and_nothing_else(game_id: str, name: str, low: int, high: int):
    for value in (low, high):
        for form in (value, np.int16(value), np.uint64(value)):
            kept = made(game_id, name, form)
            assert kept is None or (kept, type(kept)) == (value, int)
    wrong = (low - 1, high + 1, float(low), low + 0.5, str(low), True, np.True_, np.float64(low), *ODD)
    for value in wrong:
        if not (value is None and name == "counterfeits_per_gap"):  # as many as the number of players needs
            refused(game_id, name, value, f"an integer from {low} to {high} is allowed")


@pytest.mark.parametrize(("game_id", "preset"), [(game, preset) for game in RULES for preset in RULES[game].PRESETS])
def test_a_preset_has_its_options_and_they_make_the_same_game_again(game_id: str, preset: str):
    game = make_game(game_id, preset=preset)
    changes = RULES[game_id].PRESETS[preset]
    assert {name: game.options[name] for name in changes} == changes
    for again in (game.make(**game.options), make_game(game_id, **game.options), pickle.loads(pickle.dumps(game))):
        assert again.options == game.options
        assert again.rules.tobytes() == game.rules.tobytes()
    assert json.loads(json.dumps(dict(game.options))) == game.options
    changed = make_game(game_id, num_players=4, preset=preset, reward="rank").options
    assert changed == {**game.options, "num_players": 4, "reward": "rank"}


@pytest.mark.parametrize("game_id", RULES)
def test_an_unknown_option_is_named_with_the_nearest_and_as_python_does_it(game_id: str):
    for name in ("preset", list(make_game(game_id).options)[1]):
        message = rf"option '{name}s' is unknown; allowed are preset, .* \(did you mean '{name}'\?\)"
        with pytest.raises(TypeError, match=message):
            make_game(game_id, **{f"{name}s": 5})
    assert issubclass(W51Error, ValueError)
