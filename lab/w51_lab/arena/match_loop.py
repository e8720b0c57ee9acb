"""The loop that plays every match: many games in one batch; each agent makes all its decisions in one call."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from w51_agents.agent.bots import BotAgent
from w51_agents.agent.infos import DecisionInfos, history_rows
from w51_agents.agent.interface import Agent, Infos, check_actions, needs_view
from w51_env.engine.batch import Batch
from w51_env.engine.events import EventJournal
from w51_env.engine.game import EXTERNAL_INDEX, NO_ACTION, Game


@dataclass(frozen=True)
class DecisionBatch:
    """The n decisions that one agent has to make in the current step.

    Attributes:
        observations, masks: (n, size) int8, (n, actions) int8.
        infos: Mappings with what the agent needs (`w51_agents.agent.infos`), `view`, `earlier` and `game`; None: it
            needs nothing.
        rows: (n,) int64, row of each game in the batch.
        seats: (n,) int64, seat that decides in each game.
    """

    observations: np.ndarray
    masks: np.ndarray
    infos: Infos
    rows: np.ndarray
    seats: np.ndarray

    def __len__(self) -> int:
        return len(self.rows)

    @property
    def arguments(self) -> tuple[np.ndarray, np.ndarray, Infos]:
        """What `act_batch` is called with."""
        return self.observations, self.masks, self.infos

    def part(self, chosen: np.ndarray) -> "DecisionBatch":
        """The decisions at these indices."""
        infos = None if self.infos is None else [self.infos[index] for index in chosen]
        return DecisionBatch(
            self.observations[chosen], self.masks[chosen], infos, self.rows[chosen], self.seats[chosen]
        )


class Runner(Protocol):
    """Calls one agent, and handles actions that are not legal."""

    @property
    def agent(self) -> Agent:
        """The agent."""

    def actions(self, decisions: DecisionBatch) -> np.ndarray:
        """(n,) int64, a legal action for each decision."""


class StrictRunner:
    """A runner that ends the match with an AgentError at the first illegal action."""

    def __init__(self, name: str, agent: Agent, game: Game):
        self.name = name
        self.agent = agent
        self._game = game

    def actions(self, decisions: DecisionBatch) -> np.ndarray:
        """(n,) int64, a legal action for each decision; AgentError if the agent returned anything else."""
        actions = self.agent.act_batch(*decisions.arguments)
        return check_actions(self.name, actions, decisions.masks, self._game)


class SeatViews:
    """The infos `view` and `earlier` for agents that play by them, as language models do; the batch logs events."""

    def __init__(self, batch: Batch, rows: np.ndarray):
        self._batch = batch
        kinds, players = batch.game.event_types, batch.game.num_players
        self._journals = {int(row): EventJournal(kinds, players) for row in rows}
        for row, journal in self._journals.items():
            journal.add(batch.event_bytes(row))

    def step(self, actions: np.ndarray) -> None:
        """Step the batch with (N,) actions and take its events."""
        seats = self._batch.seat.tolist()
        self._batch.step(actions)
        for row, journal in self._journals.items():
            journal.add(self._batch.event_bytes(row), None if seats[row] < 0 else seats[row])

    def infos(self, rows: np.ndarray, seats: np.ndarray) -> list[dict[str, Any]]:  # each as in `Infos`
        """For each seat to move its view, whose news begin with its last decision, the events before them, its row."""
        infos, game = [], self._batch.game
        for row, seat in zip(rows.tolist(), seats.tolist(), strict=True):
            journal = self._journals[row]
            view = self._batch.view(row, seat, news=journal.since_decision(seat))
            earlier = game.presentation.events_data(game, journal.before_decision(seat))
            infos.append({"view": view, "earlier": earlier, "game": row})
        return infos


def play(
    game: Game,
    runners: Sequence[Runner],
    seated: np.ndarray,
    seeds: np.ndarray,
    on_step: Callable[[Batch, np.ndarray], None] | None = None,
    threads: int = 1,
    events: bool = False,
) -> Batch:
    """Play N games to their ends. Bots play inside the batch.

    Args:
        game: The game with its rules bound.
        runners: One for each agent.
        seated: (N, num_players) int64, index of the runner in each seat.
        seeds: (N,) uint64, seed of each deal.
        on_step: Called after the set-up and after each step with the batch and the (N,) int64 actions of that step.
        threads: Threads of the engine.
        events: Log events, for `on_step`.

    Returns:
        The batch, with the results of all games.
    """
    bots = np.array([_controller(runner.agent) for runner in runners])
    viewing = np.array([needs_view(runner.agent) for runner in runners])
    batch = Batch(
        game,
        len(seated),
        controllers=bots[seated],
        autoreset="disabled",
        observe=bool((bots[seated] == EXTERNAL_INDEX).any()),
        keep_final=False,
        events=events or bool(viewing.any()),
        history=max((history_rows(runner.agent) for runner in runners), default=0),
        threads=threads,
    )
    infos = DecisionInfos(batch)
    try:
        batch.reset(seed=seeds)
        views = SeatViews(batch, np.flatnonzero(viewing[seated].any(axis=1)))
        actions = np.full(len(seated), NO_ACTION, np.int64)
        rows = np.arange(len(seated))
        while True:
            if on_step is not None:
                on_step(batch, actions)
            running = batch.seat >= 0
            if not running.any():
                return batch
            mover = np.where(running, seated[rows, batch.seat], -1)
            actions[:] = NO_ACTION
            for index, runner in enumerate(runners):
                chosen = np.flatnonzero(mover == index)
                if len(chosen):
                    actions[chosen] = runner.actions(_decisions(infos, chosen, runner.agent, views))
            views.step(actions)
    finally:
        batch.close()


def _controller(agent: Agent) -> int:
    """Index of the bot that plays for the agent inside the batch; EXTERNAL_INDEX if the agent is no bot."""
    return agent.bot.index if isinstance(agent, BotAgent) else EXTERNAL_INDEX


def _decisions(infos: DecisionInfos, rows: np.ndarray, agent: Agent, views: SeatViews) -> DecisionBatch:
    batch = infos.batch
    seats = batch.seat[rows].astype(np.int64)
    given = infos.of(agent, rows, views.infos(rows, seats) if needs_view(agent) else None)
    return DecisionBatch(batch.observation[rows], batch.action_mask[rows], given, rows, seats)


def decisions_so_far(game: Game, seed: int, actions: Sequence[int], seat: int, agent: Agent) -> list[DecisionBatch]:
    """What an agent is asked in a seat of a game in which these actions are played, also after the last one."""
    viewing, rows = needs_view(agent), np.zeros(1, np.int64)
    batch = Batch(game, 1, autoreset="disabled", keep_final=False, events=viewing, history=history_rows(agent))
    infos, decisions = DecisionInfos(batch), []
    batch.reset(seed=np.array([seed], np.uint64))
    views = SeatViews(batch, rows[: int(viewing)])
    for action in (*actions, None):
        if batch.seat[0] == seat:
            decisions.append(_decisions(infos, rows, agent, views))
        if action is not None:
            views.step(np.array([action]))
    return decisions
