"""How does strength grow with decisions, width, and search? Run: `python -m experiments.scaling`.

Networks of several widths learn by self-play; at several lengths of training they play three heuristics. So does search
with several numbers of playouts. Lines are fitted on log axes. docs/experiments/scaling.md has the result.
"""

from functools import partial
from itertools import product
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated, Any

import numpy as np
import typer
from matplotlib.figure import Figure
from matplotlib.ticker import EngFormatter, NullLocator

from experiments import lab
from experiments.analysis import PLAYERS, fit, odds, series
from w51_agents.named.registry import make_agent
from w51_agents.training.config import load_config
from w51_env import make_game
from w51_lab.statistics.estimates import win_rate_interval

WIDTHS = (16, 64, 256)
PLAYOUTS = (1, 3, 10, 30, 100)


def main(
    decisions: lab.Decisions = 1_200_000,
    points: Annotated[int, typer.Option(min=2, help="Measured points of each training, at factors of 2.")] = 4,
    seeds: Annotated[int, typer.Option(min=1, help="Trainings of each width.")] = 3,
    deals: Annotated[int, typer.Option(min=2, help="Deals of each measurement, each played from every seat.")] = 500,
    search_deals: Annotated[int, typer.Option(min=2, help="The same for search.")] = 24,
    data: lab.DataFile = lab.RESULTS / "scaling.json",
    figure: lab.FigurePath = lab.PAGES / "scaling",
) -> None:
    """Train, play, fit, draw."""
    settings = {"decisions": decisions, "points": points, "deals": deals, "search_deals": search_deals}
    cells: list[dict[str, Any]] = [{"playouts": playouts} for playouts in PLAYOUTS]
    cells += [{"width": width, "seed": seed} for seed, width in product(range(1, seeds + 1), WIDTHS)]
    draw(lab.measured(data, settings, cells, partial(measure, settings)), figure)


def measure(settings: dict[str, int], **cell: int) -> dict[str, Any]:
    """Win rates against three heuristics: of a search, or over the training of a network."""
    if "playouts" in cell:
        return against_heuristics(f"search:playouts={cell['playouts']}", settings["search_deals"])
    stops = [settings["decisions"] >> (settings["points"] - number) for number in range(1, settings["points"] + 1)]
    with TemporaryDirectory() as folder:
        widths = f"selfplay.hidden_sizes=[{cell['width']}, {cell['width']}]"
        changes = [widths, f"decisions={settings['decisions']}", f"seed={cell['seed']}", f"runs={folder}", "name=run"]
        config = load_config(lab.CONFIGS / "selfplay_quick.yaml", changes)
        return {
            "points": [
                {"decisions": done, **against_heuristics(f"{path}:sampled", settings["deals"])}
                for done, path in lab.checkpoints(config, stops)
            ]
        }


def against_heuristics(name: str, deals: int) -> dict[str, float]:
    """The win rate of an agent against three heuristics, with its 95 % interval by deal."""
    game = make_game("warehouse51_v1", num_players=PLAYERS)
    wins = lab.wins_alone(game, make_agent(name, game), make_agent("heuristic", game), deals, 1)
    low, high = win_rate_interval(wins)
    return {"win_rate": float(wins.mean()), "low": low, "high": high}


def draw(data: dict[str, Any], path: Path) -> None:
    """Odds over each amount on log axes, with intervals and fitted lines."""
    figure = Figure(figsize=(12, 4.2), layout="constrained")
    panels = figure.subplots(1, 3, sharey=True)
    for axes, (label, curves) in zip(panels, series(data).items(), strict=True):
        for number, (name, amounts, rates, trainings) in enumerate(curves):
            line = fit(amounts, rates[:, 0], trainings)
            ends = "" if np.isnan(line["low"]) else f" ({line['low']:.2f} to {line['high']:.2f})"
            exponent = f"{line['exponent']:.2f}{ends}"
            values = odds(rates)
            reach = np.abs(values[:, 1:] - values[:, :1]).T
            style: dict[str, Any] = {"color": lab.COLOURS[number], "linestyle": "none", "marker": lab.MARKERS[number]}
            axes.errorbar(amounts, values[:, 0], reach, capsize=2, label=f"{name}: exponent {exponent}", **style)
            span = np.array([amounts.min(), amounts.max()])
            axes.plot(span, 10 ** line["height"] * span ** line["exponent"], color=lab.COLOURS[number], linewidth=1)
        axes.set(xscale="log", yscale="log")
        first = np.unique(np.log10(curves[0][1]).round(2), return_index=True)[1]
        lab.plain_axes(axes, "", xlabel=label, xticks=curves[0][1][first])
        axes.xaxis.set_minor_locator(NullLocator())
        axes.xaxis.set_major_formatter(lambda amount, _: EngFormatter(sep="")(float(f"{amount:.3g}")))
        axes.axhline(1, color="grey", linewidth=1, linestyle="--")
        axes.legend(fontsize=8, loc="upper left")
    panels[0].set_ylabel("odds to win, heuristic = 1")
    bottom, top = panels[0].get_ylim()
    panels[0].set_ylim(bottom, top * 3)  #  room for the legends
    lab.save(figure, path)


if __name__ == "__main__":
    typer.run(main)
