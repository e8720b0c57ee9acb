"""Statistics of each agent's behaviour, as plain data for reports."""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from w51_env.arena.behaviour.recorder import schemas
from w51_env.arena.games import divided
from w51_env.core.behaviour import MISSING, Behaviour, Statistic, Table, Tables, TableSchema
from w51_env.core.game import Game


def summarise_behaviour(game: Game, agents: Sequence[str], tables: Tables) -> dict[str, Any]:
    """Means by agent. "Per game" is per seat of a game; a mean of nothing is None.

    Args:
        game: The game that was played.
        agents: The agents' names, as the tables number them.
        tables: Tables of a `BehaviourRecorder`, or several of them concatenated.

    Returns:
        `money`: the unit of money. `point_price`: money that counts as one point in `price_less_worth`. `colours`: of
            sources of points.
        `statistics`: a dict for each statistic of the game: `group`, `name`, `meaning`, `panel`, and whether it is a
            `fraction`.
        `agents`: a dict for each agent:
            name: The agent's name.
            games: Seats that it had in all games together.
            bought: Lots bought per game.
            price, worth: Mean price of these lots, and mean points that they brought; price_less_worth: the mean
                difference, in points.
            prices: The same four for each `category` (and `value`).
            money_by_lot: Mean money at the beginning, after the first lot, the second, ..., over the games with so many
                lots; games_by_lot: the fraction of the agent's games with so many lots.
            money_at_the_end: Mean money when the game is over.
            points: Mean points by source.
            <group>: The statistics of the group, by name.
        Without behaviour tables of the game, `agents` with `name` and `games` only. Prices, money and points are left
        out of a game without the tables `lots`, `money` or `points`.
    """
    means = _Means(tables["seats"]["agent"], len(agents))
    found: list[dict[str, Any]] = [
        {"name": name, "games": int(games)} for name, games in zip(agents, means.games, strict=True)
    ]
    own = game.behaviour
    if own is None:
        return {"agents": found}
    described = schemas(game)
    if "money" in tables:
        _add_money(found, tables, means)
    if "points" in tables:
        _add_points(found, tables["points"], described["points"], means)
    if "lots" in tables:
        _add_prices(found, tables["lots"], described["lots"], own.point_price, means)
    for statistic in own.statistics:
        for entry, value in zip(found, _plain(means.statistic(statistic, tables)), strict=True):
            entry.setdefault(statistic.group, {})[statistic.name] = value
    return {**_description(own), "agents": found}


def _description(own: Behaviour) -> dict[str, Any]:
    """The schema of the summary of behaviour, for reports: units, and the meaning of each statistic."""
    keys = ("group", "name", "meaning", "panel")
    statistics = [
        {key: getattr(statistic, key) for key in keys} | {"fraction": bool(statistic.among)}
        for statistic in own.statistics
    ]
    return {"money": own.money, "point_price": own.point_price, "colours": dict(own.colours), "statistics": statistics}


class _Means:
    """Counts and means by agent.

    Args:
        seated: (seats of all games,) the agent in each.
        count: Number of agents.

    Attributes:
        games: (count,) int64, seats that each agent had in all games together; "per game" is per seat of a game.
    """

    def __init__(self, seated: np.ndarray, count: int):
        self.games = np.bincount(seated, minlength=count)
        self._count = count

    def per_game(self, agent: np.ndarray) -> np.ndarray:
        """(count,) rows of each agent, per game."""
        return divided(np.bincount(agent, minlength=self._count), self.games)

    def mean(self, agent: np.ndarray, values: np.ndarray) -> np.ndarray:
        """(count,) mean of the values in each agent's rows; nan without rows."""
        return self.mean_by(agent, values, np.zeros(len(agent), np.int64), 1)[:, 0]

    def mean_by(self, agent: np.ndarray, values: np.ndarray, group: np.ndarray, groups: int) -> np.ndarray:
        """(count, groups) mean of the values in each agent's rows of each group; nan without rows."""
        cell = agent.astype(np.int64) * groups + group
        size = self._count * groups
        return divided(np.bincount(cell, values, size), np.bincount(cell, minlength=size)).reshape(self._count, groups)

    def statistic(self, statistic: Statistic, tables: Tables) -> np.ndarray:
        """(count,) the statistic of each agent."""
        table = tables[statistic.table]
        counted = seated = table["agent"] != MISSING
        if statistic.counted is not None:
            counted = seated & statistic.counted(table)
        if statistic.among is None:
            return self.per_game(table["agent"][counted])
        among = seated & statistic.among(table)
        return self.mean(table["agent"][among], counted[among])


def _add_money(found: list[dict[str, Any]], tables: Tables, means: _Means) -> None:
    """Add the mean money after each lot, and at the end, which may have a row of its own."""
    money = tables["money"]
    last_row = _most(money)
    complete = money["lot"] <= (_most(tables["lots"], len(last_row)) if "lots" in tables else last_row)[money["game"]]
    at_the_end = money["lot"] == last_row[money["game"]]
    lot = money["lot"][complete]
    lots = int(lot.max(initial=0)) + 1
    by_lot = means.mean_by(money["agent"][complete], money["money"][complete], lot, lots)
    cells = np.bincount(money["agent"][complete].astype(np.int64) * lots + lot, minlength=len(found) * lots)
    left = divided(cells.reshape(len(found), lots), np.broadcast_to(means.games[:, None], (len(found), lots)))
    at_end = _plain(means.mean(money["agent"][at_the_end], money["money"][at_the_end]))
    for index, entry in enumerate(found):
        entry["money_by_lot"], entry["money_at_the_end"] = _plain(by_lot[index]), at_end[index]
        entry["games_by_lot"] = _plain(left[index])


def _most(table: Table, games: int = 0) -> np.ndarray:
    """(games,) the highest `lot` of each game."""
    most = np.zeros(max(games, int(table["game"].max(initial=-1)) + 1), np.int64)
    np.maximum.at(most, table["game"], table["lot"])
    return most


def _add_points(found: list[dict[str, Any]], points: Table, schema: TableSchema, means: _Means) -> None:
    """Add the mean points by source."""
    sources = next(column.labels for column in schema.columns if column.name == "source") or ()
    by_source = means.mean_by(points["agent"], points["points"], points["source"], len(sources))
    for index, entry in enumerate(found):
        entry["points"] = dict(zip(sources, _plain(by_source[index]), strict=True))


def _add_prices(found: list[dict[str, Any]], lots: Table, schema: TableSchema, point_price: int, means: _Means) -> None:
    """Add prices and worth, over all lots and by category and value."""
    sold = lots["agent"] != MISSING
    agent, price, worth = lots["agent"][sold], lots["price"][sold], lots["worth"][sold]
    measured = {"price": price, "worth": worth, "price_less_worth": price / point_price - worth}
    grouped = [name for name in ("category", "value") if name in lots]
    keys = np.stack([lots[name][sold] for name in grouped] or [np.zeros(len(price), np.int8)])
    kinds, group = np.unique(keys, axis=1, return_inverse=True)
    group = group.reshape(-1)
    by_kind = {name: means.mean_by(agent, values, group, kinds.shape[1]) for name, values in measured.items()}
    bought = [means.per_game(agent[group == kind]) for kind in range(kinds.shape[1])]
    labels: dict[str, Any] = {column.name: column.labels for column in schema.columns}

    def word(name: str, code: int) -> int | str:
        return int(code) if labels[name] is None else labels[name][code]

    named = [{name: word(name, code) for name, code in zip(grouped, kind, strict=True)} for kind in kinds.T]
    for index, entry in enumerate(found):
        entry["bought"] = _plain(means.per_game(agent))[index]
        entry.update({name: _plain(means.mean(agent, values))[index] for name, values in measured.items()})
        entry["prices"] = [
            {
                **name,
                "bought": _plain(bought[kind])[index],
                **{what: _plain(values[index])[kind] for what, values in by_kind.items()},
            }
            for kind, name in enumerate(named)
        ]


def _plain(values: np.ndarray) -> list[float | None]:
    return [None if math.isnan(value) else value for value in map(float, values)]
