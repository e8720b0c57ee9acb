"""How far from equilibrium do learners end in auctions? Run: `python -m experiments.equilibrium`.

Self-play learns from other numbers of decisions in auctions whose equilibrium is known. What a learned strategy loses
is computed from its probabilities, not sampled. docs/experiments/equilibrium.md has the result.
"""

import time
from functools import partial
from itertools import product
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer
from matplotlib.figure import Figure

from experiments import lab
from w51_agents.auctions.payoffs import ExactAuction, Strategy
from w51_agents.auctions.strategies import solve, strategy_of
from w51_agents.registry import make_agent
from w51_env import make_game

SETTINGS: dict[str, dict[str, Any]] = {
    "first price, 2 bidders": {"num_players": 2},
    "first price, 3 bidders": {"num_players": 3},
    "first price, 4 bidders": {"num_players": 4},
    "first price, 5 bidders": {"num_players": 5},
    "second price, 3 bidders": {"num_players": 3, "auction": "second_price"},
    "all-pay, 3 bidders": {"num_players": 3, "auction": "all_pay"},
    "first price, 2 bidders, affiliated": {"num_players": 2, "values": "affiliated"},
}
FORMS = ("sampled", "greedy")
GRID = {"preset": "coarse"}
SIZES = [100_000, 1_000_000, 5_000_000]


def main(
    decisions: Annotated[list[int], typer.Option(min=1, help="Of a training; several sizes: give it again.")] = SIZES,
    seeds: Annotated[int, typer.Option(min=1, help="Trainings of each size.")] = 3,
    settings: Annotated[int, typer.Option(min=1, max=len(SETTINGS), help="How many of the auctions.")] = len(SETTINGS),
    data: lab.DataFile = lab.RESULTS / "equilibrium.json",
    figure: lab.FigurePath = lab.PAGES / "equilibrium",
    runs: lab.Runs = lab.RUNS,
) -> None:
    """Train, measure, draw."""
    names = list(SETTINGS)[:settings]
    cells = [
        {"auction": name, "decisions": size, "seed": seed}
        for size, seed, name in product(decisions, range(1, seeds + 1), names)
    ]
    draw(lab.measured(data, {"grid": GRID, "config": "auctions_quick"}, cells, partial(measure, runs)), figure)


def measure(runs: Path, auction: str, decisions: int, seed: int) -> dict[str, Any]:
    """What self-play loses in one auction, and its mean bid for each signal, with those of the equilibrium."""
    options = {**GRID, **SETTINGS[auction]}
    written = ", ".join(f"{name}: {value}" for name, value in options.items())
    kind = f"[{{num_players: {options['num_players']}, num_envs: 1024, opponents: self}}]"
    changes = [f"options={{{written}}}", f"selfplay.games={kind}", f"decisions={decisions}", f"seed={seed}"]
    begun = time.process_time()
    with lab.trained("auctions_quick", changes, runs) as run:
        seconds, checkpoint = time.process_time() - begun, str(run.checkpoint)
    game = make_game("auctions_v0", **options)
    exact = ExactAuction(game)
    rivals = equilibrium(exact)
    result: dict[str, Any] = {"processor_seconds": round(seconds, 1), "equilibrium": bids(exact, rivals)}
    result["equilibrium_loss"] = exact.utility_loss(rivals).relative
    for form in FORMS:
        learned = strategy_of(exact, checkpoint, make_agent(f"{checkpoint}:{form}", game))
        value = exact.utility_loss(rivals).value
        result[form] = {
            "loss": exact.utility_loss(learned).relative,
            "against_equilibrium": 1 - exact.against(learned, rivals) / value,
            "bids": bids(exact, learned),
        }
    return result


def equilibrium(exact: ExactAuction) -> Strategy:
    """The closed form on the grid, else what iterated best response finds: that of the two which loses less."""
    found = [solve(exact)]
    if "equilibrium" in exact.game.bots:
        found.append(exact.pure(exact.game.rules["equilibrium"][0]))
    return min(found, key=lambda strategy: exact.utility_loss(strategy).relative)


def bids(exact: ExactAuction, strategy: Strategy) -> list[float]:
    """The mean bid in units for each signal."""
    steps = np.maximum(np.arange(strategy.shape[1]) - 1, 0) * exact.game.options["bid_step"]
    return [round(float(bid), 3) for bid in strategy @ steps]


def draw(data: dict[str, Any], path: Path) -> None:
    """Mean bids over signals of the largest training, each seed, with the equilibrium."""
    names = list(dict.fromkeys(cell["auction"] for cell in data["cells"]))
    columns = min(4, len(names))
    figure = Figure(figsize=(4 * columns, 3.4 * -(-len(names) // columns)), layout="constrained")
    panels = np.atleast_1d(figure.subplots(-(-len(names) // columns), columns)).ravel()
    for axes, name in zip(panels, names, strict=False):
        cells = [cell for cell in data["cells"] if cell["auction"] == name]
        largest = max(cell["decisions"] for cell in cells)
        cells = [cell for cell in cells if cell["decisions"] == largest]
        axes.plot(cells[0]["equilibrium"], color="black", linestyle="--", label="equilibrium")
        for cell in cells:
            style = {"color": lab.COLOURS[cell["seed"] - 1], "marker": lab.MARKERS[cell["seed"] - 1]}
            axes.plot(cell["sampled"]["bids"], label=f"seed {cell['seed']}", markersize=4, linewidth=1, **style)
        lab.plain_axes(axes, f"{name}, {largest:,} decisions", xlabel="value or signal", ylabel="mean bid")
    for axes in panels[len(names) :]:
        axes.set_visible(False)
    panels[0].legend(fontsize=8)
    lab.save(figure, path)


if __name__ == "__main__":
    typer.run(main)
