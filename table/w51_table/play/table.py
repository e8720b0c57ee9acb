"""A table: one game in progress, whose seats people and agents hold. Without terminal and web libraries."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from w51_agents.agent.seeds import decision_seed, process_secret, secret_seed
from w51_agents.named.registry import folders_of, without_folders
from w51_env.engine.errors import IllegalActionError, W51Error
from w51_env.engine.events import COLUMNS, Events
from w51_env.engine.game import ALL, EXTERNAL, Game, Viewer
from w51_env.engine.options import check_seed
from w51_env.engine.plain_data import is_clear
from w51_env.engine.registry import make_game
from w51_env.views.language import ENGLISH, Words
from w51_env.views.view import Data, View
from w51_lab.replay_viewer.frames import Frame, frame_of
from w51_lab.replays.beginning import begin_replayed
from w51_lab.replays.replay import Move, Replay, distinct_names
from w51_table.positions.evening import MAX_NAME

_MAX_AGENT_NAME = 300
_NO_BREAK = "\u00a0"  # a space inside numbers, which `isprintable` does not count
_PATH = re.compile(r"(?<![\w/])~?/[^\s'\":,;()]+")
SET_UP = -1  # in place of the number of a decision: what comes before the first one
USUAL_DELAY = 0.4  # seconds from one decision to the next one of an agent
Option = bool | int | float | str | None  # the value of an option of a game
Info = dict[str, Any]  # beside an observation; what is in it depends on the agent: `w51_agents.agent.infos`
PERSON = "person"  # who holds a seat: a person, or the name of an agent as in evaluate.py
PEOPLE = ("Ida", "Max", "Zoe", "Ben", "Eva")  # names of agents beside people, by seat


class TableError(W51Error):
    """A table that cannot be set up, opened or saved, or a decision that it does not take."""


class PlayerError(TableError):
    """A mistake or a failure that players see in their language.

    Args:
        key: Its entry in the table `error` of the language files.
        **values: What the entry names.
    """

    def __init__(self, key: str, **values: object):
        self.key, self.values = key, values
        super().__init__(Words(ENGLISH)(f"error.{key}", **values))


def error_text(error: Exception, words: Words) -> str:
    """The error in the language of a player; one that has no words there is in English."""
    return words(f"error.{error.key}", **error.values) if isinstance(error, PlayerError) else str(error)


@dataclass(frozen=True)
class Setup:
    """What a table is set up with. Together with the actions it determines the game.

    Attributes:
        game: Id of a registered game, as `warehouse51_v1`.
        options: Options of the game; `num_players` and all others.
        seed: Seed of the game, 0 to 2**64-1. Privileged.
        seats: Who holds each seat: `person`, or the name of an agent.
        names: Name of each seat's holder for the other players.
    """

    game: str
    options: Mapping[str, Option]
    seed: int
    seats: tuple[str, ...]
    names: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "seed", check_seed("seed", self.seed))
        names = tuple(printable(name, _MAX_AGENT_NAME) for name in self.names or self.seats)
        object.__setattr__(self, "names", names)
        if len(self.names) != len(self.seats):
            raise TableError(f"names: {len(self.names)} of them, but there are {len(self.seats)} seats")


@dataclass
class Table:
    """One game in progress.

    Attributes:
        game: The game with its rules bound.
        actions: Action ids of the decisions so far, in order.

    Raises:
        OptionError: An unknown game, or a bad option.
        TableError: The number of seats does not fit the game.
    """

    setup: Setup
    game: Game = field(init=False, repr=False)
    actions: list[int] = field(init=False)

    def __post_init__(self) -> None:
        self.game = make_game(self.setup.game, **self.setup.options)
        if len(self.setup.seats) != self.game.num_players:
            raise TableError(
                f"seats: {len(self.setup.seats)} of them, but {self.game.id} has num_players={self.game.num_players}"
            )
        self._begin()

    def _begin(self) -> None:
        """Deal, before the first decision."""
        self._batch = begin_replayed(self.game, self.setup.seed, (EXTERNAL,) * self.game.num_players)
        self._events = [self._batch.event_rows()[:, 1:]]
        self._movers: list[int] = []
        self.actions = []

    @property
    def decision(self) -> int:
        """Number of decisions so far; the number of the next decision."""
        return len(self.actions)

    @property
    def seat(self) -> int | None:
        """The seat to move; None if the game is over."""
        return None if self.over else int(self._batch.seat[0])

    @property
    def over(self) -> bool:
        """Whether the game is over."""
        return bool(self._batch.seat[0] < 0)

    @property
    def record(self) -> np.void:
        """A copy of the state. Privileged."""
        return self._batch.games[0].copy()

    @property
    def observation(self) -> np.ndarray:
        """(layout.size,) int8: a copy of the observation of the seat to move."""
        return self._batch.observation[0].copy()

    @property
    def action_mask(self) -> np.ndarray:
        """(num_actions,) int8: a copy of the mask of the seat to move; all zero if the game is over."""
        return self._batch.action_mask[0].copy()

    def agent_to_move(self) -> str | None:
        """Name of the agent that holds the seat to move; None for a person, or if the game is over."""
        seat = self.seat
        return None if seat is None or self.setup.seats[seat] == PERSON else self.setup.seats[seat]

    def agent_seed(self) -> int:
        """Seed of the agent's draws for the next decision: the same each time that this decision is reached."""
        return decision_seed(self.setup.seed, self.decision)

    def frame(self) -> Frame:
        """The moment of the next decision. Privileged."""
        return frame_of(self._batch, self.decision)

    def info(self) -> Info:
        """What agents get beside the observation of the seat to move; nothing in it is hidden from that seat.

        `determinizer`, for search; `view`, and `earlier`, the events before the view's news, as these are, in English;
        `game`, a number of this game, from which nothing follows.
        """
        view, earlier = self.view_and_history(int(self._batch.seat[0]), Words())
        number = secret_seed(process_secret(), "table", self.setup.seed, *self.setup.seats)
        return {"determinizer": self._batch.determinizer(0), "view": view, "earlier": earlier, "game": number}

    def view_and_history(self, seat: int, words: Words) -> tuple[View, list[Data]]:
        """The view of a seat, with the news from its last decision on, and the events before these, as the news are."""
        last = self.last_decision(seat)
        earlier = Events(_joined(self._events[: last + 1]), self.game.event_types, seat)
        return self.view(seat, words, last), self.game.presentation.events_data(self.game, earlier, words)

    def play(self, action: int) -> None:
        """Play an action of the seat to move.

        Raises:
            IllegalActionError: The action is not legal. Nothing has changed.
            GameOverError: The game is over.
        """
        if not self.over and not 0 <= action < len(self.game.actions):
            raise IllegalActionError(f"action {action}: ids go from 0 to {len(self.game.actions) - 1}")
        mover = int(self._batch.seat[0])
        self._batch.step(np.array([action]))
        self.actions.append(int(action))
        self._movers.append(mover)
        self._events.append(self._batch.event_rows()[:, 1:])

    def retractable(self, seat: int) -> int:
        """How many of the last decisions the seat may take back: one that has shown nothing hidden and that nobody has
        answered, with the first part of its bid; 0: none.
        """
        if self.over or not self._movers or self._movers[-1] != seat:
            return 0
        kinds = [self.game.event_types[row[0]] for row in self._events[-1]]
        if not all(kind.retractable for kind in kinds) or len(kinds) != 1:
            return 0
        is_second = len(self._movers) > 1 and self._movers[-2] == seat and not len(self._events[-2])
        return 1 + is_second

    def undo(self, decisions: int) -> None:
        """Take back the last decisions; the game is played again up to there."""
        kept = self.actions[: len(self.actions) - decisions]
        self._begin()
        for action in kept:
            self.play(action)

    def moves(self, first: int = 0) -> list[Move]:
        """The decisions from the number `first` on, as seats and names of actions."""
        played = zip(self._movers[first:], self.actions[first:], strict=True)
        return [Move(seat, self.game.actions[action].name) for seat, action in played]

    def events(self, viewer: Viewer, first: int = SET_UP) -> Events:
        """What happened from the decision of number `first` on, or from the `SET_UP`, for one viewer."""
        return Events(_joined(self._events[first + 1 :]), self.game.event_types, viewer)

    def view(self, viewer: int | str, words: Words, first: int) -> View:
        """What a viewer may know, with the news from the decision of number `first` on.

        Args:
            viewer: A seat, `PUBLIC`, or `ALL`, which is privileged.
            words: Language and names of the seats.
            first: Number of a decision, or `SET_UP`.
        """
        news = self.events(None if viewer == ALL else viewer, first)
        return self._batch.view(0, viewer, news=news, words=words)

    def last_decision(self, seat: int) -> int:
        """Number of the last decision of this seat, with whose events its news begin; `SET_UP` if it has made none."""
        return max((index for index, mover in enumerate(self._movers) if mover == seat), default=SET_UP)

    def replay(self) -> Replay:
        """The replay of the game so far. Privileged."""
        return Replay.record(self.game, self.setup.seed, self.actions, players=self.setup.names)


def _joined(parts: Sequence[np.ndarray]) -> np.ndarray:
    """Rows of events in one array."""
    return np.concatenate([np.empty((0, COLUMNS), np.int16), *parts], dtype=np.int16, casting="same_kind")


def play_moves(table: Table, moves: Sequence[Move]) -> None:
    """Play recorded decisions.

    Raises:
        TableError: A move is not of the seat to move, or not legal. The moves before it have been played.
    """
    for number, move in enumerate(moves, table.decision):
        if table.seat != move.seat:
            turn = "the game is over" if table.over else f"it is the turn of seat {table.seat}"
            raise TableError(f"decision {number}: {str(move)!r}, but {turn}")
        try:
            table.play(table.game.actions.id(move.action))
        except (IllegalActionError, KeyError):
            legal = ", ".join(table.game.actions[action].name for action in np.flatnonzero(table.action_mask))
            raise TableError(f"decision {number}: {str(move)!r} is not legal; legal are {legal}") from None


def known_names(seats: Sequence[str], names: Sequence[str]) -> tuple[str, ...]:
    """A name for each seat, all different: those given, else the agent's, or `Player 1` and so on."""
    known = []
    for seat, (holder, named) in enumerate(zip(seats, names, strict=True)):
        typed = "".join(filter(is_clear, " ".join(named.split())))  # a family of emoji becomes its members
        known.append(printable(typed or (f"Player {seat + 1}" if holder == PERSON else without_folders(holder))))
    return distinct_names(known)


def without_paths(text: str | None, agent: str = "") -> str:
    """A text, such as the message of an agent's error, without paths of files: visitors need not know the machine.

    A relative path is known by the name of the `agent`.
    """
    clean = text or ""
    for folders in folders_of(agent):
        clean = clean.replace(folders, "")
    return _PATH.sub("...", clean)


def printable(text: str, length: int = MAX_NAME) -> str:
    """A text without control characters, not too long: an untrusted file must not control the terminal."""
    return "".join(letter if is_clear(letter) or letter == _NO_BREAK else "?" for letter in text[:length]) or "?"
