"""Who plays which seat: games of one kind, in which opponents move until a seat that learns is to move."""

from collections.abc import Callable, Iterable, Mapping
from typing import NamedTuple

import numpy as np

from w51_agents.agent import Agent
from w51_agents.bots import CompiledAgent
from w51_agents.decision_infos import DecisionInfos, history_rows
from w51_agents.memory import RecurrentAgent
from w51_agents.training.learner_settings import MIXTURE, POOL, SELF
from w51_agents.training.opponents import make_opponent
from w51_agents.training.trainer_state import StateError, TrainerState
from w51_env.engine.batch import Batch
from w51_env.engine.game import EXTERNAL_INDEX, Game
from w51_env.engine.victory import wins_of

LEARNER = 0  # in `policies`: the network; k > 0: slot k - 1 of the pool; -k: the kind k


class EnvGroup(NamedTuple):
    """Games of one kind.

    Attributes:
        game: The game with its options.
        num_envs: Number of games at once.
        opponents: As `GameKind.opponents`.
    """

    game: Game
    num_envs: int
    opponents: str | Mapping[str, int]


class Outcomes(NamedTuple):
    """Games against opponents that ended.

    Attributes:
        results: (K, 3) return, wins and score of each seat that learned.
        slots, wins: (M,) slots of the pool that played, and (M,) the wins of all seats that learned against them.
    """

    results: np.ndarray
    slots: np.ndarray
    wins: np.ndarray


def seats_of(group: EnvGroup) -> tuple[str, ...]:
    """The kind of each seat: SELF, which learns, POOL, MIXTURE or an agent's name; a shuffle seats them."""
    num_players, opponents = group.game.num_players, group.opponents
    if isinstance(opponents, Mapping):
        others = [name for name, count in opponents.items() for _ in range(count)]
        return (*[SELF] * (num_players - len(others)), *others)
    return (opponents if opponents == MIXTURE else SELF, *[opponents] * (num_players - 1))


def kinds_of(groups: Iterable[EnvGroup]) -> tuple[str, ...]:
    """The kinds of all seats; the first is SELF."""
    return tuple(dict.fromkeys([SELF, *(kind for group in groups for kind in seats_of(group))]))


class SeatedGames:
    """Games of one kind; bots play inside the batch, agents until a seat is to move that none of them has.

    Args:
        group: The games.
        seed: Seed of all games and seatings.
        kinds: As of `kinds_of`, of all games of the training.
        generator: Draws snapshots.
        history: The most events that the network reads.

    Attributes:
        batch: The games.
        policies: (N, players) int64, the policy of each seat: LEARNER, a slot of the pool, or a kind.
        rewards: (N, players) float32 since the last step, of the episode that it began in.
        done: (N,) bool, whether that episode ended.
        agents: Who moves without being asked, by policy; of the pool, what `seat_snapshots` gave.
        has_opponents: Whether there are seats that learn and others.
        is_mixture: Whether a snapshot plays each seat.
        uses_pool: Whether a snapshot of each game plays some seats.

    Raises:
        AgentError: An opponent that does not exist.
    """

    def __init__(
        self, group: EnvGroup, seed: int, kinds: tuple[str, ...], generator: np.random.Generator, history: int = 0
    ):
        game, num_envs, _ = group
        seats = seats_of(group)
        self.has_opponents = SELF in seats and seats.count(SELF) < len(seats)
        self.is_mixture, self.uses_pool = MIXTURE in seats, POOL in seats
        names = [name for name in dict.fromkeys(seats) if name not in (SELF, POOL, MIXTURE, *game.bots)]
        agents = {-kinds.index(name): make_opponent(name, game) for name in names}
        history = max([history, *map(history_rows, agents.values())])
        self.batch = Batch(game, num_envs, seed=seed, seating="shuffle", keep_final=False, history=history)
        self._infos = DecisionInfos(self.batch)
        self.policies = np.full((num_envs, game.num_players), LEARNER, np.int64)
        self.rewards = np.zeros((num_envs, game.num_players), np.float32)
        self.done = np.zeros(num_envs, bool)
        self._generator, self._each, self._game = generator, np.arange(num_envs), game
        self._actions, self._moves = np.zeros(num_envs, np.int64), np.zeros(num_envs, bool)
        self._ended: list[Outcomes] = []
        self._choosers: dict[int, Callable[[np.ndarray], np.ndarray]] = {}
        self._pool = -kinds.index(POOL) if self.uses_pool else LEARNER
        # The policy of each controller: bots have their index, all others numbers below 0, which count from the end.
        self._policy_of = np.zeros(len(game.bots) + len(kinds), np.int64)
        self.agents: dict[int, Agent] = {}
        for policy, agent in agents.items():
            self.add_agent(policy, agent)
        controllers = []
        for seat in seats:
            number = 0 if self.is_mixture else kinds.index(seat)
            controller = game.bots.index(seat) if seat in game.bots else EXTERNAL_INDEX - number
            self._policy_of[controller] = -number
            controllers.append(controller)
        self.batch.first_controllers[:] = self.batch.controllers[:] = controllers

    def reset(self, pool_weights: np.ndarray) -> None:
        """Begin all games; `pool_weights` as in `step`."""
        self.batch.reset()
        self._infos.begin()
        self._seat(self._each, pool_weights)
        self._let_opponents_play(pool_weights)
        self.rewards[:], self.done[:] = 0.0, False

    def step(self, actions: np.ndarray, pool_weights: np.ndarray) -> None:
        """Step all games; those that ended begin anew. Arguments as of `SelfPlayGames.step`."""
        self.batch.step(actions)
        self.rewards[:], self.done[:] = self.batch.rewards, self.batch.done
        self._begin_episodes(pool_weights)
        self._let_opponents_play(pool_weights)

    def take_outcomes(self) -> list[Outcomes]:
        """What steps since the last call have ended."""
        ended, self._ended = self._ended, []
        return ended

    def add_agent(self, policy: int, agent: Agent) -> None:
        """Let an agent move for the seats of a policy, or another agent from now on."""
        batch, self.agents[policy] = self.batch, agent
        if isinstance(agent, CompiledAgent):
            self._choosers[policy] = agent.bound_to(batch.observation, batch.action_mask)
        else:
            self._choosers[policy] = lambda rows: agent.act_batch(
                batch.observation[rows], batch.action_mask[rows], self._infos.of(agent, rows)
            )

    def _let_opponents_play(self, pool_weights: np.ndarray) -> None:
        """Let `agents` move until it is nobody's turn of them."""
        batch, actions, moves = self.batch, self._actions, self._moves
        while self.agents:
            policy = self.policies[self._each, batch.seat]
            moved, moves[:] = False, False
            for number, choose in self._choosers.items():
                if len(rows := (policy == number).nonzero()[0]):
                    actions[rows], moves[rows], moved = choose(rows), True, True
            if not moved:
                return
            batch.step(actions, moves)
            if np.count_nonzero(batch.done):  # rewards are paid at the end alone
                self.rewards += batch.rewards * ~self.done[:, None]
                self.done |= batch.done
                self._begin_episodes(pool_weights)

    def _begin_episodes(self, pool_weights: np.ndarray) -> None:
        """Keep the outcomes of episodes that have just ended, and seat those that have begun."""
        if (self.has_opponents or self.is_mixture) and len(ended := np.flatnonzero(self.batch.done)):
            if self.has_opponents:
                self._ended.append(self._outcomes(ended))
            self._infos.begin(ended)
            self._seat(ended, pool_weights)

    def _outcomes(self, ended: np.ndarray) -> Outcomes:
        batch, policies = self.batch, self.policies[ended]
        learned, slots = policies == LEARNER, policies.max(1) - 1
        learned &= (policies != LEARNER).any(1, keepdims=True)  # the pool may have been empty
        wins = wins_of(batch.final_ranks[ended])
        results = np.stack([batch.rewards[ended][learned], wins[learned], batch.final_scores[ended][learned]], 1)
        return Outcomes(results, slots[slots >= 0], (wins * learned).sum(1)[slots >= 0])

    def _seat(self, games: np.ndarray, pool_weights: np.ndarray) -> None:
        """Write the policies of episodes that begin, with one snapshot in each game, or one in each seat."""
        self.policies[games] = self._policy_of[self.batch.controllers[games]]
        if not len(pool_weights):
            self.policies[games] = np.where(self.policies[games] == self._pool, LEARNER, self.policies[games])
        elif self.uses_pool:
            slots = self._generator.choice(len(pool_weights), (len(games), 1), p=pool_weights / pool_weights.sum())
            self.policies[games] = np.where(self.policies[games] == self._pool, 1 + slots, self.policies[games])
        elif self.is_mixture:
            size = len(games), self.policies.shape[1]
            self.policies[games] = 1 + self._generator.integers(len(pool_weights), size=size)

    def state(self) -> TrainerState:
        """The state that `restore` of equal games loads."""
        batch = np.frombuffer(self.batch.snapshot(), np.uint8)
        state = TrainerState({"batch": batch, "policies": self.policies.copy()})
        for name, agent in self._remembering().items():
            state.arrays["has decided"] = self._infos.has_decided.copy()
            memory = agent.memory(self.policies.size)
            state.include(name, TrainerState({str(place): part for place, part in enumerate(memory)}))
        return state

    def restore(self, state: TrainerState, pool_slots: int) -> None:
        """Load a state of equal games, with that many slots of the pool.

        Raises:
            OptionError: The bytes of a batch are not of its games.
            StateError: A policy that its seat cannot have.
        """
        self.batch.restore(state.arrays["batch"].tobytes())
        policies, controllers = state.arrays["policies"], self.batch.controllers
        known = controllers >= EXTERNAL_INDEX - len(self._policy_of) + len(self._game.bots) + 1
        expected = self._policy_of[np.where(known, controllers, EXTERNAL_INDEX)]
        is_slot = (expected == self._pool) & (self.uses_pool or self.is_mixture)
        fits = np.where(is_slot, (policies >= LEARNER) & (policies <= pool_slots), policies == expected)
        if not (fits & known).all():
            raise StateError(f"policies: {policies.min()} to {policies.max()}, but not all of these have such seats")
        self.policies[:] = policies
        for name, agent in self._remembering().items():
            self._infos.has_decided[:] = state.arrays["has decided"]
            memory = state.part(name).arrays
            agent.restore([memory[str(place)] for place in range(len(memory))])

    def _remembering(self) -> dict[str, RecurrentAgent]:
        """The opponents whose states are part of this state, by name; others that remember begin anew each update."""
        agents = self.agents.items()
        return {f"agent {-policy}": agent for policy, agent in agents if isinstance(agent, RecurrentAgent)}

    def close(self) -> None:
        """End the games."""
        self.batch.close()
