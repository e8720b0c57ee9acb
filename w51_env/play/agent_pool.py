"""Processes in which agents decide, so that a slow agent or one that fails stops neither a table nor a page."""

import gc
import json
import os
import signal
import threading
from collections import OrderedDict
from collections.abc import Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, replace
from multiprocessing.connection import Connection
from typing import Any

import numpy as np

from w51_env.agents.agent import Agent, AgentError, check_actions
from w51_env.agents.agent_process import text_of
from w51_env.agents.explanation import Explanation, explain_decision
from w51_env.agents.policies.checkpoint import read_checkpoint
from w51_env.agents.policies.load import PRETRAINED, pretrained_path
from w51_env.agents.registry import make_agent, runs_third_party_code
from w51_env.arena.workers import end_with, one_thread
from w51_env.core.game import Game
from w51_env.core.registry import make_game
from w51_env.system.agent_seeds import process_secret, secret_seed
from w51_env.system.processes import spawn_context

TIME_LIMIT = 120.0  # seconds for one question
_AGENTS_KEPT = 32  # of a process, to bound memory
_BOTS = ("random", "heuristic")


@dataclass(frozen=True)
class Question:
    """N decisions of one agent.

    Attributes:
        game, options: Id and options of the game.
        agent: Name of the agent, as in evaluate.py.
        seed: Seed of the agent's draws.
        observations, action_masks: (N, size) and (N, num_actions) int8. With N = 0 the agent is only made.
        info: Of the only decision, for agents that need one, as `Table.info` returns it; else None.
        insight: Whether the answer has the insight of the only decision.
    """

    game: str
    options: Mapping[str, Any]
    agent: str
    seed: int
    observations: np.ndarray
    action_masks: np.ndarray
    info: dict[str, Any] | None = None
    insight: bool = False


@dataclass(frozen=True)
class Answer:
    """The decisions of an agent.

    Attributes:
        actions: (N,) int64, legal actions. If the agent failed they are drawn uniformly.
        insight: What the agent reports of the decision, if it was wanted and the agent did not fail.
        failure: Why the agent gave no legal actions; None if it did.
    """

    actions: np.ndarray
    insight: Explanation | None = None
    failure: str | None = None


def only_make(agent: str, game: Game) -> Question:
    """A question without decisions: the agent is made, and the answer says why if it cannot be."""
    nothing = np.zeros((0, game.layout.size), np.int8), np.zeros((0, len(game.actions)), np.int8)
    return Question(game.id, game.options, agent, 0, *nothing)


def hint_agent(game: Game) -> str:
    """Name of the agent that gives hints in this game: `pretrained` if it can play it, else the game's best bot."""
    try:
        read_checkpoint(pretrained_path(game), game)
    except AgentError:  # none, or trained with other options
        return game.bots[-1]
    return PRETRAINED


class AgentPool:
    """Answers questions in processes of its own.

    Bots have a process for themselves, and networks another one, which takes some seconds to load: neither is delayed
    by a search. A process that dies or exceeds the time limit is replaced.

    Args:
        slow: Number of processes for agents that may take long: search and classes of a user.
        time_limit: Seconds for one question.
        trust: Load pickled models, which can run any code.
    """

    def __init__(self, slow: int = 2, time_limit: float = TIME_LIMIT, *, trust: bool = False):
        self._groups = [_ProcessGroup(count, time_limit, trust) for count in (1, 1, slow)]

    def ask(self, question: Question) -> "Future[Answer]":
        """Begin to answer a question; the result of the future is an `Answer`, also if the agent fails."""
        name = question.agent
        if runs_third_party_code(name):
            question = replace(question, seed=secret_seed(process_secret(), "decision", question.seed))
        return self._groups[0 if name in _BOTS else 1 if is_quick(name) else 2].ask(question)

    def close(self) -> None:
        """End all processes; questions that are not answered yet are cancelled."""
        for group in self._groups:
            group.close()


def is_quick(name: str) -> bool:
    """Whether it is the name of a bot or a network, which decide at once and need no info."""
    return name in (*_BOTS, PRETRAINED) or (":" not in name and name.endswith(".safetensors"))


class _ProcessGroup:
    """Some processes that take the same kind of questions. Each is held by a thread that waits for its answer."""

    def __init__(self, count: int, time_limit: float, trust: bool):
        self._threads = ThreadPoolExecutor(count, "agents")
        self._local = threading.local()
        self._workers: set[_Worker] = set()
        self._time_limit = time_limit
        self._trust = trust

    def ask(self, question: Question) -> "Future[Answer]":
        return self._threads.submit(self._answer, question)

    def close(self) -> None:
        self._threads.shutdown(wait=False, cancel_futures=True)
        for worker in list(self._workers):
            worker.kill()

    def _answer(self, question: Question) -> Answer:
        worker = getattr(self._local, "worker", None)
        if worker is None:
            worker = self._local.worker = _Worker(self._trust)
            self._workers.add(worker)
        answer = worker.ask(question, self._time_limit)
        if isinstance(answer, Answer):
            return answer
        worker.kill()
        self._workers.discard(worker)
        self._local.worker = None
        return failed(question, answer)


class _Worker:
    """One process."""

    def __init__(self, trust: bool):
        context = spawn_context()
        self._connection, other = context.Pipe()
        self._process = context.Process(target=_work, args=(other, os.getpid(), trust), daemon=True)
        self._process.start()
        other.close()

    def ask(self, question: Question, seconds: float) -> Answer | str:
        """The answer, or what happened to the process instead."""
        try:
            self._connection.send(question)
            if not self._connection.poll(seconds):
                return f"took more than {seconds:g} s"
            return self._connection.recv()
        except (EOFError, OSError):
            self._process.join(1.0)
            return f"its process ended with status {self._process.exitcode}"

    def kill(self) -> None:
        self._process.kill()
        self._connection.close()


def failed(question: Question, reason: str) -> Answer:
    """The answer where an agent failed: actions drawn uniformly, and the reason."""
    legal = question.action_masks != 0
    drawn = (np.random.default_rng(question.seed).random(legal.shape) * legal).argmax(axis=1)
    return Answer(drawn, failure=reason)


# ---- in the process of an agent


def _work(connection: Connection, parent: int, trust: bool) -> None:
    """Answer questions until the parent process is gone."""
    threading.Thread(target=end_with, args=(parent,), daemon=True).start()
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is handled by the parent
    one_thread()
    agents: OrderedDict[tuple[str, str, str], tuple[Game, Agent]] = OrderedDict()
    while True:
        try:
            question = connection.recv()
        except EOFError:
            return
        try:
            answer = answer_question(question, agents, trust)
        except (Exception, SystemExit) as error:  # noqa: BLE001 - an agent's code can fail in any way
            answer = failed(question, text_of(error))
        connection.send(answer)
        if not len(question.observations):  # an agent was made: its modules are not collected again and again
            gc.freeze()


def answer_question(
    question: Question, agents: "OrderedDict[tuple[str, str, str], tuple[Game, Agent]]", trust: bool = False
) -> Answer:
    """The decisions of the agent, which is made or taken from `agents`."""
    key = (question.game, json.dumps(dict(question.options), sort_keys=True), question.agent)
    if key not in agents:
        game = make_game(question.game, **question.options)
        agents[key] = game, make_agent(question.agent, game, trust=trust)
        if len(agents) > _AGENTS_KEPT:
            agents.popitem(last=False)
    agents.move_to_end(key)
    game, agent = agents[key]
    observations, masks = question.observations, question.action_masks
    if not len(observations):
        return Answer(np.zeros(0, np.int64))
    agent.reset(question.seed)
    infos = [question.info] if question.info is not None else None
    if question.insight:
        found = explain_decision(question.agent, agent, game, observations[0], masks[0], infos[0] if infos else None)
        return Answer(np.array([found.action]), found)
    # Copies, so that an agent that writes to them cannot change the check of its actions.
    actions = check_actions(question.agent, agent.act_batch(observations.copy(), masks.copy(), infos), masks, game)
    return Answer(actions.astype(np.int64))
