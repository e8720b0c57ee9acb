"""A playback: a game to step through, forward and back, with what agents of this process report of its decisions."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from w51_agents.agent.interface import AgentError, needs_determinizer, needs_view
from w51_agents.agent.seeds import agent_seed, decision_seed
from w51_agents.isolation.isolated import AgentSource, IsolatedAgent, agent_of
from w51_agents.isolation.link import AgentFailure
from w51_agents.named.explanation import Explanation, explain_decision
from w51_env.engine.events import Event
from w51_env.engine.game import Game, check_viewer
from w51_env.engine.registry import current_id
from w51_env.views.language import Words
from w51_lab.replays.replay import Replay
from w51_table.play.agent_pool import TIME_LIMIT
from w51_table.play.past import Past, remember
from w51_table.play.table import PERSON, Table, printable
from w51_table.replay_viewer.frames import Frame, frames_of


class HintAgent:
    """An agent that decides single frames; the same frame and seed give the same decision.

    Third-party code decides each frame in a new process, which knows of no other seat.

    Raises:
        AgentError: The agent is unknown, or cannot play this game.
    """

    def __init__(self, name: str, game_id: str, game: Game, seed: int, *, trust: bool = False):
        self.name = name
        self.agent = agent_of(AgentSource(name, game_id, game.options, trust), game)
        self._seed = seed

    def decide(self, frame: Frame, actions: Sequence[int] | None = None) -> Explanation:
        """The decision of the agent in a frame, after these `actions`, explained; AgentError if it fails."""
        past = None if actions is None else Past(frame.game, self._seed, actions, frame.seat)
        agent, seed = self.agent, decision_seed(self._seed, frame.number)
        seed = agent_seed(agent, seed, "decision", self._seed, frame.number)
        info: dict[str, Any] = {"determinizer": frame.determinizer()} if needs_determinizer(agent) else {}
        if needs_view(agent):
            info["view"] = frame.view(frame.seat)
        decision = frame.observation.copy(), frame.mask.copy()

        ready = partial(remember, past, info or None, seed, agent, agent.reset, agent.act_batch)
        if not isinstance(agent, IsolatedAgent):
            return explain_decision(self.name, agent, frame.game, *decision, ready())
        try:
            agent.begin()
            return agent.explain_within(TIME_LIMIT, *decision, ready())
        except AgentFailure as failure:
            raise AgentError(f"agent {self.name!r}: {failure.message}") from None
        finally:
            agent.end()


class Playback:
    """The frames of a game as far as it has been played: made by `of_replay`, or by `of_table` and then `add`.

    `explanation` and `advance` ask agents in this process. A server that has agents elsewhere fills `explanations` and
    calls `add` itself.

    Args:
        game_id: Id of the game, for `make_game`.
        frames: The decisions so far, and the last state.
        names: A name for each seat; empty: they have none.
        agents: Name of the agent in each seat; None: a person, or not known.
        seed: Seed of the agents' draws.

    Attributes:
        default_agent: Name of the agent that is asked about decisions of seats without an agent; None: nobody.
        lots: (index, event) for each lot: the frame where it begins, and with what.
        explanations: What agents reported, by index of the frame and name of the agent.
        failure: What went wrong last while agents played; None if nothing did.
    """

    def __init__(
        self, game_id: str, frames: Iterable[Frame], names: Sequence[str], agents: Sequence[str | None], seed: int
    ):
        self.game_id = game_id
        self.frames: list[Frame] = []
        self.names = tuple(map(printable, names))
        self.agents = tuple(agents)
        self.seed = seed
        self.default_agent: str | None = None
        self.lots: list[tuple[int, Event]] = []
        self.explanations: dict[tuple[int, str], Explanation] = {}
        self.failure: Exception | None = None
        self._table: Table | None = None
        self._trust = False
        self._hint_agents: dict[str, HintAgent] = {}
        for frame in frames:
            self._append(frame)

    @classmethod
    def of_replay(cls, replay: Replay, default_agent: str | None = None, *, trust: bool = False) -> "Playback":
        """The playback of a replay that `Replay.load` or `verify` accepted; `trust` as of `HintAgent`."""
        game_id, no_agents = current_id(replay.game_id), [None] * len(replay.controllers)
        playback = cls(game_id, frames_of(replay), replay.names, no_agents, replay.seed)
        playback.default_agent = default_agent
        playback._trust = trust
        return playback

    @classmethod
    def of_table(cls, table: Table, *, trust: bool = False) -> "Playback":
        """The playback of a table's game, as far as it has been played; `trust` as of `HintAgent`."""
        setup = table.setup
        agents = [None if holder == PERSON else holder for holder in setup.seats]
        replayed = Table(setup)
        playback = cls(setup.game, [replayed.frame()], setup.names, agents, setup.seed)
        for action in table.actions:
            replayed.play(action)
            playback.add(action, replayed.frame())
        playback._table = table
        playback._trust = trust
        return playback

    @property
    def game(self) -> Game:
        """The game with its rules bound."""
        return self.frames[0].game

    @property
    def complete(self) -> bool:
        """Whether no frame can be added."""
        return self._table is None or self.frames[-1].seat < 0

    def lot_sentences(self, words: Words) -> list[tuple[int, str]]:
        """(index, sentence) for each lot: the frame where it begins, and with what."""
        return [
            (index, f"{number}. {self.game.event_text(event, words)}")
            for number, (index, event) in enumerate(self.lots, 1)
        ]

    def agent_at(self, index: int) -> str | None:
        """Name of the agent that decides a frame, else of the default_agent; None if nobody is asked."""
        seat = self.frames[index].seat
        return None if seat < 0 else self.agents[seat] or self.default_agent

    def actions_before(self, index: int) -> list[int]:
        """Action ids of the decisions before a frame."""
        return [frame.action for frame in self.frames[:index] if frame.action is not None]

    def explanation(self, index: int) -> Explanation | None:
        """What the agent of a frame reports of its decision, asked the first time; None where there is no agent.

        Raises:
            AgentError: The agent is unknown, or cannot play this game.
        """
        agent = self.agent_at(index)
        if agent is None:
            return None
        if (index, agent) not in self.explanations:
            if agent not in self._hint_agents:
                self._hint_agents[agent] = HintAgent(agent, self.game_id, self.game, self.seed, trust=self._trust)
            hint = self._hint_agents[agent].decide(self.frames[index], self.actions_before(index))
            self.explanations[index, agent] = hint
        return self.explanations[index, agent]

    def advance(self) -> None:
        """Add a frame, if the playback is not complete: the agent to move plays what it reports."""
        if self._table is None or self.complete:
            return
        explanation = self.explanation(len(self.frames) - 1)
        if explanation is not None:
            self._table.play(explanation.action)
            self.add(explanation.action, self._table.frame())

    def add(self, action: int, frame: Frame) -> None:
        """Add the action that was chosen in the last frame, and the frame after it."""
        self.frames[-1] = replace(self.frames[-1], action=action)
        self._append(frame)

    def _append(self, frame: Frame) -> None:
        self.frames.append(frame)
        self.lots += [(frame.number, event) for event in frame.lots]


def parse_viewer(text: str, game: Game) -> int | str:
    """A viewer from its text: `public`, `all`, or a seat; OptionError if there is no such viewer."""
    return check_viewer(game, int(text) if text.isdecimal() and len(text) < 3 else text)
