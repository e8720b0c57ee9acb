"""A game in words: each seat reads a prompt and writes an answer."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from w51_agents.language.answers import AnswerReader
from w51_agents.language.prompts import rules_page, turn_prompt
from w51_env.engine.batch import Batch
from w51_env.engine.errors import GameOverError, not_begun
from w51_env.engine.events import EventJournal
from w51_env.engine.game import Game
from w51_env.engine.options import check_choice, check_seed
from w51_env.engine.registry import make_game
from w51_env.views.language import ENGLISH, Words
from w51_env.views.view import View


class TextEnv:
    """One game whose observations and actions are text.

    Args:
        game: A game with its rules bound, or the id of a registered one, as `warehouse51_v1`.
        language: Of the table and the events: `en`, `fr`, `de` or `hu`. The rules page and errors are English.
        names: A name for each seat; none: `Player 0` and so on.
        controllers: Who plays each seat, `external` (the caller of `step`) or a bot's name; None: all are external.
        **options: Options of the game, if `game` is an id.

    Attributes:
        game: The game.
        rules: The rules on one page, for a system prompt.

    Raises:
        OptionError: An unknown game, option, language or bot.
    """

    def __init__(
        self,
        game: Game | str,
        *,
        language: str = ENGLISH,
        names: Sequence[str] = (),
        controllers: Sequence[str] | None = None,
        **options: Any,
    ):
        self.game = make_game(game, **options) if isinstance(game, str) else game
        self.rules = rules_page(self.game)
        self._words = Words(language, names)
        self._reader = AnswerReader(self.game.actions)
        self._batch = Batch(self.game, 1, controllers=controllers, autoreset="disabled", events=True, keep_final=False)
        self._views: dict[int, View] = {}  # of this state
        self._begun = False

    def reset(self, seed: int | None = None) -> int:
        """Begin a game: that of `seed`, or the next one if it is None. Returns the seat to move."""
        self._views.clear()
        self._batch.reset(None if seed is None else check_seed("seed", seed))
        self._begun = True
        self._journal = EventJournal(self.game.event_types, self.game.num_players)
        self._journal.add(self._batch.event_bytes(0))
        return int(self._batch.seat[0])

    @property
    def seat(self) -> int | None:
        """The seat to move; None when the game is over."""
        self._check_begun("seat")
        return None if self.over else int(self._batch.seat[0])

    @property
    def over(self) -> bool:
        """Whether the game is over."""
        self._check_begun("over")
        return bool(self._batch.seat[0] < 0)

    @property
    def rewards(self) -> list[float]:
        """The reward of each seat: 0 until the game is over."""
        self._check_begun("rewards")
        return [float(reward) for reward in self._batch.rewards[0]] if self.over else [0.0] * self.game.num_players

    def view(self, seat: int) -> View:
        """What a seat may know, as data; its news are the events since the seat's last decision."""
        self._check_begun("view")
        check_choice("seat", seat, range(self.game.num_players))
        if seat not in self._views:
            news = self._journal.since_decision(seat)
            self._views[seat] = self._batch.view(0, seat, news=news, words=self._words)
        return self._views[seat]

    def prompt(self, seat: int | None = None, *, with_past: bool = True) -> str:
        """The text for a seat, at most 8,000 tokens of 4 characters; None: for the seat to move.

        Args:
            seat: The seat.
            with_past: Whether to tell of what came before the events since its last decision, too.

        Raises:
            GameOverError: No seat was named, and none is to move.
        """
        chosen = self.seat if seat is None else seat
        if chosen is None:
            raise GameOverError("the game is over: name a seat, as prompt(0)")
        view = self.view(chosen)
        earlier = self._journal.before_decision(chosen)
        earlier_data = self.game.presentation.events_data(self.game, earlier, self._words)
        return turn_prompt(view, earlier_data, with_past=with_past)

    def step(self, answer: str) -> int | None:
        """Play the action that the seat to move wrote, and return the next seat to move, None at the end.

        Raises:
            AnswerError: The answer is not one legal action; the message says why. The game has not changed.
            GameOverError: The game is over.
        """
        seat = self.seat
        if seat is None:
            raise GameOverError("the game is over: reset begins the next one")
        action = self._reader.read(answer, self.view(seat).actions)
        self._views.clear()
        self._batch.step(np.array([action]))
        self._journal.add(self._batch.event_bytes(0), seat)
        return self.seat

    def close(self) -> None:
        """Release the batch."""
        self._views.clear()
        self._batch.close()

    def _check_begun(self, what: str) -> None:
        if not self._begun:
            raise not_begun(what)
