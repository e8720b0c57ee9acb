"""Games of agents as episodes of single seats."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from w51_env.agents.agent import Agent, Infos, needs_determinizer, needs_view
from w51_env.arena.match_loop import DecisionBatch, StrictRunner, play
from w51_env.core.batch import Batch
from w51_env.core.game import Game
from w51_env.system.agent_seeds import agent_seed


@dataclass(frozen=True)
class Episode:
    """The decisions of one seat in one game.

    Attributes:
        game: Number of the game.
        seat: The seat.
        agent: Name of the agent that played it.
        observations: (T + 1, layout.size) int8; the last one is of the end of the game.
        masks: (T + 1, num_actions) int8; the last one is all zero.
        actions: (T,) int64.
        rewards: (T,) float32, of the seat, since its last decision; the sum is the return.
    """

    game: int
    seat: int
    agent: str
    observations: np.ndarray
    masks: np.ndarray
    actions: np.ndarray
    rewards: np.ndarray


class _External:
    """An agent that plays outside of the batch, so that its decisions can be recorded; a bot would play inside."""

    def __init__(self, agent: Agent):
        self._agent = agent
        self.needs_determinizer, self.needs_view = needs_determinizer(agent), needs_view(agent)

    def reset(self, seed: int) -> None:
        self._agent.reset(seed)

    def act(self, observation: np.ndarray, action_mask: np.ndarray, info: dict[str, Any] | None = None) -> int:
        return self._agent.act(observation, action_mask, info)

    def act_batch(self, observations: np.ndarray, action_masks: np.ndarray, infos: Infos = None) -> np.ndarray:
        return self._agent.act_batch(observations, action_masks, infos)


class _Recorder(StrictRunner):
    """A runner that appends each decision to the list of its game and seat."""

    def __init__(self, name: str, agent: Agent, game: Game, decisions: dict[tuple[int, int], list]):
        super().__init__(name, _External(agent), game)
        self._decisions = decisions

    def actions(self, decisions: DecisionBatch) -> np.ndarray:
        """(n,) int64, a legal action for each decision."""
        actions = super().actions(decisions)
        for index, (row, seat) in enumerate(zip(decisions.rows.tolist(), decisions.seats.tolist(), strict=True)):
            made = (decisions.observations[index].copy(), decisions.masks[index].copy(), int(actions[index]))
            self._decisions.setdefault((row, seat), []).append(made)
        return actions


def record(
    game: Game, names: Sequence[str], agents: Sequence[Agent], num_games: int, seed: int, first: int = 0
) -> list[Episode]:
    """Play games and return the episodes of all seats that had a decision.

    Args:
        game: The game with its rules bound.
        names: Names of the agents.
        agents: The agents; they are seated in turn, and move one seat on with each game.
        num_games: Number of games.
        seed: Seed of the deals and of the agents of this package. The seeds of other agents are computed with a secret
            (`system.agent_seeds`), so that they do not lead to the deals.
        first: Number of the first game. The deals of games 5 to 9 are the same, whether 0 to 4 were played before.

    Raises:
        AgentError: An agent chose an illegal action.
    """
    decisions: dict[tuple[int, int], list] = {}
    returns = np.zeros((num_games, game.num_players), np.float32)

    def add_rewards(batch: Batch, actions: np.ndarray) -> None:
        returns[:] += batch.rewards

    for number, agent in enumerate(agents):
        agent.reset(agent_seed(agent, seed + first + number, "dataset", number, seed, first))
    runners = [_Recorder(name, agent, game, decisions) for name, agent in zip(names, agents, strict=True)]
    numbers = np.arange(first, first + num_games)
    seated = (numbers[:, None] + np.arange(game.num_players)) % len(agents)
    seeds = np.random.SeedSequence(seed).generate_state(first + num_games, np.uint64)[first:]
    batch = play(game, runners, seated, seeds, on_step=add_rewards)
    finals = [batch.observe(seat) for seat in range(game.num_players)]
    nothing = np.zeros(len(game.actions), np.int8)
    episodes = []
    for (row, seat), made in sorted(decisions.items()):
        observations, masks, actions = zip(*made, strict=True)
        rewards = np.zeros(len(actions), np.float32)
        rewards[-1] = returns[row, seat]
        episodes.append(
            Episode(
                int(numbers[row]),
                seat,
                names[seated[row, seat]],
                np.stack([*observations, finals[seat][row]]),
                np.stack([*masks, nothing]).astype(np.int8),
                np.array(actions),
                rewards,
            )
        )
    return episodes
