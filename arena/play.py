"""The loop that every match is played by: many tables at once, each agent asked about all of its decisions together."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from agents.agent import Agent, check_actions, needs_determinizer
from agents.bots import BotAgent
from w51_env.core.batch import Batch
from w51_env.core.game import EXTERNAL_INDEX, NO_ACTION, Game


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
        actions = self.agent.act_batch(questions.observations, questions.masks, questions.infos)
        return check_actions(self.name, actions, questions.masks, self._game)


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
        [player.agent.bot.index if isinstance(player.agent, BotAgent) else EXTERNAL_INDEX for player in players]
    )
    searching = [needs_determinizer(player.agent) for player in players]
    asked = bool((bots[seated] == EXTERNAL_INDEX).any())
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
        infos = [{"determinizer": batch.determinizer(table)} for table in tables.tolist()]
    return Questions(batch.observation[tables], batch.action_mask[tables], infos, tables, seats)
