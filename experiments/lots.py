"""Does self-play find equilibria beyond one lot for equal bidders? Run: `python -m experiments.lots asymmetric`.

Self-play, the closed form, naive bidders and fictitious play where bidders differ ("asymmetric"), two units are sold
("units"), or two items, at once or in turn ("items"). All losses are exact. docs/experiments has a page for each.
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
from w51_agents.exact.auctions.profiles import ExactProfile
from w51_agents.exact.auctions.sequence import ExactSequence
from w51_agents.named.registry import make_agent
from w51_env import make_game
from w51_env.engine.game import Game

COARSE = {"max_value": 20, "max_bid": 20}
FAMILIES: dict[str, dict[str, dict[str, Any]]] = {
    "asymmetric": {
        "values up to 10 and 20": {"num_players": 2, "bidders": "0 10/0 20", **COARSE},
        "values 5 to 15 and 5 to 25": {
            "num_players": 2,
            "bidders": "5 15/5 25",
            "max_value": 25,
            "max_bid": 25,
        },
        "one risk-averse": {"num_players": 2, "bidders": "0 20/0 20 1 1 50", **COARSE},
    },
    "units": {
        **{name: {"preset": "units", "auction": name} for name in ("uniform_price", "vickrey", "discriminatory")},
        "discriminatory, one each, 3 bidders": {
            "num_players": 3,
            "auction": "discriminatory",
            "one_each": True,
            **COARSE,
        },
    },
    "items": {
        "in turn, 3 bidders": {"preset": "sequence"},
        "at once, synergy 50": {"preset": "items"},
        "at once, synergy 0": {"preset": "items", "synergy": 0, "max_bid": 10},
        "in turn, 4 bidders": {"preset": "sequence", "num_players": 4},
    },
}
LEARNED = "self-play PPO"
SOLVED = "fictitious play"
NAIVE = ("equilibrium", "half", "truthful")
ITERATIONS = 100
FORMS = ("sampled", "greedy")


def main(
    family: Annotated[str, typer.Argument(help=f"One of {', '.join(FAMILIES)}.")],
    decisions: lab.Decisions = 500_000,
    seeds: Annotated[int, typer.Option(min=1, help="Trainings of each auction.")] = 3,
    settings: Annotated[int, typer.Option(min=1, help="How many of the auctions.")] = 4,
    data: Annotated[Path | None, typer.Option(help="File of the data.")] = None,
    figure: Annotated[Path | None, typer.Option(help="Figure, without suffix: PNG.")] = None,
    runs: lab.Runs = lab.RUNS,
) -> None:
    """Solve, train, measure, draw."""
    if family not in FAMILIES:
        raise typer.BadParameter(f"family: {family!r}, but allowed are {', '.join(FAMILIES)}")
    auctions = list(FAMILIES[family].items())[:settings]
    cells: list[dict[str, Any]] = []
    for auction, options in auctions:
        game = make_game("auctions_v0", **options)
        solvers = [*(name for name in NAIVE if name in game.bots), *([] if game.rules["in_turn"][0] else [SOLVED])]
        cells += [{"auction": auction, "learner": name, "seed": 1} for name in solvers]
    for seed, (auction, _) in product(range(1, seeds + 1), auctions):
        cells.append({"auction": auction, "learner": LEARNED, "seed": seed})
    measure_here = partial(measure, family, decisions, runs)
    found = lab.measured(data or lab.RESULTS / f"{family}.json", {"decisions": decisions}, cells, measure_here)
    draw(found, figure or lab.PAGES / family)


def measure(family: str, decisions: int, runs: Path, auction: str, learner: str, seed: int) -> dict[str, Any]:
    """What each seat earns and loses, in units and as a part of a best response, and its mean bids for each value."""
    game = make_game("auctions_v0", **FAMILIES[family][auction])
    begun = time.process_time()
    if learner == SOLVED:
        exact = ExactProfile(game)
        return {**_losses(exact, exact.solve(ITERATIONS)), "processor_seconds": round(time.process_time() - begun, 1)}
    if learner != LEARNED:
        return {**of_agent(game, learner), "processor_seconds": 0.0}
    options = ", ".join(f"{name}: {str(value).lower()}" for name, value in FAMILIES[family][auction].items())
    games = f"selfplay.games=[{{num_players: {game.num_players}, num_envs: 1024, opponents: self}}]"
    changes = [f"options={{{options}}}", games, f"decisions={decisions}", f"seed={seed}", "evaluation.against=[random]"]
    with lab.trained("auctions_quick", changes, runs) as run:
        checkpoint = str(run.checkpoint)
    seconds = round(time.process_time() - begun, 1)
    sampled, greedy = (of_agent(game, f"{checkpoint}:{form}") for form in FORMS)
    return {**sampled, "greedy": greedy["losses"], "processor_seconds": seconds}


def of_agent(game: Game, name: str) -> dict[str, Any]:
    """The same of an agent without memory."""
    if not game.rules["in_turn"][0]:
        exact = ExactProfile(game)
        return _losses(exact, exact.strategies_of(name, make_agent(name, game)))
    one = ExactSequence(game)
    first, second = strategy = one.strategy_of(name, make_agent(name, game))
    found, steps = one.loss(strategy), np.arange(first.shape[1]) * game.options["bid_step"]
    later = np.einsum("vpc,p->vc", second, one.chances @ first)  # by how likely a rival's first bid is the price
    bids = [[round(float(bid), 3) for bid in each @ steps] for each in (first, later)]
    return {"payoffs": [found.value], "losses": [found.relative], "bids": bids}


def _losses(exact: ExactProfile, strategies: list[np.ndarray]) -> dict[str, Any]:
    """Of a profile; bids by the value of the first lot: of each seat, or of one seat for its first and second lot."""
    found = exact.losses(strategies)
    seats = range(len(strategies)) if exact.game.options["bidders"] else [0]
    money = np.maximum(exact.decisions - 1, 0) * exact.game.options["bid_step"]
    bids = []
    for seat in seats:
        values, chances = exact.values[seat], exact.chances[seat]
        for lot in range(1 + int(exact.game.rules["two_bids"][0])):
            mean = strategies[seat] @ money[:, lot]
            own = values[:, lot]
            weights = np.bincount(own, chances)
            bids.append((np.bincount(own, chances * mean) / np.maximum(weights, 1e-300)).round(3).tolist())
    return {"payoffs": [each.value for each in found], "losses": [each.relative for each in found], "bids": bids}


def draw(data: dict[str, Any], path: Path) -> None:
    """Mean bids over values of self-play, each seed, with the closed form or what fictitious play finds."""
    names = list(dict.fromkeys(cell["auction"] for cell in data["cells"]))
    figure = Figure(figsize=(3.4 * len(names), 3.4), layout="constrained")
    for axes, name in zip(np.atleast_1d(figure.subplots(1, len(names))), names, strict=True):
        cells = [cell for cell in data["cells"] if cell["auction"] == name]
        known = {cell["learner"]: cell["bids"] for cell in cells}
        for number, bids in enumerate(known.get("equilibrium", known.get(SOLVED, []))):
            axes.plot(bids, color="black", linestyle=("--", ":")[number % 2], label=("first", "second")[number % 2])
        for cell in (cell for cell in cells if cell["learner"] == LEARNED):
            for number, bids in enumerate(cell["bids"]):
                style = {"color": lab.COLOURS[number], "marker": lab.MARKERS[cell["seed"] - 1]}
                axes.plot(bids, markersize=3, linewidth=0.8, **style)
        lab.plain_axes(axes, name, xlabel="value", ylabel="mean bid")
    figure.axes[0].legend(fontsize=8)
    lab.save(figure, path)


if __name__ == "__main__":
    typer.run(main)
