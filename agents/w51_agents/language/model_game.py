"""A game in words for evaluators and training: language models in some seats, bots in the others."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from w51_agents.language.answers import AnswerError
from w51_agents.language.env import TextEnv
from w51_agents.language.prompts import retry_prompt, system_prompt
from w51_env.engine.errors import GameOverError, OptionError
from w51_env.engine.game import EXTERNAL, Game
from w51_env.engine.options import check_flag, check_range, is_list
from w51_env.engine.registry import registered_games, unknown_game
from w51_env.views.language import ENGLISH

MODEL = "model"  # the player that is asked
_MOST = 1_000_000  # mistakes in a row
T = TypeVar("T")


@dataclass(frozen=True)
class Question:
    """What a model is asked.

    Attributes:
        seat: Its seat.
        prompt: What it reads: the game as its seat may know it; or why its last answer was refused.
        legal: The names of the legal actions.
        again: Whether its last answer was refused.
    """

    seat: int
    prompt: str
    legal: tuple[str, ...]
    again: bool = False


def seated(players: Sequence[T], first: int) -> list[T]:
    """The players by seat, where the first of them has seat `first`, and the others follow clockwise."""
    return [players[(seat - first) % len(players)] for seat in range(len(players))]


def check_players(players: Any) -> None:
    """OptionError unless it is a list with a model in it."""
    if not is_list(players) or MODEL not in players:
        raise OptionError(f"players: {players!r}, but a list of {MODEL!r} and names of bots is needed")


class ModelGame:
    """One game in which models are asked for decisions and bots make theirs.

    No decision is anyone else's: a model may be refused `mistakes` times in a row and reads why. The next mistake ends
    the game, with the least reward for its seat and the opposite divided equally among the others.

    Args:
        game: A game with its rules bound, or the id of a registered one, as `warehouse51_v1`.
        players: Who plays each seat: `model`, or a bot's name.
        mistakes: Number of answers in a row that may be refused.
        conversation: Whether a model reads its earlier prompts and answers, too; prompts then have only what is new.
        language: Of the table and the events.
        **options: Options of the game but for `num_players`, if `game` is an id.

    Attributes:
        game: The game.
        system: What a model reads before its first prompt: the rules, and how to answer.
        players: As given.
        question: What is asked now; None where the game is over.
        refused: For each seat, how many answers were refused.
        forfeited_by: The seat that has made one mistake too many, or None.

    Raises:
        OptionError: An unknown game, option or bot, or no model.
    """

    def __init__(
        self,
        game: Game | str,
        players: Sequence[str],
        *,
        mistakes: int = 2,
        conversation: bool = False,
        language: str = ENGLISH,
        **options: Any,
    ):
        check_players(players)
        if isinstance(game, str) and game not in registered_games():
            raise OptionError(unknown_game(game))
        controllers = [EXTERNAL if player == MODEL else player for player in players]
        options |= {"num_players": len(players)} if isinstance(game, str) else {}
        self._text = TextEnv(game, language=language, controllers=controllers, **options)
        self.game, self.players = self._text.game, tuple(players)
        self.system = system_prompt(self.game)
        self.question: Question | None = None
        self._mistakes = check_range("mistakes", mistakes, 0, _MOST)
        self._conversation = check_flag("conversation", conversation)

    def reset(self, seed: int | None = None) -> Question | None:
        """Begin a game: that of `seed`, or the next one if it is None. Returns the first question."""
        self._text.reset(seed)
        self.refused = [0] * len(self.players)
        self.forfeited_by: int | None = None
        self._in_a_row, self._asked = 0, set[int]()
        return self._ask()

    def answer(self, text: str, *, is_cut: bool = False) -> Question | None:
        """Play what a model has answered, or refuse it; returns the next question, None at the end.

        Args:
            text: The answer.
            is_cut: Whether it ended at the most tokens: what it says is not its last word, and refused.

        Raises:
            GameOverError: Nothing is asked.
        """
        question = self.question
        if question is None:
            raise GameOverError("the game is over, or has not begun: reset begins one")
        try:
            if is_cut:
                raise AnswerError("the answer was cut off at its most tokens")
            self._text.step(text)
        except AnswerError as error:
            return self._refuse(question, str(error))
        self._in_a_row = 0
        return self._ask()

    @property
    def rewards(self) -> list[float]:
        """The reward of each seat: 0 until the game is over."""
        if self.forfeited_by is None:
            return self._text.rewards
        least, others = float(self.game.reward_range[0]), len(self.players) - 1
        return [least if seat == self.forfeited_by else -least / others for seat in range(others + 1)]

    def result(self, seat: int) -> dict[str, float]:
        """Of a seat, when the game is over: its reward, whether it won by the rules, how often it was refused.

        `forfeited` is 1 where its mistakes ended the game; nobody has won such a game.
        """
        won = self.forfeited_by is None and self._text.view(seat).players[seat]["score"]["rank"] == 1
        return {
            "reward": self.rewards[seat],
            "won": float(won),
            "refused": float(self.refused[seat]),
            "forfeited": float(self.forfeited_by == seat),
        }

    def close(self) -> None:
        """Release the game."""
        self._text.close()

    def _ask(self) -> Question | None:
        seat = self._text.seat
        if seat is None:
            self.question = None
        else:
            prompt = self._text.prompt(with_past=not (self._conversation and seat in self._asked))
            self.question = Question(seat, prompt, tuple(action["name"] for action in self._text.view(seat).actions))
            self._asked.add(seat)
        return self.question

    def _refuse(self, question: Question, reason: str) -> Question | None:
        self.refused[question.seat] += 1
        self._in_a_row += 1
        if self._in_a_row > self._mistakes:
            self.forfeited_by, self.question = question.seat, None
        else:
            prompt = retry_prompt(reason, question.legal[0])
            self.question = Question(question.seat, prompt, question.legal, again=True)
        return self.question
