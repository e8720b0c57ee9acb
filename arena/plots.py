"""Pictures of a training run: how the learner came along, and how it does against the baselines."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import matplotlib

matplotlib.use("Agg")  # a file is drawn, no window opened

import numpy as np
from matplotlib.figure import Figure
from matplotlib.ticker import EngFormatter, PercentFormatter

from agents.files import write_whole
from agents.training.run import MatchRow
from agents.training.trainer import Update
from arena.intervals import CONFIDENCE
from arena.matches import Results

RETURN_COLOUR, SHARE_COLOUR, PAR_COLOUR, OTHER_COLOUR = "#1b6ca8", "#c8641b", "#666666", "#9aa5b1"
_CURVE_COLOURS = (OTHER_COLOUR, SHARE_COLOUR, RETURN_COLOUR, "#3d8c40", "#8e44ad")
_SMOOTHED = 15  #  updates that a curve's running mean looks over
_LONGEST_NAME = 28


def draw_learning_curve(updates: Sequence[Update], par: float, title: str, path: Path) -> None:
    """Return and win share of the learner over its decisions; `par` is the win share of equals."""
    known = [update for update in updates if update.games]
    decisions = np.array([update.decisions for update in known])
    figure = Figure(figsize=(9, 4.2), layout="constrained")
    figure.suptitle(title, fontsize=12, x=0.01, ha="left", weight="bold")
    axes = figure.subplots(1, 2)
    _curve(axes[0], decisions, np.array([update.mean_return for update in known]), known, RETURN_COLOUR)
    axes[0].set_title("Return of an episode", fontsize=11, loc="left")
    _curve(axes[1], decisions, np.array([update.win_share for update in known]), known, SHARE_COLOUR)
    axes[1].axhline(par, color=PAR_COLOUR, linewidth=1, linestyle="--")
    axes[1].annotate(
        "par",
        (1, par),
        xycoords=("axes fraction", "data"),
        xytext=(-4, 4),
        textcoords="offset points",
        ha="right",
        color=PAR_COLOUR,
    )
    axes[1].yaxis.set_major_formatter(PercentFormatter(1.0, decimals=0))
    axes[1].set_ylim(bottom=0)
    axes[1].set_title("Share of victories in training", fontsize=11, loc="left")
    _save(figure, path)


def draw_strength(matches: Sequence[MatchRow], title: str, path: Path) -> None:
    """Win share on the fixed deals over decisions, a curve for each opponent with its 95 % interval, a plot for each number of players."""
    sizes = sorted({row.players for row in matches})
    figure = Figure(figsize=(4.2 * len(sizes) + 1.2, 4.2), layout="constrained")
    figure.suptitle(title, fontsize=12, x=0.01, ha="left", weight="bold")
    for axes, players in zip(figure.subplots(1, len(sizes), squeeze=False, sharey=True)[0], sizes, strict=True):
        for colour, against in zip(_CURVE_COLOURS, dict.fromkeys(row.against for row in matches), strict=False):
            rows = [row for row in matches if (row.players, row.against) == (players, against)]
            decisions = [row.decisions for row in rows]
            axes.fill_between(
                decisions, [row.low for row in rows], [row.high for row in rows], color=colour, alpha=0.2, linewidth=0
            )
            axes.plot(decisions, [row.win_share for row in rows], color=colour, linewidth=2, marker="o", markersize=3)
            axes.annotate(f" {_short(against)}", (decisions[-1], rows[-1].win_share), color=colour, va="center")
        axes.axhline(1 / players, color=PAR_COLOUR, linewidth=1, linestyle="--")
        axes.set_title(f"Win share against others, {players} players", fontsize=11, loc="left")
        axes.set_xlabel("decisions of the learner")
        axes.xaxis.set_major_formatter(EngFormatter(sep=""))
        axes.yaxis.set_major_formatter(PercentFormatter(1.0, decimals=0))
        axes.set_ylim(0, 1)
        axes.set_xlim(0, 1.25 * max(row.decisions for row in matches))  # room for the names
        axes.grid(axis="y", color="#e3e6ea", linewidth=0.8)
        _plain(axes)
    _save(figure, path)


def draw_evaluation(matches: Sequence[Results], title: str, path: Path) -> None:
    """For each match the first agent's win share with its interval, and that of its opponents, each of whom has the same name."""
    figure = Figure(figsize=(9, 1.6 + 0.9 * len(matches)), layout="constrained")
    figure.suptitle(title, fontsize=12, x=0.01, ha="left", weight="bold")
    axes = figure.subplots()
    blank = {
        "facecolor": "white",
        "edgecolor": "none",
        "pad": 1,
    }  # so that the line of par does not cross what is written
    for row, results in enumerate(matches):
        for place, standing in enumerate(results.standings()[:2]):
            height = row + (-0.19 if place == 0 else 0.19)
            colour = SHARE_COLOUR if place == 0 else OTHER_COLOUR
            error = [[standing.win_share - standing.low], [standing.high - standing.win_share]]
            axes.barh(
                height,
                standing.win_share,
                0.34,
                color=colour,
                xerr=error,
                error_kw={"ecolor": "black", "capsize": 3, "elinewidth": 1},
            )
            label = f"{_short(standing.name)}  {standing.win_share:.1%}" + ("" if standing.seats == 1 else " each")
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
        axes.plot([results.par] * 2, [row - 0.45, row + 0.45], color=PAR_COLOUR, linewidth=1, linestyle="--", zorder=3)
    axes.annotate(
        "par",
        (matches[0].par, 1),
        xycoords=("data", "axes fraction"),
        xytext=(3, 3),
        textcoords="offset points",
        color=PAR_COLOUR,
    )
    several = len({len(results.places) for results in matches}) > 1
    labels = [
        "\nagainst ".join(map(_short, results.names[:2])) + (f", {len(results.places)} players" if several else "")
        for results in matches
    ]
    axes.set_yticks(range(len(matches)), labels)
    axes.invert_yaxis()
    axes.set_xlim(0, 1.0)
    axes.xaxis.set_major_formatter(PercentFormatter(1.0, decimals=0))
    axes.set_xlabel(f"win share of a seat, {CONFIDENCE:.0%} interval")
    axes.tick_params(axis="y", length=0)
    _plain(axes)
    _save(figure, path)


def _short(name: str) -> str:
    """A name for a picture: of a long path its end, or there is no room for the bars."""
    return name if len(name) <= _LONGEST_NAME else f"...{name[3 - _LONGEST_NAME :]}"


def _curve(axes: Any, decisions: np.ndarray, values: np.ndarray, updates: Sequence[Update], colour: str) -> None:
    """Each update as a faint point, and a running mean weighted by games."""
    axes.scatter(decisions, values, s=6, color=colour, alpha=0.25, linewidths=0)
    games = np.array([update.games for update in updates], float)
    window = np.ones(min(_SMOOTHED, max(1, len(values))))
    smooth = np.convolve(values * games, window, "same") / np.convolve(games, window, "same") if len(values) else values
    axes.plot(decisions, smooth, color=colour, linewidth=2)
    axes.set_xlabel("decisions of the learner")
    axes.xaxis.set_major_formatter(EngFormatter(sep=""))
    axes.set_xlim(left=0)
    axes.grid(axis="y", color="#e3e6ea", linewidth=0.8)
    _plain(axes)


def _plain(axes: Any) -> None:
    axes.set_axisbelow(True)
    axes.spines[["top", "right"]].set_visible(False)


def _save(figure: Figure, path: Path) -> None:
    write_whole(path, lambda temporary: figure.savefig(temporary, dpi=150))
