"""Empirical game analysis: PSRO on the batch, beside OpenSpiel's on a mini game. Run: `python -m experiments.psro`.

Each iteration learns a response to a mixture of all agents so far, plays it against them, and solves the meta-game.
docs/experiments/psro.md has the result.
"""

import json
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer
from matplotlib.figure import Figure

from experiments import lab
from experiments.analysis import FIRST, PLAYERS, table_of
from experiments.psro_mini import check_openspiel, openspiels, ours
from w51_agents.commands.options import errors_reported
from w51_agents.named.registry import make_agent
from w51_env import make_game
from w51_lab.statistics.metagame import nash_average

NUM_ENVS = 256


def main(
    iterations: Annotated[int, typer.Option(min=1, help="Responses that are learned.")] = 5,
    decisions: Annotated[int, typer.Option(min=1, help="Of each response.")] = 500_000,
    deals: Annotated[int, typer.Option(min=2, help="Deals of each entry of the meta-game.")] = 300,
    exact_iterations: Annotated[int, typer.Option(min=1, help="Iterations in the mini game.")] = 5,
    openspiel: Annotated[bool, typer.Option(help="Also solve the mini game with OpenSpiel's psro_v2.")] = True,
    data: lab.DataFile = lab.RESULTS / "psro.json",
    figure: lab.FigurePath = lab.PAGES / "psro",
    runs: lab.Runs = lab.RUNS,
) -> None:
    """Learn, play, solve, draw."""
    if openspiel:
        with errors_reported():
            check_openspiel()
    settings = {"decisions": decisions, "deals": deals, "exact_iterations": exact_iterations}
    cells: list[dict[str, Any]] = [{"mini": solver} for solver in ("ours", "OpenSpiel")[: 1 + openspiel]]
    cells += [{"iteration": number} for number in range(1, iterations + 1)]
    draw(lab.measured(data, settings, cells, partial(measure, settings, data, runs)), figure)


def measure(settings: dict[str, int], data: Path, runs: Path, **cell: Any) -> dict[str, Any]:
    """One solver in the mini game, or one iteration in the large one."""
    if "mini" in cell:
        exact = settings["exact_iterations"]
        return {"exploitability": ours(exact) if cell["mini"] == "ours" else openspiels(exact, 1)}
    earlier = [row for row in json.loads(data.read_text("utf-8"))["cells"] if "iteration" in row]
    population = [FIRST, *(str(runs / row["agent"]) for row in earlier)]
    mixture = nash_average(table_of(earlier)).weights
    envs = np.maximum((mixture * NUM_ENVS).round().astype(int), 1)
    games = ", ".join(
        f"{{num_players: {PLAYERS}, num_envs: {count}, opponents: {agent}}}"
        for agent, count in zip(population, envs.tolist(), strict=True)
    )
    changes = [f"selfplay.games=[{games}]", f"decisions={settings['decisions']}", f"seed={cell['iteration']}"]
    with lab.trained("selfplay_quick", changes, runs) as run:
        name, seconds = str(run.folder), run.seconds
    wins = [[meet(one, other, settings["deals"]) for one, other in ((name, old), (old, name))] for old in population]
    return {"agent": Path(name).name, "mixture": mixture.tolist(), "wins": wins, "training_seconds": round(seconds, 1)}


def meet(one: str, other: str, deals: int) -> float:
    """Win rate of one agent alone among three copies of another."""
    game = make_game("warehouse51_v1", num_players=PLAYERS)
    return float(lab.wins_alone(game, make_agent(one, game), make_agent(other, game), deals, 1).mean())


def draw(data: dict[str, Any], path: Path) -> None:
    """The mini game, what responses win, the equilibrium, and the replicator field of its three main agents."""
    figure = Figure(figsize=(12, 7), layout="constrained")
    exact, gains, weights, field = figure.subplots(2, 2).ravel()
    for number, cell in enumerate(cell for cell in data["cells"] if "mini" in cell):
        values = [100 * value for value in cell["exploitability"]]
        exact.plot(values, color=lab.COLOURS[number], marker=lab.MARKERS[number], label=cell["mini"])
    lab.plain_axes(exact, "Mini game: exploitability of the mixture, points", xlabel="iterations", yscale="log")
    exact.set_xticks(range(len(values)))
    exact.legend(fontsize=9)
    rows = [cell for cell in data["cells"] if "iteration" in cell]
    against = [100 * (np.dot(row["mixture"], np.array(row["wins"])[:, 0]) - 1 / PLAYERS) for row in rows]
    gains.plot(range(1, len(rows) + 1), against, color=lab.COLOURS[2], marker="o")
    lab.plain_axes(gains, "Large game: what the response wins above 25 %, points", xlabel="iteration")
    gains.axhline(0, color="grey", linewidth=1, linestyle="--")
    gains.set_xticks(range(1, len(rows) + 1))
    table = table_of(rows)
    names = [FIRST, *(f"response {number}" for number in range(1, len(rows) + 1))]
    for number in range(len(table)):
        share = [nash_average(table[:size, :size]).weights[number] for size in range(number + 1, len(table) + 1)]
        style: dict[str, Any] = {"color": lab.COLOURS[number % 7], "marker": lab.MARKERS[number % 7]}
        weights.plot(range(number, len(table)), share, label=names[number], **style)
    lab.plain_axes(weights, "Share in the equilibrium of the meta-game", xlabel="iterations", ylim=(-0.03, 1.03))
    weights.set_xticks(range(len(table)))
    weights.legend(fontsize=8, loc="upper left", bbox_to_anchor=(1.0, 1.0))
    if len(table) > 2:
        size, three = most_mixed(table)
        draw_field(field, table[np.ix_(three, three)], [names[number] for number in three])
        field.set_title(f"Replicator dynamics after iteration {size - 1}", fontsize=10, loc="left")
    lab.save(figure, path)


def most_mixed(table: np.ndarray) -> tuple[int, list[int]]:
    """The population, by its size, whose equilibrium gives the third agent most, and these three agents."""
    shares = {size: nash_average(table[:size, :size]).weights for size in range(3, len(table) + 1)}
    size = max(shares, key=lambda size: np.sort(shares[size])[-3])
    return size, sorted(np.argsort(shares[size])[-3:].tolist())


def draw_field(axes: Any, table: np.ndarray, names: list[str]) -> None:
    """The replicator dynamics of three agents on their triangle."""
    corners = np.array([[0, 0], [1, 0], [0.5, 3**0.5 / 2]])
    grid = [(i, j, 12 - i - j) for i in range(1, 12) for j in range(1, 12 - i)]
    shares = np.array(grid) / 12
    fitness = shares @ table.T
    change = shares * (fitness - (shares * fitness).sum(axis=1, keepdims=True))
    at, arrows = shares @ corners, change @ corners
    axes.quiver(*at.T, *arrows.T, color=lab.COLOURS[0], angles="xy", width=0.004)
    axes.fill(*corners.T, fill=False, edgecolor="black")
    for corner, name, place in zip(corners, names, ("right", "left", "center"), strict=True):
        axes.annotate(name, corner, (0, 6 if place == "center" else -12), textcoords="offset points", ha="center")
    axes.set(aspect="equal", xlim=(-0.2, 1.2), ylim=(-0.12, 1.0))
    axes.axis("off")


if __name__ == "__main__":
    typer.run(main)
