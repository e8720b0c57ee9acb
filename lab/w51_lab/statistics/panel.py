"""An agent in populations of other agents, in both directions: does it invade them, and does it resist them?

One result among copies of one opponent depends on the conventions of that population. So the agent X plays with each
member Y of a panel in every mixture: one X among Ys (invasion), half and half, one Y among Xs (resistance). If X
resists every Y, no Y can spread among Xs, as with an evolutionarily stable strategy (Maynard Smith and Price, Nature
246, 1973). All populations play the same deals.

A lone seat is compared with what a seat of the population has without it: the equal share of wins, the middle rank, or
of payoffs, which need not add up to zero, what a seat earns where all seats have copies of one agent.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from w51_lab.statistics.estimates import Interval, intervals, win_rate_intervals
from w51_lab.statistics.games import Games
from w51_lab.statistics.records import Estimate, Record


class Rate(NamedTuple):
    """A mean result of one seat, of what decides, and (D,) float64, that of each deal."""

    interval: Interval
    by_deal: np.ndarray


class Population(NamedTuple):
    """A mixture of the agent and one member of the panel.

    Attributes:
        member: Index of the member.
        seats: Seats of the agent in each game; the member has the others.
        agent, other: Results of a seat of the agent, and of one of the member.
    """

    member: int
    seats: int
    agent: Rate
    other: Rate


class PanelMeans(Record):
    """Means over populations of what decides.

    Attributes:
        invasion: Result of the agent where it is alone.
        half: Over the mixtures in which neither is alone; None with three players or fewer.
        resistance: Result of a lone member, so less is better.
        strength: Mean result of a seat of the agent over all mixtures.
    """

    invasion: Estimate
    half: Estimate | None
    resistance: Estimate
    strength: Estimate


class Mixture(Record):
    """Results of a seat of the agent, which has so many seats, and of one of the member."""

    seats: int
    result: Estimate
    member_result: Estimate


class PanelMember(PanelMeans):
    """The agent and one member of the panel; None: whether it invades or resists is undecided.

    `own`: where payoffs decide, what a seat of the member earns among its own copies.
    """

    name: str
    invades: bool | None
    resists: bool | None
    own: Estimate | None
    populations: list[Mixture]


class PanelResults(PanelMeans):
    """The results of an agent among all others: means over the panel, and each member; `own` as of a member."""

    agent: str
    own: Estimate | None
    members: list[PanelMember]


def panel_results(games: Games) -> PanelResults:
    """The results of the first agent among all others, of a tournament of the format `panel`."""
    alike, populations = dict[int, Rate](), list[Population]()
    for lineup in np.unique(games.lineups).tolist():
        lineup_games = games.of_lineup(lineup)
        present = np.unique(lineup_games.seats[0]).tolist()  # the agent is the first one
        rates = dict(zip(present, _rates(lineup_games, present), strict=True))
        if len(present) == 1:
            alike |= rates
        else:
            seats = int((lineup_games.seats[0] == 0).sum())
            populations.append(Population(present[1], seats, rates[0], rates[present[1]]))
    members = sorted({population.member for population in populations})
    return PanelResults(
        **dict(_means(populations, games)),
        agent=games.agents[0],
        own=_own(alike, 0),
        members=[
            _member(games, [population for population in populations if population.member == member], alike)
            for member in members
        ],
    )


def _rates(games: Games, agents: Sequence[int]) -> list[Rate]:
    """The result of a seat of each agent in the games of a line-up."""
    if games.decides == "win":
        by_deal, found = games.by_deal(games.wins)[:, agents], win_rate_intervals(games)
    else:
        by_deal = games.by_deal(games.ranks if games.decides == "rank" else games.scores)[:, agents]
        found = intervals(by_deal, *_range(games))
    return [Rate(*each) for each in zip(found, by_deal.T, strict=True)]


def _range(games: Games) -> tuple[float, float]:
    """Between which numbers results are."""
    by_name = {"win": (0.0, 1.0), "rank": (1.0, float(games.num_players))}
    return by_name.get(games.decides, (float(games.scores.min()), float(games.scores.max())))


def _own(alike: dict[int, Rate], agent: int) -> Estimate | None:
    return Estimate.of(alike[agent].interval) if agent in alike else None


def _member(games: Games, populations: Sequence[Population], alike: dict[int, Rate]) -> PanelMember:
    ordered = sorted(populations, key=lambda population: population.seats)
    member = ordered[0].member
    invaded = _gains(games, ordered[-1].other, alike.get(0))
    return PanelMember(
        **dict(_means(populations, games)),
        name=games.agents[member],
        invades=_gains(games, ordered[0].agent, alike.get(member)),
        resists=None if invaded is None else not invaded,
        own=_own(alike, member),
        populations=[
            Mixture(
                seats=population.seats,
                result=Estimate.of(population.agent.interval),
                member_result=Estimate.of(population.other.interval),
            )
            for population in ordered
        ],
    )


def _means(populations: Sequence[Population], games: Games) -> PanelMeans:
    """Means over populations with their intervals; of one population, its own."""

    def mean(rates: Sequence[Rate]) -> Estimate:
        found = np.mean([rate.by_deal for rate in rates], axis=0)[:, None]
        return Estimate.of(rates[0].interval if len(rates) == 1 else intervals(found, *_range(games))[0])

    most = games.num_players - 1
    mixed = [one.agent for one in populations if 1 < one.seats < most]
    return PanelMeans(
        invasion=mean([one.agent for one in populations if one.seats == 1]),
        half=mean(mixed) if mixed else None,
        resistance=mean([one.other for one in populations if one.seats == most]),
        strength=mean([one.agent for one in populations]),
    )


def _gains(games: Games, alone: Rate, among: Rate | None) -> bool | None:
    """Whether a lone seat has more than a seat of the population has without it; None if that is undecided."""
    if among is not None:
        change = alone.by_deal - among.by_deal
        most = float(np.ptp(games.scores))
        low, high = intervals(change[:, None], -most, most)[0][1:]
    elif games.decides == "rank":
        middle = (games.num_players + 1) / 2
        low, high = middle - alone.interval.high, middle - alone.interval.low
    else:
        low, high = alone.interval.low - games.equal_share, alone.interval.high - games.equal_share
    return True if low > 0 else False if high < 0 else None
