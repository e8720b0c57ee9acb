"""Games with the same options, in which opponents move until a seat that learns is to move."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from w51_agents.agent.bots import CompiledAgent
from w51_agents.agent.infos import DecisionInfos, history_rows
from w51_agents.agent.interface import Agent
from w51_agents.agent.memory import RecurrentAgent
from w51_agents.training.learner_settings import POOL, SELF
from w51_agents.training.opponents import make_opponent
from w51_agents.training.plan import PlannedGames, seats_of
from w51_agents.training.pool import Pool
from w51_agents.training.trainer_state import StateError, TrainerState
from w51_env.compiler.compile import entry
from w51_env.engine.batch import Batch
from w51_env.engine.game import EXTERNAL_INDEX
from w51_env.engine.victory import wins_of

LEARNER = 0  # in `policies`: the network


class Ended(NamedTuple):
    """Games against opponents that ended.

    Attributes:
        results: (K, 3) return, wins and score of each seat that learned.
        slots, wins: (M,) slots of the pool that played, and (M,) the wins of all seats that learned against them.
    """

    results: np.ndarray
    slots: np.ndarray
    wins: np.ndarray


NONE_ENDED = Ended(np.zeros((0, 3)), np.zeros(0, np.int64), np.zeros(0))


def outcome_means(results: Sequence[Sequence[float]] | np.ndarray) -> dict[str, Any]:
    """The fields of `Update` on games, from return, wins and score of learners in each game that ended, if any."""
    means = np.mean(results, axis=0).tolist() if len(results) else [float("nan")] * 3
    return {"games": len(results), **dict(zip(("mean_return", "win_rate", "mean_score"), means, strict=True))}


class SeatedGames:
    """A batch in which bots play inside, and agents until a seat is to move that none of them has.

    Args:
        planned: The games.
        seed: Seed of all games and seatings.
        players: Who has seats in any game of the training, as of `players_of`.
        generator: Draws snapshots.
        history: The most events that the network reads.

    Attributes:
        batch: The games.
        policies: (N, players) int64, who has each seat: a place in `players`, of which LEARNER is the first, or else a
            slot of the pool, counted on from the last of `players`.
        rewards: (N, players) float32 since the last step, of the episode that it began in.
        done: (N,) bool, whether that episode ended.
        agents: Who moves without being asked, by policy; of the pool, what `seat_snapshots` gave.
        has_opponents: Whether there are seats that learn and others.
        uses_pool: Whether a snapshot of each game plays some seats.

    Raises:
        AgentError: An opponent that does not exist.
    """

    def __init__(
        self,
        planned: PlannedGames,
        seed: int,
        players: tuple[str, ...],
        generator: np.random.Generator,
        history: int = 0,
    ):
        game, num_envs = planned.game, planned.num_envs
        seats = seats_of(planned)
        self.has_opponents = seats.count(SELF) < len(seats)  # some seat always learns
        self.uses_pool = POOL in seats
        names = [name for name in dict.fromkeys(seats) if name not in (SELF, POOL, *game.bots)]
        agents = {players.index(name): make_opponent(name, game) for name in names}
        history = max([history, *map(history_rows, agents.values())])
        self.batch = Batch(game, num_envs, seed=seed, seating="shuffle", keep_final=False, history=history)
        self._infos = DecisionInfos(self.batch)
        self.policies = np.full((num_envs, game.num_players), LEARNER, np.int64)
        self.rewards = np.zeros((num_envs, game.num_players), np.float32)
        self.done = np.zeros(num_envs, bool)
        self._generator = generator
        self._each = np.arange(num_envs)
        self._game = game
        self._actions, self._moves = np.zeros(num_envs, np.int64), np.zeros(num_envs, bool)
        self._seats = np.zeros(num_envs, np.int64)
        self._ended: list[tuple[np.ndarray, ...]] = []
        self._pool, self._first_slot = players.index(POOL) if self.uses_pool else LEARNER, len(players)
        # The policy of each controller: bots have their index, all others numbers below 0, which count from the end.
        self._policy_of = np.zeros(len(game.bots) + len(players), np.int64)
        self.agents: dict[int, Agent] = {}
        self.add_agents(agents)
        controllers = []
        for seat in seats:
            number = players.index(seat)
            controller = game.bots.index(seat) if seat in game.bots else EXTERNAL_INDEX - number
            self._policy_of[controller] = number
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
        """Step all games; those that ended begin anew. Arguments as of `GamesPart.step`."""
        self.batch.step(actions)
        self.rewards[:], self.done[:] = self.batch.rewards, self.batch.done
        self._begin_episodes(pool_weights)
        self._let_opponents_play(pool_weights)

    def take_ended(self) -> list[Ended]:
        """What steps since the last call have ended."""
        ended, self._ended = self._ended, []
        return [self._of_ended(*map(np.concatenate, zip(*ended, strict=True)))] if ended else []

    def add_agents(self, agents: Mapping[int, Agent]) -> None:
        """Let agents move for the seats of policies, or other agents from now on."""
        self.agents |= agents
        listed = np.zeros((len(self.agents), 1 + self.batch.num_games), np.int64)
        arrays = self.policies, self._seats, np.array([*self.agents], np.int64), listed, self._moves.view(np.int8)
        self._list_movers = _list_movers.bind(*arrays)
        self._choosers = [
            (rows, self._chooser(agent, rows)) for agent, rows in zip(self.agents.values(), listed, strict=True)
        ]

    def seat_snapshots(self, pool: Pool) -> None:
        """Let the snapshots of a pool move as other agents do, by compiled code."""
        if self.uses_pool:
            compiled = [CompiledAgent(pool.compiled(slot, self._game)) for slot in range(len(pool.networks))]
            self.add_agents(dict(enumerate(compiled, self._first_slot)))

    def _chooser(self, agent: Agent, listed: np.ndarray) -> Callable[[np.ndarray], None]:
        """Writes the actions of an agent in some games, which are also in `listed`."""
        batch, actions = self.batch, self._actions
        if bind := getattr(agent, "bind_choice", None):
            return bind(batch.observation, batch.action_mask, listed, actions)

        def choose(rows: np.ndarray) -> None:
            seen = batch.observation[rows], batch.action_mask[rows]
            actions[rows] = agent.act_batch(*seen, self._infos.of(agent, rows))

        return choose

    def _let_opponents_play(self, pool_weights: np.ndarray) -> None:
        """Let `agents` move until it is nobody's turn of them."""
        batch = self.batch
        while self.agents:
            self._seats[:] = batch.seat
            if not self._list_movers(0):
                return
            for listed, choose in self._choosers:
                if count := int(listed[0]):
                    choose(listed[1 : 1 + count])
            batch.step(self._actions, self._moves)
            if np.count_nonzero(batch.done):  # rewards are paid at the end alone
                self.rewards += batch.rewards * ~self.done[:, None]
                self.done |= batch.done
                self._begin_episodes(pool_weights)

    def _begin_episodes(self, pool_weights: np.ndarray) -> None:
        """Keep the outcomes of episodes that have just ended, and seat those that have begun."""
        if self.has_opponents and len(ended := np.flatnonzero(self.batch.done)):
            results = self.batch.rewards, self.batch.final_scores, self.batch.final_ranks
            self._ended.append(tuple(part[ended] for part in (self.policies, *results)))
            self._infos.begin(ended)
            self._seat(ended, pool_weights)

    def _seat(self, games: np.ndarray, pool_weights: np.ndarray) -> None:
        """Write the policies of episodes that begin, with one snapshot in each game."""
        self.policies[games] = self._policy_of[self.batch.controllers[games]]
        if not len(pool_weights):
            self.policies[games] = np.where(self.policies[games] == self._pool, LEARNER, self.policies[games])
        elif self.uses_pool:
            slots = self._generator.choice(len(pool_weights), (len(games), 1), p=pool_weights / pool_weights.sum())
            self.policies[games] = np.where(
                self.policies[games] == self._pool, self._first_slot + slots, self.policies[games]
            )

    def _of_ended(self, policies: np.ndarray, rewards: np.ndarray, scores: np.ndarray, ranks: np.ndarray) -> Ended:
        """Of (K, players) each, in games that ended."""
        learned, slots = policies == LEARNER, policies.max(1) - self._first_slot
        learned &= (policies != LEARNER).any(1, keepdims=True)  # the pool may have been empty
        wins = wins_of(ranks)
        results = np.stack([rewards[learned], wins[learned], scores[learned]], 1)
        return Ended(results, slots[slots >= 0], (wins * learned).sum(1)[slots >= 0])

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
        is_slot = (expected == self._pool) & self.uses_pool
        slots = policies - self._first_slot  # while the pool is empty the network has its seats
        of_pool = (policies == LEARNER) | ((slots >= 0) & (slots < pool_slots))
        fits = np.where(is_slot, of_pool, policies == expected)
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
        return {f"agent {policy}": agent for policy, agent in agents if isinstance(agent, RecurrentAgent)}

    def close(self) -> None:
        """End the games."""
        self.batch.close()


@entry("policy")
def _list_movers(policies, seats, numbers, listed, moves):  # type: ignore[no-untyped-def]
    """List for each of the policies the games in which it is to move, after their number; returns how many move."""
    count = 0
    for place in range(numbers.shape[0]):
        listed[place, 0] = 0
    for game in range(seats.shape[0]):
        policy, moves[game] = policies[game, seats[game]], 0
        for place in range(numbers.shape[0]):
            if policy == numbers[place]:
                listed[place, 0] += 1
                listed[place, listed[place, 0]] = game
                moves[game] = 1
                count += 1
    return count
