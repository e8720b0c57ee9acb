"""The games of a training in parts, each with the batches of several options and opponents as one batch."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import torch

from w51_agents.agent.interface import Agent, AgentError, allows_threads
from w51_agents.agent.seeds import agent_seed
from w51_agents.networks.inputs import NetworkInputs
from w51_agents.training.learner_settings import POOL, LearnerConfig, LearnerSettings
from w51_agents.training.plan import (
    PlannedGames,
    num_envs_of,
    num_seats_of,
    part_of,
    players_of,
    rows_of,
)
from w51_agents.training.pool import Pool
from w51_agents.training.seats import LEARNER, Ended, SeatedGames
from w51_agents.training.share import Share
from w51_agents.training.trainer_state import TrainerState, generator_state
from w51_env.engine.game import Game


class GamesPart:
    """The games that one thread plays: batches with other options and opponents, in the rows of common arrays.

    Args:
        planned: The games, all with the same observations and actions.
        seed: Seed of all games and seatings.
        inputs_for: Makes what turns the observations of a game into `network_inputs`.
        see_all: Whether to fill `all_observations`.
        of_all: All games of the training, of which these are a part: the common arrays have as many seats as the
            largest has, and `players` are those of all; None: these.
        zeros: Makes the arrays that a network reads, as `np.zeros` does.

    Attributes:
        planned: The games.
        seated: The same with their opponents, a batch each.
        rows: Their rows of the common arrays.
        inputs: What turns observations of the first games into inputs of the network.
        players: Who has seats: `self`, and the names in `opponents` of all games.
        observation, mask: (N, size) int8, (N, actions) bool, of the seat to move.
        network_inputs: (N, inputs), the observations as the network reads them.
        all_observations: (N, seats * size) int8, of all seats, clockwise from the one to move; (N, 0) unless `see_all`.
        seat, done: (N,) int64, the seat to move; (N,) bool, whether the last step ended an episode.
        rewards: (N, seats) float32 of the last step, 0 where a game has fewer seats.
        policies: (N, seats) int64, who has each seat, as of `SeatedGames`.
    """

    def __init__(
        self,
        planned: Sequence[PlannedGames],
        seed: int,
        inputs_for: Callable[[Game], NetworkInputs] = NetworkInputs,
        see_all: bool = False,
        of_all: Sequence[PlannedGames] | None = None,
        zeros: Callable[[tuple[int, ...], Any], np.ndarray] = np.zeros,
    ):
        self.planned = planned = [PlannedGames(*games) for games in planned]
        self.rows, sizes = rows_of(planned), [games.num_envs for games in planned]
        self.num_envs, self.num_seats = num_envs_of(planned), num_seats_of(of_all or planned)
        self.players = players_of(of_all or planned)
        self._inputs = [inputs_for(games.game) for games in planned]
        self.inputs = self._inputs[0]
        self._make_arrays(planned[0].game, self.num_seats if see_all else 0, zeros)
        self._num_players = np.repeat([games.game.num_players for games in planned], sizes)
        sequence = np.random.SeedSequence(seed)
        self._generator = np.random.default_rng(sequence.spawn(1)[0])
        seeds = sequence.generate_state(len(planned), np.uint64)
        self.seated = [
            SeatedGames(games, int(games_seed), self.players, self._generator, self.inputs.history)
            for games, games_seed in zip(planned, seeds, strict=True)
        ]

    def _make_arrays(self, game: Game, num_seen: int, zeros: Callable[[tuple[int, ...], Any], np.ndarray]) -> None:
        """Make the common arrays of games like this one; with the observations of `num_seen` seats."""
        count = self.num_envs
        self.observation = zeros((count, game.layout.size), np.int8)
        self.all_observations = zeros((count, num_seen * game.layout.size), np.int8)
        self.mask = zeros((count, len(game.actions)), bool)
        self.network_inputs = self.observation
        if not self.inputs.are_observations:
            self.network_inputs = zeros((count, self.inputs.size), self.inputs.dtype)
        self.seat, self.done = np.zeros(count, np.int64), np.zeros(count, bool)
        self.rewards = np.zeros((count, self.num_seats), np.float32)
        self.policies = np.full((count, self.num_seats), LEARNER, np.int64)

    @property
    def agents(self) -> list[Agent]:
        """All opponents that are no bots."""
        return [agent for seated in self.seated for agent in seated.agents.values()]

    @property
    def allows_threads(self) -> bool:
        """Whether all opponents may be asked in several threads, an agent each."""
        return all(map(allows_threads, self.agents))

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
        """As of `SeatedGames`."""
        for seated in self.seated:
            seated.seat_snapshots(pool)

    def slot_to_move(self) -> np.ndarray:
        """(N,) int64, the slot of the pool whose snapshot is to move; below 0: the network is."""
        return self.policies[np.arange(self.num_envs), self.seat] - len(self.players)

    def players_to_move(self) -> np.ndarray:
        """(N, seats) int64, who has each seat, clockwise from the one to move: a place in `players`, -1 for no seat."""
        places = (self.seat[:, None] + np.arange(self.num_seats)) % self._num_players[:, None]
        policies = self.policies[np.arange(len(places))[:, None], places]
        snapshots = self.players.index(POOL) if POOL in self.players else 0
        players = np.where(policies < len(self.players), policies, snapshots)
        return np.where(np.arange(self.num_seats) < self._num_players[:, None], players, -1)

    def take_ended(self) -> list[Ended]:
        """What steps since the last call have ended."""
        return [ended for seated in self.seated for ended in seated.take_ended()]

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


def make_parts(
    config: LearnerConfig,
    planned: Sequence[PlannedGames],
    share: Share,
    inputs_for: Callable[[Game], NetworkInputs],
) -> list[GamesPart]:
    """The parts of the games of a config that this rank plays, each of them a rollout for itself.

    Args:
        config: The config.
        planned: All its games.
        share: The parts.
        inputs_for: As of `Learning`.

    Raises:
        AgentError, OptionError: A game or an opponent that does not exist; shaping with a discount.
    """
    settings: LearnerSettings = config.settings
    if settings.shaping is not None and settings.gamma != 1.0:
        raise AgentError(f"{config.section}.shaping: needs gamma=1.0, but it is {settings.gamma}")
    zeros = _pinned_zeros if share.device.type == "cuda" else np.zeros
    shape = inputs_for, settings.critic == "centralized", planned, zeros
    seeds = np.random.SeedSequence(config.seed).generate_state(len(share.parts), np.uint64)
    made = [GamesPart(list(part_of(planned, share.parts[n])), int(seeds[n]), *shape) for n in share.numbers]
    seed_agents(made, share.numbers, config.seed, 0)  # some move before the first decision
    return made


def _pinned_zeros(shape: tuple[int, ...], dtype: Any) -> np.ndarray:
    """Zeros in memory that a GPU can read while the processor goes on."""
    like = torch.from_numpy(np.zeros(0, dtype))
    return torch.zeros(shape, dtype=like.dtype, pin_memory=True).numpy()


def seed_agents(parts: Sequence[GamesPart], numbers: Sequence[int], seed: int, update: int) -> None:
    """Seed the opponents that draw, by the seed of the config and the numbers of the update and of each part."""
    for number, part in zip(numbers, parts, strict=True):
        for index, agent in enumerate(part.agents):
            drawn = np.random.SeedSequence((seed, update, number, index)).generate_state(1, np.uint64)[0]
            seed_draws = getattr(agent, "seed_draws", agent.reset)
            seed_draws(agent_seed(agent, int(drawn), "training", seed, update, number, index))
