"""The tables of docs/lab/arena.md, from benchmarks/results.

To measure again: `python -m benchmarks.renew arena_statistics arena_speed`.
"""

import json
from pathlib import Path
from typing import Any

from docs import _tables

ROOT = Path(__file__).resolve().parents[2]
PAGE = "docs/lab/arena.md"
_FIGURES = ("win rate", "score", "rank", "difference of win rates", "difference of scores")
_RULES = ("arena", "confidence sequence", "one look at the end", "95 % interval at every look")


def pages() -> dict[str, str]:
    """Return the page with its tables filled in."""
    data = json.loads((ROOT / "benchmarks" / "results" / "arena_statistics.json").read_text("utf-8"))
    speed = json.loads((ROOT / "benchmarks" / "results" / "arena_speed.json").read_text("utf-8"))
    tables = {
        "coverage": coverage(data["coverage"], _tables.made(data["machine"])),
        "false-alarms": false_alarms(data["alarms"]),
        "power": power(data["found"]),
        "design-effects": design_effects(data["design_effects"]),
        "speed": wall_times(speed),
    }
    return {PAGE: _tables.fill((ROOT / PAGE).read_text("utf-8"), tables)}


def coverage(rows: list[dict[str, Any]], made: str) -> str:
    """Return how often the intervals of real games hold the true value; `made` says of which commit the figures are."""
    real = [row for row in rows if row["games"] == "real"]
    held = {(row["deals"], row["figure"]): row["held"] for row in real}
    deals = sorted({row["deals"] for row in real})
    lines = [(f"{count:,}", *[f"{held[count, figure]:.1%}" for figure in _FIGURES]) for count in deals]
    note = f"({real[0]['matches']:,} matches each. All tables but that of wall times: {made})"
    return _tables.table(("deals", *_FIGURES), lines, note)


def false_alarms(rows: list[dict[str, Any]]) -> str:
    """Return how often each rule calls equal agents different."""
    many = max(row["matches"] for row in rows)
    called = {(row["deals"], row["rule"]): row["called"] for row in rows if row["matches"] == many}
    counts = sorted({deals for deals, rule in called if rule == _RULES[-1]})
    lines = [(rule, *[f"{called[deals, rule]:.1%}" for deals in counts]) for rule in _RULES]
    return _tables.table(("rule", *[f"{deals:,} deals" for deals in counts]), lines)


def power(rows: list[dict[str, Any]]) -> str:
    """Return how often and how soon each rule finds a true difference of 2 points."""
    lines = [
        (row["opponents"], f"{row['planned deals']:,}", row["rule"], f"{row['found']:.1%}", f"{row['mean deals']:,.0f}")
        for row in rows
        if row["rule"] in _RULES
    ]
    return _tables.table(("opponents", "deals planned", "rule", "found", "deals played, mean"), lines)


def design_effects(rows: list[dict[str, Any]]) -> str:
    """Return the design effects of matches."""
    lines = [(row["match"], f"{row['wins']:.2f}", f"{row['scores']:.2f}") for row in rows]
    return _tables.table(("match", "win rate", "score"), lines)


def wall_times(data: dict[str, Any]) -> str:
    """Return the wall time of tournaments."""
    rows = [
        (name, f"{tournament['games']:,}", f"{tournament['seconds']:.1f}")
        for name, tournament in data["tournaments"].items()
    ]
    return f"{_tables.table(('tournament', 'games', 'seconds'), rows)}\n\n({_tables.measured(data['machine'])})"
