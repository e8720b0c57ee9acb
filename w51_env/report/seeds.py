"""Runs of one config with several seeds: a table with an interval over seeds, and their curves in one figure."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.figure import Figure
from matplotlib.ticker import EngFormatter, PercentFormatter
from rich.table import Table

from w51_env.agents.training.run import MatchRow, Run
from w51_env.arena.intervals import over_seeds
from w51_env.arena.matches import Results
from w51_env.report import curves
from w51_env.report.tables import plain_table
from w51_env.system.files import write_json

SEEDS, PICTURE = "seeds.json", "seeds.png"
_POINTS = 200  # of the mean curve


@dataclass(frozen=True)
class SeedResult:
    """The win rate of an agent in one line-up, trained with several seeds.

    Attributes:
        players: Seats of each game.
        alone: The agent that has one seat; `trained` stands for the trained one.
        among: The agent in all other seats.
        equal_share: 1 / players.
        by_seed: Win rate of the one seat for each seed, in the order of the seeds.
        mean, interquartile_mean: Over the seeds.
        low, high: 95 % bootstrap interval of the interquartile mean over seeds.
    """

    players: int
    alone: str
    among: str
    equal_share: float
    by_seed: list[float]
    mean: float
    interquartile_mean: float
    low: float
    high: float


def results_of(name: str, by_seed: Sequence[Sequence[Results]]) -> list[SeedResult]:
    """The results of each line-up with the trained agent.

    Args:
        name: The name of the trained agent in the results of the first seed.
        by_seed: For each seed its matches, in the same order.
    """
    rows = []
    for matches in zip(*by_seed, strict=True):
        alone, among = ("trained" if one == name else one for one in matches[0].names[:2])
        if "trained" not in (alone, among):
            continue  # one baseline among copies of another
        rates = [results.standings()[0].win_rate for results in matches]
        middle, low, high = over_seeds(rates)
        players = len(matches[0].lineup)
        rows.append(SeedResult(players, alone, among, 1 / players, rates, float(np.mean(rates)), middle, low, high))
    return rows


def write_seeds(
    seeds: Sequence[int], runs: Sequence[Run], rows: Sequence[SeedResult], title: str, folder: Path
) -> None:
    """Write the results and the figure of the learning curves."""
    facts = [
        {"seed": seed, "decisions": run.trainer.decisions, "seconds": run.seconds}
        for seed, run in zip(seeds, runs, strict=True)
    ]
    write_json({"runs": facts, "results": [asdict(row) for row in rows]}, folder / SEEDS)
    if all(run.matches for run in runs):
        draw_seeds([run.matches for run in runs], title, folder / PICTURE)


def seeds_table(rows: Sequence[SeedResult], seeds: Sequence[int]) -> Table:
    """Return the table of the results over seeds."""
    caption = (
        f"Win rates of one seat; seeds {', '.join(map(str, seeds))}. IQM: interquartile mean over seeds, with its "
        "95% bootstrap interval over seeds (Agarwal et al., 2021)."
    )
    table = plain_table(f"{len(seeds)} seeds", caption)
    table.add_column("one", overflow="fold")
    table.add_column("among", overflow="fold")
    for column in ("players", "equal share", "mean", "IQM", "interval", "by seed"):
        table.add_column(column, justify="right")
    for row in rows:
        table.add_row(
            row.alone,
            row.among,
            str(row.players),
            *(f"{value:.1%}" for value in (row.equal_share, row.mean, row.interquartile_mean)),
            f"{row.low:.1%} to {row.high:.1%}",
            " ".join(f"{100 * rate:.1f}" for rate in row.by_seed),
        )
    return table


def draw_seeds(by_run: Sequence[Sequence[MatchRow]], title: str, path: Path) -> None:
    """Draw win rates on fixed deals over decisions: a plot for each baseline, a thin line for each run, their mean."""
    pairs = list(dict.fromkeys((row.players, row.against) for row in by_run[0]))
    figure = Figure(figsize=(4.2 * len(pairs) + 0.6, 4.2), layout="constrained")
    figure.suptitle(title, fontsize=12, x=0.01, ha="left", weight="bold")
    for axes, (players, against) in zip(
        figure.subplots(1, len(pairs), squeeze=False, sharey=True)[0], pairs, strict=True
    ):
        lines = [_line(matches, players, against) for matches in by_run]
        for decisions, rates in lines:
            axes.plot(decisions, rates, color=curves.WIN_COLOUR, linewidth=0.8, alpha=0.45)
        grid = np.linspace(max(line[0][0] for line in lines), min(line[0][-1] for line in lines), _POINTS)
        mean = np.mean([np.interp(grid, *line) for line in lines], axis=0)
        axes.plot(grid, mean, color=curves.RETURN_COLOUR, linewidth=2.2)
        axes.axhline(1 / players, color=curves.EQUAL_COLOUR, linewidth=1, linestyle="--")
        axes.set_title(f"against {curves.short_name(against)}, {players} players", fontsize=11, loc="left")
        axes.set_xlabel("decisions of the learner")
        axes.xaxis.set_major_formatter(EngFormatter(sep=""))
        axes.yaxis.set_major_formatter(PercentFormatter(1.0, decimals=0))
        axes.set_ylim(0, 1)
        axes.grid(axis="y", color="#e3e6ea", linewidth=0.8)
        curves.remove_frame(axes)
    curves.save_figure(figure, path)


def _line(matches: Sequence[MatchRow], players: int, against: str) -> tuple[Any, Any]:
    rows = [row for row in matches if (row.players, row.against) == (players, against)]
    return np.array([row.decisions for row in rows]), np.array([row.win_rate for row in rows])
