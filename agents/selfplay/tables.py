"""The games a network learns from: batches of several kinds, shown as one."""

from collections.abc import Sequence

import numpy as np

from w51_env.core.batch import EXTERNAL, Batch
from w51_env.core.game import Game

SELF, POOL = "self", "pool"  # opponents beside the bots of a game: the network itself, its past
LEARNER = 0  # in `player`: the network as it is; k > 0: the k-th place of the pool


class Tables:
    """Games of one kind after another, in the rows of common arrays.

    Args:
        kinds: (game, how many, opponents) each; opponents is SELF (every seat learns), POOL (one seat learns, the others are played by the
            network's past) or a bot's name (one seat learns). All games have the same observations and actions.
        seed: Of all games and seatings.
        threads: Threads that step the games.

    Attributes:
        observation, mask: (N, size) int8, (N, actions) bool, of the seat to move.
        seat, done: (N,) the seat to move (int64); whether the last step ended an episode.
        alone: (N,) bool, whether one seat learns against others.
        rewards: (N, seats) float32 of the last step, with zeros where a game has fewer seats.
        player: (N, seats) int64, who plays an external seat: LEARNER, or a place of the pool.
        ranks, scores: (N, seats), of the episode that ended last; ranks are 0 where there is no seat.
        learner: (N,) int64, the one seat that learned in the episode that ended last; of no meaning where all do.
        opponent: (N,) int64, the place of the pool it had against it, LEARNER if none.
    """

    def __init__(self, kinds: Sequence[tuple[Game, int, str]], seed: int, threads: int = 1):
        self.kinds = list(kinds)
        sizes = [count for _, count, _ in kinds]
        stops = np.cumsum(sizes)
        self.rows = [slice(stop - size, stop) for stop, size in zip(stops, sizes, strict=True)]
        self.num_games = int(stops[-1])
        self.seats = max(game.num_players for game, _, _ in kinds)
        first = kinds[0][0]
        self.observation = np.zeros((self.num_games, first.layout.size), np.int8)
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
        sequence = np.random.SeedSequence(seed)
        self._generator = np.random.default_rng(sequence.spawn(1)[0])
        seeds = sequence.generate_state(len(self.kinds), np.uint64)
        self._batches = [
            Batch(
                game,
                count,
                seed=int(own),
                controllers=[EXTERNAL] * game.num_players
                if opponents in (SELF, POOL)
                else [EXTERNAL] + [opponents] * (game.num_players - 1),
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
        self._seat_pool(self.pooled, pool)
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
            self._seat_pool(self.done & self.pooled, pool)

    def _seat_pool(self, which: np.ndarray, pool: np.ndarray) -> None:
        """Draw the players of new episodes: one seat for the learner, one place of the pool for all the others."""
        games = np.flatnonzero(which)
        self.learner[games] = self._next_learner[games]
        self.opponent[games] = self.player[games, : self.seats].max(1)
        place = 1 + self._generator.choice(len(pool), len(games), p=pool / pool.sum()) if len(pool) else np.full(len(games), LEARNER)
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
            self.learner[rows] = batch.learner

    def close(self) -> None:
        """End the threads of the batches."""
        for batch in self._batches:
            batch.close()
