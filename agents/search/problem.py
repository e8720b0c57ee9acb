"""One decision that is searched: what the seat may know of it, and what may be spent on it."""

from collections.abc import Generator

import numpy as np

from agents.search.budget import Budget
from agents.search.playouts import Ends
from agents.search.secrets import Guesses
from agents.search.settings import SearchSettings
from w51_env.core.determinization import Determinizer
from w51_env.core.victory import wins_of

# A search in progress. It yields worlds (N,) and actions (N,) to be played to the end, is sent how they ended, and returns an action.
Request = tuple[np.ndarray, np.ndarray]
Search = Generator[Request, Ends, int]


class Problem:
    """A decision, as a method of search sees it.

    Args:
        worlds: What the seat to move knows.
        candidates: The action ids to choose among; the first is the prior's.
        settings: Of the agent.
        guesses: Of others' secret choices; None: they stay as they are drawn.
        seed: Of the worlds that are drawn.

    Attributes:
        candidates: As given.
        game, seat: The game, and the seat to move.
        doubt: Standard errors by which a candidate must lead the first to be preferred to it.
        budget: What may be spent.
    """

    def __init__(
        self, worlds: Determinizer, candidates: np.ndarray, settings: SearchSettings, guesses: Guesses | None, seed: int
    ):
        self.candidates = candidates
        self.doubt = settings.doubt
        self.game = worlds.game
        self.seat = worlds.seat
        self.budget = Budget(settings.rollouts, settings.seconds)
        self._worlds = worlds
        self._guesses = guesses
        self._margin = settings.margin
        self._generator = np.random.default_rng(seed)

    def draw(self, count: int) -> np.ndarray:
        """(count,) structured: new worlds."""
        worlds = self._worlds.draw(count, int(self._generator.integers(2**63)))
        if self._guesses is not None:
            self._guesses.put_in(worlds, self.seat)
        return worlds

    def utilities(self, ends: Ends) -> np.ndarray:
        """(N, num_players) float64: what each end is worth to each seat, 0 to 1. The playouts count as spent.

        It is the wins (see `wins_of`) and, with the weight `margin`, the lead over the best of the others, in units of the spread
        of all scores and bounded: a game that was nearly won tells more than one that was lost by far.
        """
        self.budget.spend(len(ends.ranks))
        wins = wins_of(ends.ranks)
        if self._margin == 0:
            return wins
        scores = ends.scores.astype(np.float64)
        highest = np.sort(scores, axis=1)
        best_other = np.where(scores == highest[:, -1:], highest[:, -2:-1], highest[:, -1:])
        leads = np.tanh((scores - best_other) / (2 * (scores.std() or 1.0)))
        return (1 - self._margin) * wins + self._margin * (1 + leads) / 2
