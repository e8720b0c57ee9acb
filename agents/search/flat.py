"""Flat Monte Carlo search: after the action in question bots play on to the end."""

from collections.abc import Generator

import numpy as np

from agents.search.halving import halving_search
from agents.search.playouts import Ends
from agents.search.problem import Problem, Request, Search

_MOST = 256  # playouts of one round: enough to keep a compiled call busy, few enough to end early


def flat_search(problem: Problem) -> Search:
    """Find the best action of a decision."""

    def evaluate(worlds: np.ndarray, actions: np.ndarray) -> Generator[Request, Ends, np.ndarray]:
        ends = yield worlds, actions
        return problem.utilities(ends)[:, problem.seat]

    return halving_search(problem, evaluate, _MOST)
