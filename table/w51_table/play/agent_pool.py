"""Processes in which agents decide, so that a slow agent or one that fails stops neither a table nor a page.

They are those of isolated agents: they have neither the arguments nor the secret of this process. Third-party code
answers each question in a new process, which has not met another seat; an agent that remembers first makes the earlier
decisions of its seat once more.
"""

import re
import threading
from collections import OrderedDict
from collections.abc import Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from functools import lru_cache, partial
from types import SimpleNamespace

import numpy as np

from w51_agents.agent.interface import AgentError, check_actions
from w51_agents.agent.seeds import decision_seed, process_secret, secret_seed
from w51_agents.isolation.isolated import MEMORY_LIMIT, AgentSource, IsolatedAgent, checked_explanation, isolated_source
from w51_agents.isolation.link import AgentFailure, AgentProcess
from w51_agents.named.explanation import Explanation
from w51_agents.named.registry import BOTS, split_form
from w51_agents.networks.checkpoint import read_checkpoint
from w51_agents.networks.load import PRETRAINED, SHIPPED, shipped_path
from w51_env.engine.game import Game
from w51_env.views.language import Words
from w51_lab.replay_viewer.frames import Frame
from w51_table.play.past import Past, remember
from w51_table.play.table import Info, Table

TIME_LIMIT = 120.0  # seconds to make an agent, to reset it, and to decide, each
_MAX_ISOLATED = 8  # third-party agents that a thread keeps, each in a process that makes it


@dataclass(frozen=True)
class Question:
    """One decision of an agent.

    Attributes:
        game_id: Id of the game, for `make_game`.
        game: The game with its rules bound.
        agent: Name of the agent, as in evaluate.py.
        seed: Seed of the agent's draws.
        decision: (size,) and (num_actions,) int8, what the seat observes and its mask; None: the agent is only made.
        info: For agents that need one, as `Table.info` returns it; else None.
        explain: Whether the answer explains the decision.
        past: How the game came to the decision, for agents that remember; None: not known.
        isolated: How a third-party agent is made; None for an agent of this package. Set by `AgentPool.ask`.
    """

    game_id: str
    game: Game
    agent: str
    seed: int
    decision: tuple[np.ndarray, np.ndarray] | None = None
    info: Info | None = None
    explain: bool = False
    past: Past | None = None
    isolated: AgentSource | None = None

    @property
    def known(self) -> tuple[Past | None, Info | None, int]:
        """What `remember` is told of it."""
        return self.past, self.info, self.seed


@dataclass(frozen=True)
class Answer:
    """The decision of an agent.

    Attributes:
        action: A legal action. If the agent failed it is drawn uniformly; -1 if there was nothing to decide.
        explanation: What the agent reports of the decision, if that was asked and the agent did not fail.
        failure: Why the agent gave no legal action; None if it did.
    """

    action: int = -1
    explanation: Explanation | None = None
    failure: str | None = None


def only_make(agent: str, game: Game, game_id: str | None = None) -> Question:
    """A question without decisions: the agent is made, and the answer says why if it cannot be."""
    return Question(game_id or game.id, game, agent, 0)


def next_question(table: Table, agent: str, *, explain: bool = False) -> Question:
    """The next decision at a table, for an agent; with `explain` its answer says more than the action."""
    decision, info = (table.observation, table.action_mask), None if is_quick(agent) else table.info()
    past = None if table.seat is None else Past(table.game, table.setup.seed, tuple(table.actions), table.seat)
    return Question(table.setup.game, table.game, agent, table.agent_seed(), decision, info, explain, past)


def frame_question(frame: Frame, agent: str, game_id: str, seed: int, actions: Sequence[int] | None = None) -> Question:
    """The decision of a frame, for an agent that explains it; `seed` and the `actions` before are the game's."""
    info = None
    if not is_quick(agent):
        info = {"determinizer": frame.determinizer(), "view": frame.view(frame.seat), "earlier": ()}
    decision, number = (frame.observation, frame.mask), decision_seed(seed, frame.number)
    past = None if actions is None else Past(frame.game, seed, actions, frame.seat)
    return Question(game_id, frame.game, agent, number, decision, info, explain=True, past=past)


def agent_name(agent: str, words: Words) -> str:
    """The agent as the page calls it: in words where the language files have some, else by its name."""
    key = "page.agent_" + re.sub(r"\W", "_", agent)
    return words(key) if key in words else agent


def hint_agent(game: Game) -> str:
    """Name of the agent that gives hints in this game: `pretrained` if it can play it, else the game's best bot."""
    return PRETRAINED if plays_here(PRETRAINED, game) else game.bots[-1]


def plays_here(name: str, game: Game) -> bool:
    """Whether an agent that comes with the repository, or a registered one, plays this game with its options."""
    return name not in SHIPPED or _is_for(name, rules_of(game))


@dataclass(frozen=True)
class Rules:
    """A game, equal to each other one with the same options, so that one is kept for all tables."""

    game_id: str
    options: str
    game: Game = field(compare=False)


def rules_of(game: Game) -> Rules:
    """The rules of a game."""
    return Rules(game.id, repr(sorted(game.options.items())), game)


@lru_cache(maxsize=256)
def _is_for(name: str, rules: Rules) -> bool:
    try:
        read_checkpoint(shipped_path(rules.game, name), rules.game)
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
        self._trust = trust
        self._bots, self._networks, self._slow = (_Processes(count, time_limit, trust) for count in (1, 1, slow))

    def ask(self, question: Question) -> "Future[Answer]":
        """Begin to answer a question; the result of the future is an `Answer`, also if the agent fails."""
        name, game = question.agent, question.game
        isolated = isolated_source(AgentSource(name, question.game_id, game.options, self._trust), game)
        if isolated is not None:
            seed = secret_seed(process_secret(), "decision", question.seed)
            return self._slow.ask(replace(question, seed=seed, isolated=isolated))
        group = self._bots if name in BOTS else self._networks if is_quick(name) else self._slow
        return group.ask(question)

    def explain(
        self, frame: Frame, agent: str, game_id: str, seed: int, actions: Sequence[int] | None = None
    ) -> Explanation:
        """The decision of an agent in a frame, as of `frame_question`; AgentError if the agent fails."""
        answer = self.ask(frame_question(frame, agent, game_id, seed, actions)).result()
        if answer.explanation is None:
            raise AgentError(answer.failure or f"agent {agent!r}: explains nothing")
        return answer.explanation

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
        self._started: set[AgentProcess] = set()
        self._isolated: set[IsolatedAgent] = set()
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
        for agent in list(self._isolated):
            agent.kill()
        self._threads.shutdown()
        for process in self._started:
            process.end()
        for agent in self._isolated:
            agent.close()

    def _answer(self, question: Question) -> Answer:
        try:
            if question.isolated is not None:
                return self._ask_isolated(question, question.isolated)
            process = self._process()
            try:
                return self._ask(process, question)
            except AgentFailure as failure:
                if failure.is_over or failure.kind == "late":
                    process.end()
                    self._started.discard(process)
                raise
        except AgentFailure as failure:
            return failed(question, failure.message)
        except AgentError as error:
            return failed(question, str(error))

    def _ask_isolated(self, question: Question, source: AgentSource) -> Answer:
        """The answer of a third-party agent in a new process; AgentFailure or AgentError if there is none."""
        agent, limit = self._isolated_agent(question, source), self._time_limit
        if question.decision is None:
            return Answer()
        try:
            agent.begin()
            if self._is_closed:
                agent.kill()
            info = remember(*question.known, agent, agent.reset, partial(agent.act_within, limit))
            if question.explain:
                explanation = agent.explain_within(limit, *question.decision, info)
                return Answer(explanation.action, explanation)
            observations, masks = (array[None] for array in question.decision)
            return _checked(question, agent.act_within(limit, observations, masks, None if info is None else [info]))
        finally:
            agent.end()

    def _isolated_agent(self, question: Question, source: AgentSource) -> IsolatedAgent:
        """The agent of this thread for a source, which is made at the first question."""
        agents: OrderedDict[str, IsolatedAgent] = vars(self._local).setdefault("isolated", OrderedDict())
        key = repr(source)
        if key not in agents:
            agents[key] = IsolatedAgent(source, question.game)
            self._isolated.add(agents[key])
            if len(agents) > _MAX_ISOLATED:
                _, oldest = agents.popitem(last=False)
                self._isolated.discard(oldest)
                oldest.close()
        agents.move_to_end(key)
        return agents[key]

    def _process(self) -> AgentProcess:
        """The process of this thread."""
        process: AgentProcess | None = getattr(self._local, "process", None)
        if process is None or process.has_ended:
            process = self._local.process = AgentProcess.start()
            self._started.add(process)
            if self._is_closed:
                process.kill()
        return process

    def _ask(self, process: AgentProcess, question: Question) -> Answer:
        """The answer of a process; AgentFailure or InvalidActionError if there is none."""
        game, limit = question.game, self._time_limit
        agent = {"agent": question.agent, "game": question.game_id, "options": dict(game.options)}
        process.make({**agent, "trust": self._trust, "memory_limit": MEMORY_LIMIT}, limit)
        if question.decision is None:
            return Answer()
        observation, mask = question.decision
        facts, reset = process.call({"do": "facts"}, limit), partial(process.reset, seconds=limit)
        info = remember(*question.known, SimpleNamespace(**facts), reset, partial(process.decide, seconds=limit))
        if not question.explain:
            infos = None if info is None else [info]
            return _checked(question, process.decide(observation[None], mask[None], infos, limit))
        explained = process.explain(observation, mask, info, limit)
        explanation = checked_explanation(explained, question.agent, mask[None], game)
        return Answer(explanation.action, explanation)


def _checked(question: Question, actions: np.ndarray) -> Answer:
    """The answer with the only one of these actions; InvalidActionError if it is not legal."""
    assert question.decision is not None
    [action] = check_actions(question.agent, actions, question.decision[1][None], question.game)
    return Answer(int(action))


def failed(question: Question, reason: str) -> Answer:
    """The answer where an agent failed: an action drawn uniformly, and the reason."""
    if question.decision is None:
        return Answer(failure=reason)
    legal = question.decision[1] != 0
    return Answer(int((np.random.default_rng(question.seed).random(legal.shape) * legal).argmax()), failure=reason)
