"""All figures of a tournament as one plain dictionary, which the report and papers read."""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from agents.agent import AgentError
from arena.estimates import Interval, intervals, saving, win_rate_intervals
from arena.games import Games
from arena.intervals import CONFIDENCE
from arena.metagame import alpha_rank, nash_average, payoff_table
from arena.ratings import elo, plackett_luce
from arena.sequential import pair_differences, settle

SCHEMA = 1


def summarise(
    games: Games,
    facts: dict[str, Any],
    conduct: Sequence[dict[str, Any]] = (),
    planned: int | None = None,
    ratings: bool = False,
    alpha: bool = False,
    behaviour: dict[str, Any] | None = None,
) -> dict[str, Any]:
    """What JSON can hold of these games; None for what is not known.

    Args:
        games: What was played.
        facts: What games do not tell: `game`, `options`, `versions`, `deals` (a dictionary with `name` and `digest`), `seatings`, `seconds`.
        conduct: For each agent what is known of its manners: `forfeits`, `decisions`, `seconds_per_decision`.
        planned: How many deals there were to be at most, of a tournament that ends when every pair is settled; None if it has a fixed size.
        ratings: Rate by Plackett and Luce's model, too; about a second for 10,000 games.
        alpha: Rank by alpha-rank, too.
        behaviour: What is known of how the agents play.

    Raises:
        AgentError: An agent without a game; more deals than were planned; a package is missing for what was asked for.
    """
    if not (games.places.sum(axis=0) > 0).all():
        idle = games.agents[int(np.flatnonzero(games.places.sum(axis=0) == 0)[0])]
        raise AgentError(f"agent {idle!r}: has no game, but each must have one")
    deals = len(games.deal_ids)
    table = payoff_table(games)
    pairs = _pairs(games, planned)
    early = planned is not None and deals < planned and all(pair["settled"] for pair in pairs)
    summary = {
        "schema": SCHEMA,
        **facts,
        "players": games.num_players,
        "deals": {**facts.get("deals", {}), "count": deals},
        "games": len(games.seats),
        "equal_share": games.equal_share,
        "confidence": CONFIDENCE,
        "agents": _agents(games, table, conduct, ratings, alpha),
        "pairs": pairs,
        "payoffs": {"agents": list(games.agents), "table": [[_number(value) for value in row] for row in table]},
        "saving": {"win_rate": _number(saving(games, games.wins)), "score": _number(saving(games, games.scores))},
        "stopped": {"deals": deals, "of": planned, "reason": "settled"} if early else None,
        "seats": _by_seat(games),
        "matches": [_match(games, lineup) for lineup in np.unique(games.lineups).tolist()],
    }
    return summary if behaviour is None else {**summary, "behaviour": behaviour}


def _agents(
    games: Games, table: np.ndarray, conduct: Sequence[dict[str, Any]], ratings: bool, alpha: bool
) -> list[dict[str, Any]]:
    rows = _standings(games)
    for agent, row in enumerate(rows):
        row["seats"] = int(games.places[:, agent].max())
        row["games"] = int((games.places[:, agent] > 0).sum())
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
    return [row | more for row, more in zip(rows, conduct, strict=True)] if conduct else rows


def _standings(games: Games) -> list[dict[str, Any]]:
    """Win rate, score and rank of every agent that sat in these games."""
    sat = np.flatnonzero(games.places.sum(axis=0))
    scores = intervals(games.by_deal(games.scores)[:, sat], *_range_of_scores(games))
    ranks = intervals(games.by_deal(games.ranks)[:, sat], 1.0, float(games.num_players))
    return [
        {"name": games.agents[agent], "win_rate": _plain(share), "score": _plain(score), "rank": _plain(rank)}
        for agent, share, score, rank in zip(sat, win_rate_intervals(games), scores, ranks, strict=True)
    ]


def _pairs(games: Games, planned: int | None) -> list[dict[str, Any]]:
    """Every two agents: the difference of what one seat of each wins and scores on the same deals."""
    pairs, by_deal = pair_differences(games)
    if not pairs:
        return []
    first, second = np.array(pairs).T
    verdicts = settle(by_deal, planned) if planned is not None else None
    scores = games.by_deal(games.scores)
    least, most = _range_of_scores(games)
    of_scores = intervals(scores[:, first] - scores[:, second], least - most, most - least)
    rows = []
    for place, (share, score) in enumerate(zip(intervals(by_deal, -1.0, 1.0), of_scores, strict=True)):
        names = (games.agents[first[place]], games.agents[second[place]])
        better = verdicts[place].better if verdicts is not None else 0
        rows.append(
            {
                "first": names[0],
                "second": names[1],
                "win_rate": _plain(share),
                "score": _plain(score),
                "settled": bool(better) if verdicts is not None else None,
                "better": None if not better else names[0] if better > 0 else names[1],
            }
        )
    return rows


def _match(games: Games, lineup: int) -> dict[str, Any]:
    own = games.of_lineup(lineup)
    return {"lineup": [games.agents[agent] for agent in np.sort(own.seats[0])], "agents": _standings(own)}


def _by_seat(games: Games) -> list[list[float | None]]:
    """A x P: what each agent wins in each seat."""
    sat = games.seats[:, :, None] == np.arange(len(games.agents))
    won = (games.wins[:, :, None] * sat).sum(axis=0)
    times = sat.sum(axis=0)
    return [
        [
            float(won[seat, agent] / times[seat, agent]) if times[seat, agent] else None
            for seat in range(games.num_players)
        ]
        for agent in range(len(games.agents))
    ]


def _range_of_scores(games: Games) -> tuple[float, float]:
    """What a score can be, as far as these games tell; one deal does not."""
    return (float(games.scores.min()), float(games.scores.max())) if len(games.deal_ids) > 1 else (-math.inf, math.inf)


def _plain(interval: Interval) -> dict[str, float | None]:
    return {name: _number(value) for name, value in interval._asdict().items()}


def _number(value: float) -> float | None:
    return float(value) if math.isfinite(value) else None
