"""Ratings: one number for each agent, from the ranks of games.

Elo: the maximum likelihood fit of the Bradley-Terry model to all games, which does not depend on their order.
Plackett-Luce: openskill's updates, game after game, with an uncertainty.
"""

import math
from typing import NamedTuple

import numpy as np

from w51_agents.system.errors import needs_extra
from w51_lab.statistics.estimates import Interval, grouped, resamples, student_quantile
from w51_lab.statistics.games import Games

MEAN_ELO = 1500.0
_ELO = 400 / math.log(10)  #  points for odds of e
_RESAMPLES = 400
_DRAWN = 1.0  #  drawn games added to each pair that met, so that no strength is infinite
_LARGEST_STEP = 2.0
_STEPS = 100


class Rating(NamedTuple):
    """A rating of openskill: mean and standard deviation of the skill; 25 and 25 / 3 before the first game."""

    mu: float
    sigma: float


def elo(games: Games) -> list[Interval] | None:
    """Return the Elo ratings of the agents, mean 1500, with 95 % intervals; 400 points are odds of 10 to 1.

    Each game compares every two seats of different agents: the better rank wins, equal ranks are half a win each
    (Bradley and Terry, Biometrika 39, 1952). One drawn game is added for each pair that met, so ratings are finite.
    Intervals are bootstrapped over deals.

    Returns:
        None if the agents are not connected by common games.
    """
    agents = len(games.agents)
    deals = len(games.deal_ids)
    compared = _wins(games)
    wins = compared.sum(axis=0)
    met = wins + wins.T > 0
    if not np.linalg.matrix_power(met + np.eye(agents), agents).all():
        return None
    prior = np.where(met, _DRAWN / 2, 0.0)
    means = MEAN_ELO + _ELO * _strengths((wins + prior)[None])[0]
    if deals < 2:
        return [Interval(float(mean), -math.inf, math.inf) for mean in means]
    rows = grouped(compared.reshape(deals, -1))
    drawn = (resamples(len(rows))[:_RESAMPLES] @ rows.astype(np.float32)).reshape(-1, agents, agents)
    deviations = _ELO * _strengths(drawn + prior).std(axis=0) * math.sqrt(len(rows) / (len(rows) - 1))
    reach = student_quantile(deals - 1) * deviations
    return [Interval(float(mean), float(mean - by), float(mean + by)) for mean, by in zip(means, reach, strict=True)]


def plackett_luce(games: Games) -> list[Rating]:
    """Return Plackett-Luce ratings after all games in order, by openskill (Weng and Lin, JMLR 12, 2011).

    An agent with several seats is rated by one of them, drawn for each game: in the Plackett-Luce model the order of
    some competitors does not depend on the others, so this is unbiased. Agents do not change, so uncertainty does not
    grow between games.

    Raises:
        MissingPackageError: openskill is not installed.
    """
    with needs_extra("ratings: Plackett-Luce needs openskill", "arena"):
        from openskill.models import PlackettLuce
    model = PlackettLuce(tau=0.0)
    ratings = [model.rating(name=name) for name in games.agents]
    order = np.random.default_rng(0).permuted(np.tile(np.arange(games.num_players), (len(games.seats), 1)), axis=1)
    seats, ranks = (np.take_along_axis(array, order, axis=1).tolist() for array in (games.seats, games.ranks))
    for agents, ranked in zip(seats, ranks, strict=True):
        # Of an agent with several seats, the last of this order.
        rank_of = dict(zip(agents, ranked, strict=True))
        if len(rank_of) > 1:
            rated = model.rate([[ratings[agent]] for agent in rank_of], ranks=list(map(float, rank_of.values())))
            for agent, (rating,) in zip(rank_of, rated, strict=True):
                ratings[agent] = rating
    return [Rating(rating.mu, rating.sigma) for rating in ratings]


def _wins(games: Games) -> np.ndarray:
    """(D, A, A) number of times that a seat of one agent beat a seat of another in each deal; ties count half."""
    deals, agents = len(games.deal_ids), len(games.agents)
    wins = np.zeros(deals * agents * agents)
    for one in range(games.num_players):
        for other in range(games.num_players):
            first, second = games.seats[:, one].astype(np.int64), games.seats[:, other]
            won = (games.ranks[:, one] < games.ranks[:, other]) + 0.5 * (games.ranks[:, one] == games.ranks[:, other])
            cells = (games.deal_index * agents + first) * agents + second
            wins += np.bincount(cells, won * (first != second), len(wins))
    return wins.reshape(deals, agents, agents)


def _strengths(wins: np.ndarray) -> np.ndarray:
    """(R, A) maximum likelihood strengths of mean 0 for each of R (A, A) tables of wins, by Newton's method."""
    agents = wins.shape[1]
    played = wins + wins.transpose(0, 2, 1)
    strengths = np.zeros(wins.shape[:2])
    for _ in range(_STEPS):
        expected = 1 / (1 + np.exp(np.clip(strengths[:, None, :] - strengths[:, :, None], -500, 500)))
        slope = (wins - played * expected).sum(axis=2)
        bends = played * expected * (1 - expected)
        # The last term keeps the mean at 0.
        curvature = np.eye(agents) * bends.sum(axis=2)[:, :, None] - bends + 1.0 / agents
        step = np.linalg.solve(curvature, slope[:, :, None])[:, :, 0]
        strengths += np.clip(step, -_LARGEST_STEP, _LARGEST_STEP)
        if np.abs(step).max() < 1e-9:
            break
    return strengths - strengths.mean(axis=1, keepdims=True)
