"""Statistics of each agent's behaviour, for summary.json and reports."""

from collections.abc import Mapping, Sequence

import numpy as np

from w51_env.engine.game import Game
from w51_lab.behaviour.contract import Behaviour, Column, behaviour_of
from w51_lab.behaviour.measures import OF_LOTS, VALUES, Sums, key_of, measured
from w51_lab.behaviour.parts import Parts
from w51_lab.behaviour.recorder import schemas
from w51_lab.statistics.records import Record, finite


class LotMeans(Record):
    """Means of the lots that an agent bought.

    Attributes:
        bought: Lots per game.
        price, worth: What a lot cost, and the points that it brought.
        price_less_worth: The mean difference, in points.
    """

    bought: float | None
    price: float | None
    worth: float | None
    price_less_worth: float | None


class KindOfLot(LotMeans):
    """The means of the lots of a category and of a value; None where the game's lots have none."""

    category: str | int | None
    value: str | int | None


class AgentBehaviour(Record):
    """What an agent does, as means. "Per game" is per seat of a game; None is a mean of nothing.

    Attributes:
        name: Its name.
        games: Seats that it had in all games together.
        lots: Of the lots that it bought; None in a game without lots.
        prices: The same for each kind of lot.
        money_by_lot: Money at the beginning, after the first lot, the second, ..., over the games with so many lots.
        games_by_lot: The fraction of the agent's games with so many lots.
        money_at_the_end: After the last lot.
        points: By source.
        statistics: The statistics of the game, by group and name.
    """

    name: str
    games: int
    lots: LotMeans | None
    prices: list[KindOfLot]
    money_by_lot: list[float | None]
    games_by_lot: list[float | None]
    money_at_the_end: float | None
    points: dict[str, float | None]
    statistics: dict[str, dict[str, float | None]]

    def statistic(self, group: str, name: str) -> float | None:
        """A statistic of the game; None if the game has none of this name."""
        return self.statistics.get(group, {}).get(name)


class StatisticFacts(Record):
    """What a statistic is, as in `Statistic`; whether it is a fraction or a mean, or else a count per game."""

    group: str
    name: str
    meaning: str
    panel: str
    fraction: bool
    mean: bool


class BehaviourSummary(Record):
    """The behaviour of all agents.

    Attributes:
        money: The unit of money.
        point_price: Money that counts as one point in `price_less_worth`.
        colours: Of sources of points.
        statistics: What the statistics of the game are.
        agents: In the order of the tournament.
    """

    money: str
    point_price: float
    colours: dict[str, str]
    statistics: list[StatisticFacts]
    agents: list[AgentBehaviour]


def summarise_behaviour(game: Game, agents: Sequence[str], parts: Parts) -> BehaviourSummary | None:
    """Means by agent; None for a game without behaviour tables.

    Args:
        game: The game that was played.
        agents: The agents' names, as the tables number them.
        parts: Tables of a `BehaviourRecorder`, as for `write_behaviour`. One part is in memory at a time.
    """
    behaviour = behaviour_of(game)
    if behaviour is None:
        return None
    sums = Sums(len(agents))
    names = list(parts[0])
    for part in parts:
        for key, agent, values, group in measured(behaviour, dict(part)):  # reads each table of a stored part once
            sums.add(key, agent, values, group)
    columns = {name: schemas(game)[name].columns for name in names}
    return BehaviourSummary(
        money=behaviour.money,
        point_price=behaviour.point_price,
        colours=dict(behaviour.colours),
        statistics=[
            StatisticFacts(
                group=one.group,
                name=one.name,
                meaning=one.meaning,
                panel=one.panel,
                fraction=one.among is not None,
                mean=one.values is not None,
            )
            for one in behaviour.statistics
        ],
        agents=[_agent(index, name, behaviour, sums, columns) for index, name in enumerate(agents)],
    )


def _agent(
    index: int, name: str, behaviour: Behaviour, sums: Sums, columns: Mapping[str, Sequence[Column]]
) -> AgentBehaviour:
    """What one agent does, as far as the game has the tables `lots`, `money` and `points`."""
    statistics: dict[str, dict[str, float | None]] = {}
    for number, one in enumerate(behaviour.statistics):
        is_mean = one.among is not None or one.values is not None
        found = (sums.means if is_mean else sums.per_game)(key_of(number))[index]
        statistics.setdefault(one.group, {})[one.name] = finite(found[0])
    has_money, points = "money" in columns, {}
    if "points" in columns:
        sources = next(column.labels for column in columns["points"] if column.name == "source") or ()
        points = dict(zip(sources, _plain(sums.means("points", len(sources))[index]), strict=True))
    return AgentBehaviour(
        name=name,
        games=int(sums.counts("games")[index, 0]),
        lots=_means_of(index, sums) if "lots" in columns else None,
        prices=_kinds_of(index, sums, columns["lots"]) if "lots" in columns else [],
        money_by_lot=_plain(sums.means("money")[index]) if has_money else [],
        games_by_lot=_plain(sums.per_game("money")[index]) if has_money else [],
        money_at_the_end=finite(sums.means("money at the end")[index, 0]) if has_money else None,
        points=points,
        statistics=statistics,
    )


def _means_of(agent: int, sums: Sums) -> LotMeans:
    """The means of all lots that an agent bought."""
    price, worth, less = (finite(sums.means(name)[agent, 0]) for name in OF_LOTS)
    return LotMeans(bought=finite(sums.per_game("price")[agent, 0]), price=price, worth=worth, price_less_worth=less)


def _kinds_of(agent: int, sums: Sums, columns: Sequence[Column]) -> list[KindOfLot]:
    """The means of the lots that an agent bought, by category and value."""
    labels = {column.name: column.labels for column in columns}
    bought, *means = (sums.per_game("price by kind"), *(sums.means(f"{name} by kind") for name in OF_LOTS))

    def code(name: str, number: int) -> str | int | None:
        words = labels.get(name)
        return None if name not in labels else words[number] if words else number

    kinds = []
    for group in np.flatnonzero(sums.counts("price by kind").sum(axis=0)).tolist():
        category, value = divmod(group, VALUES)
        price, worth, less = (finite(of_lots[agent, group]) for of_lots in means)
        kinds.append(
            KindOfLot(
                category=code("category", category),
                value=code("value", value),
                bought=finite(bought[agent, group]),
                price=price,
                worth=worth,
                price_less_worth=less,
            )
        )
    return kinds


def _plain(values: np.ndarray) -> list[float | None]:
    return [finite(value) for value in values]
