"""The loop that every match is played by: many tables at once, each agent asked about all of its decisions together."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from textwrap import shorten
from typing import Any, Protocol

import numpy as np

from agents.agent import Agent, AgentError, needs_determinizer
from agents.bots import ScriptedAgent
from w51_env.core.batch import Batch
from w51_env.core.determinization import Determinizer
from w51_env.core.game import Game
from w51_env.core.loops import EXTERNAL, NO_ACTION


@dataclass(frozen=True)
class Questions:
    """The decisions that one agent has to make now.

    Attributes:
        observations, masks: (n, size) int8, (n, actions) int8.
        infos: What searching agents are told beside, else None.
        tables: (n,) int64, the rows of the batch they come from.
        seats: (n,) int64, the seats that decide.
    """

    observations: np.ndarray
    masks: np.ndarray
    infos: list[dict[str, Any]] | None
    tables: np.ndarray
    seats: np.ndarray

    def __len__(self) -> int:
        return len(self.tables)


class AnswerError(AgentError):
    """What an agent answered is not a legal action for each of its decisions."""


class Player(Protocol):
    """An agent at the tables, and what becomes of its answers."""

    agent: Agent

    def answer(self, questions: Questions) -> np.ndarray:
        """(n,) int64, legal actions."""


class StrictPlayer:
    """A player whose first wrong answer ends the match with an AgentError."""

    def __init__(self, name: str, agent: Agent, game: Game):
        self.name = name
        self.agent = agent
        self._game = game

    def answer(self, questions: Questions) -> np.ndarray:
        """See `Player.answer`."""
        answer = self.agent.act_batch(questions.observations, questions.masks, questions.infos)
        return check_answer(self.name, answer, questions.masks, self._game)


def play(
    game: Game,
    players: Sequence[Player],
    seated: np.ndarray,
    seeds: np.ndarray,
    on_progress: Callable[[int], None] = lambda finished: None,
    look: Callable[[Batch, np.ndarray], None] | None = None,
    threads: int = 1,
    events: bool = False,
) -> Batch:
    """Play one game at each table; bots play inside the batch.

    Args:
        game: The game with its rules bound.
        players: Of the tables.
        seated: (N, num_players) int64, the player in each seat.
        seeds: (N,) uint64, the deal of each table.
        on_progress: Called with the number of games that ended since the last call.
        look: Called with the batch and the actions that led there, (N,) int64, after the set-up and after each step.
        threads: Of the engine.
        events: Log what happens, for `look`.

    Returns:
        The batch, with the results of all games.
    """
    bots = np.array(
        [player.agent.bot.index if isinstance(player.agent, ScriptedAgent) else EXTERNAL for player in players]
    )
    searching = [needs_determinizer(player.agent) for player in players]
    asked = bool((bots[seated] == EXTERNAL).any())
    batch = Batch(
        game,
        len(seated),
        controllers=bots[seated],
        autoreset="disabled",
        observe=asked,
        keep_final=False,
        events=events,
        threads=threads,
    )
    try:
        batch.reset(seed=seeds)
        actions = np.full(len(seated), NO_ACTION, np.int64)
        finished, rows = 0, np.arange(len(seated))
        while True:
            if look is not None:
                look(batch, actions)
            running = batch.seat >= 0
            over = len(seated) - int(running.sum())
            on_progress(over - finished)
            finished = over
            if finished == len(seated):
                return batch
            mover = np.where(running, seated[rows, batch.seat], -1)
            actions[:] = NO_ACTION
            for index, player in enumerate(players):
                chosen = np.flatnonzero(mover == index)
                if len(chosen):
                    actions[chosen] = player.answer(_ask(batch, chosen, searching[index]))
            batch.step(actions)
    finally:
        batch.close()


def _ask(batch: Batch, tables: np.ndarray, searching: bool) -> Questions:
    seats = batch.seat[tables].astype(np.int64)
    infos = None
    if searching:
        infos = [
            {"determinizer": Determinizer(batch.game, batch.games[table], seat)}
            for table, seat in zip(tables.tolist(), seats.tolist(), strict=True)
        ]
    return Questions(batch.observation[tables], batch.action_mask[tables], infos, tables, seats)


def check_answer(name: str, answer: Any, masks: np.ndarray, game: Game) -> np.ndarray:
    """The answer of `act_batch` as an array; AnswerError, naming the agent, unless it is a legal action for each mask."""
    try:
        actions = np.asarray(answer)
    except (TypeError, ValueError):  # lists of unequal length
        actions = np.asarray(None)
    if actions.shape != (len(masks),) or actions.dtype.kind not in "iu":
        came = (
            f"{actions.dtype} of shape {actions.shape}" if isinstance(answer, np.ndarray) else shorten(repr(answer), 60)
        )
        raise AnswerError(f"agent {name!r}: act_batch gave {came}, but integers of shape ({len(masks)},) are needed")
    wrong = np.flatnonzero(~legal(actions, masks))
    if len(wrong):
        raise AnswerError(f"agent {name!r}: {illegal(int(actions[wrong[0]]), masks[wrong[0]], game)}")
    return actions


def legal(actions: np.ndarray, masks: np.ndarray) -> np.ndarray:
    """(N,) bool: whether each of (N,) integers is a legal action."""
    known = (actions >= 0) & (actions < masks.shape[1])
    return known & (masks[np.arange(len(masks)), np.where(known, actions, 0)] != 0)


def illegal(action: int, mask: np.ndarray, game: Game) -> str:
    """What is wrong with an action, and what would be right."""
    name = game.actions[action].name if 0 <= action < len(game.actions) else f"ids go from 0 to {len(game.actions) - 1}"
    allowed = ", ".join(f"{choice} ({game.actions[choice].name})" for choice in np.flatnonzero(mask))
    return f"action {action} ({name}) is not legal; legal are {allowed}"
