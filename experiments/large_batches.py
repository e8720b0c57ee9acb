"""Does self-play learn as much from a decision with larger batches? Run: `python -m experiments.large_batches`.

With four times the games and the minibatch there are a quarter of the gradient steps, for four times the processes. The
learning rate grows by the root, as noise of the gradient does with Adam. docs/lab/scale.md has the result.
"""

from functools import partial
from tempfile import TemporaryDirectory
from typing import Annotated, Any

import numpy as np
import typer
from matplotlib.figure import Figure
from matplotlib.ticker import EngFormatter, PercentFormatter

from benchmarks.measure import ROOT
from experiments import lab
from w51_agents.named.registry import make_agent
from w51_agents.training.config import load_config
from w51_agents.training.trainers import SelfPlayConfig
from w51_env import make_game
from w51_lab.statistics.estimates import win_rate_interval

WAYS = (1, 4)  #  times the games and the minibatch


def main(
    config: Annotated[str, typer.Option(help="Name of the config.")] = "selfplay_quick",
    decisions: lab.Decisions = 5_800_000,
    points: Annotated[int, typer.Option(min=1, help="Measured points of each training.")] = 4,
    seeds: Annotated[int, typer.Option(min=1, help="Trainings of each.")] = 3,
    deals: Annotated[int, typer.Option(min=2, help="Deals of each measurement, each played from every seat.")] = 500,
    data: lab.DataFile = lab.RESULTS / "large_batches.json",
    figure: lab.FigurePath = ROOT / "docs" / "lab" / "large_batches",
) -> None:
    """Train, play, draw."""
    settings = {"config": config, "decisions": decisions, "points": points, "deals": deals}
    cells = [{"times": times, "seed": seed} for seed in range(1, seeds + 1) for times in WAYS]
    draw(lab.measured(data, settings, cells, partial(measure, settings)), figure)


def measure(settings: dict[str, Any], times: int, seed: int) -> dict[str, Any]:
    """Win rates against three heuristics over a training, with 95 % intervals by deal."""
    stops = [settings["decisions"] * number // settings["points"] for number in range(1, settings["points"] + 1)]
    game = make_game("warehouse51_v1", num_players=4)
    rows = []
    with TemporaryDirectory() as folder:
        once = [f"decisions={stops[-1]}", f"seed={seed}", f"runs={folder}", "threads=1", "selfplay.precision=float32"]
        config = load_config(settings["config"], once)
        assert isinstance(config, SelfPlayConfig)
        plain = config.selfplay
        larger = {
            "games": tuple(games.model_copy(update={"num_envs": times * games.num_envs}) for games in plain.games),
            "minibatch_size": times * plain.minibatch_size,
            "pool_every": plain.pool_every // times,
            "learning_rate": plain.learning_rate * times**0.5,
        }
        config = config.model_copy(update={"selfplay": plain.model_copy(update=larger)})
        for done, path in lab.checkpoints(config, stops):
            wins = lab.wins_alone(
                game, make_agent(str(path), game), make_agent("heuristic", game), settings["deals"], 1
            )
            low, high = win_rate_interval(wins)
            rows.append({"decisions": done, "win_rate": float(wins.mean()), "low": low, "high": high})
    return {"points": rows}


def draw(data: dict[str, Any], path: Any) -> None:
    """The curve of each training, and the mean over the seeds."""
    figure = Figure(figsize=(6.4, 3.6), layout="constrained")
    axes = figure.subplots()
    for number, times in enumerate(WAYS):
        runs = [cell["points"] for cell in data["cells"] if cell["times"] == times]
        curves = np.array([[(row["decisions"], row["win_rate"]) for row in rows] for rows in runs])
        style: dict[str, Any] = {"color": lab.COLOURS[number], "marker": lab.MARKERS[number]}
        for curve in curves:
            axes.plot(*curve.T, linewidth=0.8, alpha=0.4, **style)
        axes.plot(*curves.mean(0).T, linewidth=2, label=f"{times} times the games", **style)
    lab.plain_axes(axes, "Alone among three heuristics", xlabel="decisions", ylabel="win rate")
    axes.xaxis.set_major_formatter(EngFormatter(sep=""))
    axes.yaxis.set_major_formatter(PercentFormatter(1.0, decimals=0))
    axes.legend(fontsize=8)
    lab.save(figure, path)


if __name__ == "__main__":
    typer.run(main)
