"""An agent in populations of other agents, in both directions: does it invade them, and does it resist them?

One win rate among copies of one opponent depends on the conventions of that population. So the agent X plays with each
member Y of a panel in every mixture: one X among Ys (invasion), half and half, one Y among Xs (resistance). If X
resists every Y, no Y can spread among Xs, as with an evolutionarily stable strategy (Maynard Smith and Price, Nature
246, 1973). All populations play the same deals.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from w51_lab.statistics.estimates import Interval, intervals, win_rate_intervals
from w51_lab.statistics.games import Games
from w51_lab.statistics.records import Estimate, Record


class Rate(NamedTuple):
    """A win rate of one seat, and (D,) float64, that of each deal."""

    interval: Interval
    by_deal: np.ndarray


class Population(NamedTuple):
    """A mixture of the agent and one member of the panel.

    Attributes:
        member: Index of the member.
        seats: Seats of the agent in each game; the member has the others.
        agent, other: Win rate of a seat of the agent, and of one of the member.
    """

    member: int
    seats: int
    agent: Rate
    other: Rate


class PanelMeans(Record):
    """Means over populations.

    Attributes:
        invasion: Win rate of the agent where it is alone.
        half: Over the mixtures in which neither is alone; None with three players or fewer.
        resistance: Win rate of a lone member, so less is better.
        strength: Mean win rate of a seat of the agent over all populations.
    """

    invasion: Estimate
    half: Estimate | None
    resistance: Estimate
    strength: Estimate


class Mixture(Record):
    """Win rates of a seat of the agent, which has so many seats, and of one of the member."""

    seats: int
    win_rate: Estimate
    member_win_rate: Estimate


class PanelMember(PanelMeans):
    """The agent and one member of the panel; None: whether it invades or resists is undecided."""

    name: str
    invades: bool | None
    resists: bool | None
    populations: list[Mixture]


class PanelResults(PanelMeans):
    """The results of an agent among all others: means over the panel, and each member."""

    agent: str
    members: list[PanelMember]


def panel_results(games: Games) -> PanelResults:
    """The results of the first agent among all others, of a tournament of the format `panel`."""
    populations = [_population(games, lineup) for lineup in np.unique(games.lineups).tolist()]
    members = sorted({population.member for population in populations})
    means = _means(populations, games.num_players)
    return PanelResults(
        agent=games.agents[0],
        invasion=means.invasion,
        half=means.half,
        resistance=means.resistance,
        strength=means.strength,
        members=[
            _member(games, [population for population in populations if population.member == member])
            for member in members
        ],
    )


def _population(games: Games, lineup: int) -> Population:
    lineup_games = games.of_lineup(lineup)
    member = int(lineup_games.seats[0].max())  # the agent is the first one
    rates = lineup_games.by_deal(lineup_games.wins)
    seats = int((lineup_games.seats[0] == 0).sum())
    mine, others = win_rate_intervals(lineup_games)
    return Population(member, seats, Rate(mine, rates[:, 0]), Rate(others, rates[:, member]))


def _member(games: Games, populations: Sequence[Population]) -> PanelMember:
    means = _means(populations, games.num_players)
    invaded = _is_above(means.resistance, games.equal_share)
    return PanelMember(
        name=games.agents[populations[0].member],
        invades=_is_above(means.invasion, games.equal_share),
        resists=None if invaded is None else not invaded,
        invasion=means.invasion,
        half=means.half,
        resistance=means.resistance,
        strength=means.strength,
        populations=[
            Mixture(
                seats=population.seats,
                win_rate=Estimate.of(population.agent.interval),
                member_win_rate=Estimate.of(population.other.interval),
            )
            for population in sorted(populations, key=lambda population: population.seats)
        ],
    )


def _means(populations: Sequence[Population], num_players: int) -> PanelMeans:
    """Means over populations with their intervals; of one population, Wilson's interval."""
    most = num_players - 1
    mixed = [one.agent for one in populations if 1 < one.seats < most]
    return PanelMeans(
        invasion=_mean([one.agent for one in populations if one.seats == 1]),
        half=_mean(mixed) if mixed else None,
        resistance=_mean([one.other for one in populations if one.seats == most]),
        strength=_mean([one.agent for one in populations]),
    )


def _is_above(rate: Estimate, share: float) -> bool | None:
    """Whether the whole interval is above the equal share, or below it; None if the share is in it."""
    low, high = rate.ends
    return True if low > share else False if high < share else None


def _mean(rates: Sequence[Rate]) -> Estimate:
    mean = np.mean([rate.by_deal for rate in rates], axis=0)
    return Estimate.of(rates[0].interval if len(rates) == 1 else intervals(mean[:, None], 0.0, 1.0)[0])
