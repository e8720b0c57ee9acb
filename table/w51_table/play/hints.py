"""Agents that decide and explain single frames, for playbacks and the terminal."""

from typing import Any

from w51_agents.agent import AgentError, needs_determinizer, needs_view
from w51_agents.agent_link import AgentFailure
from w51_agents.explanation import Explanation, explain_decision
from w51_agents.isolated import AgentSource, IsolatedAgent, agent_of
from w51_env.adapters.agent_seeds import agent_seed, decision_seed
from w51_env.engine.game import Game
from w51_table.play.agent_pool import TIME_LIMIT
from w51_table.replay_viewer.frames import Frame


class HintAgent:
    """An agent that decides single frames; the same frame and seed give the same decision.

    Third-party code decides each frame in a new process, which knows of no other seat.

    Args:
        name: Name of the agent, as in evaluate.py.
        game_id: Id of the game, for `make_game`.
        game: The game with its rules bound.
        seed: Seed of its draws.
        trust: Load pickled models, which can run any code.

    Raises:
        AgentError: The agent is unknown, or cannot play this game.
    """

    def __init__(self, name: str, game_id: str, game: Game, seed: int, *, trust: bool = False):
        self.name = name
        self.agent = agent_of(AgentSource(name, game_id, game.options, trust), game)
        self._seed = seed

    def decide(self, frame: Frame) -> Explanation:
        """The decision of the agent in a frame, explained; AgentError if it fails."""
        agent, seed = self.agent, decision_seed(self._seed, frame.number)
        seed = agent_seed(agent, seed, "decision", self._seed, frame.number)
        info: dict[str, Any] = {"determinizer": frame.determinizer()} if needs_determinizer(agent) else {}
        if needs_view(agent):
            info["view"] = frame.view(frame.seat)
        decision = frame.observation.copy(), frame.mask.copy(), info or None
        if not isinstance(agent, IsolatedAgent):
            agent.reset(seed)
            return explain_decision(self.name, agent, frame.game, *decision)
        try:
            agent.begin()
            agent.reset(seed)
            return agent.explain_within(TIME_LIMIT, *decision)
        except AgentFailure as failure:
            raise AgentError(f"agent {self.name!r}: {failure.message}") from None
        finally:
            agent.end()
