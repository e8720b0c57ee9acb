"""What the page of experiments/payee.py computes from its data, and its figure; without PyTorch."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.figure import Figure

from experiments import lab
from w51_lab.statistics.estimates import Interval, over_seeds

AT = {"bank": 0.0, "half": 0.5, "others": 1.0, "left": 1.25, "right": 1.5}  #  on the axis of the fraction refunded
TRAINED, HEURISTIC = "trained", "heuristic"
MEASURES = {"price": "price", "efficiency": "to the seat of most worth, %", "score": "score", "unsold": "unsold, %"}


def trained_for(data: dict[str, Any], payee: str, agent: str = TRAINED) -> list[dict[str, Any]]:
    """The cells of an agent for a payee, in the order of the seeds."""
    found = [cell for cell in data["cells"] if (cell.get("agent"), cell.get("payee")) == (agent, payee)]
    return sorted(found, key=lambda cell: int(cell["seed"]))


def under(data: dict[str, Any], payee: str, rule: str, measure: str) -> list[float]:
    """A measure of the trainings for a payee that play under a rule."""
    return [cell["under"][rule][measure] for cell in trained_for(data, payee)]


def differences(first: Sequence[float], second: Sequence[float]) -> list[float]:
    """Second less first, seed by seed, as far as both go."""
    return [two - one for one, two in zip(first, second, strict=False)]


def draw(data: dict[str, Any], path: Path) -> None:
    """Price, efficiency and the value of a seat against the fraction refunded: one lot, `nano`, trained agents."""
    figure = Figure(figsize=(11, 6.6), layout="constrained")
    (lot_price, lot_fooled, lot_seat), learned = figure.subplots(2, 3)
    for number, ahead in enumerate((False, True)):
        cells = [cell for cell in data["cells"] if cell.get("ahead") == ahead and cell["lot"] == "others"]
        label = "to be ahead of the others" if ahead else "points"
        style: dict[str, Any] = {"color": lab.COLOURS[number], "marker": lab.MARKERS[number], "markersize": 4}
        for axes, key in ((lot_price, "price"), (lot_fooled, "fooled"), (lot_seat, "score_knowing")):
            values = np.array([[start[key] for start in cell["starts"]] for cell in cells])
            at = [cell["refund"] for cell in cells]
            axes.plot(at, values[:, 0], label=f"bidders want {label}", **style)
            axes.fill_between(at, values.min(axis=1), values.max(axis=1), color=style["color"], alpha=0.2)
    lab.plain_axes(lot_price, "One lot: price", ylim=(0, None))
    lab.plain_axes(lot_fooled, "One lot: counterfeits that the third seat buys", ylim=(0, 1.02))
    lab.plain_axes(lot_seat, "One lot: points of who knows of a counterfeit")
    lot_price.legend(fontsize=8, loc="lower left")
    for axes, (key, title) in zip(learned, list(MEASURES.items())[:3], strict=True):
        for number, agent in enumerate((TRAINED, HEURISTIC), 2):
            points = [_point(data, payee, agent, key) for payee in AT if trained_for(data, payee, agent)]
            at = [AT[payee] for payee in AT if trained_for(data, payee, agent)]
            lab.error_bars(axes, np.array(at) + 0.03 * (number - 2), np.array(points), number, f"copies, {agent}")
        lab.plain_axes(axes, f"Whole game: {title}", xticks=list(AT.values()))
        axes.set_xticklabels(["0\nbank", "½", "1\nothers", "left", "right"], fontsize=8)
    learned[0].legend(fontsize=8)
    for axes in (lot_price, lot_fooled, lot_seat):
        axes.set_xlabel("fraction refunded to the others", fontsize=9)
    lab.save(figure, path)


def _point(data: dict[str, Any], payee: str, agent: str, measure: str) -> Interval:
    return over_seeds([cell["under"][payee][measure] for cell in trained_for(data, payee, agent)])
