"""The choice among candidates: all of them in the same worlds, then the better half, and so on.

Sequential halving (Karnin, Koren and Somekh, "Almost optimal exploration in multi-armed bandits", ICML 2013), with common random
numbers: actions are compared world by world, so that the luck of the deal, which is most of the noise, falls to all alike.
"""

import math
from collections.abc import Callable, Generator

import numpy as np

from agents.search.playouts import Ends
from agents.search.problem import Problem, Request, Search

_FEWEST_WORLDS = 16  #   before an end of the search is thought about
_CERTAIN = 4.0  #        standard errors: nothing would come of more playouts

# Plays each world from an action on: (worlds, actions) -> (N,) utilities for the seat that searches, by way of requests.
Evaluation = Callable[[np.ndarray, np.ndarray], Generator[Request, Ends, np.ndarray]]


def halving_search(problem: Problem, evaluate: Evaluation, most: int) -> Search:
    """Find the best of the candidates; the first of them is left only for one that is better beyond doubt.

    Args:
        problem: The decision.
        evaluate: How an action is valued in a world.
        most: Playouts of one round, at most.
    """
    candidates = problem.candidates
    table = np.empty((0, len(candidates)))  # utility by world and candidate; nan where not played
    alive = np.arange(len(candidates))
    phases = max(1, math.ceil(math.log2(len(candidates))))
    for phase in range(1, phases + 1):
        while (playouts := problem.budget.next_round(phase / phases, len(alive))) or not len(table):
            count = max(1, min(playouts, most) // len(alive))
            values = yield from evaluate(np.repeat(problem.draw(count), len(alive)), np.tile(candidates[alive], count))
            rows = np.full((count, len(candidates)), np.nan)
            rows[:, alive] = values.reshape(count, len(alive))
            table = np.concatenate([table, rows])
            if len(table) >= _FEWEST_WORLDS and _is_certain(table, alive):
                return int(candidates[_best(table, alive, problem.doubt)])
        if phase < phases:
            alive = _better_half(table, alive)
    return int(candidates[_best(table, alive, problem.doubt)])


def _is_certain(table: np.ndarray, alive: np.ndarray) -> bool:
    """One candidate leads each other one by so much that more playouts would not change it."""
    best = alive[table[:, alive].mean(axis=0).argmax()]
    return all(_lead(table, best, other) > _CERTAIN for other in alive if other != best)


def _better_half(table: np.ndarray, alive: np.ndarray) -> np.ndarray:
    """The first candidate, and of the others as many of the best as make half of all, rounded up; at least one."""
    means = table[:, alive[1:]].mean(axis=0)
    keep = max(1, math.ceil(len(alive) / 2) - 1)
    best = np.argsort(-means, kind="stable")[:keep]
    return np.concatenate([alive[:1], alive[1:][np.sort(best)]])


def _best(table: np.ndarray, alive: np.ndarray, doubt: float) -> int:
    """The best of those left; the first unless the best leads it by more than `doubt` standard errors."""
    best = alive[table[:, alive].mean(axis=0).argmax()]
    return int(best if _lead(table, best, alive[0]) > doubt else alive[0])


def _lead(table: np.ndarray, one: np.intp, other: np.intp) -> float:
    """The mean difference of two candidates over all worlds, both were played in each, in standard errors."""
    gaps = table[:, one] - table[:, other]
    if len(gaps) < 2:
        return 0.0
    mean, error = float(gaps.mean()), float(gaps.std(ddof=1)) / math.sqrt(len(gaps))
    if error == 0.0:
        return math.copysign(math.inf, mean) if mean else 0.0
    return mean / error
