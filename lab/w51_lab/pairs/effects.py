"""Effects of an option: differences between the two sides of pairs of games, with intervals by deal."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import inf
from typing import Any

import numpy as np

from w51_agents.agent.interface import AgentError
from w51_env.engine.game import Game
from w51_lab.arena.tournament import TournamentResult
from w51_lab.behaviour import Measure, Parts, measures_by_deal
from w51_lab.behaviour.contract import MISSING, Table, behaviour_of
from w51_lab.pairs.option_pair import SIDES, OptionPair
from w51_lab.pairs.paired_tables import PairedPart, PairedTables
from w51_lab.statistics.estimates import intervals, over_seeds, ratio_by_deal
from w51_lab.statistics.games import Games, divided
from w51_lab.statistics.records import Estimate, Record

TABLE = "all seats"  # in the place of an agent, for what is not of one
_WINS = "win_rate"
_OF_THE_SAME = "_of_the_same"
_PARTS = "hundredths"  # unit of columns whose numbers are parts of the money
_OF_LOTS = {
    "revenue": "mean of what all bidders pay for a lot together, also those that do not win it",
    "surplus": "mean of what all bidders gain at a lot together",
    "efficiency": "mean worth to the buyer of a lot, in percent of the highest worth to a bidder",
    "price": "mean price paid by the buyers of the lots that were sold",
    "bids": "mean number of bids for a lot",
    "bidders": "mean number of seats that bid for a lot",
    "other_bid": "mean highest bid of a seat that did not buy the lot",
    "unsold": "part of the lots that nobody bought",
    f"price{_OF_THE_SAME}": "mean price of the lots that were sold on both sides",
    f"worth{_OF_THE_SAME}": "mean worth to the buyer of the lots that were sold on both sides",
}
Chosen = Mapping[str, Callable[[Table], np.ndarray]]  # a name, and (paired lots) -> (lots,) bool


@dataclass(frozen=True)
class PlayedPair:
    """A pair whose games are played.

    Attributes:
        pair: The pair.
        first, second: The games of both sides.
        training: Seed of the training of its agents; MISSING if none was trained.
    """

    pair: OptionPair
    first: TournamentResult
    second: TournamentResult
    training: int = MISSING

    @cached_property
    def tables(self) -> PairedTables:
        """What is common to the paired tables of all parts."""
        return PairedTables(self.pair.games, self.pair.change)

    @property
    def parts(self) -> list[PairedPart]:
        """The paired tables."""
        sides = zip(self.first.behaviour, self.second.behaviour, strict=True)
        return [PairedPart(self.tables, *both, self.training) for both in sides]


class Effect(Record):
    """The effect of an option on one number.

    Attributes:
        measure, meaning, unit: What it is.
        agent: The agent whose number it is; TABLE if it is none of a single agent.
        first, second: Means of both sides, over the deals that have both.
        difference: Second less first, with its 95 % interval; deals are the independent draws.
        spread: Standard deviation of the number over deals on the first side.
        deals: Number of deals that count: those that have the number on both sides.
        of: Number of all deals.
        trainings: The difference of each training, if there are several.
        over_trainings: Their mean with its 95 % interval by Student's t; None if there are not several.
    """

    measure: str
    meaning: str
    unit: str
    agent: str
    first: float
    second: float
    difference: Estimate
    spread: float
    deals: int
    of: int
    trainings: list[float]
    over_trainings: Estimate | None

    @property
    def shown(self) -> Estimate:
        """The difference over the trainings if there are several, else over deals."""
        return self.over_trainings or self.difference


def effects_of(played: Sequence[PlayedPair], chosen: Chosen | None = None) -> list[Effect]:
    """The effects on all that the arena and the behaviour tables measure.

    Args:
        played: One pair, or one for each training, with the same deals and agents. A deal's number is then the mean
            over the trainings, so the interval by deal says nothing of other trainings: `over_trainings` does.
        chosen: Lots of which the effects on price and worth are computed, too, by a name for them.

    Raises:
        AgentError: No pair.
    """
    if not played:
        raise AgentError("effects: no pair was played, but at least one is needed")
    effects: list[Effect] = []
    for sides in zip(*(_of_table(one, chosen or {}) for one in played), strict=True):
        effects += _effect(sides[0][0], TABLE, [(first.values, second.values) for first, second in sides])
    for sides in zip(*map(_of_agents, played), strict=True):
        for agent, name in enumerate(played[0].pair.plans[0].names):
            by_training = [(first.values[:, agent], second.values[:, agent]) for first, second in sides]
            effects += _effect(sides[0][0], name, by_training)
    return effects


def _effect(measure: Measure, agent: str, by_training: list[tuple[np.ndarray, np.ndarray]]) -> Iterator[Effect]:
    """The effect on one number from (D,) values of both sides for each training; none without a deal that has both."""
    sides = np.array(by_training)  # (trainings, 2, deals)
    both = np.asarray(np.isfinite(sides).all(axis=(0, 1)))
    if not both.any():
        return
    known = sides[:, :, both]
    first, second = known.mean(axis=0)
    differences = (known[:, 1] - known[:, 0]).mean(axis=1).tolist()
    several, bound = len(differences) > 1, 1.0 if measure.name.startswith(_WINS) else inf
    yield Effect(
        measure=measure.name,
        meaning=measure.meaning,
        unit=measure.unit,
        agent=agent,
        first=float(first.mean()),
        second=float(second.mean()),
        difference=Estimate.of(intervals((second - first)[:, None], -bound, bound)[0]),
        spread=float(first.std(ddof=1)) if len(first) > 1 else 0.0,
        deals=int(both.sum()),
        of=both.size,
        trainings=differences if several else [],
        over_trainings=Estimate.of(over_seeds(differences)) if several else None,
    )


def _of_agents(played: PlayedPair) -> list[tuple[Measure, Measure]]:
    """Each number of agents on both sides, (D, A); those that only one side has are left out."""
    sides = [
        {measure.name: measure for measure in _measures(plan.game, result)}
        for plan, result in zip(played.pair.plans, (played.first, played.second), strict=True)
    ]
    return [(measure, sides[1][name]) for name, measure in sides[0].items() if name in sides[1]]


def _measures(game: Any, result: TournamentResult) -> Iterator[Measure]:
    games, (unit, scale) = result.games, _scale_of_scores(game)
    for name, meaning, values in (
        (_WINS, "wins of a seat: 1 / k for each of k winners", games.wins),
        ("score", "final score of a seat", games.scores * scale),
        ("rank", "rank of a seat, from 1", games.ranks),
    ):
        yield Measure(name, meaning, unit if name == "score" else "", games.by_deal(values))
    yield from measures_by_deal(game, len(games.agents), len(games.deal_ids), result.behaviour)


def _of_table(played: PlayedPair, chosen: Chosen) -> list[tuple[Measure, Measure]]:
    """Each number that is not of one agent on both sides, (D,): of the games, and means over their lots."""
    scale = _scale_of_scores(played.pair.games[0])
    first, second = (list(_of_games(result.games, *scale)) for result in (played.first, played.second))
    return [*zip(first, second, strict=True), *_of_lots(played, chosen)]


def _of_games(games: Games, unit: str, scale: float) -> Iterator[Measure]:
    """The length of a game, how far its scores are apart, and who wins beside the first agent, if that has one seat."""
    found = {
        "decisions": ("decisions of all seats in a game", games.lengths),
        "score_spread": ("standard deviation of the scores of a game", scale * games.scores.std(axis=1)),
    }
    first = games.seats == 0
    if (first.sum(axis=1) == 1).all():
        place, rows = first.argmax(axis=1), np.arange(len(first))
        for left in range(1, games.num_players):
            wins = games.wins[rows, (place + left) % games.num_players]
            found[f"{_WINS}.left_{left}"] = (f"wins of the seat {left} to the left of {games.agents[0]}", wins)
    counts = np.bincount(games.deal_index)
    for name, (meaning, values) in found.items():
        yield Measure(
            name, meaning, unit if name == "score_spread" else "", np.bincount(games.deal_index, values) / counts
        )


def _of_lots(played: PlayedPair, chosen: Chosen) -> list[tuple[Measure, Measure]]:
    """The numbers of lots on both sides: of all lots of a side, and of those that were sold on both, all or chosen."""
    if "lots" not in played.tables.schemas:
        return []
    columns = {column.name: column for column in played.tables.schemas["lots"].columns}
    deals = len(played.first.games.deal_ids)

    def pair(name: str, values: Sequence[np.ndarray], suffix: str = "") -> tuple[Measure, Measure]:
        column = columns.get(f"{name.removesuffix(_OF_THE_SAME)}_first")
        unit, scale = ("" if column is None else column.unit), 1.0
        if unit == _PARTS:
            unit, scale = _scale_of_scores(played.pair.games[0])
        named = f"lots.{name}{suffix}", _OF_LOTS[name] + suffix, unit
        first, second = (Measure(*named, scale * side) for side in values)
        return first, second

    first, second = (_lots_by_deal(result.behaviour, deals) for result in (played.first, played.second))
    found = [pair(name, (first[name], second[name])) for name in _OF_LOTS if name in first]
    has_worth = "worth_first" in columns and not columns["worth_first"].nullable
    for label, rows in {"": None, **chosen}.items():
        means = _of_same_lots(played, ["price", "worth"] if has_worth else ["price"], rows)
        suffix = f", {label}" if label else ""
        found += [pair(f"{name}{_OF_THE_SAME}", values, suffix) for name, values in means.items()]
    return found


def _scale_of_scores(game: Game) -> tuple[str, float]:
    """Where scores are parts of the money: its unit, and how much of it a part is; one unit for all amounts."""
    behaviour = behaviour_of(game)
    return (behaviour.money, behaviour.point_price) if behaviour and behaviour.point_price < 1 else ("", 1.0)


def _of_same_lots(
    played: PlayedPair, names: Sequence[str], chosen: Callable[[Table], np.ndarray] | None
) -> dict[str, list[np.ndarray]]:
    """(D,) means of columns on each side, over the lots that were sold on both."""
    lots = (_rows(part["lots"], chosen) for part in played.parts)
    columns = [f"{name}_{side}" for name in names for side in SIDES]
    means = _means(lots, len(played.first.games.deal_ids), columns, "seat_first", "seat_second")
    return {name: [means[f"{name}_{side}"] for side in SIDES] for name in names}


def _rows(table: Table, chosen: Callable[[Table], np.ndarray] | None) -> Table:
    """The rows that are chosen; None: all."""
    if chosen is None:
        return table
    rows = chosen(table)
    return {name: values[rows] for name, values in table.items()}


def _lots_by_deal(parts: Parts, deals: int) -> dict[str, np.ndarray]:
    """(D,) means over the lots of each deal; the price is the mean over all lots that were sold, as `ratio_by_deal`."""
    lots = [{**part["lots"], "unsold": part["lots"]["seat"] == MISSING} for part in parts]
    names = [name for name in _OF_LOTS if name in lots[0] and name != "price"]
    sums, sold = _sums(lots, deals, ["price"], "seat")
    return {"price": ratio_by_deal(sums["price"], sold), **_means(lots, deals, names)}


def _means(tables: Iterable[Table], deals: int, columns: Sequence[str], *known: str) -> dict[str, np.ndarray]:
    """(D,) means of columns by deal, over the rows in which the columns `known` are not missing; nan without rows."""
    sums, counts = _sums(tables, deals, columns, *known)
    return {name: divided(total, counts) for name, total in sums.items()}


def _sums(
    tables: Iterable[Table], deals: int, columns: Sequence[str], *known: str
) -> tuple[dict[str, np.ndarray], np.ndarray]:
    """(D,) sums of columns by deal, over the rows in which the columns `known` are not missing, and their number."""
    sums, counts = {name: np.zeros(deals) for name in columns}, np.zeros(deals)
    for table in tables:
        rows = np.ones(len(table["deal"]), bool)
        for name in known:
            rows &= table[name] != MISSING
        deal = table["deal"][rows]
        counts += np.bincount(deal, minlength=deals)
        for name in columns:
            sums[name] += np.bincount(deal, table[name][rows], deals)
    return sums, counts
