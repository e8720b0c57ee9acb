"""The tables of the experiments, from experiments/results. To run again: `python -m experiments.NAME`."""

import json
from pathlib import Path
from typing import Any

from docs import _tables

ROOT = Path(__file__).resolve().parents[2]
RESULTS = ROOT / "experiments" / "results"
FORMS = ("greedy", "sampled", "mixture")


def pages() -> dict[str, str]:
    """The page of each experiment with its table."""
    page = "docs/experiments/exploitability.md"
    tables = {"exploitability": exploitability(json.loads((RESULTS / "exploitability.json").read_text("utf-8")))}
    return {page: _tables.fill((ROOT / page).read_text("utf-8"), tables)}


def exploitability(data: dict[str, Any]) -> str:
    """Exploitability of each learner at the end of its training, all seeds, in points."""
    rows = []
    for name in dict.fromkeys(curve["learner"] for curve in data["curves"]):
        last = [curve["points"][-1] for curve in data["curves"] if curve["learner"] == name]
        lowest = [
            min(row["sampled"] for row in curve["points"]) for curve in data["curves"] if curve["learner"] == name
        ]
        rows.append((name, *(_points(row[form] for row in last) for form in FORMS), _points(lowest)))
    header = ("learner", *(f"{form}, at the end" for form in FORMS), "least, sampled")
    seconds = sum(curve["seconds"] for curve in data["curves"]) / len(data["curves"])
    note = (
        f"(Points, a number for each seed; {data['decisions']:,} decisions each, {seconds:.0f} s on one core. Uniform "
        f"random play: {_points([data['uniform']])}; CFR+ after 100 iterations: {100 * data['cfr']:.2f}. "
        f"{_tables.measured(data['machine'])})"
    )
    return f"{_tables.table(header, rows)}\n\n{note}"


def _points(values: Any) -> str:
    return ", ".join(f"{100 * value:.1f}" for value in values)
