"""Training curves: return, wins and matches of one run; what decides, on fixed deals, of several runs in one figure."""

import csv
from collections.abc import Sequence
from dataclasses import dataclass
from io import StringIO
from itertools import cycle
from pathlib import Path
from textwrap import fill
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import EngFormatter, PercentFormatter

from w51_agents.agent.interface import AgentError
from w51_agents.system.files import read_text, write_atomic
from w51_agents.training.log import STRENGTH
from w51_agents.training.registry import trainer_spec
from w51_agents.training.run import Run
from w51_agents.training.run_facts import RESULTS, MatchRow
from w51_agents.training.trainer import Update
from w51_env.engine.victory import decided_by
from w51_lab.report.values import Keywords, result_of

RETURN_COLOUR, WIN_COLOUR, EQUAL_COLOUR, OTHER_COLOUR = "#1b6ca8", "#c8641b", "#666666", "#9aa5b1"
_CURVE_COLOURS = (OTHER_COLOUR, WIN_COLOUR, RETURN_COLOUR, "#3d8c40", "#8e44ad", "#b03a5b", "#7a6a1f", "#149aa6")
_SMOOTHED = 15  #  updates in a curve's running mean
_MAX_NAME = 28
_COLUMNS = 50  # of a title above one plot
FORMATS = (".png", ".pdf", ".svg")
AXES = {"decisions": "decisions of the learner", "seconds": "seconds of training"}
_COLOURS = ("#1b6ca8", "#c8641b", "#3d8c40", "#8e44ad", "#b03a5b", "#7a6a1f", "#4a4a4a", "#149aa6")
_RATES = ("result", "low", "high")
_MAX_BYTES = 100_000_000
_POINTS = 200  # of the mean over seeds
Line = tuple[np.ndarray, ...]  # decisions or seconds; results, their lower and upper ends


def draw_curves(run: Run) -> None:
    """Write the training curves of a run into its folder."""
    equal_share = trainer_spec(run.config.trainer).equal_share(run.config, run.game)
    by_payoff = decided_by(run.game) == "payoff"
    draw_learning_curve(run.updates, equal_share, title_of(run), run.folder / "learning_curve.png", by_payoff)
    if run.matches:
        draw_strength(run.matches, title_of(run), run.folder / "strength.png")


def title_of(run: Run) -> str:
    """The title of the figures of a run: name, game, trainer and seed."""
    return f"{run.config.name}: {run.game.id}, {run.config.trainer}, seed {run.config.seed}"


def draw_learning_curve(
    updates: Sequence[Update], equal_share: float | None, title: str, path: Path, by_payoff: bool = False
) -> None:
    """Return and win rate of the learner over its decisions, with a line at `equal_share` if there is one.

    `by_payoff`: the mean score in place of the win rate.
    """
    known = [update for update in updates if update.games]
    decisions = np.array([update.decisions for update in known])
    figure = Figure(figsize=(9, 4.2), layout="constrained")
    figure.suptitle(title, fontsize=12, x=0.01, ha="left", weight="bold")
    axes = figure.subplots(1, 2)
    _curve(axes[0], decisions, np.array([update.mean_return for update in known]), known, RETURN_COLOUR)
    axes[0].set_title("Return of an episode", fontsize=11, loc="left")
    results = [update.mean_score if by_payoff else update.win_rate for update in known]
    _curve(axes[1], decisions, np.array(results), known, WIN_COLOUR)
    axes[1].set_title(f"{'Mean score' if by_payoff else 'Win rate'} in training", fontsize=11, loc="left")
    if not by_payoff:
        if equal_share is not None:
            _draw_equal_share(axes[1], equal_share, (1, -4, 4), ha="right")
        axes[1].yaxis.set_major_formatter(PercentFormatter(1.0, decimals=0))
        axes[1].set_ylim(bottom=0)
    save_figure(figure, path)


def draw_strength(matches: Sequence[MatchRow], title: str, path: Path) -> None:
    """What decides, on fixed deals over decisions: a plot for each number of players, a curve for each baseline."""
    decides = matches[0].decides
    sizes = sorted({row.players for row in matches})
    figure = Figure(figsize=(4.2 * len(sizes) + 1.2, 4.2), layout="constrained")
    figure.suptitle(fill(title, _COLUMNS * len(sizes)), fontsize=12, x=0.01, ha="left", weight="bold")
    for axes, players in zip(figure.subplots(1, len(sizes), squeeze=False, sharey=True)[0], sizes, strict=True):
        for colour, against in zip(cycle(_CURVE_COLOURS), dict.fromkeys(row.against for row in matches), strict=False):
            rows = [row for row in matches if (row.players, row.against) == (players, against)]
            line = tuple(np.array([getattr(row, name) for row in rows]) for name in ("decisions", *_RATES))
            _draw_lines(axes, [line], colour, short_name(against))
        title = f"{result_of(decides).capitalize()} against others, {players} players"
        label_strength(axes, players, title, "decisions of the learner", decides)
    _finish(figure, decides)
    save_figure(figure, path)


def _draw_equal_share(axes: Any, share: float, place: tuple[float, int, int], **text: Any) -> None:
    """A line, and its name at a fraction of the axis and points right of it and above."""
    x, right, above = place
    axes.axhline(share, color=EQUAL_COLOUR, linewidth=1, linestyle="--")
    beside: Keywords = {"xycoords": ("axes fraction", "data"), "xytext": (right, above)}
    axes.annotate("equal share", (x, share), color=EQUAL_COLOUR, textcoords="offset points", **beside, **text)


def label_strength(axes: Any, players: int, title: str, over: str, decides: str = "win") -> None:
    """Titles, numbers and the line of the equal share for results on fixed deals; `over`: the horizontal axis."""
    if decides == "win":
        _draw_equal_share(axes, 1 / players, (0, 3, 3), fontsize=8)
        axes.yaxis.set_major_formatter(PercentFormatter(1.0))
    axes.set_title(title, fontsize=11, loc="left")
    axes.set_xlabel(over)
    axes.xaxis.set_major_formatter(EngFormatter(sep=""))
    axes.grid(axis="y", color="#e3e6ea", linewidth=0.8)
    remove_frame(axes)


def _finish(figure: Figure, decides: str) -> None:
    """Let the axes fit the results of all plots: best responses may differ by few percent. One legend is below them."""
    if decides == "win":
        low, high = figure.axes[0].get_ylim()  # shared
        figure.axes[0].set_ylim(max(0.0, low), min(1.0, high))
    for axes in figure.axes:
        axes.set_xlim(left=0)
    handles = {
        label: handle for axes in figure.axes for handle, label in zip(*axes.get_legend_handles_labels(), strict=True)
    }
    figure.legend(handles.values(), handles.keys(), loc="outside lower left", ncols=2 * len(figure.axes), frameon=False)


def short_name(name: str) -> str:
    """A name for a figure: only the end of a long path, so that space is left for the bars."""
    return name if len(name) <= _MAX_NAME else f"...{name[3 - _MAX_NAME :]}"


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
    remove_frame(axes)


def remove_frame(axes: Any) -> None:
    axes.set_axisbelow(True)
    axes.spines[["top", "right"]].set_visible(False)


def save_figure(figure: Figure, path: Path) -> None:
    write_atomic(path, lambda temporary: figure.savefig(temporary, dpi=150))


@dataclass(frozen=True)
class Curves:
    """The matches on fixed deals of a run, or of all runs in a folder, such as those of several seeds.

    Attributes:
        label: What it is called in the figure.
        by_run: For each run the rows of its `strength.csv`: the number of players, the opponent, and numbers by column.
        decides: What the results in them are, as `decided_by` has it.
    """

    label: str
    by_run: tuple[tuple[tuple[int, str, dict[str, float]], ...], ...]
    decides: str = "win"

    @property
    def pairs(self) -> list[tuple[int, str]]:
        """Numbers of players and opponents of the matches."""
        return list(dict.fromkeys((players, against) for rows in self.by_run for players, against, _ in rows))

    def lines(self, players: int, against: str, axis: str) -> list[Line]:
        """For each run that has such matches, their points."""
        chosen = [[row for *pair, row in rows if pair == [players, against]] for rows in self.by_run]
        return [tuple(np.array([row[name] for row in rows]) for name in (axis, *_RATES)) for rows in chosen if rows]


def read_curves(label: str, folder: Path) -> Curves:
    """The matches in the folder of a run, or of a folder of runs.

    Raises:
        AgentError: There is no such folder, there are no matches, or a log is damaged.
    """
    if not folder.is_dir():
        raise AgentError(f"run {folder}: there is no such folder")
    files = [folder / STRENGTH] if (folder / STRENGTH).is_file() else sorted(folder.glob(f"*/{STRENGTH}"))
    curves = curves_of(label, files)
    if not curves.by_run:
        raise AgentError(
            f"run {folder}: no {STRENGTH} with matches during training, in it or in folders in it; a run plays some "
            "every 5 minutes, with evaluation.decisions=N every N decisions"
        )
    return curves


def curves_of(label: str, files: Sequence[Path]) -> Curves:
    """The matches in these logs, as far as there are any; AgentError if one is damaged."""
    by_run = [_rows(file) for file in files]
    decides = next((rows[0][0] for rows in by_run if rows), "win")
    return Curves(label, tuple(tuple(row[1:] for row in rows) for rows in by_run if rows), decides)


def _rows(file: Path) -> list[tuple[str, int, str, dict[str, float]]]:
    """What decides, and the rest of a row as `Curves.by_run` has it."""
    try:
        rows = []
        for row in csv.DictReader(StringIO(read_text(file, _MAX_BYTES))):
            decides = row.get("decides") or "win"  # runs of earlier versions do not say it
            numbers = {name: float(row[name]) for name in (*AXES, *_RATES[1:])} | {
                "result": float(row[RESULTS[decides]])
            }
            rows.append((decides, int(row["players"]), row["against"], numbers))
        return rows
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise AgentError(f"{file}: damaged, or no log of matches: {error!r}") from None


def draw_runs(runs: Sequence[Curves], axis: str, path: Path) -> None:
    """Draw what decides, on fixed deals: a plot for each number of players and opponent, a colour for each of `runs`.

    One run has a band, the 95 % intervals of its matches. Several are thin lines, with their mean over what all of them
    have as a thick one.

    Args:
        runs: What to draw, at most as many as there are colours.
        axis: One of `AXES`.
        path: The file; its suffix is one of `FORMATS`.

    Raises:
        AgentError: Too many runs, or runs that are compared by different things.
        FileError: The file cannot be written.
    """
    if len(runs) > len(_COLOURS):
        raise AgentError(f"runs: {len(runs)}, but a figure has {len(_COLOURS)} colours")
    if len({run.decides for run in runs}) > 1:
        raise AgentError("runs: in some of them wins decide, in others payoffs or ranks, which no figure compares")
    pairs = sorted({pair for run in runs for pair in run.pairs})
    figure = Figure(figsize=(4.2 * len(pairs) + 0.6, 4.4), layout="constrained")
    for axes, (players, against) in zip(
        figure.subplots(1, len(pairs), squeeze=False, sharex=True, sharey=True)[0], pairs, strict=True
    ):
        for run, colour in zip(runs, _COLOURS, strict=False):
            _draw_lines(axes, run.lines(players, against, axis), colour, run.label)
        title = f"against {short_name(against)}, {players} players"
        label_strength(axes, players, title, AXES[axis], runs[0].decides)
    if runs[0].decides != "win":
        figure.axes[0].set_ylabel(result_of(runs[0].decides))
    _finish(figure, runs[0].decides)
    save_figure(figure, path)


def _draw_lines(axes: Axes, lines: Sequence[Line], colour: str, label: str) -> None:
    if len(lines) == 1:
        places, rates, low, high = lines[0]
        axes.fill_between(places, low, high, color=colour, alpha=0.2, linewidth=0)
        axes.plot(places, rates, color=colour, linewidth=2, marker="o", markersize=3, label=label)
        return
    for line in lines:
        axes.plot(*line[:2], color=colour, linewidth=0.8, alpha=0.45)
    if lines:
        grid = np.linspace(max(line[0][0] for line in lines), min(line[0][-1] for line in lines), _POINTS)
        mean = np.mean([np.interp(grid, line[0], line[1]) for line in lines], axis=0)
        axes.plot(grid, mean, color=colour, linewidth=2.2, label=f"{label}, {len(lines)} runs")
