"""The section of the report on behaviour: its tables, and the functions that figures and tables share."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from w51_lab.report.result_table import Agent, Cell, Column, Section, named, tables_of
from w51_lab.report.values import ABSENT, count, number, ordered, percent, signed


def agents_of(summary: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The behaviour of each agent, in the order of the standings."""
    by_name = {agent["name"]: agent for agent in (summary.get("behaviour") or {}).get("agents") or []}
    return [by_name[agent["name"]] for agent in ordered(summary) if agent["name"] in by_name]


def units_of(behaviour: Mapping[str, Any]) -> tuple[str, str]:
    """The unit of money, and the unit in which prices are compared with worth: points, or money where it is points."""
    money = behaviour.get("money") or "money"
    return money, money if behaviour.get("point_price", 1) == 1 else "points"


def sources_of(agents: Sequence[Agent]) -> list[str]:
    """The sources of points of these agents."""
    return list(dict.fromkeys(source for agent in agents for source in agent.get("points") or {}))


def statistic(entry: Mapping[str, Any]) -> Callable[[Agent], Any]:
    """The value of an agent, by an entry of `statistics` of the summary."""
    return lambda agent: (agent.get(entry["group"]) or {}).get(entry["name"])


def behaviour_section(summary: Mapping[str, Any]) -> Section | None:
    """The figures of behaviour and the numbers behind them."""
    behaviour = summary.get("behaviour") or {}
    agents = agents_of(summary)
    per_game = "Per seat of a game."
    money, unit = units_of(behaviour)
    lots = _lot_columns(money, unit)
    games: Column = ("games", "seats of the agent in all games", lambda agent: count(agent.get("games")))
    groups: dict[str, list[Mapping[str, Any]]] = {}
    for entry in behaviour.get("statistics") or []:
        groups.setdefault(entry["group"], []).append(entry)
    kinds = [{"agent": agent["name"], **kind} for agent in agents for kind in agent.get("prices") or []]
    tables = tables_of(
        ("Lots", agents, [named(), games, *lots], per_game),
        *(
            (
                group.capitalize(),
                agents,
                [named(), *map(_statistic_column, entries)],
                "" if all(entry["fraction"] or entry.get("mean") for entry in entries) else per_game,
            )
            for group, entries in groups.items()
        ),
        (
            "Points by source",
            agents,
            [named(), *map(_source_column, sources_of(agents))],
            f"Mean {unit} of a seat in a game.",
        ),
        ("Prices", kinds, [named("agent"), *_KIND, *lots], "Means over the lots that an agent bought."),
    )
    intro = "All numbers are means over the seats of an agent."
    if unit != money:
        intro += f" Where prices are compared with points, {behaviour['point_price']} {money} count as one point."
    shown = ("prices", "money", "points", "habits")
    return Section("behaviour", "Behaviour", intro, shown, tables) if tables else None


# What a lot is, in a table of prices.
_KIND: tuple[Column, ...] = (
    ("category", "", lambda kind: Cell(str(kind.get("category", ABSENT)), "words")),
    ("value", "", lambda kind: str(kind.get("value", ABSENT))),
)


def _lot_columns(money: str, unit: str) -> list[Column]:
    """Columns on bought lots, for an agent or for its lots of one kind."""
    return [
        ("bought", "lots per game", lambda kind: number(kind.get("bought"))),
        ("price", f"of a lot, in {money}", lambda kind: number(kind.get("price"))),
        ("worth", f"{unit} that a lot brought its buyer", lambda kind: number(kind.get("worth"))),
        ("price less worth", f"in {unit}", lambda kind: signed(kind.get("price_less_worth"))),
    ]


def _statistic_column(entry: Mapping[str, Any]) -> Column:
    value_of, write = statistic(entry), percent if entry["fraction"] else number
    return entry["name"].replace("_", " "), entry["meaning"], lambda agent: write(value_of(agent))


def _source_column(source: str) -> Column:
    return source, "", lambda agent: number((agent.get("points") or {}).get(source))
