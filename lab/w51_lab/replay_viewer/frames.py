"""Frames: a replay decision by decision, those of bots included, as a viewer of replays steps through it."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from w51_env.engine import rng
from w51_env.engine.batch import Batch
from w51_env.engine.bots import Bot
from w51_env.engine.determinization import Determinizer
from w51_env.engine.events import Event, Events
from w51_env.engine.game import ALL, EXTERNAL, RANDOM_INDEX, Game, check_viewer
from w51_env.views.language import Words
from w51_env.views.view import View
from w51_lab.replays.beginning import begin_replayed
from w51_lab.replays.replay import Replay

_random_bits = getattr(rng.random_bits, "py_func", rng.random_bits)  # as plain Python, with the JIT on or off


@dataclass(frozen=True, eq=False)
class Frame:
    """The moment of one decision, or the last state of a game. Privileged: it holds the whole state.

    Attributes:
        game: The game with its rules bound.
        number: Index of the frame: the number of decisions before it, forced ones not counted.
        state: The state record, a copy.
        events: All events since the frame before; `Events.known_to` selects those of a viewer.
        seat: The seat to move; -1 if the game is over.
        observation: (layout.size,) int8, of the seat to move; zeros if the game is over.
        mask: (num_actions,) int8, of the seat to move; zeros if the game is over.
        action: The action id that was chosen; None in the last frame.
    """

    game: Game
    number: int
    state: np.void
    events: Events
    seat: int
    observation: np.ndarray
    mask: np.ndarray
    action: int | None = None

    def in_state(self, state: np.void) -> "Frame":
        """The same decision in a state with the same legal actions, which the seat to move may see differently."""
        return replace(self, state=state, observation=_loaded(self.game, state).observe(self.seat)[0], action=None)

    @property
    def lots(self) -> list[Event]:
        """The events of this frame with which a new lot begins."""
        kinds = {kind.name for kind in self.game.event_types if kind.begins_lot}
        return [event for event in self.events if event["event"] in kinds]

    def view(self, viewer: int | str, words: Words | None = None) -> View:
        """What a viewer may know at this frame; its news are the events since the frame before.

        Args:
            viewer: A seat; `PUBLIC`; or `ALL`, which is privileged.
            words: Language and names of the seats; None: English, `Player 0` and so on.

        Raises:
            OptionError: An unknown viewer.
        """
        viewer = check_viewer(self.game, viewer)
        return self.game.presentation.make_view(
            self.game,
            self.state,
            viewer,
            legal=np.flatnonzero(self.mask).tolist(),
            news=self.events.known_to(None if viewer == ALL else viewer),
            observe=self.observe,
            words=words,
        )

    def observe(self, seat: int) -> np.ndarray:
        """(layout.size,) int8: the observation of a seat."""
        if seat == self.seat:
            return self.observation
        return _loaded(self.game, self.state).observe(seat)[0]

    def determinizer(self) -> Determinizer:
        """Determinizations for the seat to move, for agents that search."""
        return Determinizer(self.game, self.state, self.seat)


def _loaded(game: Game, state: np.void) -> Batch:
    batch = Batch(game, 1, observe=False, autoreset="disabled", keep_final=False)
    batch.load(np.array([state], game.record))
    return batch


def frame_of(batch: Batch, number: int, action: int | None = None) -> Frame:
    """The frame of a batch of one game with events, after its last call; arguments as of `Frame`."""
    seat = int(batch.seat[0])
    shown = batch.observation[0].copy(), batch.action_mask[0].copy()
    return Frame(batch.game, number, batch.games[0].copy(), batch.events(0), seat, *shown, action)


def frames_of(replay: Replay) -> Iterator[Frame]:
    """Every decision of a replay that `Replay.load` or `verify` accepted, then its last state.

    Bots choose again: a bot's choice is a function of what it observes, the game's random stream and the number of the
    decision.
    """
    game = replay.game()
    batch = begin_replayed(game, replay.seed, (EXTERNAL,) * game.num_players, replay.start)
    bots = [None if name == EXTERNAL else Bot(game, name) for name in replay.controllers]
    moves = iter(replay.moves)
    number = 0
    while (seat := int(batch.seat[0])) >= 0:
        bot = bots[seat]
        if bot is not None:
            action = _bot_action(bot, batch)
        elif move := next(moves, None):
            action = game.actions.id(move.action)
        else:
            break
        yield frame_of(batch, number, action)
        batch.step(np.array([action]))
        number += 1
    yield frame_of(batch, number)


def _bot_action(bot: Bot, batch: Batch) -> int:
    """The action that a bot inside a batch chooses in the state of a batch of one game."""
    if bot.index == RANDOM_INDEX:
        return int(batch.sample_actions()[0])  # from the same random bits
    state = batch.games[0]
    bits = _random_bits(np.uint64(state["stream"]), rng.POLICY + np.uint64(state["decisions"]))
    return int(bot.choose(batch.observation, batch.action_mask, np.array([bits], np.uint64))[0])
