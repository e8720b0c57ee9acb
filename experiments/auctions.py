"""Do open and blind auctions differ? Run: `python -m experiments.auctions`.

The relics of the game are auctioned all openly, or all blind, by agents that are trained for each form; beside them the
exact equilibria of one lot. docs/experiments/auctions.md has the result.
"""

from functools import partial
from itertools import product
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated, Any

import numpy as np
import typer
from matplotlib.figure import Figure

from experiments import lab
from w51_agents.exact.subgame_perfect import subgame_perfect
from w51_agents.exact.tree import build_tree
from w51_agents.exact.warehouse51.one_lot import FIRST_PLACE, one_lot, payoffs_of_all_profiles, pure_equilibria
from w51_agents.named.registry import make_agent
from w51_env import make_game
from w51_lab.behaviour.contract import Tables

FORMS = ("open", "blind")
PLAYERS, INGOTS = 4, 10
TRAINED = "trained for the form"
PANELS = {"price": "Price, ingots", "unsold": "Unsold lots, %", "efficiency": "Lots to the seat of most worth, %"}


def main(
    decisions: lab.Decisions = 1_500_000,
    seeds: Annotated[int, typer.Option(min=1, help="Trainings for each form.")] = 3,
    games: lab.Games = 4000,
    data: lab.DataFile = lab.RESULTS / "auctions.json",
    figure: lab.FigurePath = lab.PAGES / "auctions",
    runs: lab.Runs = lab.RUNS,
) -> None:
    """Solve, train, play, draw."""
    cells: list[dict[str, Any]] = [{"one_lot": category} for category in FIRST_PLACE]
    cells += [
        {"form": form, "agent": agent, "seed": 1} for agent, form in product(("heuristic", "pretrained-v2"), FORMS)
    ]
    cells += [{"form": form, "agent": TRAINED, "seed": seed} for seed, form in product(range(1, seeds + 1), FORMS)]
    settings = {"decisions": decisions, "games": games}
    draw(lab.measured(data, settings, cells, partial(measure, decisions, games, runs)), figure)


def measure(decisions: int, games: int, runs: Path, **cell: Any) -> dict[str, Any]:
    """The equilibria of one lot, or what copies of an agent pay in one form of auction."""
    if "one_lot" in cell:
        return solved(cell["one_lot"])
    relics = f"{cell['form']}:reconstruction-1"
    game, name = make_game("warehouse51_v1", relics=relics), "" if cell["agent"] == TRAINED else str(cell["agent"])
    seconds = 0.0
    if not name:
        changes = [f"options.relics={relics}", f"decisions={decisions}", f"seed={cell['seed']}"]
        with lab.trained("selfplay_quick", changes, runs) as run:
            name, seconds = str(run.folder), run.seconds
    _, tables = lab.recorded(game, [make_agent(name, game)], np.zeros((games, PLAYERS), int), 1000 + cell["seed"])
    return {**outcome(tables), "training_seconds": round(seconds, 1)}


def outcome(tables: Tables) -> dict[str, float]:
    """Means over lots; efficiency is over sold lots that are worth something to somebody."""
    lots, worth = tables["lots"], tables["stakes"]["worth"].reshape(-1, PLAYERS).astype(float)
    sold = lots["seat"] >= 0
    highest = worth.max(axis=1)
    to_buyer = worth[np.arange(len(worth)), np.maximum(0, lots["seat"])]
    wanted = sold & (highest > 0)
    return {
        "price": float(lots["price"][sold].mean()),
        "unsold": float(100 * (1 - sold.mean())),
        "efficiency": float(100 * (to_buyer == highest)[wanted].mean()),
        "worth_of_most": float((to_buyer[wanted] / highest[wanted]).mean()),
        "score": float(tables["seats"]["score"].mean()),
    }


def solved(category: str) -> dict[str, Any]:
    """Prices of one lot, three seats with ten ingots each, in all equilibria: subgame-perfect (open), pure (blind)."""
    with TemporaryDirectory() as folder:
        lot = one_lot(Path(folder), category, (INGOTS,) * 3, weapon=False)
        tree = build_tree(lot.game, lot.games, lambda batch: batch.final_scores)
        sealed = one_lot(Path(folder), category, (INGOTS,) * 3, weapon=True)
        equilibria = pure_equilibria(payoffs_of_all_profiles(sealed, INGOTS))
    worth = FIRST_PLACE[category]
    prices = {price_of(np.array(outcome) - INGOTS, worth) for outcome in subgame_perfect(tree)}
    return {"worth": worth, "open": sorted(prices), "blind": sorted({max(bids) for bids in equilibria})}


def price_of(gains: np.ndarray, worth: int) -> float:
    """The price from what three seats gain: worth - price for the buyer, the price for the left neighbour, nothing."""
    left = [seat for seat in range(3) if gains[seat] > 0 and gains[seat - 1] == worth - gains[seat]]
    return float(gains[left[0]]) if left else 0.0


def draw(data: dict[str, Any], path: Path) -> None:
    """Each measure by form and agent; prices of one lot in equilibrium by its worth."""
    figure = Figure(figsize=(12, 3.8), layout="constrained")
    panels = figure.subplots(1, 4)
    played = [cell for cell in data["cells"] if "form" in cell]
    for number, agent in enumerate(dict.fromkeys(cell["agent"] for cell in played)):
        for axes, key in zip(panels, PANELS, strict=False):
            for seed in sorted({cell["seed"] for cell in played if cell["agent"] == agent}):
                values = {cell["form"]: cell[key] for cell in played if (cell["agent"], cell["seed"]) == (agent, seed)}
                style: dict[str, Any] = {"color": lab.COLOURS[number], "marker": lab.MARKERS[number]}
                axes.plot(range(len(values)), values.values(), label=agent if seed == 1 else None, **style)
    for axes, (key, title) in zip(panels, PANELS.items(), strict=False):
        top = 105 if key == "efficiency" else None
        lab.plain_axes(axes, title, xticks=range(2), xticklabels=FORMS, xlim=(-0.3, 1.3), ylim=(0, top))
    panels[0].legend(fontsize=8, loc="lower left")
    lots = [cell for cell in data["cells"] if "one_lot" in cell]
    for number, form in enumerate(FORMS):
        shift = 0.16 * (number - 0.5)  #  so that no point hides another
        at, prices = zip(*((lot["worth"] + shift, price) for lot in lots for price in lot[form]), strict=True)
        panels[3].plot(at, prices, lab.MARKERS[number + 4], color=lab.COLOURS[number + 3], label=form)
    panels[3].plot((5, 8), (5, 8), ":", color="grey", label="price = worth")
    lab.plain_axes(panels[3], "One lot in equilibrium: price", xlabel="its worth", xticks=range(5, 9), ylim=(0, None))
    panels[3].legend(fontsize=8, loc="lower right")
    lab.save(figure, path)


if __name__ == "__main__":
    typer.run(main)
