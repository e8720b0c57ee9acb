"""Processes in which agents decide, so that a slow agent or one that fails stops neither a table nor a page.

They are those of isolated agents: they have neither the arguments nor the secret of this process, and what they print
is limited.
"""

import threading
from collections.abc import Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from pydantic import TypeAdapter, ValidationError

from w51_env.agents.agent import AgentError, InvalidActionError, check_actions
from w51_env.agents.agent_link import AgentFailure, AgentProcess
from w51_env.agents.agent_messages import AgentOutput
from w51_env.agents.agent_process import info_data
from w51_env.agents.explanation import Explanation
from w51_env.agents.isolated import MEMORY_LIMIT
from w51_env.agents.policies.checkpoint import read_checkpoint
from w51_env.agents.policies.load import PRETRAINED, SHIPPED, shipped_path
from w51_env.agents.registry import BOTS, runs_third_party_code, split_form
from w51_env.core.game import Game
from w51_env.play.table import Table
from w51_env.system.agent_seeds import process_secret, secret_seed

TIME_LIMIT = 120.0  # seconds to make an agent, to reset it, and to decide, each
_EXPLANATION = TypeAdapter(Explanation)


@dataclass(frozen=True)
class Question:
    """N decisions of one agent.

    Attributes:
        game_id: Id of the game, for `make_game`.
        game: The game with its rules bound.
        agent: Name of the agent, as in evaluate.py.
        seed: Seed of the agent's draws.
        observations, action_masks: (N, size) and (N, num_actions) int8. With N = 0 the agent is only made.
        info: Of the only decision, for agents that need one, as `Table.info` returns it; else None.
        explain: Whether the answer explains the only decision.
    """

    game_id: str
    game: Game
    agent: str
    seed: int
    observations: np.ndarray
    action_masks: np.ndarray
    info: Mapping[str, Any] | None = None
    explain: bool = False


@dataclass(frozen=True)
class Answer:
    """The decisions of an agent.

    Attributes:
        actions: (N,) int64, legal actions. If the agent failed they are drawn uniformly.
        explanation: What the agent reports of the decision, if that was asked and the agent did not fail.
        failure: Why the agent gave no legal actions; None if it did.
    """

    actions: np.ndarray
    explanation: Explanation | None = None
    failure: str | None = None


def only_make(agent: str, game: Game, game_id: str | None = None) -> Question:
    """A question without decisions: the agent is made, and the answer says why if it cannot be."""
    nothing = np.zeros((0, game.layout.size), np.int8), np.zeros((0, len(game.actions)), np.int8)
    return Question(game_id or game.id, game, agent, 0, *nothing)


def next_question(table: Table, agent: str, *, explain: bool = False) -> Question:
    """The next decision at a table, for an agent; with `explain` its answer says more than the action."""
    decision = table.observation[None], table.action_mask[None], None if is_quick(agent) else table.info()
    return Question(table.setup.game, table.game, agent, table.agent_seed(), *decision, explain)


def hint_agent(game: Game) -> str:
    """Name of the agent that gives hints in this game: `pretrained` if it can play it, else the game's best bot."""
    return PRETRAINED if plays_here(PRETRAINED, game) else game.bots[-1]


def plays_here(name: str, game: Game) -> bool:
    """Whether an agent that comes with the repository, or a registered one, plays this game with its options."""
    if name not in SHIPPED:
        return True
    try:
        read_checkpoint(shipped_path(game, name), game)
    except AgentError:  # none, or trained with other options
        return False
    return True


class AgentPool:
    """Answers questions in processes of its own.

    Bots have a process for themselves, and networks another one, which takes some seconds to load: neither is delayed
    by a search. A process that dies or exceeds the time limit is replaced.

    Args:
        slow: Number of processes for agents that may take long: search and classes of a user.
        time_limit: Seconds to make an agent, to reset it, and to decide, each.
        trust: Load pickled models, which can run any code.
    """

    def __init__(self, slow: int = 2, time_limit: float = TIME_LIMIT, *, trust: bool = False):
        self._bots, self._networks, self._slow = (_Processes(count, time_limit, trust) for count in (1, 1, slow))

    def ask(self, question: Question) -> "Future[Answer]":
        """Begin to answer a question; the result of the future is an `Answer`, also if the agent fails."""
        name = question.agent
        if runs_third_party_code(name):
            question = replace(question, seed=secret_seed(process_secret(), "decision", question.seed))
        group = self._bots if name in BOTS else self._networks if is_quick(name) else self._slow
        return group.ask(question)

    def close(self) -> None:
        """End all processes; questions that are not answered yet are cancelled."""
        for group in (self._bots, self._networks, self._slow):
            group.close()


def is_quick(name: str) -> bool:
    """Whether it is the name of a bot or a network, which decide at once and need no info."""
    name, _ = split_form(name)
    return name in (*BOTS, *SHIPPED) or (":" not in name and name.endswith(".safetensors"))


class _Processes:
    """Some processes that take the same kind of questions. Each is held by a thread that waits for its answer."""

    def __init__(self, count: int, time_limit: float, trust: bool):
        self._threads = ThreadPoolExecutor(count, "agents")
        self._local = threading.local()
        self._output = AgentOutput("at the tables")
        self._started: set[AgentProcess] = set()
        self._is_closed = False
        self._time_limit = time_limit
        self._trust = trust

    def ask(self, question: Question) -> "Future[Answer]":
        return self._threads.submit(self._answer, question)

    def close(self) -> None:
        self._is_closed = True
        self._threads.shutdown(wait=False, cancel_futures=True)
        for process in list(self._started):
            process.kill()
        self._threads.shutdown()
        for process in self._started:
            process.end()

    def _answer(self, question: Question) -> Answer:
        process = self._process()
        try:
            return self._ask(process, question)
        except AgentFailure as failure:
            if failure.is_over or failure.kind == "late":
                process.end()
                self._started.discard(process)
            return failed(question, failure.message)
        except InvalidActionError as error:
            return failed(question, str(error))

    def _process(self) -> AgentProcess:
        """The process of this thread."""
        process: AgentProcess | None = getattr(self._local, "process", None)
        if process is None or process.has_ended:
            process = self._local.process = AgentProcess.start(self._output.copy())
            self._started.add(process)
            if self._is_closed:
                process.kill()
        return process

    def _ask(self, process: AgentProcess, question: Question) -> Answer:
        """The answer of a process; AgentFailure or InvalidActionError if there is none."""
        game, limit = question.game, self._time_limit
        agent = {"agent": question.agent, "game": question.game_id, "options": dict(game.options)}
        process.make({**agent, "trust": self._trust, "memory_limit": MEMORY_LIMIT}, limit)
        count = len(question.observations)
        if not count:
            return Answer(np.zeros(0, np.int64))
        process.call({"do": "reset", "seed": question.seed, "seconds": limit}, limit)
        infos = None if question.info is None else [info_data(question.info)]
        message = {"count": count, "seconds": limit, "infos": infos}
        arrays = [np.ascontiguousarray(array, np.int8) for array in (question.observations, question.action_masks)]
        if not question.explain:
            actions = process.decide(message, limit, arrays)
            return Answer(check_actions(question.agent, actions, question.action_masks, game).astype(np.int64))
        explanation = _checked(process.explain(message, limit, arrays), question)
        return Answer(np.array([explanation.action]), explanation)


def _checked(data: Any, question: Question) -> Explanation:
    """The explanation that a process has sent; AgentFailure or InvalidActionError if it is none of the decision."""
    try:
        explanation = replace(_EXPLANATION.validate_python(data), agent=question.agent)
    except ValidationError as error:
        raise AgentFailure("errors", f"explain: {error.errors()[0]['msg']}") from None
    actions = np.array([explanation.action, *(choice.action for choice in explanation.choices)])
    check_actions(question.agent, actions, np.repeat(question.action_masks, len(actions), axis=0), question.game)
    return explanation


def failed(question: Question, reason: str) -> Answer:
    """The answer where an agent failed: actions drawn uniformly, and the reason."""
    legal = question.action_masks != 0
    drawn = (np.random.default_rng(question.seed).random(legal.shape) * legal).argmax(axis=1)
    return Answer(drawn, failure=reason)
