"""The tables of what was measured of the arena, from benchmarks/results.

To renew them: `python benchmarks/arena_statistics.py`, `python benchmarks/arena_speed.py`.
"""

import json
from pathlib import Path
from typing import Any

from docs import _tables

ROOT = Path(__file__).resolve().parents[2]
PAGE = "docs/arena.md"
_FIGURES = ("win rate", "score", "rank", "difference of win rates", "difference of scores")
_RULES = ("arena", "confidence sequence", "one look at the end", "95 % interval at every look")


def pages() -> dict[str, str]:
    """The page with its tables filled in."""
    data = json.loads((ROOT / "benchmarks" / "results" / "arena_statistics.json").read_text("utf-8"))
    speed = json.loads((ROOT / "benchmarks" / "results" / "arena_speed.json").read_text("utf-8"))
    tables = {
        "coverage": coverage(data["coverage"]),
        "decided": sequential_test(data),
        "savings": savings(data["savings"]),
        "pace": pace(speed),
    }
    return {PAGE: _tables.fill((ROOT / PAGE).read_text("utf-8"), tables)}


def coverage(rows: list[dict[str, Any]]) -> str:
    """How often the intervals of real games hold the truth."""
    real = [row for row in rows if row["games"] == "real"]
    held = {(row["deals"], row["figure"]): row["held"] for row in real}
    deals = sorted({row["deals"] for row in real})
    lines = [(f"{count:,}", *[f"{held[count, figure]:.1%}" for figure in _FIGURES]) for count in deals]
    return f"{_tables.table(('deals', *_FIGURES), lines)}\n\n({real[0]['matches']:,} matches each.)"


def sequential_test(data: dict[str, Any]) -> str:
    """How often equals are called different, and how soon a planted difference is found."""
    many = max(row["matches"] for row in data["alarms"])
    alarms = {(row["deals"], row["rule"]): row["called"] for row in data["alarms"] if row["matches"] == many}
    counts = sorted({deals for deals, rule in alarms if rule == "95 % interval at every look"})
    lines = [(rule, *[f"{alarms[deals, rule]:.1%}" for deals in counts]) for rule in _RULES]
    equals = _tables.table(("equals called different", *[f"{deals:,} deals" for deals in counts]), lines)
    found = [
        (row["planted"], f"{row['planned deals']:,}", row["rule"], f"{row['found']:.1%}", f"{row['mean deals']:,.0f}")
        for row in data["found"]
        if row["rule"] in _RULES
    ]
    planted = _tables.table(
        ("2 points planted, against", "deals planned", "rule", "found", "deals played, mean"), found
    )
    return f"{equals}\n\n{planted}"


def savings(rows: list[dict[str, Any]]) -> str:
    """How many times as many independent games would be needed."""
    return _tables.table(
        ("match", "win rate", "score"),
        [(row["match"], f"{row['wins']:.2f}", f"{row['scores']:.2f}") for row in rows],
    )


def pace(data: dict[str, Any]) -> str:
    """Seconds for a tournament."""
    rows = [(name, f"{found['games']:,}", f"{found['seconds']:.1f}") for name, found in data["tournaments"].items()]
    return f"{_tables.table(('tournament', 'games', 'seconds'), rows)}\n\n({data['machine']['processor']}, {data['machine']['cores']} cores.)"
