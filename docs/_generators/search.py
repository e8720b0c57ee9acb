"""Tables of the strength of search agents, from benchmarks/results/search.json.

To measure again: `python -m benchmarks.renew search`.
"""

import json
import re
from pathlib import Path
from typing import Any

from docs import _tables

ROOT = Path(__file__).resolve().parents[2]
PAGE = "docs/lab/search.md"
_PLAIN = re.compile(r"search:playouts=\d+")
_HEADER = ("agent", "players", "against", "games", "ms per decision", "win rate (95 %)", "equal share", "points ahead")


def pages() -> dict[str, str]:
    """The page with its tables filled in."""
    lines = json.loads((ROOT / "benchmarks" / "results" / "search.json").read_text("utf-8"))["matches"]
    plain = [line for line in lines if _is_plain(line)]
    tables = {"strength": strength(plain), "variants": strength([line for line in lines if line not in plain])}
    return {PAGE: _tables.fill((ROOT / PAGE).read_text("utf-8"), tables)}


def strength(lines: list[dict[str, Any]]) -> str:
    """A table with a row for each match."""
    return _tables.table(_HEADER, [_row(line) for line in lines])


def _is_plain(line: dict[str, Any]) -> bool:
    return bool(_PLAIN.fullmatch(line["spec"])) and line["against"] == "heuristic" and line["game"] == "warehouse51_v0"


def _row(line: dict[str, Any]) -> tuple[str, ...]:
    searcher, other = line["agents"]
    against = line["against"] if line["game"] == "warehouse51_v0" else f"{line['against']}, {line['game']}"
    return (
        f"`{line['spec']}`",
        str(line["players"]),
        against,
        str(line["games"]),
        f"{1000 * line['seconds_per_decision']:.1f}",
        f"**{searcher['win_rate']:.0%}** ({searcher['low']:.0%} to {searcher['high']:.0%})",
        f"{line['equal_share']:.0%}",
        f"{searcher['mean_score'] - other['mean_score']:+.1f}",
    )
