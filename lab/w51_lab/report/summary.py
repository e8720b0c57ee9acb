"""All figures of a tournament as one plain dictionary: the content of summary.json and of the report."""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from w51_agents.agent.interface import AgentError
from w51_agents.named.versions import versions
from w51_lab.arena.plan import Plan
from w51_lab.arena.seatings import PANEL
from w51_lab.arena.tournament import TournamentResult
from w51_lab.behaviour import summarise_behaviour
from w51_lab.statistics.estimates import CONFIDENCE, Interval, design_effect, intervals, win_rate_intervals
from w51_lab.statistics.games import Games, divided
from w51_lab.statistics.metagame import alpha_rank, nash_average, payoff_table
from w51_lab.statistics.panel import panel_results
from w51_lab.statistics.ratings import elo, plackett_luce
from w51_lab.statistics.sequential import pair_differences, sequential_tests

SCHEMA = 2
BETTER = '"better": sequential test, at most 5 % false claims over all pairs'


def summary_of(plan: Plan, played: TournamentResult, *, ratings: bool = False, alpha: bool = False) -> dict[str, Any]:
    """Return all figures of a tournament as plain data.

    Args:
        plan: The tournament.
        played: Its games.
        ratings: Add Plackett-Luce ratings; MissingPackageError if openskill is missing.
        alpha: Add alpha-rank; MissingPackageError if OpenSpiel is missing.
    """
    facts: dict[str, Any] = {
        "game": plan.game.id,
        "options": dict(plan.game.options),
        "versions": versions(),
        "deals": plan.deal_facts,
        "seatings": plan.seatings,
        "seconds": round(played.seconds, 3),
    }
    if plan.spec.format == PANEL:
        facts["panel"] = panel_results(played.games)
    behaviour = summarise_behaviour(plan.game, plan.names, played.behaviour) if plan.spec.behaviour else None
    return summarise(
        played.games,
        facts,
        [statistics.facts for statistics in played.statistics],
        planned=len(plan.deals.seeds) if plan.spec.until_decided else None,
        ratings=ratings,
        alpha=alpha,
        behaviour=behaviour,
    )


def summarise(
    games: Games,
    facts: dict[str, Any],
    statistics: Sequence[dict[str, Any]] = (),
    planned: int | None = None,
    ratings: bool = False,
    alpha: bool = False,
    behaviour: dict[str, Any] | None = None,
) -> dict[str, Any]:
    """Return the figures of a tournament as data for JSON; None stands for unknown values.

    Args:
        games: The played games.
        facts: `game`, `options`, `versions`, `deals` (a dictionary with `name` and `digest`), `seatings`, `seconds`;
            `panel` of a tournament of that format.
        statistics: For each agent `forfeits`, `decisions`, `seconds_per_decision`.
        planned: Planned number of deals of a tournament that stops when every pair is decided; None for one of fixed
            size.
        ratings: Add Plackett-Luce ratings; about a second for 10,000 games.
        alpha: Add alpha-rank.
        behaviour: Summary of what the agents do.

    Raises:
        AgentError: An agent without a game, or more deals than planned.
        MissingPackageError: A package is missing.
    """
    if not (games.seat_counts.sum(axis=0) > 0).all():
        idle = games.agents[int(np.flatnonzero(games.seat_counts.sum(axis=0) == 0)[0])]
        raise AgentError(f"agent {idle!r}: 0 games, but each agent needs at least 1")
    deals = len(games.deal_ids)
    table = payoff_table(games)
    pairs = _pairs(games, planned)
    early = planned is not None and deals < planned and all(pair["decided"] for pair in pairs)
    summary = {
        "schema": SCHEMA,
        **facts,
        "players": games.num_players,
        "deals": {**facts.get("deals", {}), "count": deals},
        "games": len(games.seats),
        "equal_share": games.equal_share,
        "confidence": CONFIDENCE,
        "agents": _agents(games, table, statistics, ratings, alpha),
        "pairs": pairs,
        "better": BETTER,
        "payoffs": {"agents": list(games.agents), "table": [[_number(value) for value in row] for row in table]},
        "design_effect": {
            "win_rate": _number(design_effect(games, games.wins)),
            "score": _number(design_effect(games, games.scores)),
        },
        "stopped": {"deals": deals, "of": planned, "reason": "all differences decided"} if early else None,
        "seats": _by_seat(games),
        "seat_errors": _seat_errors(games),
        "matches": [_match(games, lineup) for lineup in np.unique(games.lineups).tolist()],
    }
    return summary if behaviour is None else {**summary, "behaviour": behaviour}


def _agents(
    games: Games, table: np.ndarray, statistics: Sequence[dict[str, Any]], ratings: bool, alpha: bool
) -> list[dict[str, Any]]:
    rows = _standings(games)
    for agent, row in enumerate(rows):
        row["seats"] = int(games.seat_counts[:, agent].max())
        row["games"] = int((games.seat_counts[:, agent] > 0).sum())
    columns: dict[str, Sequence[Any]] = {}
    if ratings:
        columns["rating"] = [rating._asdict() for rating in plackett_luce(games)]
    if (strengths := elo(games)) is not None:
        columns["elo"] = [_plain(interval) for interval in strengths]
    if not np.isnan(table).any():
        nash = nash_average(table)
        columns["nash"], columns["nash_skill"] = nash.weights.tolist(), nash.skills.tolist()
        if alpha:
            columns["alpha_rank"] = alpha_rank(table).tolist()
    for name, values in columns.items():
        for row, value in zip(rows, values, strict=True):
            row[name] = value
    return [row | more for row, more in zip(rows, statistics, strict=True)] if statistics else rows


def _standings(games: Games) -> list[dict[str, Any]]:
    """Win rate, score and rank of every agent in these games."""
    sat = np.flatnonzero(games.seat_counts.sum(axis=0))
    scores = intervals(games.by_deal(games.scores)[:, sat], *_range_of_scores(games))
    ranks = intervals(games.by_deal(games.ranks)[:, sat], 1.0, float(games.num_players))
    return [
        {"name": games.agents[agent], "win_rate": _plain(wins), "score": _plain(score), "rank": _plain(rank)}
        for agent, wins, score, rank in zip(sat, win_rate_intervals(games), scores, ranks, strict=True)
    ]


def _pairs(games: Games, planned: int | None) -> list[dict[str, Any]]:
    """Differences of win rate and score of every two agents, per seat, paired by deal."""
    pairs, by_deal = pair_differences(games)
    if not pairs:
        return []
    first, second = np.array(pairs).T
    tests = sequential_tests(by_deal, planned if planned is not None else len(by_deal))
    scores = games.by_deal(games.scores)
    lowest, highest = _range_of_scores(games)
    of_scores = intervals(scores[:, first] - scores[:, second], lowest - highest, highest - lowest)
    rows = []
    for index, (wins, score) in enumerate(zip(intervals(by_deal, -1.0, 1.0), of_scores, strict=True)):
        names = (games.agents[first[index]], games.agents[second[index]])
        better = tests[index].better
        rows.append(
            {
                "first": names[0],
                "second": names[1],
                "win_rate": _plain(wins),
                "score": _plain(score),
                "decided": bool(better),
                "better": None if not better else names[0] if better > 0 else names[1],
            }
        )
    return rows


def _match(games: Games, lineup: int) -> dict[str, Any]:
    lineup_games = games.of_lineup(lineup)
    return {
        "lineup": [games.agents[agent] for agent in np.sort(lineup_games.seats[0])],
        "agents": _standings(lineup_games),
    }


def _by_seat(games: Games) -> list[list[float | None]]:
    """A rows of P: win rate of each agent in each seat; None where it never sat."""
    rates = []
    for agent in range(len(games.agents)):
        sat = games.seats == agent
        rates.append([_number(rate) for rate in divided((games.wins * sat).sum(axis=0), sat.sum(axis=0))])
    return rates


def _seat_errors(games: Games) -> list[list[float | None]]:
    """A rows of P: standard error of each win rate of `_by_seat`, where deals are the independent draws.

    At least that of independent games with the agent's mean rate: a seat without a win has no spread of its own.
    """
    deals, agents = len(games.deal_ids), len(games.agents)
    by_seat: list[list[float | None]] = []
    for agent in range(agents):
        sat = games.seats == agent
        times, won = (
            np.stack([np.bincount(games.deal_index, values * seat, deals) for values, seat in seats], 1)
            for seats in (zip(np.ones(games.num_players), sat.T, strict=True), zip(games.wins.T, sat.T, strict=True))
        )
        rates = divided(won.sum(axis=0), times.sum(axis=0))
        errors = divided(np.sqrt(((won - rates * times) ** 2).sum(axis=0)), times.sum(axis=0))
        mean = won.sum() / max(1.0, times.sum())
        errors = np.maximum(errors, np.sqrt(divided(np.full_like(rates, mean * (1 - mean)), times.sum(axis=0))))
        by_seat.append([_number(error) if deals > 1 else None for error in errors])
    return by_seat


def _range_of_scores(games: Games) -> tuple[float, float]:
    """Lowest and highest score of these games; unbounded for one deal."""
    return (float(games.scores.min()), float(games.scores.max())) if len(games.deal_ids) > 1 else (-math.inf, math.inf)


def _plain(interval: Interval) -> dict[str, float | None]:
    return {name: _number(value) for name, value in interval._asdict().items()}


def _number(value: float) -> float | None:
    return float(value) if math.isfinite(value) else None
