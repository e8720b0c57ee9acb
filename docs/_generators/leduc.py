"""The table of docs/experiments/leduc.md. To measure again: `python -m experiments.leduc`."""

import json
from pathlib import Path
from typing import Any

from docs import _tables

ROOT = Path(__file__).resolve().parents[2]
DATA, PAGE = ROOT / "experiments" / "results" / "leduc.json", "docs/experiments/leduc.md"
FORMS = {
    "self-play": {"nash_conv": "sampled", "mixture": "mixture of the second half"},
    "NFSP": {"nash_conv": "average policy"},
}
SHOWN = (0, 2, 5, 9)  # of the ten points of a curve


def pages() -> dict[str, str]:
    """The page of the experiment with its table."""
    tables = {"leduc": leduc(json.loads(DATA.read_text("utf-8")))}
    return {PAGE: _tables.fill((ROOT / PAGE).read_text("utf-8"), tables)}


def leduc(data: dict[str, Any]) -> str:
    """NashConv of each learner over its training, all seeds, in chips."""
    rows = []
    for name, forms in FORMS.items():
        curves = [curve["points"] for curve in data["curves"] if curve["learner"] == name]
        for form, policy in forms.items():
            shown = [[points[number][form] for points in curves if _has(points, number, form)] for number in SHOWN]
            rows.append((name, policy, *(", ".join(f"{value:.2f}" for value in values) for values in shown)))
    decisions = [f"after {data['decisions'] * (number + 1) // 10:,}" for number in SHOWN]
    times = " and ".join(f"{_seconds(data, name):.0f} s of {name}" for name in FORMS)
    note = (
        f"(NashConv in chips, a number for each seed that came so far. Processor time of a run: {times}. "
        f"{_tables.measured(data['machine'])})"
    )
    return _tables.table(("learner", "policy", *decisions), rows, note)


def _has(points: list[dict[str, Any]], number: int, form: str) -> bool:
    return number < len(points) and form in points[number]


def _seconds(data: dict[str, Any], name: str) -> float:
    return max(float(curve["processor_seconds"]) for curve in data["curves"] if curve["learner"] == name)
