"""What is counted and added up of behaviour tables: sums by agent and group, and the numbers of each deal."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from w51_env.engine.game import Game
from w51_lab.behaviour.contract import MISSING, Behaviour, Statistic, Table, behaviour_of
from w51_lab.behaviour.parts import Part, Parts
from w51_lab.behaviour.recorder import schemas
from w51_lab.statistics.estimates import ratio_by_deal
from w51_lab.statistics.games import divided

OF_LOTS = ("price", "worth", "price_less_worth")
VALUES = 128  # of a lot, at most
_BY_GROUP = {"money", *(f"{name} by kind" for name in OF_LOTS)}  # keys of numbers by lot or by kind of lot
_Rows = tuple[str, np.ndarray, np.ndarray | None, np.ndarray | None]  # a key, agents, values, groups from 0


class Measure(NamedTuple):
    """A number of each agent in each deal: a mean over the seats that it had, or over the rows of a table.

    Attributes:
        name, meaning, unit: What it is, as texts.
        values: (D, A) float64; nan where there is nothing to count.
    """

    name: str
    meaning: str
    unit: str
    values: np.ndarray


def measures_by_deal(game: Game, agents: int, deals: int, parts: Parts) -> list[Measure]:
    """The numbers of `summarise_behaviour` for each deal, without those by category, value or lot.

    Means over rows are those of `ratio_by_deal`: deals without rows are in them.

    Args:
        game: The game that was played.
        agents: Number of agents.
        deals: Number of deals; the tables number them from 0.
        parts: As for `summarise_behaviour`.
    """
    behaviour = behaviour_of(game)
    if behaviour is None:
        return []
    sums = Sums(deals * agents)
    for part in parts:
        cells = {name: {**table, "agent": _cells(table, agents)} for name, table in part.items() if "agent" in table}
        for key, agent, values, group in measured(behaviour, {**part, **cells}):
            if key not in _BY_GROUP:
                sums.add(key, agent, values, group)
    wanted = [one for one in _wanted(game, behaviour) if one.key in sums]
    measures = [Measure(one.name, one.meaning, one.unit, one.values(sums, deals)) for one in wanted]
    return measures + (_points_by_source(game, sums, deals, agents) if "points" in sums else [])


@dataclass(frozen=True)
class _Wanted:
    """A measure of `Sums`: a mean, or a number of rows for each seat of a game.

    Attributes:
        name, meaning, unit: As of `Measure`.
        key: Of `Sums`.
        is_mean: Whether it is a mean.
        scale: What it is multiplied by.
    """

    name: str
    meaning: str
    unit: str
    key: str
    is_mean: bool = True
    scale: float = 1.0

    def values(self, sums: "Sums", deals: int) -> np.ndarray:
        """(D, A) float64."""
        if self.is_mean:
            return self.scale * ratio_by_deal(*sums.by_deal(self.key, deals))
        return sums.per_game(self.key)[:, 0].reshape(deals, -1)


def _wanted(game: Game, behaviour: Behaviour) -> Iterator[_Wanted]:
    money, (worth, scale) = behaviour.money, _unit_of_worth(game, behaviour)
    yield _Wanted("bought", "lots bought, per seat of a game", "", "price", is_mean=False)
    yield _Wanted("price", "mean price of the lots bought", money, "price")
    yield _Wanted("worth", "mean worth of the lots bought", worth, "worth", scale=scale)
    yield _Wanted(
        "price_less_worth", "mean price less worth of the lots bought", worth, "price_less_worth", scale=scale
    )
    yield _Wanted("money_at_the_end", "money at the end of the game", money, "money at the end")
    for number, one in enumerate(behaviour.statistics):
        is_mean = one.among is not None or one.values is not None
        yield _Wanted(f"{one.group}.{one.name}", one.meaning, "", key_of(number), is_mean)


def _unit_of_worth(game: Game, behaviour: Behaviour) -> tuple[str, float]:
    """The unit of a worth, and how much of it a point is: where points are parts of the money, it is the money."""
    if behaviour.point_price < 1:
        return behaviour.money, behaviour.point_price
    return _unit(game, "points", "points"), 1.0


def _points_by_source(game: Game, sums: "Sums", deals: int, agents: int) -> list[Measure]:
    sources = next(one.labels for one in schemas(game)["points"].columns if one.name == "source") or ()
    values, unit = sums.means("points", len(sources)), _unit(game, "points", "points")
    by_source = values.reshape(deals, agents, -1)
    return [
        Measure(f"points.{source}", f"points from {source}", unit, by_source[:, :, number])
        for number, source in enumerate(sources)
    ]


def _cells(table: Table, agents: int) -> np.ndarray:
    """A number for each deal and agent in place of the agent."""
    agent = table["agent"].astype(np.int64)
    return np.where(agent == MISSING, MISSING, table["deal"] * agents + agent)


def _unit(game: Game, table: str, column: str) -> str:
    """The unit of a column; "" if there is no such table."""
    schema = schemas(game).get(table)
    return next((one.unit for one in schema.columns if one.name == column), "") if schema else ""


def measured(behaviour: Behaviour, tables: Part) -> Iterator[_Rows]:
    """What is counted and added up of a part."""
    yield "games", tables["seats"]["agent"], None, None
    if "money" in tables:
        yield from _measured_money(tables)
    if "points" in tables:
        points = tables["points"]
        yield "points", points["agent"], points["points"], points["source"]
    if "lots" in tables:
        yield from _measured_lots(tables["lots"], behaviour.point_price)
    for number, statistic in enumerate(behaviour.statistics):
        yield (key_of(number), *_counted(statistic, tables[statistic.table]), None)


def key_of(number: int) -> str:
    """The key of a statistic of the game."""
    return f"statistic {number}"


def _counted(statistic: Statistic, table: Table) -> tuple[np.ndarray, np.ndarray | None]:
    """Agents and values of the rows of a statistic."""
    counted = seated = table["agent"] != MISSING
    if statistic.counted is not None:
        counted = seated & statistic.counted(table)
    if statistic.values is not None:
        return table["agent"][counted], statistic.values(table)[counted]
    if statistic.among is None:
        return table["agent"][counted], None
    among = seated & statistic.among(table)
    return table["agent"][among], counted[among]


def _measured_money(tables: Part) -> Iterator[_Rows]:
    """The money after each lot, and at the end, which may have a row of its own."""
    money = tables["money"]
    last_row = _last_lot(money)
    last_lot = _last_lot(tables["lots"], len(last_row)) if "lots" in tables else last_row
    complete, at_the_end = (money["lot"] <= last_lot[money["game"]], money["lot"] == last_row[money["game"]])
    yield "money", money["agent"][complete], money["money"][complete], money["lot"][complete]
    yield "money at the end", money["agent"][at_the_end], money["money"][at_the_end], None


def _last_lot(table: Table, games: int = 0) -> np.ndarray:
    """(games,) the highest `lot` of each game."""
    last_lot = np.zeros(max(games, int(table["game"].max(initial=-1)) + 1), np.int64)
    np.maximum.at(last_lot, table["game"], table["lot"])
    return last_lot


def _measured_lots(lots: Table, point_price: float) -> Iterator[_Rows]:
    """Prices and worth of the sold lots, over all of them and by category and value."""
    sold = lots["agent"] != MISSING
    agent, price, worth = lots["agent"][sold], lots["price"][sold], lots["worth"][sold]
    category, value = (lots[name][sold].astype(np.int64) if name in lots else 0 for name in ("category", "value"))
    group = np.broadcast_to(category * VALUES + value, len(agent))
    for name, values in zip(OF_LOTS, (price, worth, price / point_price - worth), strict=True):
        yield name, agent, values, None
        yield f"{name} by kind", agent, values, group


class Sums:
    """Numbers of rows and sums of values by agent and group, over all parts."""

    def __init__(self, agents: int):
        self._agents = agents
        self._cells: dict[str, np.ndarray] = {}

    def add(self, key: str, agent: np.ndarray, values: np.ndarray | None, group: np.ndarray | None) -> None:
        """Add rows to those of a key; without values they are counted, without groups all are in group 0."""
        group = np.zeros(len(agent), np.int64) if group is None else group
        known = self._cells.get(key, np.zeros((2, self._agents, 0)))
        groups = max(known.shape[2], int(group.max(initial=0)) + 1)
        cell, size = agent.astype(np.int64) * groups + group, self._agents * groups
        weights = (None, np.zeros(len(cell)) if values is None else values)
        cells = np.array([np.bincount(cell, each, size) for each in weights], float).reshape(2, self._agents, groups)
        cells[:, :, : known.shape[2]] += known
        self._cells[key] = cells

    def __contains__(self, key: str) -> bool:
        return key in self._cells

    def counts(self, key: str) -> np.ndarray:
        """(agents, groups) number of rows."""
        return self._cells[key][0]

    def means(self, key: str, groups: int = 0) -> np.ndarray:
        """(agents, groups) mean of the values, nan without rows; of so many groups at least."""
        counts, sums = self._cells[key]
        wider = ((0, 0), (0, max(0, groups - counts.shape[1])))
        return np.pad(divided(sums, counts), wider, constant_values=np.nan)

    def by_deal(self, key: str, deals: int) -> tuple[np.ndarray, np.ndarray]:
        """(deals, agents) sums and numbers of the rows of group 0, where "agents" are those of each deal."""
        counts, sums = (cells[:, 0].reshape(deals, -1) for cells in self._cells[key])
        return sums, counts

    def per_game(self, key: str) -> np.ndarray:
        """(agents, groups) rows per seat that the agent had in a game."""
        counts = self.counts(key)
        return divided(counts, np.broadcast_to(self.counts("games"), counts.shape))
