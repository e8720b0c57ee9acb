"""A game at a real table, as one of its players knows it: a position, and what has happened since.

Nobody but this player tells what happens. So what the player cannot know is anything that fits; it becomes what the
table shows as soon as the table shows it.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np

from w51_agents.search.search_settings import SEARCH
from w51_env.adapters.agent_seeds import decision_seed
from w51_env.engine.batch import Batch
from w51_env.engine.errors import OptionError, W51Error
from w51_env.engine.game import EXTERNAL, Game
from w51_env.engine.plain_data import in_short
from w51_env.engine.registry import make_game
from w51_env.views.language import Words
from w51_env.views.position import Reveal, position_format, read_position, write_position
from w51_env.views.view import Data
from w51_lab.replays.beginning import begin_replayed
from w51_lab.replays.replay import Replay
from w51_table.play.agent_pool import Question, frame_question, hint_agent
from w51_table.play.table import PlayerError
from w51_table.replay_viewer.frames import Frame, frame_of

_MAX_EVENTS = 1000
_SNIPPET = """\
from w51_env.engine.batch import Batch
from w51_env.views.position import read_position

position = read_position({data})
batch = Batch(position.game, 1, autoreset="disabled")
batch.load(position.states)
"""


def advice_agent(game: Game) -> str:
    """Name of the agent that advises on a decision: a search, which tries in determinizations what the agent of hints
    would do.
    """
    return f"{SEARCH}:playouts=400,prior={hint_agent(game)}"


class UnseenError(W51Error):
    """An event shows something hidden, and does not say what.

    Attributes:
        game: The game with its rules bound.
        reveal: What it may be.
    """

    def __init__(self, game: Game, reveal: Reveal):
        self.game, self.reveal = game, reveal
        super().__init__(f"shown: {reveal.size} of {', '.join(reveal.choices)}, but the event names another number")


class Evening:
    """A game at a real table.

    Args:
        data: `position`, as `read_position` takes it; `events`, in order, each either `action`, the name of an action
            of the seat to move, with `shown`, the ids of what it turns over; or `bids`, those of all seats in a blind
            auction, once they are shown; `names`, one for each seat.
        words: Language of the errors.

    Attributes:
        game: The game with its rules bound.
        seat: The player's seat.
        words: The words, with the names.
        news: What has happened since the position, as sentences.

    Raises:
        OptionError: Something of it is not possible; what contradicts itself is said in the language.
        UnseenError: The last event does not say what it turns over.
    """

    def __init__(self, data: Any, words: Words | None = None):
        if not isinstance(data, dict) or not isinstance(data.get("events", []), list):
            raise OptionError(f"table: {in_short(data)}, but position and events are needed")
        names = data.get("names") or ()
        if not all(isinstance(name, str) for name in names):
            raise OptionError(f"names: {in_short(names)}, but texts are needed")
        self.words = Words((words or Words()).language, names)
        position = read_position(data.get("position"), self.words)
        self.game, self.seat = position.game, position.seat
        if len(names) not in (0, self.game.num_players):
            raise OptionError(f"names: {len(names)}, but there are {self.game.num_players} seats")
        self._form = position_format(self.game)
        # Forced decisions are asked, too: one of them may turn something over.
        self._asked = make_game(self.game.id, **{**self.game.options, "ask_forced": True})
        self._batch = begin_replayed(self._asked, 0, (EXTERNAL,) * self.game.num_players)
        self._batch.load(position.states)
        self._start = position.states[0].copy()
        self._actions: list[int] = []  # those that were not forced
        self._before: list[int] = []  # actions before the bids of a blind auction
        self.news: list[str] = []
        self._play_forced()
        for event in data.get("events", [])[:_MAX_EVENTS]:
            self._play_event(event)

    @property
    def frame(self) -> Frame:
        """The moment of the next decision, or the end."""
        return self._frame(self._batch.games[0])

    @property
    def is_sealed(self) -> bool:
        """Whether all bid in secret now: the next event has the bids of all."""
        return self.frame.view(self.seat).phase == self._form.sealed_phase

    def advised(self) -> Frame | None:
        """The decision of the player's seat; None if it has none now.

        In a blind auction it does not wait for the others: whatever they bid, the seat does not see it.
        """
        frames = self.sealed_frames() if self.is_sealed else [self.frame]
        return next((frame for frame in frames if frame.seat == self.seat), None)

    def sealed_frames(self) -> list[Frame]:
        """In a blind auction the decision of each seat, in order; the bids of those before it are anything."""
        batch = Batch(self._asked, 1, autoreset="disabled")
        batch.load(self._batch.clone())
        frames: list[Frame] = []
        while True:
            for action in self._before:
                if batch.action_mask[0][action]:
                    batch.step(np.array([action]))
            frames.append(self._frame(batch.games[0]))
            if len(frames) == self.game.num_players:
                return frames
            batch.step(np.array([self._bid(0)]))

    def question(self, frame: Frame, agent: str) -> Question:
        """What an agent would do in a frame of `advised`, and why. It gets what the seat knows, and no more."""
        return frame_question(frame, agent, self.game.id, decision_seed(0, len(self._actions)))

    def position(self) -> Data:
        """The position now, as the player sees it; OptionError if nothing is hidden any more."""
        return write_position(self.game, self._batch.games[0], self.seat)

    def python(self) -> str:
        """A program that loads the position into a batch."""
        return _SNIPPET.format(data=self.position())

    def replay(self) -> Replay:
        """The replay of what has happened; what nobody has told is anything that fits."""
        start, now = self._start.copy(), self._batch.games[0]
        for hidden in ("deck", "counterfeit_gap"):
            if hidden in (self.game.record.names or ()):
                start[hidden] = now[hidden]
        return Replay.record(self.game, 0, self._actions, players=self.words.seats(self.game.num_players), start=start)

    def _frame(self, state: np.void) -> Frame:
        batch = begin_replayed(self.game, 0, (EXTERNAL,) * self.game.num_players)
        batch.load(np.array([state], self.game.record))
        return frame_of(batch, len(self._actions))

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
        if not isinstance(event, Mapping) or event.get("action") not in {one.name for one in self.game.actions}:
            raise OptionError(f"event: {in_short(event)}, but an action by its name is needed")
        action = self.game.actions.id(event["action"])
        if self.is_sealed:  # played when it is the turn of the seat
            frames = [frame for frame in self.sealed_frames() if frame.mask[action]]
            if not frames or self._is_bid(action):
                raise self._not_legal(action, self.frame)
            self._before.append(action)
            self.news.append(frames[0].view(frames[0].seat, self.words).action_texts()[action])
            return
        self._step(action, event)

    def _may(self, action: int) -> bool:
        return bool(self._batch.action_mask[0][action])

    def _not_legal(self, action: int, frame: Frame) -> PlayerError:
        return PlayerError("not_legal", seat=self.words.seat(frame.seat), action=self.game.actions[action].text)

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

    def _step(self, action: int, event: Mapping[str, Any] | None = None) -> None:
        """Play an action of the seat to move, which shows what the event says."""
        if not self._may(action):
            raise self._not_legal(action, self.frame)
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
            self._actions.append(action)
        self.news += [self.game.event_text(event, self.words) for event in self._batch.events(0, self.seat)]
