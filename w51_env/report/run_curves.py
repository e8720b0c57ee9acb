"""Learning curves of several runs in one figure, from the logs in their folders."""

import csv
from collections.abc import Sequence
from dataclasses import dataclass
from io import StringIO
from pathlib import Path

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from w51_env.agents.agent import AgentError
from w51_env.agents.training.log import STRENGTH
from w51_env.report import curves
from w51_env.system.files import read_text

FORMATS = (".png", ".pdf", ".svg")
AXES = {"decisions": "decisions of the learner", "seconds": "seconds of training"}
_COLOURS = ("#1b6ca8", "#c8641b", "#3d8c40", "#8e44ad", "#b03a5b", "#7a6a1f", "#4a4a4a", "#149aa6")
_RATES = ("win_rate", "low", "high")
_MAX_BYTES = 100_000_000
_POINTS = 200  # of the mean over seeds

Line = tuple[np.ndarray, ...]  # decisions or seconds; win rates, their lower and upper ends


@dataclass(frozen=True)
class Curves:
    """The matches on fixed deals of a run, or of all runs in a folder, such as those of several seeds.

    Attributes:
        label: What it is called in the figure.
        by_run: For each run the rows of its `strength.csv`: the number of players, the opponent, and numbers by column.
    """

    label: str
    by_run: tuple[tuple[tuple[int, str, dict[str, float]], ...], ...]

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
        AgentError: There are none, or a log is damaged.
    """
    files = [folder / STRENGTH] if (folder / STRENGTH).is_file() else sorted(folder.glob(f"*/{STRENGTH}"))
    curves = curves_of(label, files)
    if not curves.by_run:
        raise AgentError(f"run {folder}: no {STRENGTH} with matches during training, in it or in folders in it")
    return curves


def curves_of(label: str, files: Sequence[Path]) -> Curves:
    """The matches in these logs, as far as there are any; AgentError if one is damaged."""
    return Curves(label, tuple(rows for file in files if (rows := _rows(file))))


def _rows(file: Path) -> tuple[tuple[int, str, dict[str, float]], ...]:
    try:
        table = csv.DictReader(StringIO(read_text(file, _MAX_BYTES)))
        return tuple(
            (int(row["players"]), row["against"], {name: float(row[name]) for name in (*AXES, *_RATES)})
            for row in table
        )
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise AgentError(f"{file}: damaged, or no log of matches: {error!r}") from None


def draw_runs(runs: Sequence[Curves], axis: str, path: Path) -> None:
    """Draw win rates on fixed deals: a plot for each number of players and opponent, a colour for each of `runs`.

    One run has a band, the 95 % intervals of its matches. Several are thin lines, with their mean over what all of them
    have as a thick one.

    Args:
        runs: What to draw, at most as many as there are colours.
        axis: One of `AXES`.
        path: The file; its suffix is one of `FORMATS`.

    Raises:
        AgentError: Too many runs.
        FileError: The file cannot be written.
    """
    if len(runs) > len(_COLOURS):
        raise AgentError(f"runs: {len(runs)}, but a figure has {len(_COLOURS)} colours")
    pairs = sorted({pair for run in runs for pair in run.pairs})
    figure = Figure(figsize=(4.2 * len(pairs) + 0.6, 4.4), layout="constrained")
    for axes, (players, against) in zip(
        figure.subplots(1, len(pairs), squeeze=False, sharex=True, sharey=True)[0], pairs, strict=True
    ):
        for run, colour in zip(runs, _COLOURS, strict=False):
            _draw_lines(axes, run.lines(players, against, axis), colour, run.label)
        title = f"against {curves.short_name(against)}, {players} players"
        curves.label_strength(axes, players, title, AXES[axis])
        axes.set_xlim(left=0)
    handles = {
        label: handle for axes in figure.axes for handle, label in zip(*axes.get_legend_handles_labels(), strict=True)
    }
    figure.legend(handles.values(), handles.keys(), loc="outside upper left", ncols=4, frameon=False)
    curves.save_figure(figure, path)


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
