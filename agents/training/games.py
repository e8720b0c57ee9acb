"""The games a network learns from: batches of several kinds, shown as one."""

from collections.abc import Sequence

import numpy as np

from agents.agent import Agent
from agents.registry import make_agent
from agents.training.state import State
from w51_env.core.batch import Batch
from w51_env.core.game import EXTERNAL, Game

SELF, POOL = "self", "pool"  # opponents beside agents: the network itself, its past
LEARNER = 0  # in `player`: the network as it is; k > 0: the k-th place of the pool; -k: the k-th of `agents`


class Tables:
    """Games of one kind after another, in the rows of common arrays.

    Args:
        kinds: (game, how many, opponents) each; opponents is SELF (every seat learns), POOL (one seat learns, the others are played by the
            network's past), or the name or path of an agent (one seat learns). All games have the same observations and actions.
        seed: Of all games and seatings.
        threads: Threads that step the games.
        see_all: Keep what every seat sees in `all_observations`.

    Attributes:
        observation, mask: (N, size) int8, (N, actions) bool, of the seat to move.
        all_observations: (N, seats * size) int8, of all seats, clockwise from the one to move; (N, 0) unless `see_all`.
        seat, done: (N,) the seat to move (int64); whether the last step ended an episode.
        alone: (N,) bool, whether one seat learns against others.
        rewards: (N, seats) float32 of the last step, with zeros where a game has fewer seats.
        player: (N, seats) int64, who plays an external seat: LEARNER, a place of the pool, or one of `agents`.
        agents: Those that are not bots, which play inside the batches.
        ranks, scores: (N, seats), of the episode that ended last; ranks are 0 where there is no seat.
        learner: (N,) int64, the one seat that learned in the episode that ended last; of no meaning where all do.
        opponent: (N,) int64, the place of the pool it had against it, LEARNER if none.
    """

    def __init__(self, kinds: Sequence[tuple[Game, int, str]], seed: int, threads: int = 1, see_all: bool = False):
        self.kinds = list(kinds)
        sizes = [count for _, count, _ in kinds]
        stops = np.cumsum(sizes)
        self.rows = [slice(stop - size, stop) for stop, size in zip(stops, sizes, strict=True)]
        self.num_games = int(stops[-1])
        self.seats = max(game.num_players for game, _, _ in kinds)
        first = kinds[0][0]
        self.observation = np.zeros((self.num_games, first.layout.size), np.int8)
        self.all_observations = np.zeros((self.num_games, self.seats * first.layout.size if see_all else 0), np.int8)
        self.mask = np.zeros((self.num_games, len(first.actions)), bool)
        self.seat = np.zeros(self.num_games, np.int64)
        self.done = np.zeros(self.num_games, bool)
        self.rewards = np.zeros((self.num_games, self.seats), np.float32)
        self.ranks = np.zeros((self.num_games, self.seats), np.int8)
        self.scores = np.zeros((self.num_games, self.seats), np.int16)
        self.learner = np.zeros(self.num_games, np.int64)
        self.opponent = np.full(self.num_games, LEARNER, np.int64)
        self._next_learner = np.zeros(self.num_games, np.int64)
        self.player = np.full((self.num_games, self.seats), LEARNER, np.int64)
        self.alone = np.concatenate([np.full(count, opponents != SELF) for _, count, opponents in kinds])
        self.pooled = np.concatenate([np.full(count, opponents == POOL) for _, count, opponents in kinds])
        self._players = np.concatenate([np.full(count, game.num_players) for game, count, _ in kinds])
        self.agents: list[Agent] = []
        self._agent = np.zeros(self.num_games, np.int64)  # -k where the k-th agent plays
        for (game, _, opponents), rows in zip(self.kinds, self.rows, strict=True):
            if opponents not in (SELF, POOL, *game.bots):
                self.agents.append(make_agent(opponents, game))
                self._agent[rows] = -len(self.agents)
        sequence = np.random.SeedSequence(seed)
        self._generator = np.random.default_rng(sequence.spawn(1)[0])
        seeds = sequence.generate_state(len(self.kinds), np.uint64)
        self._batches = [
            Batch(
                game,
                count,
                seed=int(own),
                controllers=[EXTERNAL, *[opponents if opponents in game.bots else EXTERNAL] * (game.num_players - 1)],
                seating="shuffle",
                keep_final=False,
                threads=threads,
            )
            for (game, count, opponents), own in zip(self.kinds, seeds, strict=True)
        ]

    def reset(self, pool: np.ndarray) -> None:
        """Begin all games; `pool` as in `step`."""
        for batch in self._batches:
            batch.reset()
        self._seat_others(np.ones(self.num_games, bool), pool)
        self._look()

    def step(self, actions: np.ndarray, pool: np.ndarray) -> None:
        """Play (N,) actions.

        Args:
            actions: (N,) ids.
            pool: (K,) how often each place of the pool sits down where an episode begins. While K is 0 the network plays itself there.
        """
        for batch, rows in zip(self._batches, self.rows, strict=True):
            batch.step(actions[rows])
        self._look()
        if self.done.any():
            self._seat_others(self.done, pool)

    def state(self) -> State:
        """All that `restore` of tables made alike goes on from."""
        arrays = {
            f"games {place}": np.frombuffer(batch.snapshot(), np.uint8) for place, batch in enumerate(self._batches)
        }
        arrays |= {name: array.copy() for name, array in self._seating().items()}
        return State(arrays, {"generator": self._generator.bit_generator.state})

    def restore(self, state: State) -> None:
        """Go on from a state of tables made alike."""
        for place, batch in enumerate(self._batches):
            batch.restore(state.arrays[f"games {place}"].tobytes())
        for name, array in self._seating().items():
            array[:] = state.arrays[name]
        self._generator.bit_generator.state = state.facts["generator"]
        self._look()

    def _seating(self) -> dict[str, np.ndarray]:
        return {
            "player": self.player,
            "learner": self.learner,
            "next_learner": self._next_learner,
            "opponent": self.opponent,
        }

    def _seat_others(self, which: np.ndarray, pool: np.ndarray) -> None:
        """Draw the players of new episodes: one seat for the learner, one place of the pool, or an agent, for all the others."""
        games = np.flatnonzero(which & (self.pooled | (self._agent != 0)))
        self.learner[games] = self._next_learner[games]
        self.opponent[games] = self.player[games].max(1)
        place = self._agent[games]
        if len(pool):
            drawn = 1 + self._generator.choice(len(pool), len(games), p=pool / pool.sum())
            place = np.where(self.pooled[games], drawn, place)
        seat = (self._generator.random(len(games)) * self._players[games]).astype(np.int64)
        self.player[games] = place[:, None]
        self.player[games, seat] = LEARNER
        self._next_learner[games] = seat

    def _look(self) -> None:
        """Bring what the batches show together."""
        for batch, rows in zip(self._batches, self.rows, strict=True):
            seats = batch.game.num_players
            self.observation[rows] = batch.observation
            self.mask[rows] = batch.action_mask
            self.seat[rows] = batch.seat
            self.done[rows] = batch.done
            self.rewards[rows, :seats] = batch.rewards
            self.ranks[rows, :seats] = batch.final_ranks
            self.scores[rows, :seats] = batch.final_scores
            if self._agent[rows.start] == 0 and not self.pooled[rows.start]:
                self.learner[rows] = batch.learner
            if self.all_observations.shape[1]:
                size = batch.game.layout.size
                for distance in range(seats):
                    part = slice(distance * size, (distance + 1) * size)
                    self.all_observations[rows, part] = batch.observe((batch.seat + distance) % seats)

    def close(self) -> None:
        """End the threads of the batches."""
        for batch in self._batches:
            batch.close()
