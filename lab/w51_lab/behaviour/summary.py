"""Statistics of each agent's behaviour, as plain data for reports."""

import math
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from w51_env.engine.game import Game
from w51_lab.behaviour.contract import MISSING, Behaviour, Column, Statistic, Table, behaviour_of
from w51_lab.behaviour.parts import Part, Parts
from w51_lab.behaviour.recorder import schemas
from w51_lab.statistics.games import divided

_OF_LOTS = ("price", "worth", "price_less_worth")
_VALUES = 128  # of a lot, at most
_BY_GROUP = {"money", *(f"{name} by kind" for name in _OF_LOTS)}  # keys of numbers by lot or by kind of lot
_Rows = tuple[str, np.ndarray, np.ndarray | None, np.ndarray | None]  # a key, agents, values, groups from 0


def summarise_behaviour(game: Game, agents: Sequence[str], parts: Parts) -> dict[str, Any]:
    """Means by agent. "Per game" is per seat of a game; a mean of nothing is None.

    Without behaviour tables of the game, there are `agents` with `name` and `games` only. Prices, money and points are
    left out of a game without the tables `lots`, `money` or `points`.

    Args:
        game: The game that was played.
        agents: The agents' names, as the tables number them.
        parts: Tables of a `BehaviourRecorder`, as for `write_behaviour`. One part is in memory at a time.

    Returns:
        A dict with

        - `money`: the unit of money; `point_price`: money that counts as one point in `price_less_worth`; `colours`: of
          sources of points;
        - `statistics`: a dict for each statistic of the game: `group`, `name`, `meaning`, `panel`, and whether it is a
          `fraction` or a `mean`;
        - `agents`: a dict for each agent, with

          - `name`; `games`: seats that it had in all games together; `bought`: lots bought per game;
          - `price`, `worth`: mean price of these lots, and mean points that they brought; `price_less_worth`: the mean
            difference, in points; `prices`: the same four for each `category` (and `value`);
          - `money_by_lot`: mean money at the beginning, after the first lot, the second, ..., over the games with so
            many lots; `games_by_lot`: the fraction of the agent's games with so many lots; `money_at_the_end`;
          - `points`: mean points by source; for each group its statistics, by name.
    """
    behaviour = behaviour_of(game)
    sums = _Sums(len(agents))
    names = list(parts[0])
    columns = {name: schemas(game)[name].columns for name in names if behaviour}
    for part in parts:
        for key, agent, values, group in _measured(behaviour, dict(part)):  # reads each table of a stored part once
            sums.add(key, agent, values, group)
    summaries: list[dict[str, Any]] = [
        {"name": name, "games": int(count)} for name, count in zip(agents, sums.counts("games")[:, 0], strict=True)
    ]
    if behaviour is None:
        return {"agents": summaries}
    for index, entry in enumerate(summaries):
        if "money" in names:
            entry["money_by_lot"] = _plain(sums.means("money")[index])
            entry["money_at_the_end"] = _plain(sums.means("money at the end")[index])[0]
            entry["games_by_lot"] = _plain(sums.per_game("money")[index])
        if "points" in names:
            sources = next(column.labels for column in columns["points"] if column.name == "source") or ()
            means = _plain(sums.means("points", len(sources))[index])
            entry["points"] = dict(zip(sources, means, strict=True))
        if "lots" in names:
            entry.update(_lots_of(index, sums, columns["lots"]))
        for number, statistic in enumerate(behaviour.statistics):
            is_mean = statistic.among is not None or statistic.values is not None
            found = (sums.means if is_mean else sums.per_game)(_key(number))[index]
            entry.setdefault(statistic.group, {})[statistic.name] = _plain(found)[0]
    return {**_description(behaviour), "agents": summaries}


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

    Args:
        game: The game that was played.
        agents: Number of agents.
        deals: Number of deals; the tables number them from 0.
        parts: As for `summarise_behaviour`.
    """
    behaviour = behaviour_of(game)
    if behaviour is None:
        return []
    sums = _Sums(deals * agents)
    for part in parts:
        cells = {name: {**table, "agent": _cells(table, agents)} for name, table in part.items() if "agent" in table}
        for key, agent, values, group in _measured(behaviour, {**part, **cells}):
            if key not in _BY_GROUP:
                sums.add(key, agent, values, group)
    money = behaviour.money
    points = _unit(game, "points", "points")
    of_game = "per seat of a game"
    named = [("bought", f"lots bought, {of_game}", "", "price", sums.per_game)]
    named += [(name, f"mean {text} of the lots bought", unit, name, sums.means) for name, text, unit in (
        ("price", "price", money), ("worth", "worth", points), ("price_less_worth", "price less worth", points)
    )]  # fmt: skip
    named += [("money_at_the_end", "money at the end of the game", money, "money at the end", sums.means)]
    for number, one in enumerate(behaviour.statistics):
        is_mean = one.among is not None or one.values is not None
        way = sums.means if is_mean else sums.per_game
        named.append((f"{one.group}.{one.name}", one.meaning, "", _key(number), way))
    measures = [
        Measure(name, meaning, unit, way(key)[:, 0].reshape(deals, agents))
        for name, meaning, unit, key, way in named
        if key in sums
    ]
    if "points" in sums:
        sources = next(c.labels for c in schemas(game)["points"].columns if c.name == "source") or ()
        by_source = sums.means("points", len(sources)).reshape(deals, agents, -1)
        for number, source in enumerate(sources):
            measures.append(Measure(f"points.{source}", f"points from {source}", points, by_source[:, :, number]))
    return measures


def _cells(table: Table, agents: int) -> np.ndarray:
    """A number for each deal and agent in place of the agent."""
    agent = table["agent"].astype(np.int64)
    return np.where(agent == MISSING, MISSING, table["deal"] * agents + agent)


def _unit(game: Game, table: str, column: str) -> str:
    """The unit of a column; "" if there is no such table."""
    schema = schemas(game).get(table)
    return next((one.unit for one in schema.columns if one.name == column), "") if schema else ""


def _measured(behaviour: Behaviour | None, tables: Part) -> Iterator[_Rows]:
    """What is counted and added up of a part."""
    yield "games", tables["seats"]["agent"], None, None
    if behaviour is None:
        return
    if "money" in tables:
        yield from _measured_money(tables)
    if "points" in tables:
        points = tables["points"]
        yield "points", points["agent"], points["points"], points["source"]
    if "lots" in tables:
        yield from _measured_lots(tables["lots"], behaviour.point_price)
    for number, statistic in enumerate(behaviour.statistics):
        yield (_key(number), *_counted(statistic, tables[statistic.table]), None)


def _key(number: int) -> str:
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
    group = np.broadcast_to(category * _VALUES + value, len(agent))
    for name, values in zip(_OF_LOTS, (price, worth, price / point_price - worth), strict=True):
        yield name, agent, values, None
        yield f"{name} by kind", agent, values, group


def _lots_of(agent: int, sums: "_Sums", columns: Sequence[Column]) -> dict[str, Any]:
    """The means of the lots that an agent bought, over all of them and by category and value."""
    labels = {column.name: column.labels for column in columns}

    def means(suffix: str, group: int) -> dict[str, Any]:
        bought = {"bought": _plain(sums.per_game(f"price{suffix}")[agent])[group]}
        return bought | {name: _plain(sums.means(f"{name}{suffix}")[agent])[group] for name in _OF_LOTS}

    def kind(group: int) -> dict[str, Any]:
        codes = dict(zip(("category", "value"), divmod(group, _VALUES), strict=True))
        known = {name: labels[name] for name in codes if name in labels}
        return {name: words[codes[name]] if words else codes[name] for name, words in known.items()}

    kinds = np.flatnonzero(sums.counts("price by kind").sum(axis=0)).tolist()
    return {**means("", 0), "prices": [{**kind(group), **means(" by kind", group)} for group in kinds]}


def _description(behaviour: Behaviour) -> dict[str, Any]:
    """The schema of the summary of behaviour, for reports: units, and the meaning of each statistic."""
    keys = ("group", "name", "meaning", "panel")
    statistics = [
        {key: getattr(statistic, key) for key in keys}
        | {"fraction": bool(statistic.among), "mean": bool(statistic.values)}
        for statistic in behaviour.statistics
    ]
    return {
        "money": behaviour.money,
        "point_price": behaviour.point_price,
        "colours": dict(behaviour.colours),
        "statistics": statistics,
    }


class _Sums:
    """Numbers of rows and sums of values by agent and group, over all parts.

    Args:
        agents: Number of agents.
    """

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

    def per_game(self, key: str) -> np.ndarray:
        """(agents, groups) rows per seat that the agent had in a game."""
        counts = self.counts(key)
        return divided(counts, np.broadcast_to(self.counts("games"), counts.shape))


def _plain(values: np.ndarray) -> list[float | None]:
    return [None if math.isnan(value) else value for value in map(float, values)]
