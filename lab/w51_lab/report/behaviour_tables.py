"""The section of the report on behaviour: its tables, and the functions that figures and tables share."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from w51_lab.report.page_tables import Agent, AgentColumn, Cell, PageSection, PageTable, agent_table
from w51_lab.report.values import count, number, ordered, percent, signed


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


def behaviour_section(summary: Mapping[str, Any]) -> PageSection | None:
    """The figures of behaviour and the numbers behind them."""
    behaviour = summary.get("behaviour") or {}
    agents = agents_of(summary)
    per_game = "Per seat of a game."
    money, unit = units_of(behaviour)
    lots = _lot_columns(money, unit)
    games: AgentColumn = ("games", "seats of the agent in all games", lambda agent: count(agent.get("games")))
    page_tables = [agent_table("Lots", agents, [games, *lots], per_game)]
    groups: dict[str, list[Mapping[str, Any]]] = {}
    for entry in behaviour.get("statistics") or []:
        groups.setdefault(entry["group"], []).append(entry)
    for group, entries in groups.items():
        counts = any(not (entry["fraction"] or entry.get("mean")) for entry in entries)
        columns = [_statistic_column(entry) for entry in entries]
        page_tables.append(agent_table(group.capitalize(), agents, columns, per_game if counts else ""))
    page_tables.append(
        agent_table(
            "Points by source",
            agents,
            [_source_column(source) for source in sources_of(agents)],
            f"Mean {unit} of a seat in a game.",
        )
    )
    tables = [table for table in (*page_tables, _price_table(agents, lots)) if table is not None]
    if not tables:
        return None
    intro = "All numbers are means over the seats of an agent."
    if unit != money:
        intro += f" Where prices are compared with points, {behaviour['point_price']} {money} count as one point."
    return PageSection("behaviour", "Behaviour", intro, ("prices", "money", "points", "habits"), tables)


def _lot_columns(money: str, unit: str) -> list[AgentColumn]:
    """Columns on bought lots, for an agent or for its lots of one kind."""
    return [
        ("bought", "lots per game", lambda kind: number(kind.get("bought"))),
        ("price", f"of a lot, in {money}", lambda kind: number(kind.get("price"))),
        ("worth", f"{unit} that a lot brought its buyer", lambda kind: number(kind.get("worth"))),
        ("price less worth", f"in {unit}", lambda kind: signed(kind.get("price_less_worth"))),
    ]


def _statistic_column(entry: Mapping[str, Any]) -> AgentColumn:
    value_of, write = statistic(entry), percent if entry["fraction"] else number
    return entry["name"].replace("_", " "), entry["meaning"], lambda agent: write(value_of(agent))


def _source_column(source: str) -> AgentColumn:
    return source, "", lambda agent: number((agent.get("points") or {}).get(source))


def _price_table(agents: Sequence[Agent], columns: Sequence[AgentColumn]) -> PageTable | None:
    kinds = [(agent["name"], kind) for agent in agents for kind in agent.get("prices") or []]
    if not kinds:
        return None
    words = [word for word in ("category", "value") if any(word in kind for _, kind in kinds)]
    rows = [
        [
            Cell(name, "name"),
            *(Cell(str(kind.get(word, "")), "words" if word == "category" else "") for word in words),
            *(Cell(str(write(kind))) for _, _, write in columns),
        ]
        for name, kind in kinds
    ]
    titles = [("agent", ""), *((word, "") for word in words), *(column[:2] for column in columns)]
    return PageTable("Prices", titles, rows, "Means over the lots that an agent bought.")
