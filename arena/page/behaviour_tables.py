"""What the page tells of how the agents behaved, in numbers: habits, points by source, prices."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from arena.page.sections import Cell, Section, Table
from arena.page.strength import ordered
from arena.page.values import count, known, number, percent, signed


def statistic(entry: Mapping[str, Any]) -> Callable[[Mapping[str, Any]], Any]:
    """The value of an agent, by an entry of `statistics` of the summary."""
    return lambda agent: (agent.get(entry["group"]) or {}).get(entry["name"])


def behaved(summary: Mapping[str, Any]) -> list[dict[str, Any]]:
    """What is known of the behaviour of each agent, in the order of the standings."""
    by_name = {agent["name"]: agent for agent in (summary.get("behaviour") or {}).get("agents") or []}
    return [by_name[agent["name"]] for agent in ordered(summary) if agent["name"] in by_name]


def sources_of(agents: Sequence[Mapping[str, Any]]) -> list[str]:
    """Where the points of these came from."""
    return list(dict.fromkeys(source for agent in agents for source in agent.get("points") or {}))


# (title, meaning, value of an agent, how it is written)
_Column = tuple[str, str, Callable[[Mapping[str, Any]], Any], Callable[[Any], str]]
_PRICE_COLUMNS: tuple[_Column, ...] = (
    ("games", "seats of the agent in all games", lambda agent: agent.get("games"), count),
    ("bought", "lots per game", lambda agent: agent.get("bought"), number),
    ("price", "of a lot", lambda agent: agent.get("price"), number),
    ("worth", "points that a lot brought its buyer", lambda agent: agent.get("worth"), number),
    ("price less worth", "in points", lambda agent: agent.get("price_less_worth"), signed),
)


def behaviour_section(summary: Mapping[str, Any]) -> Section | None:
    """The figures and the numbers behind them."""
    behaviour = summary.get("behaviour") or {}
    agents = behaved(summary)
    tables = [
        table
        for table in (_habit_table(behaviour, agents), _point_table(agents), _price_table(agents))
        if table is not None
    ]
    if not tables:
        return None
    intro = "All numbers are means over the seats that an agent had."
    if known(behaviour.get("point_price")) and behaviour["point_price"] != 1:
        intro += f" {behaviour['point_price']} {behaviour.get('money', '')} are counted as a point where a price is set against points."
    return Section("behaviour", "Behaviour", intro, ("prices", "money", "points", "habits"), tables)


def _habit_table(behaviour: Mapping[str, Any], agents: Sequence[Mapping[str, Any]]) -> Table | None:
    statistics: list[_Column] = [
        (entry["name"].replace("_", " "), entry["meaning"], statistic(entry), percent if entry["fraction"] else number)
        for entry in behaviour.get("statistics") or []
    ]
    columns = [column for column in (*_PRICE_COLUMNS, *statistics) if any(known(column[2](agent)) for agent in agents)]
    if not columns:
        return None
    rows = [
        [Cell(agent["name"], "name"), *(Cell(write(value_of(agent))) for _, _, value_of, write in columns)]
        for agent in agents
    ]
    titles = [("agent", ""), *((title, meaning) for title, meaning, _, _ in columns)]
    return Table("Behaviour", titles, rows, "Per seat of a game.")


def _point_table(agents: Sequence[Mapping[str, Any]]) -> Table | None:
    sources = sources_of(agents)
    if not sources:
        return None
    rows = [
        [Cell(agent["name"], "name"), *(Cell(number((agent.get("points") or {}).get(source))) for source in sources)]
        for agent in agents
    ]
    return Table("Points by source", [("agent", ""), *((source, "") for source in sources)], rows, "Mean of a seat.")


def _price_table(agents: Sequence[Mapping[str, Any]]) -> Table | None:
    kinds = [(agent["name"], kind) for agent in agents for kind in agent.get("prices") or []]
    if not kinds:
        return None
    words = [word for word in ("category", "value") if any(word in kind for _, kind in kinds)]
    rows = [
        [
            Cell(name, "name"),
            *(Cell(str(kind.get(word, "")), "words" if word == "category" else "") for word in words),
            *(Cell(number(kind.get(what))) for what in ("bought", "price", "worth")),
            Cell(signed(kind.get("price_less_worth"))),
        ]
        for name, kind in kinds
    ]
    titles = [
        ("agent", ""),
        *((word, "") for word in words),
        ("bought", "lots a game"),
        ("price", ""),
        ("worth", "points"),
    ]
    return Table("Prices", [*titles, ("price less worth", "in points")], rows, "Of the lots that an agent bought.")
