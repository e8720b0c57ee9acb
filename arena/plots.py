"""The figure of the evaluation that ends a training run."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from matplotlib.figure import Figure
from matplotlib.ticker import PercentFormatter

from agents.training.plots import EQUAL_COLOUR, OTHER_COLOUR, WIN_COLOUR, remove_frame, save_figure, short_name
from arena.intervals import CONFIDENCE
from arena.matches import Results


def draw_evaluation(matches: Sequence[Results], title: str, path: Path) -> None:
    """Draw, for each match, the win rates of the first agent and of its opponents, with intervals."""
    figure = Figure(figsize=(9, 1.6 + 0.9 * len(matches)), layout="constrained")
    figure.suptitle(title, fontsize=12, x=0.01, ha="left", weight="bold")
    axes = figure.subplots()
    # keeps the line of the equal share out of the labels
    blank = {"facecolor": "white", "edgecolor": "none", "pad": 1}
    for row, results in enumerate(matches):
        for place, standing in enumerate(results.standings()[:2]):
            height = row + (-0.19 if place == 0 else 0.19)
            colour = WIN_COLOUR if place == 0 else OTHER_COLOUR
            error = [[standing.win_rate - standing.low], [standing.high - standing.win_rate]]
            axes.barh(
                height,
                standing.win_rate,
                0.34,
                color=colour,
                xerr=error,
                error_kw={"ecolor": "black", "capsize": 3, "elinewidth": 1},
            )
            label = f"{short_name(standing.name)}  {standing.win_rate:.1%}" + ("" if standing.seats == 1 else " each")
            axes.annotate(
                label,
                (standing.high, height),
                xytext=(7, 0),
                textcoords="offset points",
                va="center",
                fontsize=9.5,
                bbox=blank,
                zorder=4,
            )
        axes.plot(
            [results.equal_share] * 2,
            [row - 0.45, row + 0.45],
            color=EQUAL_COLOUR,
            linewidth=1,
            linestyle="--",
            zorder=3,
        )
    axes.annotate(
        "equal share",
        (matches[0].equal_share, 1),
        xycoords=("data", "axes fraction"),
        xytext=(3, 3),
        textcoords="offset points",
        color=EQUAL_COLOUR,
    )
    _label_axes(axes, matches)
    remove_frame(axes)
    save_figure(figure, path)


def _label_axes(axes: Any, matches: Sequence[Results]) -> None:
    several = len({len(results.lineup) for results in matches}) > 1
    labels = [
        "\nagainst ".join(map(short_name, results.names[:2])) + (f", {len(results.lineup)} players" if several else "")
        for results in matches
    ]
    axes.set_yticks(range(len(matches)), labels)
    axes.invert_yaxis()
    axes.set_xlim(0, 1.0)
    axes.xaxis.set_major_formatter(PercentFormatter(1.0, decimals=0))
    axes.set_xlabel(f"win rate of a seat, {CONFIDENCE:.0%} interval")
    axes.tick_params(axis="y", length=0)
