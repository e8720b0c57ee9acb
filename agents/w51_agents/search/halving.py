"""Flat Monte Carlo search by sequential halving.

All candidates are evaluated in the same determinizations, then the better half of them, and so on: sequential halving
(Karnin, Koren and Somekh, "Almost optimal exploration in multi-armed bandits", ICML 2013) with common random numbers.
Actions are compared within each determinization, so the luck of the deal, which is most of the noise, cancels out.
"""

import math
from collections.abc import Callable, Generator

import numpy as np

from w51_agents.search.playouts import LeafBatch, Outcomes
from w51_agents.search.search_state import Search, SearchState, deviation
from w51_env.compiler.compile import repeated

_MIN_DETERMINIZATIONS = 16  # before a search may stop early
_Z_CERTAIN = 4.0  #           standard errors of a lead that more playouts are taken not to change
_LEAST_DEVIATION = 0.2  #     of a lead, in deviations of all utilities: equal results may be luck

# Evaluates one action in each determinization: (states, actions) -> (N,) utilities for the searching seat, by
# yielding leaves.
Evaluation = Callable[[np.ndarray, np.ndarray], Generator[LeafBatch, Outcomes, np.ndarray]]


def flat_search(state: SearchState, round_size: int = 256) -> Search:
    """Find the best action of a decision; a playout starts after the action. Arguments as of `halving_search`."""

    def evaluate(states: np.ndarray, actions: np.ndarray) -> Generator[LeafBatch, Outcomes, np.ndarray]:
        outcomes = yield LeafBatch(states, actions)
        return state.utilities(outcomes)[:, state.seat]

    return halving_search(state, evaluate, round_size)


def halving_search(state: SearchState, evaluate: Evaluation, round_size: int = 256) -> Search:
    """Find the best candidate; another one replaces the first only if it leads by `z_threshold` standard errors.

    Args:
        state: The decision.
        evaluate: Evaluates an action in a determinization.
        round_size: Playouts of one round.
    """
    candidates = state.candidates
    utilities = np.empty((0, len(candidates)))  # by determinization and candidate; nan where not played
    alive = np.arange(len(candidates))
    phases = max(1, math.ceil(math.log2(len(candidates))))
    for phase in range(1, phases + 1):
        while (playouts := state.budget.next_round(phase / phases, len(alive))) or not len(utilities):
            count = max(1, min(playouts, round_size) // len(alive))
            states, actions = state.draw(count), [candidates[alive]] * count
            values = yield from evaluate(repeated(states, len(alive)), np.concatenate(actions))
            rows = np.full((count, len(candidates)), np.nan)
            rows[:, alive] = values.reshape(count, len(alive))
            utilities = state.samples = np.concatenate([utilities, rows])
            if len(utilities) >= _MIN_DETERMINIZATIONS and _is_decided(utilities, alive, state):
                return int(candidates[_best(utilities, alive, state.z_threshold)])
        if phase < phases:
            alive = _better_half(utilities, alive)
    return int(candidates[_best(utilities, alive, state.z_threshold)])


def _is_decided(utilities: np.ndarray, alive: np.ndarray, state: SearchState) -> bool:
    """Whether the best candidate is certain, or more playouts would gain less than is tolerated."""
    best = alive[utilities[:, alive].mean(axis=0).argmax()]
    if state.tolerance is None:
        return all(_z_score(utilities, best, other) > _Z_CERTAIN for other in alive if other != best)
    unit = deviation(utilities[:, alive])
    losses = sum(_expected_loss(utilities[:, best] - utilities[:, other], unit) for other in alive if other != best)
    return losses <= state.tolerance * unit


def _expected_loss(leads: np.ndarray, unit: float) -> float:
    """What is lost in the mean because the other candidate may be the better one, of leads in determinizations.

    The true lead is taken to be normal around the mean of those that were seen (expected opportunity cost: Chick and
    Inoue, "New two-stage and sequential procedures for selecting the best simulated system", 2001).
    """
    error = max(deviation(leads, 1), _LEAST_DEVIATION * unit) / math.sqrt(len(leads))
    if error == 0.0:
        return 0.0
    z = float(leads.mean()) / error
    return error * (math.exp(-z * z / 2) / math.sqrt(2 * math.pi) - z * math.erfc(z / math.sqrt(2)) / 2)


def _better_half(utilities: np.ndarray, alive: np.ndarray) -> np.ndarray:
    """The first candidate and the best of the others: half of all, rounded up, and at least one other."""
    means = utilities[:, alive[1:]].mean(axis=0)
    keep = max(1, math.ceil(len(alive) / 2) - 1)
    best = np.argsort(-means, kind="stable")[:keep]
    return np.concatenate([alive[:1], alive[1:][np.sort(best)]])


def _best(utilities: np.ndarray, alive: np.ndarray, z_threshold: float) -> int:
    """Index of the best candidate alive if it leads the first by more than `z_threshold`; else of the first."""
    best = alive[utilities[:, alive].mean(axis=0).argmax()]
    return int(best if _z_score(utilities, best, alive[0]) > z_threshold else alive[0])


def _z_score(utilities: np.ndarray, one: np.intp, other: np.intp) -> float:
    """Mean difference of two candidates in standard errors, over all determinizations."""
    differences = utilities[:, one] - utilities[:, other]
    if len(differences) < 2:
        return 0.0
    mean, error = float(differences.mean()), deviation(differences, 1) / math.sqrt(len(differences))
    if error == 0.0:
        return math.copysign(math.inf, mean) if mean else 0.0
    return mean / error
