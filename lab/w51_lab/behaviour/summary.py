"""Statistics of each agent's behaviour, as plain data for reports."""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from w51_env.engine.game import Game
from w51_lab.arena.games import divided
from w51_lab.behaviour.contract import MISSING, Behaviour, Column, Statistic, Table, behaviour_of
from w51_lab.behaviour.parts import Part, Parts, table_names
from w51_lab.behaviour.recorder import schemas


def summarise_behaviour(game: Game, agents: Sequence[str], parts: Parts) -> dict[str, Any]:
    """Means by agent. "Per game" is per seat of a game; a mean of nothing is None.

    Without behaviour tables of the game, there are `agents` with `name` and `games` only. Prices, money and points are
    left out of a game without the tables `lots`, `money` or `points`.

    Args:
        game: The game that was played.
        agents: The agents' names, as the tables number them.
        parts: Tables of a `BehaviourRecorder`, of one match after the other. One part is in memory at a time.

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

    Raises:
        AgentError: No parts, or parts with different tables.
    """
    behaviour = behaviour_of(game)
    sums = _Sums(len(agents))
    names = table_names(parts)
    columns = {name: schemas(game)[name].columns for name in names if behaviour}
    lots = _Lots(columns["lots"]) if "lots" in columns else None
    for part in parts:
        tables = dict(part)  # reads those of a stored part once
        sums.add("games", tables["seats"]["agent"])
        if behaviour is not None:
            _count(sums, behaviour, lots, tables)
    games = sums.counts("games")[:, 0]
    summaries: list[dict[str, Any]] = [
        {"name": name, "games": int(count)} for name, count in zip(agents, games, strict=True)
    ]
    if behaviour is None:
        return {"agents": summaries}
    if "money" in names:
        _add_money(summaries, sums)
    if "points" in names:
        _add_points(summaries, columns["points"], sums)
    if lots is not None:
        lots.add(summaries, sums)
    for index, statistic in enumerate(behaviour.statistics):
        is_mean = statistic.among is not None or statistic.values is not None
        values = sums.means(_key(index)) if is_mean else sums.per_game(_key(index))
        for entry, value in zip(summaries, _plain(values[:, 0]), strict=True):
            entry.setdefault(statistic.group, {})[statistic.name] = value
    return {**_description(behaviour), "agents": summaries}


def _count(sums: "_Sums", behaviour: Behaviour, lots: "_Lots | None", tables: Part) -> None:
    """Add the rows of a part."""
    if "money" in tables:
        _count_money(sums, tables)
    if "points" in tables:
        points = tables["points"]
        sums.add("points", points["agent"], points["points"], points["source"])
    if lots is not None:
        lots.count(sums, tables["lots"], behaviour.point_price)
    for index, statistic in enumerate(behaviour.statistics):
        _count_statistic(sums, _key(index), statistic, tables[statistic.table])


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

    def add(
        self, key: str, agent: np.ndarray, values: np.ndarray | None = None, group: np.ndarray | None = None
    ) -> None:
        """Add rows to those of a key.

        Args:
            key: The key.
            agent: (rows,) the agent of each row.
            values: (rows,) values. Default: nothing is added up.
            group: (rows,) the group of each row, from 0. Default: all in group 0.
        """
        group = np.zeros(len(agent), np.int64) if group is None else group
        known = self._cells.get(key, np.zeros((2, self._agents, 0)))
        groups = max(known.shape[2], int(group.max(initial=0)) + 1)
        cell = agent.astype(np.int64) * groups + group
        size = self._agents * groups
        added = [
            np.bincount(cell, weights, size) for weights in (None, np.zeros(len(cell)) if values is None else values)
        ]
        cells = np.array(added, float).reshape(2, self._agents, groups)
        cells[:, :, : known.shape[2]] += known
        self._cells[key] = cells

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


def _key(index: int) -> str:
    return f"statistic {index}"


def _count_statistic(sums: _Sums, key: str, statistic: Statistic, table: Table) -> None:
    counted = seated = table["agent"] != MISSING
    if statistic.counted is not None:
        counted = seated & statistic.counted(table)
    if statistic.values is not None:
        sums.add(key, table["agent"][counted], statistic.values(table)[counted])
    elif statistic.among is None:
        sums.add(key, table["agent"][counted])
    else:
        among = seated & statistic.among(table)
        sums.add(key, table["agent"][among], counted[among])


def _count_money(sums: _Sums, tables: Part) -> None:
    """Add the money after each lot, and at the end, which may have a row of its own."""
    money = tables["money"]
    last_row = _most(money)
    complete = money["lot"] <= (_most(tables["lots"], len(last_row)) if "lots" in tables else last_row)[money["game"]]
    at_the_end = money["lot"] == last_row[money["game"]]
    sums.add("money", money["agent"][complete], money["money"][complete], money["lot"][complete])
    sums.add("money at the end", money["agent"][at_the_end], money["money"][at_the_end])


def _add_money(summaries: list[dict[str, Any]], sums: _Sums) -> None:
    columns = (sums.means("money"), sums.per_game("money"), sums.means("money at the end"))
    for entry, by_lot, left, at_the_end in zip(summaries, *columns, strict=True):
        entry["money_by_lot"], entry["money_at_the_end"] = _plain(by_lot), _plain(at_the_end)[0]
        entry["games_by_lot"] = _plain(left)


def _add_points(summaries: list[dict[str, Any]], columns: Sequence[Column], sums: _Sums) -> None:
    """Add the mean points by source."""
    sources = next(column.labels for column in columns if column.name == "source") or ()
    for entry, means in zip(summaries, sums.means("points", len(sources)), strict=True):
        entry["points"] = dict(zip(sources, _plain(means), strict=True))


def _most(table: Table, games: int = 0) -> np.ndarray:
    """(games,) the highest `lot` of each game."""
    last_lot = np.zeros(max(games, int(table["game"].max(initial=-1)) + 1), np.int64)
    np.maximum.at(last_lot, table["game"], table["lot"])
    return last_lot


class _Lots:
    """Prices and worth of lots, over all of them and by category and value.

    Args:
        columns: Columns of the table `lots`.
    """

    _MEASURED = ("price", "worth", "price_less_worth")

    def __init__(self, columns: Sequence[Column]):
        labels = {column.name: column.labels for column in columns}
        grouped: tuple[str, ...] = ("category", "value")
        self._labels = {name: labels[name] for name in grouped if name in labels}
        self._kinds: dict[tuple[int, ...], int] = {}  #  group of each kind

    def count(self, sums: _Sums, lots: Table, point_price: int) -> None:
        """Add the sold lots of a part."""
        sold = lots["agent"] != MISSING
        agent, price, worth = lots["agent"][sold], lots["price"][sold], lots["worth"][sold]
        keys = np.stack([lots[name][sold] for name in self._labels] or [np.zeros(len(price), np.int8)])
        kinds, inverse = np.unique(keys, axis=1, return_inverse=True)
        known = [self._kinds.setdefault(tuple(kind), len(self._kinds)) for kind in kinds.T.tolist()]
        group = np.array(known, np.int64)[inverse.reshape(-1)]
        for name, values in zip(self._MEASURED, (price, worth, price / point_price - worth), strict=True):
            sums.add(name, agent, values)
            sums.add(f"{name} by kind", agent, values, group)

    def add(self, summaries: list[dict[str, Any]], sums: _Sums) -> None:
        """Add the means to the summaries of the agents."""
        bought, by_kind = sums.per_game("price"), sums.per_game("price by kind")
        means = {name: (sums.means(name), sums.means(f"{name} by kind")) for name in self._MEASURED}
        for index, entry in enumerate(summaries):
            entry["bought"] = _plain(bought[index])[0]
            entry.update({name: _plain(whole[index])[0] for name, (whole, _) in means.items()})
            entry["prices"] = [
                {
                    **{name: self._word(name, code) for name, code in zip(self._labels, kind, strict=False)},
                    "bought": _plain(by_kind[index])[group],
                    **{name: _plain(values[index])[group] for name, (_, values) in means.items()},
                }
                for kind, group in sorted(self._kinds.items())
            ]

    def _word(self, name: str, code: int) -> int | str:
        labels = self._labels[name]
        return code if labels is None else labels[code]


def _plain(values: np.ndarray) -> list[float | None]:
    return [None if math.isnan(value) else value for value in map(float, values)]
