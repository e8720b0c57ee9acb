"""What becomes of an agent that fails: it loses the decision, not the match; and everybody learns why.

The rule: where an agent raises an exception, answers something else than a legal action, or takes longer than its limit, that decision is
forfeited: a legal action is drawn for it, each as likely as the other. After FAULTS_A_GAME of these in one game the rest of that game is
forfeited: the agent is not asked there any more. A call about n decisions has n times the limit of one; if it is late, all n are
forfeited. If a call about many decisions fails in another way, each of them is asked alone, so that one bad position costs no other.
"""

import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from types import FrameType
from typing import Any

import numpy as np

from agents.agent import Agent, InvalidActionError, check_actions
from arena.play import Questions
from w51_env.core.game import Game

ERROR, ILLEGAL, LATE = "errors", "illegal", "late"
KINDS = (ERROR, ILLEGAL, LATE)
FAULTS_A_GAME = 3
_FORFEITED = -1  #  in the place of an action
_LONGEST = 500  #  characters of a message that are kept


@dataclass(frozen=True)
class Fault:
    """The first fault of an agent.

    Attributes:
        kind: One of KINDS.
        message: What went wrong.
        table: The row of the batch.
        seat: Where the agent sat.
        observation, mask: What it was shown.
    """

    kind: str
    message: str
    table: int
    seat: int
    observation: np.ndarray
    mask: np.ndarray


@dataclass
class Conduct:
    """How an agent behaved: decisions asked, seconds taken, forfeited decisions by kind and the first of them."""

    decisions: int = 0
    seconds: float = 0.0
    faults: dict[str, int] = field(default_factory=lambda: dict.fromkeys(KINDS, 0))
    unasked: int = 0
    first: Fault | None = None


class LateError(BaseException):
    """Raised inside an agent when its time is over; not an Exception, so that agents do not catch it by chance."""


class RefereedPlayer:
    """A player whose faults are counted, see the head of this file.

    Args:
        name: Of the agent.
        agent: It.
        game: The game it plays.
        tables: How many tables there are.
        limit: Seconds that it has for a decision; None for no limit.
        seed: What the agent is reset with; and of the actions drawn for it. One that fails to be reset is not asked at all.
    """

    def __init__(self, name: str, agent: Agent, game: Game, tables: int, limit: float | None, seed: int):
        self.name = name
        self.agent = agent
        self.conduct = Conduct()
        self._game = game
        self._limit = limit
        self._faults = np.zeros(tables, np.int64)
        self._generator = np.random.default_rng(seed)
        try:
            agent.reset(seed)
        except (Exception, SystemExit) as error:  # noqa: BLE001 - code of others can fail in any way
            self.conduct.faults[ERROR] += 1
            self.conduct.first = Fault(
                ERROR, f"reset: {_told(error)}", -1, -1, np.zeros(0, np.int8), np.zeros(0, np.int8)
            )
            self._faults[:] = FAULTS_A_GAME

    def answer(self, questions: Questions) -> np.ndarray:
        """See `Player.answer`."""
        actions = np.full(len(questions), _FORFEITED)
        asked = np.flatnonzero(self._faults[questions.tables] < FAULTS_A_GAME)
        self.conduct.unasked += len(questions) - len(asked)
        if len(asked):
            actions[asked] = self._ask(_part(questions, asked))
        forfeited = np.flatnonzero(actions == _FORFEITED)
        if len(forfeited):
            actions[forfeited] = _draw(questions.masks[forfeited], self._generator)
        return actions

    def _ask(self, questions: Questions) -> np.ndarray:
        """(n,) int64, the agent's actions; _FORFEITED where it has none."""
        begun = time.perf_counter()
        try:
            with _limited(self._limit and self._limit * len(questions)):
                # Copies: what an agent does to its own must not reach the check of its answer.
                answer: Any = self.agent.act_batch(
                    questions.observations.copy(), questions.masks.copy(), questions.infos
                )
            taken = time.perf_counter() - begun
            if self._limit is not None and taken > self._limit * len(questions):
                raise LateError
            actions = check_actions(self.name, answer, questions.masks, self._game).astype(np.int64)
            self._count(len(questions), begun)
            return actions
        except LateError:
            self._count(len(questions), begun)
            message = f"more than {self._limit:g} s for a decision, in a call about {len(questions)}"
            for row in range(len(questions)):
                self._blame(LATE, message, questions, row)
            return np.full(len(questions), _FORFEITED)
        except (Exception, SystemExit) as error:  # noqa: BLE001 - code of others can fail in any way
            if len(questions) > 1:
                return np.concatenate([self._ask(_part(questions, np.array([row]))) for row in range(len(questions))])
            self._count(1, begun)
            kind = ILLEGAL if isinstance(error, InvalidActionError) else ERROR
            self._blame(kind, str(error) if kind == ILLEGAL else _told(error), questions, 0)
            return np.full(1, _FORFEITED)

    def _count(self, decisions: int, begun: float) -> None:
        self.conduct.decisions += decisions
        self.conduct.seconds += time.perf_counter() - begun

    def _blame(self, kind: str, message: str, questions: Questions, row: int) -> None:
        self.conduct.faults[kind] += 1
        self._faults[questions.tables[row]] += 1
        if self.conduct.first is None:
            shown = questions.observations[row].copy(), questions.masks[row].copy()
            self.conduct.first = Fault(
                kind, message[:_LONGEST], int(questions.tables[row]), int(questions.seats[row]), *shown
            )


def _told(error: BaseException) -> str:
    """What an exception says; it may fail even in that."""
    try:
        return f"{type(error).__name__}: {error}"
    except Exception:  # noqa: BLE001 - see above
        return type(error).__name__


def _part(questions: Questions, rows: np.ndarray) -> Questions:
    infos = None if questions.infos is None else [questions.infos[row] for row in rows]
    shown = questions.observations[rows], questions.masks[rows]
    return Questions(*shown, infos, questions.tables[rows], questions.seats[rows])


def _draw(masks: np.ndarray, generator: np.random.Generator) -> np.ndarray:
    """(n,) int64, a legal action for each mask."""
    return (generator.random(masks.shape) * (masks != 0)).argmax(axis=1)


@contextmanager
def _limited(seconds: float | None) -> Iterator[None]:
    """Raise LateError inside after so many seconds, where the system can: in the main thread of a process on POSIX."""
    if seconds is None or threading.current_thread() is not threading.main_thread() or not hasattr(signal, "setitimer"):
        yield
        return

    def ring(number: int, frame: FrameType | None) -> None:
        raise LateError

    before = signal.signal(signal.SIGALRM, ring)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0.0)
        signal.signal(signal.SIGALRM, before)
