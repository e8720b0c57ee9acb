"""Deliberations: the playouts of one decision, and what they say its actions are worth.

All actions are played to the end from the same determinizations, so the luck of the deal cancels out. Those that are
worse by far are given up. The best of many noisy means is too high: a difference is taken for what such differences are
worth (`shrinkage`).
"""

import math
from dataclasses import dataclass

import numpy as np

from w51_agents.search.playouts import LeafBatch, Outcomes
from w51_agents.search.search_state import SearchState, deviation
from w51_agents.search.shrinkage import Belief, believed
from w51_env.compiler.compile import repeated
from w51_env.engine.victory import wins_of

CLEAR = 2.0  #    standard errors on each side of an interval
LARGE = 0.01  #   of the win: a loss that matters
SURE = 0.85  #     the probability of a loss that matters, from which it is called a mistake
_SOFT = 0.8  #    deviations of the scores: a lead that is nearly a win
_SLOPE = 1.08  #  what differs by wins, in parts of what differs by softened ones
_LUCK = 0.1  #    added to the sum of squares of differences: equal results may be luck
_STEP = 32  #     determinizations that a step adds to a decision
_HINT = 192  #    determinizations of a decision whose best chance is asked for
_DIFFERENT = 3.0  # standard errors between what wins and softened ones say of an action, to take wins
_GIVEN_UP = 3.0  # standard errors of the lead over an action that is played no more

_NONE = Belief(0.0, 0.0, 0.0)  # of no difference


@dataclass(frozen=True)
class Worth:
    """What an action is worth to the seat that decides.

    Attributes:
        action: Action id.
        chance: Part of the wins of the seat after it, 0 to 1; a shared win counts as its part.
        points: Mean final score of the seat.
        playouts: The number of its playouts.
        loss: What the best action is better by: its chance less this one.
        error: Standard error of `loss`.
        sure: The probability that the loss matters.
    """

    action: int
    chance: float
    points: float
    playouts: int
    loss: float
    error: float
    sure: float

    @property
    def is_mistake(self) -> bool:
        """Whether to choose it surely costs a part of the win that matters."""
        return self.sure >= SURE


@dataclass(frozen=True)
class Verdict:
    """What the actions of one decision are worth.

    Attributes:
        worths: The actions that were considered, the best first; those after it in the order of their losses.
        judged: The action that was asked about; the best one if none was.
        behind: What the first sight is better by than the one that was asked about; below 0, what it is worse by.
        error: Standard error of the chance of the best one.
        playouts: The number of its playouts.
    """

    worths: tuple[Worth, ...]
    judged: Worth
    behind: Belief
    error: float
    playouts: int

    @property
    def advice(self) -> Worth:
        """The best action."""
        return self.worths[0]

    @property
    def alternative(self) -> Worth | None:
        """The best one beside it; None if nothing else was to be considered."""
        return self.worths[1] if len(self.worths) > 1 else None


class SoftWins:
    """Outcomes with less noise than wins: half of a win at a level score, and the more the larger the lead.

    Between two actions the mean of wins differs by that of these times a constant, to half a point of chance where the
    game is open; their variance is two thirds as large. The scale of the scores is that of the first outcomes.
    """

    def __init__(self, seat: int):
        self._seat = seat
        self._scale = 0.0

    def __call__(self, outcomes: Outcomes) -> np.ndarray:
        """(N,) floats, of N outcomes."""
        scores = outcomes.scores.astype(np.float64)
        self._scale = self._scale or _SOFT * (deviation(scores) or 1.0)
        own, others = scores[:, self._seat], np.delete(scores, self._seat, axis=1)
        softened: np.ndarray = _SLOPE * np.tanh((own - others.max(axis=1)) / self._scale) / 2
        return softened


class Deliberation:
    """The playouts of one decision so far.

    Args:
        state: The decision; its first candidate is that of the first sight.
        judged: The action that is asked about, one of the candidates; None: none is.
        is_unlikely: It would not be one of them if it was not asked about.
    """

    def __init__(self, state: SearchState, judged: int | None, is_unlikely: bool = False):
        self.candidates, self.judged, self.is_unlikely = state.candidates, judged, is_unlikely
        self._state = state
        self._alive = np.arange(len(state.candidates))
        # What the seat won, what that is without much of the noise, and its points; nan where an action was given up.
        self._samples = np.empty((0, 3, len(state.candidates)))
        self._soft_wins = SoftWins(state.seat)

    @property
    def is_begun(self) -> bool:
        """Whether there is a verdict."""
        return len(self._samples) > 0

    @property
    def playouts(self) -> int:
        """The number of playouts so far, of all actions."""
        return int((~np.isnan(self._samples[:, 0])).sum())

    @property
    def size(self) -> int:
        """The number of playouts of a step."""
        return _STEP * len(self._alive)

    def step(self) -> LeafBatch:
        """What is played next: each action that was not given up, in new determinizations."""
        states = self._state.draw(_STEP)
        return LeafBatch(repeated(states, len(self._alive)), np.tile(self.candidates[self._alive], _STEP))

    def add(self, outcomes: Outcomes) -> None:
        """Learn how the playouts of the last step ended."""
        seat = self._state.seat
        parts = wins_of(outcomes.ranks)[:, seat], self._soft_wins(outcomes), outcomes.scores[:, seat]
        rows = np.full((_STEP, len(parts), len(self.candidates)), np.nan)
        for number, values in enumerate(parts):
            rows[:, number, self._alive] = values.reshape(_STEP, -1)
        self._samples = np.concatenate([self._samples, rows])
        best, losses = self._losses(self._used())
        kept = [each for each in self._alive if losses[each][0] <= _GIVEN_UP * losses[each][1]]
        asked = [each for each in self._alive if self.candidates[each] == self.judged]
        second = sorted(self._alive[self._alive != best].tolist(), key=lambda each: losses[each])[:1]
        self._alive = np.array(sorted({best, *kept, *asked, *second}))

    def _losses(self, used: np.ndarray) -> tuple[int, list[tuple[float, float]]]:
        """The best candidate, and for each what that leads by with the standard error, as measured by `_used`."""
        best = int(self._alive[used[:, self._alive].mean(axis=0).argmax()])
        return best, [_lead(used[:, best] - used[:, each]) for each in range(len(self.candidates))]

    def _used(self) -> np.ndarray:
        """(N, K) floats: what differences are measured by.

        By wins, where a game that is nearly lost or won makes these vary less than softened ones, and where both
        clearly say different things of an action: level scores may be decided by who breaks the tie.
        """
        wins, soft = self._samples[:, 0, self._alive], self._samples[:, 1, self._alive]
        beyond = wins - soft - (wins - soft).mean(axis=1, keepdims=True)  # what an action has beside the others
        clear = abs(beyond.mean(axis=0)) > _DIFFERENT * beyond.std(axis=0) / len(beyond) ** 0.5
        is_soft = soft.var(axis=0).sum() < wins.var(axis=0).sum() and not clear.any()
        return self._samples[:, int(is_soft)]

    def doubt(self) -> float:
        """What more playouts could correct, in parts of a win: infinite before there are enough."""
        if len(self._samples) < (_HINT if self.judged is None else 1):
            return math.inf
        best, losses = self._losses(self._used())
        others = [losses[each] for each in self._alive if each != best]
        asked = [losses[each] for each in self._alive if self.candidates[each] == self.judged and each != best]
        if not others:
            return 0.0
        loss, error, _ = believed(*(asked or [min(others)])[0])
        is_best_asked = self.judged is not None and not asked
        return _expected_error(-loss if is_best_asked else loss, error, 0.0 if self.judged is None else LARGE)

    def verdict(self) -> Verdict:
        """What the playouts so far say; there must be some."""
        used = self._used()
        best, losses = self._losses(used)
        wins, points = self._samples[:, 0], self._samples[:, 2]
        chance, count = float(wins[:, best].mean()), len(wins)
        worths = []
        for each, measured in enumerate(losses):
            belief = believed(*measured, LARGE) if each != best else _NONE
            loss = min(chance, max(0.0, belief.mean))
            scored = float(points[:, best].mean() - np.nanmean(points[:, best] - points[:, each]))
            playouts = int((~np.isnan(wins[:, each])).sum())
            action = int(self.candidates[each])
            worths.append(Worth(action, chance - loss, scored, playouts, loss, belief.error, belief.above))
        error = math.sqrt(max(chance * (1 - chance), 1 / count) / count)
        asked = int(self.candidates[best]) if self.judged is None else self.judged
        at = next(each for each, worth in enumerate(worths) if worth.action == asked)
        behind = believed(*_lead(used[:, 0] - used[:, at])) if at else _NONE
        ordered = sorted(worths, key=lambda worth: (worth.action != worths[best].action, worth.loss))
        return Verdict(tuple(ordered), worths[at], behind, error, count)


def _lead(leads: np.ndarray) -> tuple[float, float]:
    """The mean of (N,) differences and its standard error; nan where an action was given up."""
    played = leads[~np.isnan(leads)]
    squares = float(((played - played.mean()) ** 2).sum()) + _LUCK
    return float(played.mean()), math.sqrt(squares) / len(played)


def _expected_error(lead: float, error: float, border: float) -> float:
    """How wrong it is in the mean to say on which side of a border a lead is."""
    z = abs(lead - border) / error
    return error * (math.exp(-z * z / 2) / math.sqrt(2 * math.pi) - z * math.erfc(z / math.sqrt(2)) / 2)
