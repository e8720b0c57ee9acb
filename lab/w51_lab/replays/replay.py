"""Replays: a game as a small readable file (JSON, UTF-8), from which it can be played again.

A game is a function of its rules, its seed and its moves (`engine.rng`). A replay stores these, with digests of the
options, of the tables that the options select, and of the final state. `Replay.load` refuses a file whose moves do not
lead to that state; the error names the move and the reason.
"""

import hashlib
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from w51_agents.system.files import write_atomic
from w51_agents.system.json_text import JsonObject
from w51_env.engine.batch import Batch
from w51_env.engine.errors import OptionError, ReplayError, W51Error
from w51_env.engine.events import Events
from w51_env.engine.game import EXTERNAL, Game
from w51_env.engine.options import OptionValues, check_seed
from w51_env.engine.plain_data import in_short
from w51_env.engine.registry import current_id, game_from_outside, registered_games, unknown_game
from w51_lab.replays.beginning import begin_replayed, fields_of
from w51_lab.replays.digests import options_digest, tables_digest
from w51_lab.replays.replay_file import encode_replay, parse_replay, read_replay_text

MAX_BYTES = 4_000_000  # of a file; a long game has about 20,000


class Move(NamedTuple):
    """A decision of an external seat; the action by its name. As text: `2 bid_13`."""

    seat: int
    action: str

    def __str__(self) -> str:
        return f"{self.seat} {self.action}"


class Digests(NamedTuple):
    """SHA-256 of the options, and of the tables that the options select."""

    options: str
    tables: str


class Final(NamedTuple):
    """The state after the last move: whether the game is over, the scores of the seats, SHA-256 of the state bytes."""

    over: bool
    scores: tuple[int, ...]
    digest: str


@dataclass(frozen=True)
class Replay:
    """A game, or the beginning of one.

    Attributes:
        game_id: The game and its version, as `warehouse51_v1`; of an older file, as it was then (`engine.registry`).
        options: Every option of the game, as plain data.
        digests: Of the options and of the tables that they select.
        seed: The game's own seed, 0 to 2**64 - 1 (`Batch.seeds`).
        controllers: Who chose the actions of each seat: `external`, or a bot's name. Bots choose again in a replay.
        moves: The decisions of the external seats, in order.
        final: The state after them.
        players: Names for the seats, one for each, or none.
        metadata: Any further information, as plain data.
        start: The state in which the game begins, the fields of its record by name; None: as the seed deals it.
    """

    game_id: str
    options: OptionValues
    digests: Digests
    seed: int
    controllers: tuple[str, ...]
    moves: tuple[Move, ...]
    final: Final
    players: tuple[str, ...] = ()
    metadata: JsonObject = field(default_factory=dict)
    start: JsonObject | None = None

    @classmethod
    def record(
        cls,
        game: Game,
        seed: int,
        actions: Sequence[int],
        *,
        controllers: Sequence[str] | None = None,
        players: Sequence[str] = (),
        metadata: JsonObject | None = None,
        start: np.void | None = None,
    ) -> "Replay":
        """The replay of a game given by its seed and the action ids of its external seats; `start`: the state in which
        it begins, if the seed did not deal it.

        Raises:
            IllegalActionError: An action is not legal.
            GameOverError: There are more actions than the game has decisions.
            OptionError: The seed is no integer from 0 to 2**64-1, the controllers are not allowed, or the start is no
                state of the game.
        """
        seed = check_seed("seed", seed)
        controllers = tuple(controllers or (EXTERNAL,) * game.num_players)
        begins = None if start is None else fields_of(game, start)
        batch = begin_replayed(game, seed, controllers, begins)
        moves = []
        for action in actions:
            seat = int(batch.seat[0])
            batch.step(np.array([action]))
            moves.append(Move(seat, game.actions[action].name))
        return cls(
            game.id,
            dict(game.options),
            Digests(options_digest(game.options), tables_digest(game)),
            seed,
            controllers,
            tuple(moves),
            _final(game, batch.games[0]),
            tuple(players),
            dict(metadata or {}),
            begins,
        )

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> "Replay":
        """Read a replay, play it through and compare the result.

        Raises:
            ReplayError: The file cannot be read, is no replay, is of another game or version, is damaged, or leads to
                another result; the message names the file, the key, the value, and what is allowed.
        """
        try:
            replay = cls.parse(read_replay_text(Path(path), MAX_BYTES))
            replay.verify()
        except ReplayError as error:
            raise ReplayError(f"{os.fspath(path)}: {error}") from None
        return replay

    @classmethod
    def parse(cls, text: str) -> "Replay":
        """Read the text of a replay; only its form is checked, and `verify` checks the rest.

        Raises:
            ReplayError: The text is no replay.
        """
        data = parse_replay(text)
        return cls(
            data["game"],
            data["options"],
            Digests(**data["digests"]),
            data["seed"],
            tuple(data["controllers"]),
            tuple(Move(*move) for move in data["moves"]),
            Final(**{**data["final"], "scores": tuple(data["final"]["scores"])}),
            tuple(data["players"]),
            data["metadata"],
            data["start"],
        )

    def save(self, path: str | os.PathLike[str], *, follow_links: bool = True) -> None:
        """Write the replay. If this fails, an existing file is unchanged; `follow_links` as of `write_atomic`.

        Raises:
            ReplayError: `metadata` or an option is not plain data, the file would have more than MAX_BYTES, or the path
                has a NUL character.
            OSError: The file cannot be written.
        """
        if "\0" in str(path):
            raise ReplayError(f"{str(path)!a}: a path without a NUL character is needed")
        content = self.encode(path)
        write_atomic(Path(path), lambda path: path.write_bytes(content), follow_links=follow_links)

    def encode(self, path: str | os.PathLike[str] = "replay") -> bytes:
        """The content of the file; errors as of `save`, which name the path."""
        data = {
            "game": self.game_id,
            "options": dict(self.options),
            "digests": self.digests._asdict(),
            "seed": self.seed,
            "controllers": self.controllers,
            "players": self.players,
            "metadata": dict(self.metadata),
            "final": self.final._asdict(),
            "moves": [str(move) for move in self.moves],
            **({} if self.start is None else {"start": dict(self.start)}),
        }
        content = encode_replay(data, path)
        if len(content) > MAX_BYTES:
            raise ReplayError(f"{os.fspath(path)}: {len(content):,} bytes, but at most {MAX_BYTES:,} are allowed")
        return content

    @property
    def names(self) -> tuple[str, ...]:
        """A name for each seat, all different."""
        return distinct_names(self.players)

    def game(self) -> Game:
        """The game, made anew.

        Raises:
            ReplayError: The game is unknown, or its options are not allowed, were changed, or select other tables now.
        """
        if (game_id := current_id(self.game_id)) not in registered_games():
            raise ReplayError(unknown_game(self.game_id))
        digest = options_digest(self.options)
        if digest != self.digests.options:
            raise ReplayError(
                f"options: changed since the game was played: digests.options is {self.digests.options!r}, "
                f"but theirs {digest!r}"
            )
        try:
            game = game_from_outside(game_id, self.options)
        except W51Error as error:  # each game checks its own options
            raise ReplayError(f"options: {error}") from None
        digest = tables_digest(game)
        if digest != self.digests.tables:
            named = ", ".join(
                f"{name} {in_short(value)}" for name, value in self.options.items() if isinstance(value, str)
            )
            raise ReplayError(
                f"digests.tables: {self.digests.tables!r}, but the options now stand for {digest!r}: "
                f"something they name ({named}) is no longer what the game was played with"
            )
        return game

    def play(self) -> Iterator[tuple[np.void, Events]]:
        """Play the game again: the state record and the events, after the set-up and after each move. Privileged.

        A record is a copy; the events are all events, private ones too.

        Raises:
            ReplayError: A move is not legal, or comes after the end.
        """
        game = self.game()
        if len(self.controllers) != game.num_players:
            raise ReplayError(
                f"controllers: {len(self.controllers)} of them, but the game has {game.num_players} seats"
            )
        try:
            batch = begin_replayed(game, self.seed, self.controllers, self.start)
        except OptionError as error:
            raise ReplayError(str(error)) from None
        yield batch.games[0].copy(), batch.events(0)
        for index, move in enumerate(self.moves):
            batch.step(np.array([self._action(batch, index, move)]))
            yield batch.games[0].copy(), batch.events(0)

    def verify(self) -> None:
        """Play the game through and compare the result.

        Raises:
            ReplayError: A move is not legal, or the result is another one.
        """
        game = self.game()
        try:
            self._compare(game)
        except ReplayError as error:
            other = f"a game of {self.game_id}, whose rules are not those of {game.id}: "
            raise ReplayError(f"{'' if self.game_id == game.id else other}{error}") from None

    def _compare(self, game: Game) -> None:
        """ReplayError unless the moves lead to the recorded result."""
        if self.players and len(self.players) != game.num_players:
            raise ReplayError(f"players: {len(self.players)} of them, but the game has {game.num_players} seats")
        for record, _ in self.play():
            last = record
        final, count = _final(game, last), len(self.moves)
        if self.final.over and not final.over:
            raise ReplayError(f"final.over: true, but the game is not over after its {count} moves: the end is missing")
        if final.over and not self.final.over:
            raise ReplayError(f"final.over: false, but the game is over after its {count} moves")
        if final.scores != self.final.scores:
            raise ReplayError(
                f"final.scores: {list(self.final.scores)}, but the {count} moves lead to {list(final.scores)}"
            )
        if final.digest != self.final.digest:
            raise ReplayError(f"final.digest: {self.final.digest!r}, but the {count} moves lead to {final.digest!r}")

    def _action(self, batch: Batch, index: int, move: Move) -> int:
        """The action id of a move, checked against the state of the batch."""
        seat, actions = int(batch.seat[0]), batch.game.actions
        where = f"moves[{index}]: {str(move)!r}"
        if seat < 0:
            raise ReplayError(f"{where}, but the game is over after {index} moves; {len(self.moves) - index} are left")
        legal = {actions[action].name: int(action) for action in np.flatnonzero(batch.action_mask[0])}
        if move.seat != seat:
            raise ReplayError(f"{where}, but it is the turn of seat {seat}")
        if move.action not in legal:
            raise ReplayError(f"{where} is not legal; legal are {', '.join(legal)}")
        return legal[move.action]


def distinct_names(names: Sequence[str]) -> tuple[str, ...]:
    """The names of seats, with the number of the seat where an earlier one has the same."""
    known: list[str] = []
    for seat, name in enumerate(names):
        known.append(name if name not in known else f"{name} {seat + 1}")
    return tuple(known)


def _final(game: Game, record: Any) -> Final:
    scores = tuple(map(int, record["scores"][: game.num_players]))
    return Final(bool(record["over"]), scores, hashlib.sha256(record.tobytes()).hexdigest())
