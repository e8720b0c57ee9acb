"""The games of self-play: batches of several kinds, with other numbers of seats and opponents, as one batch."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple, Protocol

import numpy as np

from w51_agents.agent import Agent
from w51_agents.bots import BotAgent
from w51_agents.policies.inputs import NetworkInputs
from w51_agents.training.learner_settings import MIXTURE, POOL, SELF
from w51_agents.training.pool import make_opponent
from w51_agents.training.trainer_state import StateError, TrainerState, generator_state
from w51_env.engine.batch import Batch
from w51_env.engine.game import EXTERNAL, Game
from w51_env.engine.victory import wins_of

LEARNER = 0  # in `policies`: the network; k > 0: slot k - 1 of the pool; -k: `agents[k - 1]`


class EnvGroup(NamedTuple):
    """Games of one kind.

    Attributes:
        game: The game with its options.
        num_envs: Number of games at once.
        opponents: SELF (every seat learns), POOL (one seat learns, a snapshot plays the others), MIXTURE (a snapshot
            plays each seat), or an agent by its name or path (one seat learns).
    """

    game: Game
    num_envs: int
    opponents: str


class Outcomes(NamedTuple):
    """Games against opponents that ended.

    Attributes:
        results: (K, 3) the learner's return, wins and score in each game.
        slots, wins: (M,) slots of the pool that played, and (M,) the learner's wins against them.
    """

    results: np.ndarray
    slots: np.ndarray
    wins: np.ndarray


class SelfPlayGames:
    """Games of several kinds in the rows of common arrays.

    Args:
        groups: The games, all with the same observations and actions.
        seed: Seed of all games and seatings.
        inputs: Arguments of `NetworkInputs` beside the game: what `network_inputs` has and has not.
        see_all: Whether to fill `all_observations`.
        num_seats: Seats in the common arrays; None: as many as the largest game has.
        zeros: Makes the arrays that a network reads, as `np.zeros` does.

    Attributes:
        groups: The games.
        batches: The batch of each group; its rows of the common arrays are those of `rows`.
        inputs: What turns observations of the first games into inputs of the network.
        observation, mask: (N, size) int8, (N, actions) bool, of the seat to move.
        network_inputs: (N, inputs), the observations as the network reads them.
        all_observations: (N, seats * size) int8, of all seats, clockwise from the one to move; (N, 0) unless `see_all`.
        seat, done: (N,) int64, the seat to move; (N,) bool, whether the last step ended an episode.
        has_opponents: (N,) bool, whether one seat learns against others.
        is_mixture: (N,) bool, whether a snapshot plays each seat.
        all_learn: Whether the network plays each seat of all games.
        rewards: (N, seats) float32 of the last step, 0 where a game has fewer seats.
        policies: (N, seats) int64, the policy of each external seat: LEARNER, a slot of the pool, or one of `agents`.
        agents: Opponents that are no bots; bots play inside the batches.
        ranks, scores: (N, seats), of the episode that ended last; ranks are 0 where there is no seat.
        learner_seat: (N,) int64, the learner's seat in the episode that ended last; undefined where every seat learns.
        opponent: (N,) int64, the policy of the opponents in that episode: LEARNER, or k for slot k - 1 of the pool.
    """

    def __init__(
        self,
        groups: Sequence[EnvGroup],
        seed: int,
        inputs: Mapping[str, Any] | None = None,
        see_all: bool = False,
        num_seats: int | None = None,
        zeros: Callable[[tuple[int, ...], Any], np.ndarray] = np.zeros,
    ):
        self.groups = [EnvGroup(*group) for group in groups]
        sizes = [group.num_envs for group in self.groups]
        stops = np.cumsum(sizes)
        self.rows = [slice(stop - size, stop) for stop, size in zip(stops, sizes, strict=True)]
        self.num_envs = int(stops[-1])
        self.num_seats = num_seats or max(group.game.num_players for group in self.groups)
        self._inputs = [NetworkInputs(group.game, **(inputs or {})) for group in self.groups]
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
        self.ranks = np.zeros((self.num_envs, self.num_seats), np.int8)
        self.scores = np.zeros((self.num_envs, self.num_seats), np.int16)
        self._ended: list[Outcomes] = []
        self._make_seating()
        sequence = np.random.SeedSequence(seed)
        self._generator = np.random.default_rng(sequence.spawn(1)[0])
        seeds = sequence.generate_state(len(self.groups), np.uint64)
        modes: Any = {"seating": "shuffle", "keep_final": False, "history": self.inputs.history}
        self.batches = [
            Batch(
                game,
                count,
                seed=int(group_seed),
                controllers=[EXTERNAL, *[opponents if opponents in game.bots else EXTERNAL] * (game.num_players - 1)],
                **modes,
            )
            for (game, count, opponents), group_seed in zip(self.groups, seeds, strict=True)
        ]

    def _make_seating(self) -> None:
        """Arrays that say which policy has which seat."""
        self.learner_seat = np.zeros(self.num_envs, np.int64)
        self.opponent = np.full(self.num_envs, LEARNER, np.int64)
        self.policies = np.full((self.num_envs, self.num_seats), LEARNER, np.int64)
        self._next_learner_seat = np.zeros(self.num_envs, np.int64)
        self._seating: dict[str, np.ndarray] = {
            "policies": self.policies,
            "learner_seat": self.learner_seat,
            "next_learner_seat": self._next_learner_seat,
            "opponent": self.opponent,
        }
        games, sizes, names = zip(*self.groups, strict=True)
        self.has_opponents = np.repeat([name not in (SELF, MIXTURE) for name in names], sizes)
        self.is_mixture = np.repeat([name == MIXTURE for name in names], sizes)
        self._uses_pool = np.repeat([name == POOL for name in names], sizes)
        self.all_learn = all(name == SELF for name in names)
        self._each = np.arange(self.num_envs)
        self._num_players = np.repeat([game.num_players for game in games], sizes)
        self.agents: list[Agent] = []
        self._agent = np.zeros(self.num_envs, np.int64)  # -k where the opponents are `agents[k - 1]`
        for (game, _, opponents), rows in zip(self.groups, self.rows, strict=True):
            if opponents not in (SELF, POOL, MIXTURE, *game.bots):
                self.agents.append(make_opponent(opponents, game))
                self._agent[rows] = -len(self.agents)

    def reset(self, pool_weights: np.ndarray) -> None:
        """Begin all games; `pool_weights` as in `step`."""
        for batch in self.batches:
            batch.reset()
        self._seat_opponents(np.ones(self.num_envs, bool), pool_weights)
        self._gather()

    def step(self, actions: np.ndarray, pool_weights: np.ndarray) -> None:
        """Step all games; those that ended begin anew.

        Args:
            actions: (N,) action ids.
            pool_weights: (K,) sampling weights of the pool's slots as opponents of new episodes. While the pool is
                empty (K = 0), the network plays all seats of its games.
        """
        for batch, rows in zip(self.batches, self.rows, strict=True):
            batch.step(actions[rows])
        self._gather()
        if not self.all_learn and self.done.any():
            self._seat_opponents(self.done, pool_weights)
            self._ended.append(self._outcomes())

    def policy_to_move(self) -> np.ndarray:
        """(N,) int64, the policy of the seat to move: LEARNER, a slot of the pool, or one of `agents`."""
        return self.policies[self._each, self.seat]

    def take_outcomes(self) -> list["Outcomes"]:
        """What steps since the last call have ended."""
        ended, self._ended = self._ended, []
        return ended

    def _outcomes(self) -> "Outcomes":
        """The games that just ended."""
        over = np.flatnonzero(self.done & self.has_opponents)
        seat = self.learner_seat[over]
        wins = wins_of(self.ranks[over])[np.arange(len(over)), seat]
        of_pool = self._uses_pool[over] & (self.opponent[over] != LEARNER)
        results = np.stack([self.rewards[over, seat], wins, self.scores[over, seat]], axis=1)
        return Outcomes(results, self.opponent[over][of_pool] - 1, wins[of_pool])

    def state(self) -> TrainerState:
        """The state that `restore` of equal games loads."""
        arrays = {
            f"batch {number}": np.frombuffer(batch.snapshot(), np.uint8) for number, batch in enumerate(self.batches)
        }
        arrays |= {name: array.copy() for name, array in self._seating.items()}
        return TrainerState(arrays, {"generator": self._generator.bit_generator.state})

    def restore(self, state: TrainerState, pool_slots: int) -> None:
        """Load a state of equal games, with that many slots of the pool.

        Raises:
            OptionError: The bytes of a batch are not of its games.
            StateError: A policy or a seat that does not exist, or no state of the generator.
        """
        highest = np.where(self._uses_pool | self.is_mixture, pool_slots, LEARNER)
        for name, low, high in (
            ("policies", self._agent[:, None], highest[:, None]),
            ("opponent", self._agent, highest),
            ("learner_seat", -1, self.num_seats - 1),
            ("next_learner_seat", 0, self.num_seats - 1),
        ):
            array = state.arrays[name]
            if ((array < low) | (array > high)).any():
                raise StateError(f"{name}: {array.min()} to {array.max()}, but not all of these exist")
        for number, batch in enumerate(self.batches):
            batch.restore(state.arrays[f"batch {number}"].tobytes())
        for name, array in self._seating.items():
            array[:] = state.arrays[name]
        with generator_state("generator"):
            self._generator.bit_generator.state = state.facts["generator"]
        self._gather()

    def _seat_opponents(self, which: np.ndarray, pool_weights: np.ndarray) -> None:
        """Draw the seating of new episodes: the learner's seat and one opponent, or a snapshot for each seat."""
        games = np.flatnonzero(which & (self._uses_pool | (self._agent != 0)))
        self.learner_seat[games] = self._next_learner_seat[games]
        self.opponent[games] = self.policies[games].max(1)
        policy = self._agent[games]
        if len(pool_weights):
            slots = self._generator.choice(len(pool_weights), len(games), p=pool_weights / pool_weights.sum())
            policy = np.where(self._uses_pool[games], 1 + slots, policy)
        seat = (self._generator.random(len(games)) * self._num_players[games]).astype(np.int64)
        self.policies[games] = policy[:, None]
        self.policies[games, seat] = LEARNER
        self._next_learner_seat[games] = seat
        if len(pool_weights):
            mixed = np.flatnonzero(which & self.is_mixture)
            self.policies[mixed] = 1 + self._generator.integers(len(pool_weights), size=(len(mixed), self.num_seats))

    def _gather(self) -> None:
        """Copy the arrays of the batches into the common ones."""
        for batch, rows, inputs in zip(self.batches, self.rows, self._inputs, strict=True):
            seats = batch.game.num_players
            self.observation[rows] = batch.observation
            self.mask[rows] = batch.action_mask
            self.seat[rows] = batch.seat
            self.done[rows] = batch.done
            self.rewards[rows, :seats] = batch.rewards
            self.ranks[rows, :seats] = batch.final_ranks
            self.scores[rows, :seats] = batch.final_scores
            if self.network_inputs is not self.observation:
                events = batch.history()[0] if inputs.history else None
                inputs.write(batch.observation, self.network_inputs[rows], events)
            if self._agent[rows.start] == 0 and not self._uses_pool[rows.start]:
                self.learner_seat[rows] = batch.learner
            if self.all_observations.shape[1]:
                size = batch.game.layout.size
                for distance in range(seats):
                    part = slice(distance * size, (distance + 1) * size)
                    self.all_observations[rows, part] = batch.observe((batch.seat + distance) % seats)

    def close(self) -> None:
        """End the games."""
        for batch in self.batches:
            batch.close()


class KindsOfGames(Protocol):
    """Games of several kinds, each in the rows of its own."""

    groups: list[EnvGroup]
    rows: list[slice]


class BotActions:
    """The actions of one bot at the decisions of all games, as a teacher or as a base policy.

    Raises:
        OptionError: A game has no such bot.
    """

    def __init__(self, name: str, games: KindsOfGames):
        self._bots = [BotAgent(game, name) for game, _, _ in games.groups]
        self._rows = games.rows

    def __call__(self, observations: np.ndarray, masks: np.ndarray) -> np.ndarray:
        """(T, N) int64, the actions that the bot would take.

        Args:
            observations: (T, N, size) int8.
            masks: (T, N, actions) bool.
        """
        actions = np.empty(masks.shape[:2], np.int64)
        for bot, rows in zip(self._bots, self._rows, strict=True):
            obs, legal = observations[:, rows], masks[:, rows].astype(np.int8)
            bot.reset(0)  # draws depend on these decisions alone, not on earlier calls
            chosen = bot.act_batch(obs.reshape(-1, obs.shape[2]), legal.reshape(-1, legal.shape[2]))
            actions[:, rows] = chosen.reshape(len(actions), -1)
        return actions
