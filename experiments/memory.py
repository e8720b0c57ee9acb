"""Does a memory of earlier bids help who learns from nothing? Run: `python -m experiments.memory`.

The observation has what each seat bid at most for each relic, who bought it, and at what price. Networks learn by
self-play from nothing with these slices and without them; then they play each other and heuristics, all drawing their
actions. docs/experiments/memory.md has the result.
"""

from functools import partial
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer
from matplotlib.figure import Figure

from experiments import lab
from experiments.from_nothing import CONFIG, common, four_players, rate
from w51_agents.named.registry import make_agent

WITH, WITHOUT = "with", "without"
ARMS = {WITH: [], WITHOUT: ["selfplay.hidden_slices=[buyer, price, highest_bid]"]}
HEURISTIC, SHARE = "heuristic", 0.25


def main(
    decisions: lab.Decisions = 1_000_000,
    seeds: Annotated[int, typer.Option(min=1, help="Trainings with memory and without.")] = 3,
    deals: Annotated[int, typer.Option(min=2, help="Deals of each match, each played from every seat.")] = 500,
    runs: lab.Runs = lab.RUNS,
    data: lab.DataFile = lab.RESULTS / "memory.json",
    figure: lab.FigurePath = lab.PAGES / "memory",
) -> None:
    """Train, play, draw."""
    settings = {"decisions": decisions, "deals": deals}
    cells = ({"seed": seed} for seed in range(1, seeds + 1))
    draw(lab.measured(data, settings, cells, partial(measure, settings, runs)), figure)


def measure(settings: dict[str, int], runs: Path, seed: int) -> dict[str, Any]:
    """Win rates of one of the first among three of the second, for all pairs, each with half of its interval."""
    game = four_players()
    players = {HEURISTIC: make_agent(HEURISTIC, game)}
    for arm, changes in ARMS.items():
        run = lab.trained(CONFIG, [*common(seed), *changes, f"decisions={settings['decisions']}"], runs)
        players[arm] = make_agent(f"{run.checkpoint}:sampled", game)
        run.close()
    pairs = [(WITH, WITHOUT), (WITHOUT, WITH)]
    pairs += [pair for arm in ARMS for pair in ((arm, HEURISTIC), (HEURISTIC, arm))]
    return {
        f"{one} among {other}": rate(game, [(players[one], players[other])], settings["deals"]) for one, other in pairs
    }


def draw(data: dict[str, Any], path: Path) -> None:
    """The win rates of each match, a point for each seed."""
    figure = Figure(figsize=(8, 3.6), layout="constrained")
    axes = figure.subplots()
    names = [name for name in data["cells"][0] if " among " in name]
    for number, cell in enumerate(data["cells"]):
        at = np.arange(len(names)) + 0.12 * (number - (len(data["cells"]) - 1) / 2)
        rates = 100 * np.array([cell[name] for name in names])
        style: dict[str, Any] = {"color": lab.COLOURS[number], "marker": lab.MARKERS[number], "linestyle": "none"}
        axes.errorbar(at, rates[:, 0], rates[:, 1], label=f"seed {cell['seed']}", capsize=2, **style)
    axes.axhline(100 * SHARE, color="grey", linewidth=1, linestyle="--")
    lab.plain_axes(axes, "Wins of one among three, %", ylim=(0, None), xticks=range(len(names)))
    axes.set_xticklabels([name.replace(" among ", "\namong ") for name in names], fontsize=9)
    axes.legend(fontsize=8)
    lab.save(figure, path)


if __name__ == "__main__":
    typer.run(main)
