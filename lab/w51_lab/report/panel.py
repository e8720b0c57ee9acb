"""An agent among the members of a panel, in both directions, as a section of the page."""

from collections.abc import Callable, Mapping
from typing import Any

from w51_lab.report.table import Cell, Column, Section, named, tables_of
from w51_lab.report.values import ABSENT, interval, percent


def panel_section(summary: Mapping[str, Any]) -> Section | None:
    """Invasion and resistance against each member of the panel; None without a panel."""
    panel = summary.get("panel")
    if not panel:
        return None
    agent, share = panel["agent"], percent(summary["equal_share"])
    columns: list[Column] = [
        named(title="population"),
        ("alone", f"win rate of one {agent} among copies of the other agent", _rate("invasion", "invades")),
        ("interval", "", lambda row: interval(row["invasion"], percent)),
        ("half", "win rate of a seat where neither is alone", _rate("half")),
        ("other", f"win rate of one copy of the other agent among copies of {agent}", _rate("resistance", "resists")),
        ("interval", "", lambda row: interval(row["resistance"], percent)),
        ("invades", "alone it wins more than the equal share", lambda row: _verdict(row, "invades")),
        ("resists", "the other agent alone wins less than the equal share", lambda row: _verdict(row, "resists")),
        ("strength", "mean win rate of a seat over all mixtures", _rate("strength")),
    ]
    intro = (
        f"{agent} plays with each other agent in every mixture, on the same deals. It invades a population if it wins "
        f"more than the equal share ({share}) alone among its members, and resists it if a lone member wins less among "
        f"copies of {agent}. Strength: {percent(panel['strength']['mean'])} "
        f"({interval(panel['strength'], percent)}), the mean over all populations."
    )
    tables = tables_of(("Invasion and resistance", [*panel["members"], {**panel, "name": "mean"}], columns, ""))
    return Section("panel", "Populations", intro, ("populations",), tables)


def _rate(key: str, verdict: str = "") -> Callable[[Mapping[str, Any]], Cell]:
    """A win rate, coloured by a verdict on it."""
    kinds: dict[bool | None, str] = {True: "better", False: "worse"}
    return lambda row: Cell(percent((row[key] or {}).get("mean")), kinds.get(row.get(verdict), ""))


def _verdict(row: Mapping[str, Any], key: str) -> str:
    """Whether something holds, in a word; a question mark if it is undecided."""
    return {True: "yes", False: "no", None: "?"}[row[key]] if key in row else ABSENT
