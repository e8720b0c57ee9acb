"""The table of docs/security.md: cost of a process for an isolated agent, from benchmarks/results/isolation.json.

To measure again: `python -m benchmarks.renew isolation`.
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
    """A row for each kind of time of a block of games; the cost is the median of the pairs."""
    rows = []
    for index, (what, ratio) in enumerate(data["cost"].items()):
        inside, apart = (f"{result['value']:.2f} s" for result in data["results"][2 * index : 2 * index + 2])
        between = f"{ratio['median']:+.1%} ({ratio['low']:+.1%} to {ratio['high']:+.1%})"
        rows.append((f"{what} time", inside, apart, between))
    header = (f"{data['games']:,} games", "inside the match", "in a process of its own", "cost (middle half of pairs)")
    return f"{_tables.table(header, rows)}\n\n({_tables.measured(data['machine'])})"
