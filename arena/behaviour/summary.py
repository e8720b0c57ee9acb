"""How each agent behaved, in some numbers: plain data for reports."""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from arena.behaviour.columns import NONE, Column, Table, Tables
from arena.behaviour.means import Means
from arena.behaviour.recorder import layouts, own_tables
from w51_env.core.game import Game


def summarise_behaviour(game: Game, agents: Sequence[str], tables: Tables) -> dict[str, Any]:
    """Means by agent. "Per game" is per seat of a game; what there is nothing to average of is None.

    Args:
        game: The game that was played.
        agents: The agents' names, as the tables number them.
        tables: Of a `Recorder`, or several of them put together.

    Returns:
        `money`: what money is counted in. `point_price`: money that is set against a point in `price_less_worth`.
        `agents`: a dict for each:
            name: Its name.
            games: Seats it had in all games together.
            bought: Lots bought per game.
            price, worth: Mean price of those, and mean points that they brought the buyer; price_less_worth: the mean difference, in points.
            prices: The same four for each `category` (and `value`).
            money_by_lot: Mean money at the beginning, and after the first lot, the second, ..., of the games that went so far.
            money_at_the_end: Mean money when the game is over.
            points: Mean points by source.
            In Warehouse 51, counterfeits: `bought_knowing`, `bought_unknowing`, `known_bid_up` (lots per game that it knew to be
            counterfeits, bid for and did not buy), `known_had_to_buy` (share of known counterfeits bid for that it bought);
            pawns: `pawned`, `redeemed`, `lost` per game; protections: `placed` per game, `saved`: those on a counterfeit.
            In Alles Futsch!, objects: `taken`, `sold`, `lost` per game.
        A game without tables of its own has `agents` with `name` and `games` alone.
    """
    count = len(agents)
    own = Means(tables["seats"]["agent"], count)
    told: list[dict[str, Any]] = [
        {"name": name, "games": int(games)} for name, games in zip(agents, own.games, strict=True)
    ]
    module = own_tables(game)
    if module is None:
        return {"agents": told}
    columns = {name: {column.name: column for column in layout.columns} for name, layout in layouts(game).items()}
    by_lot, at_the_end = _money(tables, own)
    sources = columns["points"]["source"].words or ()
    points = tables["points"]
    by_source = own.mean_by(points["agent"], points["points"], points["source"], len(sources))
    for index, entry in enumerate(told):
        entry["money_by_lot"] = _plain(by_lot[index])
        entry["money_at_the_end"] = _plain(at_the_end)[index]
        entry["points"] = dict(zip(sources, _plain(by_source[index]), strict=True))
    _tell_prices(told, tables["lots"], columns["lots"], module.POINT_PRICE, own)
    for name, values in module.summarise(tables, own).items():
        for index, entry in enumerate(told):
            entry[name] = {word: _plain(means)[index] for word, means in values.items()}
    return {"money": module.MONEY, "point_price": module.POINT_PRICE, "agents": told}


def _money(tables: Tables, own: Means) -> tuple[np.ndarray, np.ndarray]:
    """(agents, lots + 1) mean money after each lot, and (agents,) at the end."""
    money, lots = tables["money"], tables["lots"]
    games = int(money["game"].max(initial=-1)) + 1
    last_lot, last_row = np.zeros(games, np.int64), np.zeros(games, np.int64)
    np.maximum.at(last_lot, lots["game"], lots["lot"])
    np.maximum.at(last_row, money["game"], money["lot"])
    settled, at_the_end = money["lot"] <= last_lot[money["game"]], money["lot"] == last_row[money["game"]]
    by_lot = own.mean_by(
        money["agent"][settled], money["money"][settled], money["lot"][settled], int(last_lot.max(initial=0)) + 1
    )
    return by_lot, own.mean(money["agent"][at_the_end], money["money"][at_the_end])


def _tell_prices(
    told: list[dict[str, Any]], lots: Table, columns: dict[str, Column], point_price: int, own: Means
) -> None:
    """Put prices into the agents' dicts: over all, and by category and value."""
    sold = lots["agent"] != NONE
    agent, price, worth = lots["agent"][sold], lots["price"][sold], lots["worth"][sold]
    asked = {"price": price, "worth": worth, "price_less_worth": price / point_price - worth}
    grouped = [name for name in ("category", "value") if name in lots]
    kinds, group = np.unique(np.stack([lots[name][sold] for name in grouped]), axis=1, return_inverse=True)
    group = group.reshape(-1)
    means = {name: own.mean_by(agent, values, group, kinds.shape[1]) for name, values in asked.items()}
    bought = [own.per_game(agent[group == kind]) for kind in range(kinds.shape[1])]
    words = [columns[name].words for name in grouped]
    named = [
        {name: int(code) if text is None else text[code] for name, text, code in zip(grouped, words, kind, strict=True)}
        for kind in kinds.T
    ]
    for index, entry in enumerate(told):
        entry["bought"] = _plain(own.per_game(agent))[index]
        entry.update({name: _plain(own.mean(agent, values))[index] for name, values in asked.items()})
        entry["prices"] = [
            {
                **name,
                "bought": _plain(bought[kind])[index],
                **{what: _plain(values[index])[kind] for what, values in means.items()},
            }
            for kind, name in enumerate(named)
        ]


def _plain(values: np.ndarray) -> list[float | None]:
    return [None if math.isnan(value) else value for value in map(float, values)]
