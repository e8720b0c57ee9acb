"""The table of docs/security.md: cost of a process for an isolated agent, from benchmarks/results/isolation.json.

To measure again: `python -m benchmarks.isolation --json benchmarks/results/isolation.json`.
"""

import json
from pathlib import Path
from typing import Any

from docs import _tables

ROOT = Path(__file__).resolve().parents[2]
PAGE = "docs/security.md"


def pages() -> dict[str, str]:
    """The page with its table filled in."""
    data = json.loads((ROOT / "benchmarks" / "results" / "isolation.json").read_text("utf-8"))
    return {PAGE: _tables.fill((ROOT / PAGE).read_text("utf-8"), {"isolation": cost(data)})}


def cost(data: dict[str, Any]) -> str:
    """One row: the times of a block of games, and the cost as the median of the pairs."""
    inside, apart = (f"{result['value']:.2f} s" for result in data["results"])
    low, high = (f"{data['cost'][end]:+.1%}" for end in ("low", "high"))
    return _tables.table(
        (
            f"{data['games']:,} games",
            "inside the match",
            "in a process of its own",
            "cost (middle half of the pairs)",
        ),
        [(f"median of {data['pairs']} pairs", inside, apart, f"{data['cost']['median']:+.1%} ({low} to {high})")],
    )
