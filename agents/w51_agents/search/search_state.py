"""The state of one search: a decision, what its seat knows of the game, and the budget of playouts or seconds."""

import math
import time
from collections.abc import Generator

import numpy as np

from w51_agents.search.imputation import BidImputation
from w51_agents.search.playouts import LeafBatch, Outcomes
from w51_agents.search.search_settings import SearchSettings
from w51_env.engine.determinization import Determinizer
from w51_env.engine.victory import wins_of

_FIRST_ROUND = 64  # playouts of the first round of a search bound by seconds, before their rate is known
_ROUNDS = 40  #      rounds of a search bound by seconds: it overruns by one of them at most

# A search in progress: yields leaves to play to the end, receives their outcomes, returns the action.
Search = Generator[LeafBatch, Outcomes, int]


class Budget:
    """Playouts or seconds for one decision. Exactly one of the two arguments is not None.

    Args:
        playouts: Maximum number of playouts.
        seconds: Wall time in seconds, from now on.
    """

    def __init__(self, playouts: int | None, seconds: float | None):
        self._playouts = playouts
        self._seconds = seconds or math.inf
        self._started = time.perf_counter()
        self._played = 0

    def spend(self, playouts: int) -> None:
        """Count this many playouts as played."""
        self._played += playouts

    def next_round(self, fraction: float, minimum: int) -> int:
        """Number of playouts for the next round.

        Args:
            fraction: Part of the whole budget, 0 to 1, that may be spent when the round ends.
            minimum: Least size of a round.

        Returns:
            `minimum` or more; 0 if a round of `minimum` playouts would exceed the fraction.
        """
        if self._playouts is not None:
            left = int(fraction * self._playouts + 0.5) - self._played
            return left if left >= minimum else 0
        used = (time.perf_counter() - self._started) / self._seconds
        if used >= fraction:
            return 0
        if self._played == 0:
            return max(minimum, _FIRST_ROUND)
        expected = self._played / used  # playouts of the whole budget, at the rate so far
        return max(minimum, int(min(fraction - used, 1 / _ROUNDS) * expected))


class SearchState:
    """One decision that is searched.

    Args:
        determinizer: Draws determinizations for the seat to move.
        candidates: (K,) action ids to choose among; the first is the prior's.
        settings: Settings of the agent.
        imputation: Replaces sealed bids in determinizations; None: they stay as drawn.
        seed: Seed of the determinizations.

    Attributes:
        candidates: (K,) action ids.
        game: The game with its rules bound.
        seat: The seat to move.
        z_threshold: Standard errors by which a candidate must lead the first one to replace it.
        budget: Playouts or seconds for this decision.
        samples: (D, K) float64, the utility of each candidate in each determinization so far; nan where not played.
        tolerance: What may be lost in the mean if the search stops early, in standard deviations of all utilities;
            None: it stops only where one candidate leads clearly.
    """

    tolerance: float | None = None

    def __init__(
        self,
        determinizer: Determinizer,
        candidates: np.ndarray,
        settings: SearchSettings,
        imputation: BidImputation | None,
        seed: int,
    ):
        self.candidates = candidates
        self.z_threshold = settings.z_threshold
        self.game = determinizer.game
        self.seat = determinizer.seat
        self.budget = Budget(settings.max_playouts, settings.seconds)
        self.samples = np.empty((0, len(candidates)))
        self._determinizer = determinizer
        self._imputation = imputation
        self._margin = settings.margin
        self._generator = np.random.default_rng(seed)

    def draw(self, count: int) -> np.ndarray:
        """(count,) structured: new determinizations."""
        states = self._determinizer.draw(count, int(self._generator.integers(2**63)))
        self.seat_players(states)
        if self._imputation is not None:
            self._imputation.impute(states, self.seat)
        return states

    def seat_players(self, states: np.ndarray) -> None:
        """Change the random streams of determinizations, which may say who has which seat; here nothing is known."""

    def utilities(self, outcomes: Outcomes) -> np.ndarray:
        """(N, num_players) float64 in 0 to 1: the utility of each outcome to each seat; counts the playouts as spent.

        A mean of the win and, with the weight `margin`, of the lead over the best other seat, in units of the
        standard deviation of all scores and squashed. The lead makes a narrow loss better than a clear one, which
        reduces the noise.
        """
        self.budget.spend(len(outcomes.ranks))
        wins = wins_of(outcomes.ranks)
        if self._margin == 0:
            return wins
        scores = outcomes.scores.astype(np.float64)
        highest = np.sort(scores, axis=1)
        best_other = np.where(scores == highest[:, -1:], highest[:, -2:-1], highest[:, -1:])
        leads = np.tanh((scores - best_other) / (2 * (deviation(scores) or 1.0)))
        return (1 - self._margin) * wins + self._margin * (1 + leads) / 2


def deviation(numbers: np.ndarray, lost: int = 0) -> float:
    """`numbers.std(ddof=lost)`, equal to the last bit, in a third of its time."""
    apart = numbers - np.add.reduce(numbers, axis=None) / numbers.size
    return math.sqrt(np.add.reduce(apart * apart, axis=None) / (numbers.size - lost))
