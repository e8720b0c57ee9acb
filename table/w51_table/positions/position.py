"""Positions: a game as one seat sees it, as plain data that people enter and files keep, and as a state.

A position names everything that the seat knows. What it cannot know is filled in with anything that fits, and redrawn
by determinizations. So advice on a position has the information of an ordinary seat.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any, NamedTuple, TypeGuard

import numpy as np

from w51_env.engine.errors import OptionError
from w51_env.engine.game import Game
from w51_env.engine.imports import import_object
from w51_env.engine.options import check_range
from w51_env.engine.plain_data import in_short, parse_integer
from w51_env.engine.registry import game_from_outside, make_game
from w51_env.engine.state_check import check_states
from w51_env.views.language import Words
from w51_env.views.view import Data

_OWN_KEYS = ("game", "options", "seat")


class PositionError(OptionError):
    """A field of a position that is not possible.

    Args:
        message: What is wrong with it.
        field: Its name, as `ingots[0]`.
        high: The highest number that it may have; None: it is no number.
    """

    def __init__(self, message: str, field: str, high: int | None = None):
        self.field, self.high = field, high
        super().__init__(message)


class Reveal(NamedTuple):
    """What a seat sees of the hidden when an action is played: a card that is turned over, for example.

    Attributes:
        kind: The entry of the language files that asks for it: `GAME.reveal.KIND`.
        choices: What there may be to see, by id.
        least, size: How many of them are seen at least, and at most: a blank card shows none.
    """

    kind: str
    choices: tuple[str, ...]
    least: int
    size: int

    def admits(self, shown: object) -> TypeGuard[list[str]]:
        """Whether it may show these ids."""
        if not isinstance(shown, list) or not all(isinstance(one, str) for one in shown):
            return False
        return self.least <= len({*shown}) == len(shown) <= self.size and {*shown} <= {*self.choices}


@dataclass(frozen=True)
class PositionFormat:
    """How a game reads and writes positions.

    Attributes:
        keys: Names of the fields of a position, beside `game`, `options` and `seat`.
        read: (game, fields, seat, words) -> (1,) structured: a state; OptionError in these words if fields contradict
            each other. The general checks of states come after it.
        write: (game, state, seat) -> the fields, from what the seat knows alone.
        reveal: (game, state, action, seat) -> what the seat sees of the hidden when the seat to move plays this action;
            None: nothing.
        arrange: (game, state, action, seat, shown) -> None: changes the state in place, so that the action shows these
            ids to the seat.
        names: (game, words) -> the names of the ids that positions and reveals have.
        sealed_phase: The phase in which all bid in secret before the bids are shown; empty: none.
    """

    keys: tuple[str, ...]
    read: Callable[[Game, Mapping[str, object], int, Words], np.ndarray]
    write: Callable[[Game, Any, int], Data]
    reveal: Callable[[Game, Any, int, int], Reveal | None]
    arrange: Callable[[Game, Any, int, int, list[str]], None]
    names: Callable[[Game, Words], dict[str, str]]
    sealed_phase: str = ""


class Position(NamedTuple):
    """A position as a state.

    Attributes:
        game: The game with its rules bound.
        states: (1,) structured, for `Batch.load` and `Determinizer`.
        seat: The seat that sees it.
    """

    game: Game
    states: np.ndarray
    seat: int


def position_format(game: Game) -> PositionFormat:
    """How a game reads and writes positions; OptionError if it does not."""
    named = game.presentation.positions
    if named is None:
        raise OptionError(f"position: {game.id} has no positions as one seat sees them")
    found: PositionFormat = import_object(named) if isinstance(named, str) else named
    return found


def read_position(data: Any, words: Words | None = None) -> Position:
    """The state of a position.

    Args:
        data: `game`, an id; `options`, those that differ from the default; `seat`, who sees it; and the fields of the
            game (docs/positions.md).
        words: Language and names of the seats for what contradicts itself; None: English.

    Raises:
        OptionError: No position of a registered game, or its entries contradict each other; the message says which.
    """
    if not isinstance(data, dict) or not isinstance(data.get("game"), str):
        raise OptionError(f"position: {in_short(data)}, but an object with game, seat and more is needed")
    game = game_from_outside(data["game"], data.get("options", {}))
    form = position_format(game)
    if unknown := sorted(set(data) - {*_OWN_KEYS, *form.keys}):
        allowed = ", ".join((*_OWN_KEYS, *form.keys))
        raise OptionError(f"position: {unknown[0]} is no entry; allowed are {allowed}")
    seat = check_range("seat", data.get("seat"), 0, game.num_players - 1)
    fields = {key: value for key, value in data.items() if key not in _OWN_KEYS}
    states = form.read(game, fields, seat, words or Words())
    check_states("position", game, states)
    return Position(game, states, seat)


def write_position(game: Game, state: Any, seat: int) -> Data:
    """The position that a seat sees in a state: `read_position` makes a state of it that looks the same to the seat.

    Raises:
        OptionError: The game has no positions, or not of such a state.
    """
    check_range("seat", seat, 0, game.num_players - 1)
    default = _default_options(game.id, game.num_players)
    options = {name: value for name, value in game.options.items() if value != default[name]}
    fields = position_format(game).write(game, state, seat)
    return {"game": game.id, "options": {"num_players": game.num_players, **options}, "seat": seat, **fields}


@cache
def _default_options(game: str, num_players: int) -> Mapping[str, object]:
    return make_game(game, num_players=num_players).options


class Fields:
    """The fields of a position, each checked when it is read."""

    def __init__(self, data: Mapping[str, object], num_players: int):
        self._data, self._seats = data, num_players

    def __contains__(self, name: str) -> bool:
        return self._data.get(name) is not None

    def number(self, name: str, default: int, high: int) -> int:
        """A number from 0 to `high`."""
        return self.within(name, self._data[name], high) if name in self else default

    def seat(self, name: str, default: int) -> int:
        """A seat."""
        return self.number(name, default, self._seats - 1)

    def numbers(self, name: str, default: int, high: int) -> list[int]:
        """A number from 0 to `high` for each seat."""
        if name not in self:
            return [default] * self._seats
        return [self.within(f"{name}[{seat}]", one, high) for seat, one in enumerate(self.for_seats(name))]

    def within(self, name: str, value: Any, high: int) -> int:
        """A value of this name as a number from 0 to `high`."""
        try:
            return check_range(name, value, 0, high)
        except OptionError as error:
            raise PositionError(str(error), name, high) from None

    def for_seats(self, name: str) -> list[Any]:
        """A list with an entry for each seat; empty lists without it."""
        if name not in self:
            return [[] for _ in range(self._seats)]
        found = self._list(name, self._data[name])
        if len(found) != self._seats:
            raise OptionError(f"{name}: {in_short(found)}, but an entry for each of {self._seats} seats is needed")
        return found

    def seats(self, name: str) -> list[int]:
        """A list of seats."""
        return [check_range(name, one, 0, self._seats - 1) for one in self._list(name, self._data.get(name) or [])]

    def ids(self, name: str, known: Mapping[str, int], given: Any = None) -> list[int]:
        """A list of ids, as the numbers that they stand for; `given` in the place of the field of this name."""
        return [
            self.id(name, known, one)
            for one in self._list(name, (self._data.get(name) or []) if given is None else given)
        ]

    def id(self, name: str, known: Mapping[str, int], given: Any = None) -> int:
        """An id, as the number that it stands for."""
        one = self._data.get(name) if given is None else given
        if not isinstance(one, str) or one not in known:
            raise OptionError(f"{name}: {in_short(one)}, but one of {', '.join(known)} is needed")
        return known[one]

    def by_seat(self, name: str) -> dict[int, Any]:
        """The entries of an object whose keys are seats, or gaps, which are numbered like seats."""
        try:
            keyed = {parse_integer(key): value for key, value in self.items(name)}
        except ValueError as error:
            raise OptionError(f"{name}, key: {error}") from None
        return {check_range(f"{name}, key", key, 0, self._seats - 1): value for key, value in keyed.items()}

    def items(self, name: str) -> list[tuple[str, Any]]:
        """The entries of an object."""
        found = self._data.get(name) or {}
        if not isinstance(found, dict):
            raise OptionError(f"{name}: {in_short(found)}, but an object is needed")
        return list(found.items())

    def _list(self, name: str, value: Any) -> list[Any]:
        if not isinstance(value, list):
            raise OptionError(f"{name}: {in_short(value)}, but a list is needed")
        return value
