"""The summary of a tournament, made from its games."""

import math
from collections.abc import Sequence

import numpy as np

from w51_agents.agent.interface import AgentError
from w51_agents.named.versions import versions
from w51_lab.arena.agent_statistics import AgentFacts
from w51_lab.arena.plan import Plan
from w51_lab.arena.seatings import PANEL
from w51_lab.arena.tournament import TournamentResult
from w51_lab.behaviour.contract import behaviour_of
from w51_lab.behaviour.summary import BehaviourSummary, summarise_behaviour
from w51_lab.report.models import (
    FORM,
    AgentSummary,
    DesignEffect,
    MatchSummary,
    PairSummary,
    Payoffs,
    Played,
    RatingFacts,
    Standing,
    Stopped,
    Summary,
)
from w51_lab.statistics.estimates import CONFIDENCE, design_effect, intervals, win_rate_intervals
from w51_lab.statistics.games import Games, divided
from w51_lab.statistics.metagame import alpha_rank, nash_average, nash_intervals, payoff_table
from w51_lab.statistics.panel import PanelResults, panel_results
from w51_lab.statistics.ratings import elo, plackett_luce
from w51_lab.statistics.records import Estimate, finite
from w51_lab.statistics.sequential import pair_differences, sequential_tests, valid_intervals

BETTER = '"better": sequential test, at most 5 % false claims over all pairs'


def summary_of(plan: Plan, played: TournamentResult, *, ratings: bool = False, alpha: bool = False) -> Summary:
    """Return all figures of a tournament.

    Args:
        plan: The tournament.
        played: Its games.
        ratings: Add Plackett-Luce ratings; MissingPackageError if openskill is missing.
        alpha: Add alpha-rank; MissingPackageError if OpenSpiel is missing.
    """
    money = behaviour_of(plan.game) if played.games.decides == "payoff" else None
    how = Played(
        game=plan.game.id,
        options=dict(plan.game.options),
        versions=versions(),
        deals=plan.deal_facts.model_copy(update={"count": len(played.games.deal_ids)}),
        seatings=plan.seatings,
        seconds=round(played.seconds, 3),
        score_unit=f"{money.money} / {1 / money.point_price:.0f}" if money and money.point_price < 1 else "",
    )
    return summarise(
        played.games,
        how,
        [statistics.facts for statistics in played.statistics],
        planned=len(plan.deals.seeds) if plan.spec.stops_early else None,
        width=plan.width,
        ratings=ratings,
        alpha=alpha,
        panel=panel_results(played.games) if plan.spec.format == PANEL else None,
        behaviour=summarise_behaviour(plan.game, plan.names, played.behaviour) if plan.spec.behaviour else None,
    )


def summarise(
    games: Games,
    how: Played,
    statistics: Sequence[AgentFacts],
    *,
    planned: int | None = None,
    width: float | None = None,
    ratings: bool = False,
    alpha: bool = False,
    panel: PanelResults | None = None,
    behaviour: BehaviourSummary | None = None,
) -> Summary:
    """Return the figures of a tournament.

    Args:
        games: The played games.
        how: How they were played.
        statistics: Of each agent.
        planned: Planned number of deals of a tournament that may stop earlier; None for one of fixed size.
        width: Of the intervals of differences at which it stops, which hold at every look; None: it stops by a test.
        ratings: Add Plackett-Luce ratings; about a second for 10,000 games.
        alpha: Add alpha-rank.
        panel: Results of that format.
        behaviour: What the agents do.

    Raises:
        AgentError: An agent without a game, or more deals than planned.
    """
    if not (games.seat_counts.sum(axis=0) > 0).all():
        idle = games.agents[int(np.flatnonzero(games.seat_counts.sum(axis=0) == 0)[0])]
        raise AgentError(f"agent {idle!r}: 0 games, but each agent needs at least 1")
    table = payoff_table(games)
    pairs = _pairs(games, planned, width is not None)
    return Summary(
        **dict(how),
        form=FORM,
        players=games.num_players,
        games=len(games.seats),
        equal_share=games.equal_share,
        decides=games.decides,
        confidence=CONFIDENCE,
        agents=_agents(games, table, statistics, ratings, alpha),
        pairs=pairs,
        better=BETTER,
        payoffs=Payoffs(agents=list(games.agents), table=[[finite(value) for value in row] for row in table]),
        design_effect=DesignEffect(
            win_rate=finite(design_effect(games, games.wins)), score=finite(design_effect(games, games.scores))
        ),
        stopped=_stopped(len(games.deal_ids), planned, pairs, width),
        seats=_by_seat(games),
        seat_errors=_seat_errors(games),
        matches=[_match(games, lineup) for lineup in np.unique(games.lineups).tolist()],
        panel=panel,
        behaviour=behaviour,
    )


def _stopped(deals: int, planned: int | None, pairs: Sequence[PairSummary], width: float | None) -> Stopped | None:
    if planned is None or deals >= planned or (width is None and not all(pair.decided for pair in pairs)):
        return None
    reason = "all differences decided" if width is None else "all intervals of differences narrow enough"
    return Stopped(deals=deals, of=planned, reason=reason)


def _agents(
    games: Games, table: np.ndarray, statistics: Sequence[AgentFacts], ratings: bool, alpha: bool
) -> list[AgentSummary]:
    by_rank = games.decides != "payoff"  # ratings compare ranks: who pays more than a lot is worth is often first
    rated = plackett_luce(games) if ratings and by_rank else None
    strengths = elo(games) if by_rank else None
    nash = nash_average(table) if not np.isnan(table).any() else None
    weights = None if nash is None else nash_intervals(games)
    masses = alpha_rank(table) if alpha and nash is not None else None
    return [
        AgentSummary(
            name=standing.name,
            win_rate=standing.win_rate,
            score=standing.score,
            rank=standing.rank,
            forfeits=facts.forfeits,
            decisions=facts.decisions,
            seconds_per_decision=facts.seconds_per_decision,
            processor_seconds_per_decision=facts.processor_seconds_per_decision,
            usage=facts.usage,
            seats=int(games.seat_counts[:, agent].max()),
            games=int((games.seat_counts[:, agent] > 0).sum()),
            elo=None if strengths is None else Estimate.of(strengths[agent]),
            rating=None if rated is None else RatingFacts(mu=rated[agent].mu, sigma=rated[agent].sigma),
            nash=None if weights is None else Estimate.of(weights[agent]),
            nash_skill=None if nash is None else float(nash.skills[agent]),
            alpha_rank=None if masses is None else float(masses[agent]),
        )
        for agent, (standing, facts) in enumerate(zip(_standings(games), statistics, strict=True))
    ]


def _standings(games: Games) -> list[Standing]:
    """Win rate, score and rank of every agent in these games."""
    sat = np.flatnonzero(games.seat_counts.sum(axis=0))
    scores = intervals(games.by_deal(games.scores)[:, sat], *_range_of_scores(games))
    ranks = intervals(games.by_deal(games.ranks)[:, sat], 1.0, float(games.num_players))
    return [
        Standing(name=games.agents[agent], win_rate=Estimate.of(wins), score=Estimate.of(score), rank=Estimate.of(rank))
        for agent, wins, score, rank in zip(sat, win_rate_intervals(games), scores, ranks, strict=True)
    ]


def _pairs(games: Games, planned: int | None, by_width: bool) -> list[PairSummary]:
    """Differences of win rate, score and rank of every two agents, per seat, paired by deal; tested is what decides.

    `by_width`: the tournament may have stopped by the width of the interval of what decides, which allows for it.
    """
    pairs, by_deal = pair_differences(games)
    if not pairs:
        return []
    first, second = np.array(pairs).T
    tests = sequential_tests(by_deal, planned if planned is not None else len(by_deal), games.largest)
    lowest, highest = _range_of_scores(games)

    def measured(values: np.ndarray, end: float) -> list[Estimate]:
        means = games.by_deal(values)
        return [Estimate.of(one) for one in intervals(means[:, first] - means[:, second], -end, end)]

    wins, scores = measured(games.wins, 1.0), measured(games.scores, highest - lowest)
    ranks = measured(games.ranks, games.num_players - 1.0)
    if by_width and planned is not None and len(by_deal) > 1:
        found = [Estimate.of(one) for one in valid_intervals(by_deal, planned, games.largest)]
        if games.decides == "rank":  # results are ranks below 0
            found = [Estimate(mean=-one.mean, low=-one.ends[1], high=-one.ends[0]) for one in found]
        {"win": wins, "rank": ranks}.get(games.decides, scores)[:] = found
    rows = []
    for index in range(len(pairs)):
        names = (games.agents[first[index]], games.agents[second[index]])
        better = tests[index].better
        rows.append(
            PairSummary(
                first=names[0],
                second=names[1],
                win_rate=wins[index],
                score=scores[index],
                rank=ranks[index],
                decided=bool(better),
                better=None if not better else names[0] if better > 0 else names[1],
            )
        )
    return rows


def _match(games: Games, lineup: int) -> MatchSummary:
    lineup_games = games.of_lineup(lineup)
    return MatchSummary(
        lineup=[games.agents[agent] for agent in np.sort(lineup_games.seats[0])], agents=_standings(lineup_games)
    )


def _by_seat(games: Games) -> list[list[float | None]]:
    """A rows of P: what decides, of each agent in each seat; None where it never sat."""
    rates = []
    for agent in range(len(games.agents)):
        sat = games.seats == agent
        rates.append([finite(rate) for rate in divided((_decided(games) * sat).sum(axis=0), sat.sum(axis=0))])
    return rates


def _seat_errors(games: Games) -> list[list[float | None]]:
    """A rows of P: standard error of each mean of `_by_seat`, where deals are the independent draws.

    Of win rates at least that of independent games with the agent's mean rate: a seat without a win has no spread.
    """
    deals, agents = len(games.deal_ids), len(games.agents)
    by_seat: list[list[float | None]] = []
    decided = _decided(games)
    for agent in range(agents):
        sat = games.seats == agent
        times, won = (
            np.stack([np.bincount(games.deal_index, row, deals) for row in rows.T], 1) for rows in (sat, decided * sat)
        )
        rates = divided(won.sum(axis=0), times.sum(axis=0))
        errors = divided(np.sqrt(((won - rates * times) ** 2).sum(axis=0)), times.sum(axis=0))
        mean = won.sum() / max(1.0, times.sum()) if games.decides == "win" else 0.0
        errors = np.maximum(errors, np.sqrt(divided(np.full_like(rates, mean * (1 - mean)), times.sum(axis=0))))
        by_seat.append([finite(error) if deals > 1 else None for error in errors])
    return by_seat


def _decided(games: Games) -> np.ndarray:
    """(G, P): what decides, as it is shown."""
    return games.ranks if games.decides == "rank" else games.results


def _range_of_scores(games: Games) -> tuple[float, float]:
    """Lowest and highest score of these games; unbounded for one deal."""
    return (float(games.scores.min()), float(games.scores.max())) if len(games.deal_ids) > 1 else (-math.inf, math.inf)
