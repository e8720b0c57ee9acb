"""The table of docs/pictures.md: processor time of a picture, from benchmarks/results/pictures.json.

To measure again: `python -m benchmarks.renew pictures`.
"""

import json
from pathlib import Path
from typing import Any

from docs import _tables

ROOT = Path(__file__).resolve().parents[2]
PAGE = "docs/pictures.md"
_KINDS = {
    "SVG": "svg_ms",
    "pixels, one decision after another": "rgb_array_ms",
    "pixels, nothing kept": "rgb_array_without_reuse_ms",
}


def pages() -> dict[str, str]:
    """The page with its table filled in."""
    data = json.loads((ROOT / "benchmarks" / "results" / "pictures.json").read_text("utf-8"))
    figures = f"{speed(data['results'])}\n\n({_tables.measured(data['machine'])})"
    return {PAGE: _tables.fill((ROOT / PAGE).read_text("utf-8"), {"speed": figures})}


def speed(results: list[dict[str, Any]]) -> str:
    """A row for each kind of picture, a column for each game: median and 95th percentile."""
    header = ["ms, median (95 % within)", *(f"`{result['game']}`, {result['players']} players" for result in results)]
    rows = [(kind, *(f"{r[key]['median']:.1f} ({r[key]['p95']:.1f})" for r in results)) for kind, key in _KINDS.items()]
    return _tables.table(header, rows)
