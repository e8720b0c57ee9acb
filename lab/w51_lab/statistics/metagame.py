"""The meta-game, whose actions are agents: payoff table, Nash averaging and alpha-rank.

A win rate is a mean over the opponents in a tournament: adding a copy of one of them changes it. Nash averaging and
alpha-rank use the payoffs of pairs instead.
"""

import math
from importlib import import_module
from typing import NamedTuple

import numpy as np

from w51_agents.agent.interface import AgentError
from w51_agents.system.errors import needs_extra
from w51_lab.statistics.estimates import Interval, grouped, resamples
from w51_lab.statistics.games import Games, divided

_SLACK = 1e-7  # relative to the largest payoff: what a reply may win against the equilibrium
_BARRIERS = tuple(10.0**-power for power in range(1, 11))
_NEWTON_STEPS = 60
_REDRAWN, _MOST_REDRAWN = 200, 30  # draws of deals; agents, for whom each draw takes milliseconds


class NashAverage(NamedTuple):
    """(A,) float64 each: weight of each agent in the equilibrium, and its payoff against the equilibrium, at most 0."""

    weights: np.ndarray
    skills: np.ndarray


def payoff_table(games: Games) -> np.ndarray:
    """Return the (A, A) antisymmetric payoffs: mean result of a seat of the row agent less that of the column agent.

    The mean is over their common games; nan without any.
    """
    agents = len(games.agents)
    results = games.by_game(games.results)
    table = np.zeros((agents, agents))
    for first in range(agents):
        for second in range(first + 1, agents):
            difference = results[:, first] - results[:, second]
            known = difference[~np.isnan(difference)]
            table[first, second] = known.mean() if len(known) else np.nan
            table[second, first] = -table[first, second]
    return table


@np.errstate(under="ignore")
def nash_average(table: np.ndarray) -> NashAverage:
    """Return the maximum-entropy equilibrium of the zero-sum game with this (A, A) antisymmetric table.

    Copies of an agent share its weight; dominated agents have weight 0 (Balduzzi, Tuyls, Perolat and Graepel,
    Re-evaluating evaluation, 2018). The dual problem is to minimise log(sum(exp(table @ prices))) over prices of at
    least 0, one for each reply. It is solved by Newton's method with a decreasing barrier. Replies may win 1e-7 of the
    largest payoff; otherwise prices could be infinite.

    Raises:
        AgentError: A table that is not antisymmetric, or with pairs that never met.
    """
    table = np.asarray(table, np.float64)
    if table.ndim != 2 or table.shape[0] != table.shape[1] or not np.allclose(table, -table.T, atol=1e-9):
        raise AgentError(
            "payoffs: Nash averaging needs a square antisymmetric table without nan: every pair must have met"
        )
    scale = np.abs(table).max()
    if scale < 1e-12:
        return NashAverage(np.full(len(table), 1 / len(table)), np.zeros(len(table)))
    payoffs = table / scale
    prices = np.ones(len(table))
    for barrier in _BARRIERS:
        for _ in range(_NEWTON_STEPS):
            weights = _softmax(payoffs @ prices)
            slope = weights @ payoffs + _SLACK - barrier / prices
            mean = weights @ payoffs
            curvature = (payoffs.T * weights) @ payoffs - np.outer(mean, mean) + np.diag(barrier / prices**2)
            step = -np.linalg.solve(curvature, slope)
            if slope @ step > -1e-3 * barrier:
                break
            prices = prices + _length(payoffs, prices, step, float(slope @ step), barrier) * step
    weights = _softmax(payoffs @ prices)
    weights = np.where(weights < 1e-5, 0.0, weights)
    weights /= weights.sum()
    return NashAverage(weights, table @ weights)


def nash_intervals(games: Games) -> list[Interval]:
    """The weight of each agent in the equilibrium, with 95 % of those of redrawn deals; unknown for many agents.

    A weight can jump from 0 to 1 where a payoff changes its sign, so the interval may have both.

    Raises:
        AgentError: Some pairs never met.
    """
    weights, agents = nash_average(payoff_table(games)).weights, len(games.agents)
    if agents > _MOST_REDRAWN or len(games.deal_ids) < 2:
        return [Interval(float(weight), math.nan, math.nan) for weight in weights]
    results = games.by_game(games.results)
    first, second = np.triu_indices(agents, 1)
    differences = results[:, first] - results[:, second]
    sums, counts = np.zeros((2, len(games.deal_ids), len(first)))
    np.add.at(sums, games.deal_index, np.nan_to_num(differences))
    np.add.at(counts, games.deal_index, ~np.isnan(differences))
    sums, counts = grouped(sums), grouped(counts)
    drawn = resamples(len(sums))[:_REDRAWN]
    tables = np.zeros((_REDRAWN, agents, agents))
    tables[:, first, second] = divided(drawn @ sums, drawn @ counts)
    redrawn = [nash_average(table).weights for table in np.nan_to_num(tables - tables.transpose(0, 2, 1))]
    low, high = np.quantile(redrawn, (0.025, 0.975), axis=0)
    return [Interval(*ends) for ends in zip(weights.tolist(), low.tolist(), high.tolist(), strict=True)]


@np.errstate(under="ignore")
def alpha_rank(table: np.ndarray) -> np.ndarray:
    """Return (A,) alpha-rank weights: stationary distribution of a population under strong selection, by OpenSpiel.

    Source: Omidshafiei and others, alpha-Rank: Multi-Agent Evaluation by Evolution, 2019.

    Raises:
        AgentError: A table with pairs that never met.
        MissingPackageError: OpenSpiel is not installed.
    """
    with needs_extra("alpha-rank: needs OpenSpiel", "games"):
        alpharank = import_module("open_spiel.python.egt.alpharank")
    if np.isnan(table).any():
        raise AgentError("payoffs: some pairs never met, but alpha-rank needs all payoffs")
    if len(table) == 1:
        return np.ones(1)
    return alpharank.sweep_pi_vs_epsilon([np.asarray(table, np.float64)])


def _softmax(logits: np.ndarray) -> np.ndarray:
    powers = np.exp(logits - logits.max())
    return powers / powers.sum()


def _length(payoffs: np.ndarray, prices: np.ndarray, step: np.ndarray, slope: float, barrier: float) -> float:
    """Return the step length for which prices stay above 0 and the objective falls."""

    def height(at: np.ndarray) -> float:
        logits = payoffs @ at
        return float(
            np.log(np.exp(logits - logits.max()).sum()) + logits.max() + _SLACK * at.sum() - barrier * np.log(at).sum()
        )

    length = min(1.0, 0.95 / max(1e-9, float((-step / prices).max())))
    before = height(prices)
    while length > 1e-12 and height(prices + length * step) > before + 0.1 * length * slope:
        length /= 2
    return length
