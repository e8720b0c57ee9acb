"""A game at a real table, as one of its players knows it: a position, and what has happened since.

Nobody but this player tells what happens. So what the player cannot know is anything that fits; it becomes what the
table shows as soon as the table shows it.
"""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from w51_env.engine.batch import Batch
from w51_env.engine.errors import OptionError, W51Error
from w51_env.engine.game import Game
from w51_env.engine.plain_data import in_short, is_clear
from w51_env.engine.registry import make_game
from w51_env.views.language import Words
from w51_env.views.view import Data
from w51_table.positions.position import Reveal, position_format, read_position, write_position

_MAX_EVENTS = 1000
MAX_NAME = 24  # letters of the name of a player
_SNIPPET = """\
from w51_env.engine.batch import Batch
from w51_table.positions.position import read_position

position = read_position({data})
batch = Batch(position.game, 1, autoreset="disabled")
batch.load(position.states)
"""


class UnseenError(W51Error):
    """An event shows something hidden, and does not say what.

    Attributes:
        game: The game with its rules bound.
        reveal: What it may be.
    """

    def __init__(self, game: Game, reveal: Reveal):
        self.game, self.reveal = game, reveal
        super().__init__(f"shown: {reveal.size} of {', '.join(reveal.choices)}, but the event names another number")


def _is_name(name: Any) -> bool:
    return isinstance(name, str) and len(name) <= MAX_NAME


class Evening:
    """A game at a real table.

    Args:
        data: `position`, as `read_position` takes it; `events`, in order, each either `action`, the name of an action
            of the seat to move, with `shown`, the ids of what it turns over; or `bids`, those of all seats in a blind
            auction, once they are shown; `names`, one of at most `MAX_NAME` letters for each seat.
        words: Language of the errors.
        check: Called before each event; an error of it ends the work.

    Attributes:
        game: The game with its rules bound.
        seat: The player's seat.
        words: The words, with the names.
        news: What has happened since the position, as sentences.
        start: The state of the position, as it was read.
        actions: Ids of the actions since, without those that were forced.

    Raises:
        OptionError: Something of it is not possible; what contradicts itself is said in the language.
        UnseenError: The last event does not say what it turns over.
    """

    def __init__(self, data: Any, words: Words | None = None, check: Callable[[], None] = lambda: None):
        if not isinstance(data, dict) or not isinstance(data.get("events", []), list):
            raise OptionError(f"table: {in_short(data)}, but position and events are needed")
        names = data.get("names") or ()
        if not isinstance(names, list | tuple) or not all(map(_is_name, names)):
            raise OptionError(f"names: {in_short(names)}, but texts of at most {MAX_NAME} letters are needed")
        names = ["".join(filter(is_clear, name)) for name in names]
        self.words = Words((words or Words()).language, names)
        position = read_position(data.get("position"), self.words)
        self.game, self.seat = position.game, position.seat
        if len(names) not in (0, self.game.num_players):
            raise OptionError(f"names: {len(names)}, but there are {self.game.num_players} seats")
        self._form = position_format(self.game)
        # Forced decisions are asked, too: one of them may turn something over.
        self._asked = make_game(self.game.id, **{**self.game.options, "ask_forced": True})
        self._batch = Batch(self._asked, 1, autoreset="disabled", keep_final=False, events=True)
        self._batch.load(position.states)
        self.start = position.states[0].copy()
        self.actions: list[int] = []
        self._before: list[int] = []  # actions before the bids of a blind auction
        self.news: list[str] = []
        self._play_forced()
        for event in data.get("events", [])[:_MAX_EVENTS]:
            check()
            self._play_event(event)

    @property
    def state(self) -> np.void:
        """A copy of the state now."""
        return self._batch.games[0].copy()

    @property
    def is_sealed(self) -> bool:
        """Whether all bid in secret now: the next event has the bids of all."""
        return bool(self._batch.view(0, self.seat).phase == self._form.sealed_phase)

    def deciding(self) -> list[np.void]:
        """The state of the next decision; in a blind auction that of each seat, in order; none if the game is over.

        The bids of the seats before it are anything: a seat does not see them.
        """
        if not self.is_sealed:
            return [] if self._batch.games[0]["over"] else [self.state]
        batch = Batch(self._asked, 1, autoreset="disabled")
        batch.load(self._batch.clone())
        states: list[np.void] = []
        while True:
            for action in self._before:
                if batch.action_mask[0][action]:
                    batch.step(np.array([action]))
            states.append(batch.games[0].copy())
            if len(states) == self.game.num_players:
                return states
            batch.step(np.array([self._bid(0)]))

    def advised(self) -> np.void | None:
        """The state of the decision of the player's seat; None if it has none now."""
        return next((state for state in self.deciding() if state["seat"] == self.seat), None)

    def position(self) -> Data:
        """The position now, as the player sees it; OptionError if nothing is hidden any more."""
        return write_position(self.game, self._batch.games[0], self.seat)

    def python(self) -> str:
        """A program that loads the position into a batch."""
        return _SNIPPET.format(data=self.position())

    def _play_event(self, event: Any) -> None:
        if not isinstance(event, Mapping) or (bids := event.get("bids")) is None:
            self._play_action(event)
        elif not self.is_sealed or not isinstance(bids, list) or len(bids) != self.game.num_players:
            raise OptionError(f"bids: {in_short(bids)}, but they are those of all seats in a blind auction")
        else:
            for _ in bids:
                for action in [one for one in self._before if self._may(one)]:
                    self._before.remove(action)
                    self._step(action)
                self._step(self._bid(bids[int(self._batch.seat[0])]), event)
        self._play_forced()

    def _play_action(self, event: Any) -> None:
        """An action, which turns over what the event says."""
        if not isinstance(event, Mapping) or event.get("action") not in [one.name for one in self.game.actions]:
            raise OptionError(f"event: {in_short(event)}, but an action by its name is needed")
        action = self.game.actions.id(event["action"])
        if self.is_sealed:
            self._defer(action)
            return
        self._step(action, event)

    def _defer(self, action: int) -> None:
        """Keep an action until it is the turn of its seat to bid."""
        batch = Batch(self.game, self.game.num_players, autoreset="disabled")
        batch.load(np.array(self.deciding(), self.game.record))
        able = np.flatnonzero(batch.action_mask[:, action])
        if not len(able) or self._is_bid(action):
            raise self._not_legal(action)
        self._before.append(action)
        view = batch.view(int(able[0]), int(batch.seat[able[0]]), words=self.words)
        self.news.append(view.action_texts()[action])

    def _may(self, action: int) -> bool:
        return bool(self._batch.action_mask[0][action])

    def _not_legal(self, action: int) -> OptionError:
        seat, text = self.words.seat(int(self._batch.seat[0])), self.game.actions[action].text
        return OptionError(self.words("error.not_legal", seat=seat, action=text))

    def _is_bid(self, action: int) -> bool:
        bids = self.game.sealed_bids
        return bids is not None and 0 <= action - bids.first_action < bids.num_actions

    def _bid(self, amount: Any) -> int:
        """The action of a secret bid; OptionError if it is no number."""
        bids = self.game.sealed_bids
        if bids is None or type(amount) is not int or not 0 <= amount < bids.num_actions:
            raise OptionError(f"bids: {in_short(amount)}, but a number is needed")
        return bids.first_action + amount

    def _play_forced(self) -> None:
        """Play decisions that have a single legal action, unless one turns something over or all bid in secret."""
        while len(legal := np.flatnonzero(self._batch.action_mask[0])) == 1 and not self.is_sealed:
            if self._form.reveal(self._asked, self._batch.games[0], int(legal[0]), self.seat) is not None:
                break
            self._step(int(legal[0]))

    def _step(self, action: int, event: Mapping[str, object] | None = None) -> None:
        """Play an action of the seat to move, which shows what the event says."""
        if not self._may(action):
            raise self._not_legal(action)
        state, shown = self._batch.games[0], (event or {}).get("shown", [])
        reveal = self._form.reveal(self._asked, state, action, self.seat)
        if reveal is not None:
            if not reveal.admits(shown):
                raise UnseenError(self.game, reveal)
            self._form.arrange(self._asked, state, action, self.seat, shown)
            self._batch.refresh()
        forced = self._batch.action_mask[0].sum() == 1
        self._batch.step(np.array([action]))
        if not forced:
            self.actions.append(action)
        self.news += [self.game.event_text(event, self.words) for event in self._batch.events(0, self.seat)]
