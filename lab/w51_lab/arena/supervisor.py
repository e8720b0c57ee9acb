"""The supervisor between a tournament and an agent: an agent that fails forfeits the decision, and the match goes on.

An agent fails if it raises an exception, returns anything but a legal action, or exceeds its time limit. It forfeits
that decision: a legal action is drawn for it, uniformly. After FAILURES_PER_GAME failures in a game it forfeits the
rest of that game: its decisions there are skipped, that is, drawn without a call.

A call with n decisions has n times the time limit of one. If it exceeds that, all n are forfeited. If it fails in
another way, each decision is repeated in a call of its own, so that one bad position costs no other. If the process of
an isolated agent ends, the agent has lost its memory: it forfeits all other decisions of its games.

A language model whose server or program cannot be reached ends the tournament: it would forfeit every decision.
"""

import threading
import time
from contextlib import AbstractContextManager, nullcontext
from typing import Any

import numpy as np

from w51_agents.agent.interface import Agent, InvalidActionError, UnreachableError, check_actions
from w51_agents.agent.memory import per_game
from w51_agents.isolation.isolated import IsolatedAgent
from w51_agents.isolation.link import AgentFailure
from w51_agents.isolation.process import TimeLimitError, limited, storable, text_of, traceback_of
from w51_agents.language.llm.llm_agent import LLMAgent
from w51_agents.language.llm.models import Usage
from w51_env.engine.game import Game
from w51_lab.arena.agent_statistics import ERROR, ILLEGAL, LATE, AgentStatistics, Failure
from w51_lab.arena.match_loop import DecisionBatch

FAILURES_PER_GAME = 3
_FORFEITED = -1  #  in place of an action
_MESSAGE_LENGTH = 500  #  characters of a message that are kept


class AgentSupervisor:
    """A runner that replaces failed decisions by random legal actions and counts them.

    Args:
        name: Name of the agent.
        agent: The agent. Its decisions are all skipped if `reset` raises.
        game: The game it plays.
        num_games: Number of games in the batch.
        time_limit: Seconds for one decision; None for no limit.
        seed: Seed for `agent.reset`, and for the actions drawn in its place.
    """

    def __init__(self, name: str, agent: Agent, game: Game, num_games: int, time_limit: float | None, seed: int):
        self.name = name
        self.agent = agent = per_game(agent)
        self.statistics = AgentStatistics()
        self._game = game
        self._time_limit = time_limit
        self._failures = np.zeros(num_games, np.int64)
        self._used_before = _usage_of(agent)
        self._generator = np.random.default_rng(seed)
        if isinstance(agent, LLMAgent):
            agent.on_record = self.statistics.transcript.append
        try:
            if isinstance(agent, IsolatedAgent):
                agent.begin()
            agent.reset(seed)
        except KeyboardInterrupt:  # Ctrl-C; that of an isolated agent is an AgentFailure
            raise
        except BaseException as error:  # noqa: BLE001 - an agent's code can fail in any way
            nothing = np.zeros(0, np.int8)
            _, message, trace = _explained(error)
            self.statistics.failures[ERROR] += 1
            message = f"reset: {message}"[:_MESSAGE_LENGTH]
            self.statistics.first = Failure(ERROR, message, -1, -1, nothing, nothing, trace)
            self._failures[:] = FAILURES_PER_GAME

    def actions(self, decisions: DecisionBatch) -> np.ndarray:
        """(n,) int64, a legal action for each decision; drawn where the agent failed or is skipped."""
        actions = np.full(len(decisions), _FORFEITED)
        called = np.flatnonzero(self._failures[decisions.rows] < FAILURES_PER_GAME)
        self.statistics.skipped += len(decisions) - len(called)
        if len(called):
            actions[called] = self._call(decisions.part(called))
        forfeited = np.flatnonzero(actions == _FORFEITED)
        if len(forfeited):
            legal = decisions.masks[forfeited] != 0
            actions[forfeited] = (self._generator.random(legal.shape) * legal).argmax(axis=1)
        return actions

    def _call(self, decisions: DecisionBatch) -> np.ndarray:
        """(n,) int64, the agent's actions; _FORFEITED where it failed."""
        begun = time.perf_counter(), self._processor_seconds()
        limit = None if self._time_limit is None else self._time_limit * len(decisions)
        try:
            actions = self._asked(decisions, limit)
            checked = check_actions(self.name, actions, decisions.masks, self._game).astype(np.int64)
            self._count(len(decisions), begun)
            return checked
        except (KeyboardInterrupt, UnreachableError):
            raise
        except BaseException as error:  # noqa: BLE001 - an agent's code can fail in any way
            kind, message, trace = _explained(error)
            is_over = isinstance(error, AgentFailure) and error.is_over
            if len(decisions) > 1 and kind != LATE and not is_over:
                parts = (decisions.part(np.array([index])) for index in range(len(decisions)))
                return np.concatenate([self._call(part) for part in parts])
            self._count(len(decisions), begun)
            if kind == LATE:
                limit_text = f"over the time limit of {self._time_limit:g} s for a decision"
                message = f"{limit_text}, in a call with {len(decisions)}"
            for index in range(len(decisions)):
                self._record_failure(kind, message, trace, decisions, index)
            if is_over:
                self._failures[:] = FAILURES_PER_GAME
            return np.full(len(decisions), _FORFEITED)

    def _asked(self, decisions: DecisionBatch, limit: float | None) -> Any:
        """What the agent returned; TimeLimitError or AgentFailure if it took too long."""
        if isinstance(self.agent, IsolatedAgent):
            return self.agent.act_within(limit, decisions.observations, decisions.masks, decisions.infos)
        begun = time.perf_counter()
        can_interrupt = threading.current_thread() is threading.main_thread()
        context: AbstractContextManager[None] = limited(limit) if can_interrupt else nullcontext()
        with context:
            # Copies, so that an agent that writes to them cannot change the check of its actions.
            observations, masks = decisions.observations.copy(), decisions.masks.copy()
            actions = self.agent.act_batch(observations, masks, decisions.infos)
        if limit is not None and time.perf_counter() - begun > limit:
            raise TimeLimitError
        return actions

    def _processor_seconds(self) -> float:
        return self.agent.processor_seconds if isinstance(self.agent, IsolatedAgent) else time.process_time()

    def _count(self, decisions: int, begun: tuple[float, float]) -> None:
        wall, processor = begun
        self.statistics.decisions += decisions
        self.statistics.seconds += time.perf_counter() - wall
        self.statistics.processor_seconds += max(0.0, self._processor_seconds() - processor)  # an ended process has 0
        used = _usage_of(self.agent)
        self.statistics.usage = {key: value - self._used_before[key] for key, value in used.items()}

    def _record_failure(self, kind: str, message: str, trace: str, decisions: DecisionBatch, index: int) -> None:
        row = int(decisions.rows[index])
        self.statistics.failures[kind] += 1
        self._failures[row] += 1
        if self.statistics.first is None:
            arguments = decisions.observations[index].copy(), decisions.masks[index].copy()
            seat = int(decisions.seats[index])
            self.statistics.first = Failure(kind, message[:_MESSAGE_LENGTH], row, seat, *arguments, trace)


def _usage_of(agent: Agent) -> dict[str, float]:
    """What a language model has used so far; empty for other agents."""
    usage = getattr(agent, "usage", None)
    return usage.as_data() if isinstance(usage, Usage) else {}


def _explained(error: BaseException) -> tuple[str, str, str]:
    """Kind, message and traceback of a failure."""
    if isinstance(error, AgentFailure):
        return error.kind, error.message, error.traceback
    if isinstance(error, TimeLimitError):
        return LATE, "over the time limit", ""
    if isinstance(error, InvalidActionError):
        return ILLEGAL, storable(str(error)), ""
    return ERROR, text_of(error), traceback_of(error)
