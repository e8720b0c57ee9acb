"""Isolated agents: third-party code in processes of its own, which get observations and masks, and nothing else.

A first process makes the agent and never plays. A fork of it plays, and `begin` makes a new fork, so that an agent
remembers nothing of earlier games. Its code cannot end, stop or change a match, or read the true state of a game.
`arena.supervisor` makes a forfeit of each failure. The code in the process is `agent_process`.
"""

from collections.abc import Mapping
from copy import copy
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from pydantic import TypeAdapter, ValidationError

from w51_agents.agent.imports import is_allowed
from w51_agents.agent.interface import Agent, AgentError, BatchAgent, Infos, check_actions
from w51_agents.isolation.link import AgentFailure, AgentProcess
from w51_agents.named.explanation import Explanation
from w51_agents.named.registry import make_agent, runs_third_party_code, third_party_network
from w51_env.engine.game import Game

MEMORY_LIMIT = 8.0  #  GiB for the data of an agent's process
RESET_SECONDS = 60.0
_EXPLANATION = TypeAdapter(Explanation)


@dataclass(frozen=True)
class AgentSource:
    """How an agent's process makes the agent.

    Attributes:
        agent: Its name, as for `make_agent`.
        game, options: Id and options of the game, as for `make_game`.
        trust: Load pickled models.
        memory_limit: GiB for the data of the process.
    """

    agent: str
    game: str
    options: Mapping[str, Any]
    trust: bool = False
    memory_limit: float = MEMORY_LIMIT


class IsolatedAgent(BatchAgent):
    """An isolated agent, in a process of its own, which starts when it is needed.

    Attributes:
        needs_determinizer, needs_view, needs_memory: Whether it needs `info["determinizer"]`, `info["view"]`,
            `info["memory"]`.
        needs_history: The most rows of `info["history"]` that it needs.
        is_slow: Whether its class says that it decides slowly; None: it says nothing.
        files: Paths of the files that it declares.

    Raises:
        AgentError: The agent cannot be made.
    """

    def __init__(self, source: AgentSource, game: Game):
        self._source = source
        self._game = game
        self._maker: list[AgentProcess] = []  # at most one, which copies of this agent share
        self._process: AgentProcess | None = None
        try:
            facts = self._made().call({"do": "facts"}, RESET_SECONDS)
        except AgentFailure as failure:
            text = failure.message
            raise AgentError(text if text.startswith("agent ") else f"agent {source.agent!r}: {text}") from None
        self.needs_determinizer = facts.get("needs_determinizer") is True
        self.needs_view = facts.get("needs_view") is True
        self.needs_memory = facts.get("needs_memory") is True
        history = facts.get("needs_history")
        self.needs_history = history if type(history) is int else 0
        is_slow = facts.get("is_slow")
        self.is_slow = is_slow if isinstance(is_slow, bool) else None
        files = facts.get("files")
        self.files = [str(path) for path in files] if isinstance(files, list) else []

    def copy(self) -> "IsolatedAgent":
        """The same agent once more, which plays in another process."""
        other = copy(self)
        other._process = None
        return other

    def begin(self) -> None:
        """Forget everything: the next decisions are made in a new process, by the agent as it was made.

        Raises:
            AgentFailure: It cannot be made.
        """
        self.end()
        self._process = self._made().fork() or self._start()

    def reset(self, seed: int) -> None:
        """`reset` of the agent; AgentFailure if that fails or takes more than RESET_SECONDS."""
        self._running().reset(seed, RESET_SECONDS)

    def act_batch(self, observations: np.ndarray, action_masks: np.ndarray, infos: Infos = None) -> np.ndarray:
        """(N,) int64, action ids that may be illegal; AgentFailure if the agent fails."""
        return self.act_within(None, observations, action_masks, infos)

    def act_within(
        self, seconds: float | None, observations: np.ndarray, action_masks: np.ndarray, infos: Infos = None
    ) -> np.ndarray:
        """`act_batch`, which may take so many seconds; None for no limit."""
        return self._running().decide(observations, action_masks, infos, seconds)

    def explain_within(
        self, seconds: float | None, observation: np.ndarray, action_mask: np.ndarray, info: dict[str, Any] | None
    ) -> Explanation:
        """Its decision, explained as by `explain_decision`; also AgentFailure if what it reports is no explanation."""
        explained = self._running().explain(observation, action_mask, info, seconds)
        return checked_explanation(explained, self._source.agent, action_mask[None], self._game)

    @property
    def pid(self) -> int:
        """The id of the process that makes it, whose children play."""
        return self._made().pid

    @property
    def processor_seconds(self) -> float:
        """Processor time so far of the process in which it plays, as the kernel counts it; 0 if that has ended."""
        return 0.0 if self._process is None else self._process.processor_seconds

    def end(self) -> None:
        """End the process in which it plays."""
        if self._process is not None:
            self._process.end()
            self._process = None

    def kill(self) -> None:
        """Kill its processes while another thread may wait for an answer; that thread then gets an AgentFailure."""
        for process in (self._process, *self._maker):
            if process is not None:
                process.kill()

    def close(self) -> None:
        """End its processes, also those of its copies; they start again if they are needed."""
        self.end()
        for maker in self._maker:
            maker.end()
        self._maker.clear()

    def _running(self) -> AgentProcess:
        """The process; AgentFailure if it has ended, since only `begin` starts another one."""
        if self._process is None or self._process.has_ended:
            raise AgentFailure("errors", "its process has ended", is_over=True)
        return self._process

    def _made(self) -> AgentProcess:
        """The process that made the agent."""
        if not self._maker or self._maker[0].has_ended:
            self._maker[:] = [self._start()]
        return self._maker[0]

    def _start(self) -> AgentProcess:
        process = AgentProcess.start()
        process.make({**vars(self._source), "options": dict(self._source.options)})
        return process


def agent_of(source: AgentSource, game: Game) -> Agent:
    """The agent of a source: one that runs third-party code as an isolated agent; AgentError if it cannot be made."""
    isolated = isolated_source(source, game)
    return make_agent(source.agent, game, trust=source.trust) if isolated is None else IsolatedAgent(isolated, game)


def isolated_source(source: AgentSource, game: Game) -> AgentSource | None:
    """How an agent is made that runs third-party code, also that of a network which is allowed; None for any other."""
    network = third_party_network(source.agent, game)
    trust = source.trust or (network is not None and is_allowed(network))
    if not runs_third_party_code(source.agent) and (network is None or not trust):  # which then is refused
        return None
    return replace(source, trust=trust)


def checked_explanation(data: Any, agent: str, masks: np.ndarray, game: Game) -> Explanation:
    """The explanation that a process has sent; AgentFailure or InvalidActionError if it is none of the decision."""
    try:
        explanation = replace(_EXPLANATION.validate_python(data), agent=agent)
    except ValidationError as error:
        raise AgentFailure("errors", f"explain: {error.errors()[0]['msg']}") from None
    actions = np.array([explanation.action, *(choice.action for choice in explanation.choices)])
    check_actions(agent, actions, np.repeat(masks, len(actions), axis=0), game)
    return explanation
