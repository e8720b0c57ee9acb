"""The tables of docs/web.md: load tests of the web table and times in a browser, from benchmarks/results/web_*.json.

To measure again: `python -m benchmarks.renew web_tables web_alone web_clicks`.
"""

import json
from pathlib import Path
from typing import Any

from docs import _tables

ROOT = Path(__file__).resolve().parents[2]
RESULTS = ROOT / "benchmarks" / "results"
PAGE = "docs/web.md"
_DECISIONS = "people's decisions in the files"
_MOMENTS = ("at the start", "after half the time", "at the end")
_SHARES = ("50% within", "95% within", "99% within", "slowest")


def pages() -> dict[str, str]:
    """The page with its tables."""
    tables = {
        "load": load(_read("web_tables")),
        "alone": clicks(_read("web_alone")),
        "clicks": in_a_browser(_read("web_clicks")),
    }
    return {PAGE: _tables.fill((ROOT / PAGE).read_text("utf-8"), tables)}


def _read(name: str) -> dict[str, Any]:
    data: dict[str, Any] = json.loads((RESULTS / f"{name}.json").read_text("utf-8"))
    return data


def _values(data: dict[str, Any]) -> dict[str, float]:
    return {result["name"]: result["value"] for result in data["results"]}


def load(data: dict[str, Any]) -> str:
    """The figures of many tables at once."""
    values = _values(data)
    memory = {
        part: [f"{values[f'memory, {part}, {when}']:,.0f} MB" for when in _MOMENTS] for part in ("server", "agents")
    }
    rows = [
        ("decisions of people", f"{values[_DECISIONS]:,.0f}"),
        ("of these lost, doubled or made up", f"{data['mistakes']}"),
        ("tables opened, put away, open at a time", _counts(values)),
        ("memory of the server: at the start, after half the time, at the end", ", ".join(memory["server"])),
        ("memory of the agents' processes, at the same times", ", ".join(memory["agents"])),
        ("processor time of the server", f"{values['processor time of the server']:.2f} of a core"),
        ("server and clients wait for a processor", f"{values['server and clients wait for a processor']:.0%}"),
        _click_row(values),
        ("largest message", f"{values['largest message'] / 1000:,.0f} kB"),
        ("first load of the page", f"{values['first load of the page'] / 1000:,.0f} kB"),
    ]
    return f"{_tables.table(('measured', ''), rows)}\n\n({_tables.measured(data['machine'])})"


def _counts(values: dict[str, float]) -> str:
    names = ("tables opened", "tables put away", "most tables open at a time")
    return ", ".join(f"{values[name]:,.0f}" for name in names)


def _click_row(values: dict[str, float]) -> tuple[str, str]:
    times = ", ".join(f"{values[f'click to answer, {share}']:,.0f} ms" for share in _SHARES)
    return "click to answer: half within, 95 % within, 99 % within, slowest", times


def clicks(data: dict[str, Any]) -> str:
    """How soon clicks are answered."""
    values = _values(data)
    rows = [("clicks", f"{values['clicks']:,.0f}"), _click_row(values)]
    return f"{_tables.table(('measured', ''), rows)}\n\n({_tables.measured(data['machine'])})"


def in_a_browser(data: dict[str, Any]) -> str:
    """How soon the page shows what a person does."""
    values = _values(data)
    picture = ", ".join(f"{values[f'click to picture, {share}']:,.0f} ms" for share in _SHARES)
    rows = [
        ("clicks", f"{values['clicks']:,.0f}"),
        ("click to picture: half within, 95 % within, 99 % within, slowest", picture),
        ("Begin to the first own turn: half within, slowest", _first_turn(values)),
    ]
    return f"{_tables.table(('measured', ''), rows)}\n\n({_tables.measured(data['machine'])})"


def _first_turn(values: dict[str, float]) -> str:
    half, slowest = (values[f"Begin to first turn, {share}"] / 1000 for share in ("50% within", "slowest"))
    return f"{half:.1f} s, {slowest:.1f} s"
