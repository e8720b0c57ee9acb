"""The section of the report on behaviour: its tables, and the functions that figures and tables share."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

from w51_lab.behaviour.summary import AgentBehaviour, BehaviourSummary, KindOfLot, LotMeans, StatisticFacts
from w51_lab.report.models import Summary
from w51_lab.report.result_table import Cell, Column, Item, Section, named, table_of
from w51_lab.report.values import ABSENT, count, number, percent, signed


def units_of(behaviour: BehaviourSummary) -> tuple[str, str]:
    """The unit of money, and the unit in which prices are compared with worth: points, or money where it is points."""
    return behaviour.money, behaviour.money if behaviour.point_price == 1 else "points"


def sources_of(agents: Sequence[AgentBehaviour]) -> list[str]:
    """The sources of points of these agents."""
    return list(dict.fromkeys(source for agent in agents for source in agent.points))


class _Kind(NamedTuple):
    """What an agent bought of one kind."""

    agent: str
    of: KindOfLot


def behaviour_section(summary: Summary) -> Section | None:
    """The figures of behaviour and the numbers behind them."""
    behaviour, agents = summary.behaviour, summary.behaved
    per_game = "Per seat of a game."
    if not behaviour:
        return None
    money, unit = units_of(behaviour)
    of_agent: list[Column[AgentBehaviour]] = _lot_columns(money, unit, lambda agent: agent.lots)
    of_kind: list[Column[_Kind]] = _lot_columns(money, unit, lambda kind: kind.of)
    bought: list[Column[AgentBehaviour]] = [
        named(),
        Column("games", lambda agent: count(agent.games), "seats of the agent in all games"),
        *of_agent,
    ]
    kinds: list[Column[_Kind]] = [
        Column("agent", lambda kind: Cell(kind.agent, "name")),
        Column("category", lambda kind: Cell(_text(kind.of.category), "words"), needed=False),
        Column("value", lambda kind: _text(kind.of.value), needed=False),
        *of_kind,
    ]
    groups: dict[str, list[StatisticFacts]] = {}
    for entry in behaviour.statistics:
        groups.setdefault(entry.group, []).append(entry)
    made = [
        table_of("Lots", agents, bought, per_game),
        *(
            table_of(
                group.capitalize(),
                agents,
                [named(), *map(_statistic_column, entries)],
                "" if all(entry.fraction or entry.mean for entry in entries) else per_game,
            )
            for group, entries in groups.items()
        ),
        table_of(
            "Points by source",
            agents,
            [named(), *map(_source_column, sources_of(agents))],
            f"Mean {unit} of a seat in a game.",
        ),
        table_of(
            "Prices",
            [_Kind(agent.name, kind) for agent in agents for kind in agent.prices],
            kinds,
            "Means over the lots that an agent bought.",
        ),
    ]
    intro = "All numbers are means over the seats of an agent."
    if unit != money:
        intro += f" Where prices are compared with points, {behaviour.point_price:g} {money} count as one point."
    tables = [table for table in made if table]
    return Section("behaviour", "Behaviour", intro, ("prices", "money", "points", "habits"), tables)


def _text(code: str | int | None) -> str:
    return ABSENT if code is None else str(code)


def _lot_columns(money: str, unit: str, lots: Callable[[Item], LotMeans | None]) -> list[Column[Item]]:
    """Columns on bought lots, for an agent or for its lots of one kind; without any if the game has no lots."""

    def column(title: str, meaning: str, write: Callable[[LotMeans], str]) -> Column[Item]:
        return Column(title, lambda item: write(of) if (of := lots(item)) else ABSENT, meaning, needed=False)

    return [
        column("bought", "lots per game", lambda of: number(of.bought)),
        column("price", f"of a lot, in {money}", lambda of: number(of.price)),
        column("worth", f"{unit} that a lot brought its buyer", lambda of: number(of.worth)),
        column("price less worth", f"in {unit}", lambda of: signed(of.price_less_worth)),
    ]


def _statistic_column(entry: StatisticFacts) -> Column[AgentBehaviour]:
    write = percent if entry.fraction else number
    title, of = entry.name.replace("_", " "), (entry.group, entry.name)
    return Column(title, lambda agent: write(agent.statistic(*of)), entry.meaning, needed=False)


def _source_column(source: str) -> Column[AgentBehaviour]:
    return Column(source, lambda agent: number(agent.points.get(source)), needed=False)
