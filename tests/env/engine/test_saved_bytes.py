"""Saved games as bytes: of a state, a batch and a VecEnv. Bytes that are damaged, or of other games, change nothing."""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import pytest

from tests.env.adapters.playing import learner_vec_env
from w51_env import alles_futsch, warehouse51
from w51_env.engine.batch import Batch
from w51_env.engine.errors import GameOverError, OptionError
from w51_env.engine.game import Game

GAME = warehouse51.make(4)
OTHERS = {"another game": alles_futsch.make(4), "fewer seats": warehouse51.make(3), "rules": warehouse51.make(4, "hu")}


class Saved(NamedTuple):
    """How games are saved: `make` (game, number of games), `save` and `load` them."""

    make: Callable[[Game, int], Any]
    save: Callable[[Any], bytes]
    load: Callable[[Any, Any], Any]


def batch(game: Game, number: int) -> Batch:
    return Batch(game, number, seed=1, autoreset="disabled")


SAVED = {
    "state": Saved(batch, lambda games: games.state_bytes(0), lambda games, saved: games.load_bytes(1, saved)),
    "snapshot": Saved(batch, lambda games: games.snapshot(), lambda games, saved: games.restore(saved)),
    "VecEnv": Saved(learner_vec_env, lambda games: games.snapshot(), lambda games, saved: games.restore(saved)),
}
DAMAGE: dict[str, Callable[[bytes], bytes]] = {
    "none": lambda saved: b"",
    "cut": lambda saved: saved[:-1],
    "longer": lambda saved: saved + b"\0",
    "first byte": lambda saved: bytes([saved[0] ^ 1]) + saved[1:],
    "a byte": lambda saved: saved[:20] + bytes([saved[20] ^ 1]) + saved[21:],
    "last byte": lambda saved: saved[:-1] + bytes([saved[-1] ^ 1]),
    "turned": lambda saved: saved[16:] + saved[:16],
    "reversed": lambda saved: saved[::-1],
}
each_kind = pytest.mark.parametrize("kind", SAVED)


def begun(kind: str, game: Game = GAME, number: int = 4) -> Any:
    games = SAVED[kind].make(game, number)
    games.reset()
    return games


def refused(kind: str, saved: object, message: str) -> None:
    games = begun(kind)
    before = games.snapshot()
    with pytest.raises(OptionError, match=message):
        SAVED[kind].load(games, saved)
    assert games.snapshot() == before


@each_kind
@pytest.mark.parametrize("damage", DAMAGE)
def test_damaged_bytes_are_refused_and_change_nothing(kind: str, damage: str):
    damaged = DAMAGE[damage](SAVED[kind].save(begun(kind)))
    refused(kind, damaged, f"^s[a-z]+: {len(damaged)} bytes that are damaged")


@each_kind
@pytest.mark.parametrize("other", OTHERS)
def test_bytes_of_another_game_or_other_rules_are_refused_and_change_nothing(kind: str, other: str):
    refused(kind, SAVED[kind].save(begun(kind, OTHERS[other])), "damaged or of (another|other) game.*warehouse51_v1")


@pytest.mark.parametrize("kind", ["snapshot", "VecEnv"])
@pytest.mark.parametrize("number", [1, 3, 5])
def test_bytes_of_another_number_of_games_are_refused_and_change_nothing(kind: str, number: int):
    refused(kind, SAVED[kind].save(begun(kind, number=number)), "damaged or of other games; 4 games of warehouse51_v1")


@each_kind
@pytest.mark.parametrize("nothing", [None, "text", 7, np.zeros(3, np.uint8)], ids=["None", "str", "int", "array"])
def test_what_are_no_bytes_is_refused(kind: str, nothing: object):
    refused(kind, nothing, r": (NoneType|str|int|uint8 of shape .*), but bytes of `(state_bytes|snapshot)` are needed")


@pytest.mark.parametrize("kind", ["snapshot", "VecEnv"])
def test_there_is_nothing_to_save_before_the_games_begin(kind: str):
    with pytest.raises(GameOverError, match="snapshot: the games have not begun; call reset first"):
        SAVED[kind].save(SAVED[kind].make(GAME, 2))
