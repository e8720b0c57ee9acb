"""The games of self-play: batches of several kinds, with other numbers of seats and opponents, as one batch."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from w51_agents.agent.bots import CompiledAgent
from w51_agents.agent.interface import Agent
from w51_agents.agent.memory import RecurrentAgent
from w51_agents.agent.seeds import agent_seed
from w51_agents.networks.inputs import NetworkInputs
from w51_agents.training.learner_settings import MIXTURE, POOL
from w51_agents.training.pool import Pool
from w51_agents.training.seats import LEARNER, EnvGroup, Outcomes, SeatedGames, kinds_of
from w51_agents.training.trainer_state import TrainerState, generator_state
from w51_env.engine.game import Game


class SelfPlayGames:
    """Games of several kinds in the rows of common arrays.

    Args:
        groups: The games, all with the same observations and actions.
        seed: Seed of all games and seatings.
        inputs: Makes what turns the observations of a game into `network_inputs`.
        see_all: Whether to fill `all_observations`.
        of_all: All games of the training, of which these are a part: the common arrays have as many seats as the
            largest has, and `kinds` are those of all; None: these.
        zeros: Makes the arrays that a network reads, as `np.zeros` does.

    Attributes:
        groups: The games.
        batches: The batch of each group; its rows of the common arrays are those of `rows`.
        inputs: What turns observations of the first games into inputs of the network.
        observation, mask: (N, size) int8, (N, actions) bool, of the seat to move.
        network_inputs: (N, inputs), the observations as the network reads them.
        all_observations: (N, seats * size) int8, of all seats, clockwise from the one to move; (N, 0) unless `see_all`.
        seat, done: (N,) int64, the seat to move; (N,) bool, whether the last step ended an episode.
        is_mixture: (N,) bool, whether a snapshot plays each seat.
        rewards: (N, seats) float32 of the last step, 0 where a game has fewer seats.
        policies: (N, seats) int64, the policy of each seat: LEARNER, a slot of the pool plus 1, or -k for `kinds[k]`.
        kinds: Who plays seats: `self`, and the names in `opponents` of all games.
        seated: The games of each group, with their opponents.
    """

    def __init__(
        self,
        groups: Sequence[EnvGroup],
        seed: int,
        inputs: Callable[[Game], NetworkInputs] = NetworkInputs,
        see_all: bool = False,
        of_all: Sequence[EnvGroup] | None = None,
        zeros: Callable[[tuple[int, ...], Any], np.ndarray] = np.zeros,
    ):
        self.groups = [EnvGroup(*group) for group in groups]
        sizes = [group.num_envs for group in self.groups]
        stops = np.cumsum(sizes)
        self.rows = [slice(stop - size, stop) for stop, size in zip(stops, sizes, strict=True)]
        self.num_envs = int(stops[-1])
        of_all = of_all or self.groups
        self.num_seats = max(group.game.num_players for group in of_all)
        self._inputs = [inputs(group.game) for group in self.groups]
        self.inputs = self._inputs[0]
        first = self.groups[0].game
        self.observation = zeros((self.num_envs, first.layout.size), np.int8)
        self.all_observations = zeros((self.num_envs, self.num_seats * first.layout.size if see_all else 0), np.int8)
        self.mask = zeros((self.num_envs, len(first.actions)), bool)
        self.network_inputs = self.observation
        if not self.inputs.are_observations:
            self.network_inputs = zeros((self.num_envs, self.inputs.size), self.inputs.dtype)
        self.seat = np.zeros(self.num_envs, np.int64)
        self.done = np.zeros(self.num_envs, bool)
        self.rewards = np.zeros((self.num_envs, self.num_seats), np.float32)
        sequence = np.random.SeedSequence(seed)
        self._generator = np.random.default_rng(sequence.spawn(1)[0])
        seeds = sequence.generate_state(len(self.groups), np.uint64)
        self.kinds = kinds_of(of_all)
        self.seated = [
            SeatedGames(group, int(group_seed), self.kinds, self._generator, self.inputs.history)
            for group, group_seed in zip(self.groups, seeds, strict=True)
        ]
        self.batches = [seated.batch for seated in self.seated]
        self.policies = np.full((self.num_envs, self.num_seats), LEARNER, np.int64)
        self.is_mixture = np.repeat([seated.is_mixture for seated in self.seated], sizes)
        self._each = np.arange(self.num_envs)
        self._num_players = np.repeat([group.game.num_players for group in self.groups], sizes)
        self._snapshots = next((place for place, kind in enumerate(self.kinds) if kind in (POOL, MIXTURE)), 0)

    @property
    def agents(self) -> list[Agent]:
        """All opponents that are no bots."""
        return [agent for seated in self.seated for agent in seated.agents.values()]

    def reset(self, pool_weights: np.ndarray) -> None:
        """Begin all games; `pool_weights` as in `step`."""
        for seated in self.seated:
            seated.reset(pool_weights)
        self._gather()

    def step(self, actions: np.ndarray, pool_weights: np.ndarray) -> None:
        """Step all games; those that ended begin anew.

        Args:
            actions: (N,) action ids.
            pool_weights: (K,) sampling weights of the pool's slots as opponents of new episodes. While the pool is
                empty (K = 0), the network plays its seats.
        """
        for seated, rows in zip(self.seated, self.rows, strict=True):
            seated.step(actions[rows], pool_weights)
        self._gather()

    def seat_snapshots(self, pool: Pool) -> None:
        """Let the snapshots of a pool move as other opponents do, by compiled code."""
        for seated in (seated for seated in self.seated if seated.uses_pool):
            game, slots = seated.batch.game, range(len(pool.networks))
            seated.add_agents({slot + 1: CompiledAgent(pool.compiled(slot, game)) for slot in slots})

    def policy_to_move(self) -> np.ndarray:
        """(N,) int64, the policy of the seat to move: LEARNER, or a slot of the pool."""
        return self.policies[self._each, self.seat]

    def kinds_to_move(self) -> np.ndarray:
        """(N, seats) int64, who plays each seat, clockwise from the one to move: places in `kinds`, -1 for no seat."""
        places = (self.seat[:, None] + np.arange(self.num_seats)) % self._num_players[:, None]
        policies = self.policies[self._each[:, None], places]
        kinds = np.where(policies > LEARNER, self._snapshots, -policies)
        return np.where(np.arange(self.num_seats) < self._num_players[:, None], kinds, -1)

    def take_outcomes(self) -> list[Outcomes]:
        """What steps since the last call have ended."""
        return [outcomes for seated in self.seated for outcomes in seated.take_outcomes()]

    def state(self) -> TrainerState:
        """The state that `restore` of equal games loads."""
        state = TrainerState({}, {"generator": self._generator.bit_generator.state})
        for number, seated in enumerate(self.seated):
            state.include(f"group {number}", seated.state())
        return state

    def restore(self, state: TrainerState, pool_slots: int) -> None:
        """Load a state of equal games; arguments and errors as of `SeatedGames.restore`.

        Raises:
            StateError: No state of the generator, too.
        """
        for number, seated in enumerate(self.seated):
            seated.restore(state.part(f"group {number}"), pool_slots)
        with generator_state("generator"):
            self._generator.bit_generator.state = state.facts["generator"]
        self._gather()

    def _gather(self) -> None:
        """Copy the arrays of the batches into the common ones."""
        for seated, rows, inputs in zip(self.seated, self.rows, self._inputs, strict=True):
            batch = seated.batch
            seats = batch.game.num_players
            self.observation[rows] = batch.observation
            self.mask[rows] = batch.action_mask
            self.seat[rows] = batch.seat
            self.policies[rows, :seats] = seated.policies
            self.done[rows] = seated.done
            self.rewards[rows, :seats] = seated.rewards
            if self.network_inputs is not self.observation:
                events = batch.history(last=inputs.history)[0] if inputs.history else None
                inputs.write(batch.observation, self.network_inputs[rows], events)
            if self.all_observations.shape[1]:
                size = batch.game.layout.size
                for distance in range(seats):
                    part = slice(distance * size, (distance + 1) * size)
                    self.all_observations[rows, part] = batch.observe((batch.seat + distance) % seats)

    def close(self) -> None:
        """End the games."""
        for seated in self.seated:
            seated.close()


def seed_agents(parts: Sequence[SelfPlayGames], seed: int, update: int) -> None:
    """Seed the opponents that draw, by the seed of the config and the number of the update."""
    for index, agent in enumerate(agent for part in parts for agent in part.agents):
        drawn = np.random.SeedSequence((seed, update, index)).generate_state(1, np.uint64)[0]
        begin = agent.seed if isinstance(agent, RecurrentAgent) else agent.reset
        begin(agent_seed(agent, int(drawn), "training", seed, update, index))
