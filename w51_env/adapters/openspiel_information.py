"""Information states with perfect recall, and observations, of `w51_env.adapters.openspiel`.

An information state is all that one seat has observed and done: its observation at each decision of the game, whoever
made it, the events that it may know, and its own actions. The string has the first observation, actions and events in
words and a digest of all later observations; the tensor has actions and events as numbers.
"""

from hashlib import blake2b
from typing import Any, NamedTuple

import numpy as np
import pyspiel

from w51_env.adapters.openspiel_compact import CompactTables
from w51_env.adapters.simulator import Position, Simulator
from w51_env.engine.errors import OptionError
from w51_env.engine.events import COLUMNS, visible_rows
from w51_env.engine.game import Game

NUMBER_SCALE = 128  # of the history in the tensor, so that the numbers are about 1 and exact


class Seen(NamedTuple):
    """What one seat saw up to a position.

    Attributes:
        text: First observation, own actions and events.
        digest: Of all observations.
        rows: int16 event rows and own actions, as bytes.
    """

    text: str
    digest: bytes
    rows: bytes


def first_seen(simulator: Simulator, root: Position, seat: int) -> Seen:
    """What a seat sees before the first decision."""
    observation = simulator.observe(root, seat)
    return Seen(f"p{seat} {observation_text(simulator.game, observation)}", _digest(b"", observation), b"")


def seen_next(simulator: Simulator, seen: Seen, seat: int, action: int | None, position: Position) -> Seen:
    """What a seat saw after one more decision of the game.

    Args:
        simulator: Plays the game.
        seen: What the seat saw before.
        seat: The seat.
        action: The seat's own action, None if another seat decided.
        position: The position after the decision.
    """
    game = simulator.game
    text, rows = [seen.text], [seen.rows]
    if action is not None:
        text.append(f"> {game.actions[action].name}")
        rows.append(np.array([len(game.event_types), seat, action, 0, 0, 0], np.int16).tobytes())
    events = np.frombuffer(position.events, np.int16).reshape(-1, COLUMNS)
    visible = visible_rows(events, game.event_types, seat)
    text.extend(_event_text(game, row) for row in visible.tolist())
    rows.append(visible.tobytes())
    return Seen("; ".join(text), _digest(seen.digest, simulator.observe(position, seat)), b"".join(rows))


def observation_text(game: Game, observation: np.ndarray) -> str:
    """All slices of an observation that are not all zero, by name."""
    parts = ((name, observation[part.slice]) for name, part in game.layout.items())
    return " ".join(f"{name}={','.join(map(str, values.tolist()))}" for name, values in parts if values.any())


def _event_text(game: Game, row: list[int]) -> str:
    event_type = game.event_types[row[0]]
    numbers = row[1 : 2 + len(event_type.fields)]
    return f"{event_type.name} {' '.join(map(str, numbers))}{' forced' if row[5] else ''}"


def _digest(before: bytes, observation: np.ndarray) -> bytes:
    return blake2b(before + observation.tobytes(), digest_size=8).digest()


class ObservationObserver:
    """What a seat observes now: the game's observation, which forgets.

    It has the parts that OpenSpiel expects: `tensor`, and `dict` of its named parts.

    Tensor: `player`, one-hot; `observation`, (layout.size,) in [-1, 1], or its positions of `compact`. All zero but
    `player` before the deal.
    """

    def __init__(self, game: Game, compact: CompactTables | None = None, **parts: tuple[int, ...]):
        self.game, self._compact = game, compact
        self._all = np.zeros(game.layout.size, np.float32)
        size = game.layout.size if compact is None else len(compact.positions)
        parts = {"player": (game.num_players,), "observation": (size,), **parts}
        sizes = [int(np.prod(shape)) for shape in parts.values()]
        self.tensor = np.zeros(sum(sizes), np.float32)
        views = np.split(self.tensor, np.cumsum(sizes)[:-1])
        self.dict = {name: view.reshape(parts[name]) for name, view in zip(parts, views, strict=True)}

    def set_from(self, state: Any, player: int) -> None:
        """Write the tensor."""
        self.tensor.fill(0)
        self.dict["player"][player] = 1
        if state.is_dealt():
            self._write(state.observe(player))

    def _write(self, observation: np.ndarray) -> None:
        if self._compact is None:
            self.game.layout.to_float(observation, self.dict["observation"])
            return
        self._compact.check(self.game, observation)
        self.game.layout.to_float(observation, self._all)
        self.dict["observation"][:] = self._all[self._compact.positions]

    def string_from(self, state: Any, player: int) -> str:
        """The observation by the names of its slices."""
        return f"p{player} {observation_text(self.game, state.observe(player))}" if state.is_dealt() else f"p{player}"


class InformationStateObserver(ObservationObserver):
    """What a seat saw so far.

    Tensor: that of `ObservationObserver`, and `history`, (length, 6): event rows (`engine.events`) and own actions in
    order, divided by 128; the first column is the event type plus 1, an own action is the type after the last. Of more
    than `length` rows the last ones.
    """

    def __init__(self, game: Game, compact: CompactTables | None, length: int):
        super().__init__(game, compact, history=(length, COLUMNS))
        self._length = length

    def set_from(self, state: Any, player: int) -> None:
        """Write the tensor."""
        super().set_from(state, player)
        if state.is_dealt() and self._length:
            rows = np.frombuffer(state.seen(player).rows, np.int16).reshape(-1, COLUMNS)[-self._length :]
            history = self.dict["history"]
            history[: len(rows)] = rows
            history[: len(rows), 0] += 1
            history /= NUMBER_SCALE

    def string_from(self, state: Any, player: int) -> str:
        """First observation, own actions, events, and a digest of all later observations."""
        if not state.is_dealt():
            return f"p{player}"
        seen = state.seen(player)
        return f"{seen.text} #{seen.digest.hex()}"


def make_observer(
    game: Game,
    compact: CompactTables | None,
    length: int,
    asked: pyspiel.IIGObservationType | None,
    params: Any,
) -> ObservationObserver | None:
    """The observer of this type; None, as OpenSpiel expects it, for types that are not the view of one player.

    Raises:
        OptionError: There are parameters.
    """
    if params:
        raise OptionError(f"observer: parameters {params}, but there are none")
    asked = asked or pyspiel.IIGObservationType(perfect_recall=False)
    if not asked.public_info or asked.private_info != pyspiel.PrivateInfoType.SINGLE_PLAYER:
        return None
    return (
        InformationStateObserver(game, compact, length) if asked.perfect_recall else ObservationObserver(game, compact)
    )
