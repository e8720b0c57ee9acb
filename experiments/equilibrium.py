"""How far from equilibrium do learners end in auctions? Run: `python -m experiments.equilibrium`.

Learners of this repository, after some numbers of decisions, in auctions whose equilibrium is known; beside them its
exact solvers and naive bidders. What a strategy loses is computed from its probabilities, not sampled.
docs/experiments/equilibrium.md has the result.
"""

import time
from collections.abc import Callable
from functools import partial
from itertools import product
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer
from matplotlib.figure import Figure

from experiments import lab
from w51_agents.exact.auctions.payoffs import ExactAuction, Strategy
from w51_agents.exact.auctions.strategies import solve, solve_by_cfr, strategy_of
from w51_agents.named.registry import make_agent
from w51_env import make_game

SETTINGS: dict[str, dict[str, Any]] = {
    "first price, 2 bidders": {"num_players": 2},
    "first price, 3 bidders": {"num_players": 3},
    "first price, 4 bidders": {"num_players": 4},
    "first price, 5 bidders": {"num_players": 5},
    "second price, 3 bidders": {"num_players": 3, "auction": "second_price"},
    "all-pay, 3 bidders": {"num_players": 3, "auction": "all_pay"},
    "first price, 2 bidders, affiliated": {"num_players": 2, "values": "affiliated"},
    "first price, 2 bidders, mean of signals": {"num_players": 2, "values": "average"},
    "second price, 3 bidders, common value": {"num_players": 3, "auction": "second_price", "values": "mineral"},
}
SELF_PLAY, ALONE = "self-play PPO", "MaskablePPO"
GAMES = "selfplay.games=[{{num_players: {players}, num_envs: 1024, opponents: self}}]"
AGAINST = ("game=auctions_v0", "opponents=[equilibrium]", "evaluation.against=[equilibrium]", "shaping=null")
ROLLOUTS = ("num_envs=1024", "ppo.num_steps=10", "ppo.minibatch_size=1024", "ppo.update_epochs=1")
NETWORK = ("ppo.hidden_sizes=[64, 64]", "ppo.learning_rate=1.0e-2", "ppo.ent_coef=0.1")
LEARNERS: dict[str, tuple[str, tuple[str, ...], int, int]] = {  # config, changes, most decisions, number of auctions
    SELF_PLAY: ("auctions_quick", (GAMES,), 10_000_000, len(SETTINGS)),
    ALONE: ("quick", (*AGAINST, *ROLLOUTS, *NETWORK), 1_000_000, 1),
}
SOLVERS: dict[str, tuple[Callable[[ExactAuction, int], Strategy], tuple[int, ...], int]] = {  # iterations, auctions
    "fictitious play": (solve, (10, 100, 1000), len(SETTINGS)),
    "CFR+": (solve_by_cfr, (10, 100, 1000), 1),
}
NAIVE = ("half", "truthful")  #  bots
FORMS = ("sampled", "greedy")
GRID = {"preset": "coarse"}
SIZES = [100_000, 1_000_000, 10_000_000]


def main(
    decisions: Annotated[list[int], typer.Option(min=1, help="Of a training; several sizes: give it again.")] = SIZES,
    seeds: Annotated[int, typer.Option(min=1, help="Trainings of each size.")] = 5,
    settings: Annotated[int, typer.Option(min=1, max=len(SETTINGS), help="How many of the auctions.")] = len(SETTINGS),
    data: lab.DataFile = lab.RESULTS / "equilibrium.json",
    figure: lab.FigurePath = lab.PAGES / "equilibrium",
    runs: lab.Runs = lab.RUNS,
) -> None:
    """Solve, train, measure, draw."""
    names = list(SETTINGS)[:settings]
    solved = [
        {"learner": solver, "auction": name, "decisions": size, "seed": 1}
        for solver, (_, sizes, most) in SOLVERS.items()
        for size, name in product(sizes, names[:most])
    ]
    solved += [{"learner": naive, "auction": name, "decisions": 0, "seed": 1} for naive, name in product(NAIVE, names)]
    trained = [
        {"learner": learner, "auction": name, "decisions": size, "seed": seed}
        for size, (learner, (*_, longest, most)) in product(decisions, LEARNERS.items())
        if size <= longest
        for name, seed in product(names[:most], range(1, seeds + 1))
    ]
    draw(lab.measured(data, {"grid": GRID}, solved + trained, partial(measure, runs)), figure)


def measure(runs: Path, learner: str, auction: str, decisions: int, seed: int) -> dict[str, Any]:
    """What a learner or solver loses in one auction, and its mean bid for each signal, with those of the equilibrium.

    The `decisions` of a solver are its iterations; a naive bidder learns from none.
    """
    exact = ExactAuction(make_game("auctions_v0", **GRID, **SETTINGS[auction]))
    rivals = equilibrium(exact)
    begun = time.process_time()
    if learner in SOLVERS:
        learned = {"sampled": SOLVERS[learner][0](exact, decisions)}
    elif learner in NAIVE:
        learned = {"sampled": strategy_of(exact, learner, make_agent(learner, exact.game))}
    else:
        learned = trained_strategies(exact, learner, SETTINGS[auction], decisions, seed, runs)
    result: dict[str, Any] = {"processor_seconds": round(time.process_time() - begun, 1)}
    result |= {"equilibrium": bids(exact, rivals), "equilibrium_loss": exact.utility_loss(rivals).relative}
    value = exact.utility_loss(rivals).value
    for form, strategy in learned.items():
        result[form] = {
            "loss": exact.utility_loss(strategy).relative,
            "against_equilibrium": 1 - exact.against(strategy, rivals) / value,
            "bids": bids(exact, strategy),
        }
    return result


def trained_strategies(
    exact: ExactAuction, learner: str, auction: dict[str, Any], decisions: int, seed: int, runs: Path
) -> dict[str, Strategy]:
    """The sampled and the greedy strategy after a training."""
    config, changes, *_ = LEARNERS[learner]
    options = ", ".join(f"{name}: {value}" for name, value in {**GRID, **auction}.items())
    own = [change.format(players=exact.game.num_players) for change in changes]
    with lab.trained(config, [f"options={{{options}}}", *own, f"decisions={decisions}", f"seed={seed}"], runs) as run:
        checkpoint = str(run.checkpoint)
    agents = {form: make_agent(f"{checkpoint}:{form}", exact.game) for form in FORMS}
    return {form: strategy_of(exact, checkpoint, agent) for form, agent in agents.items()}


def equilibrium(exact: ExactAuction) -> Strategy:
    """The closed form on the grid, else what iterated best response finds: that of the two which loses less."""
    found = [solve(exact)]
    if "equilibrium" in exact.game.bots:
        found.append(exact.pure(exact.game.rules["equilibrium"][0, 0, 0]))
    return min(found, key=lambda strategy: exact.utility_loss(strategy).relative)


def bids(exact: ExactAuction, strategy: Strategy) -> list[float]:
    """The mean bid in units for each signal."""
    steps = np.maximum(np.arange(strategy.shape[1]) - 1, 0) * exact.game.options["bid_step"]
    return [round(float(bid), 3) for bid in strategy @ steps]


def draw(data: dict[str, Any], path: Path) -> None:
    """Mean bids over signals of self-play after its longest trainings, each seed, with the equilibrium."""
    names = list(dict.fromkeys(cell["auction"] for cell in data["cells"]))
    columns = min(3, len(names))
    figure = Figure(figsize=(4 * columns, 3.4 * -(-len(names) // columns)), layout="constrained")
    panels = np.atleast_1d(figure.subplots(-(-len(names) // columns), columns)).ravel()
    for axes, name in zip(panels, names, strict=False):
        cells = [cell for cell in data["cells"] if (cell["learner"], cell["auction"]) == (SELF_PLAY, name)]
        largest = max(cell["decisions"] for cell in cells)
        cells = [cell for cell in cells if cell["decisions"] == largest]
        axes.plot(cells[0]["equilibrium"], color="black", linestyle="--", label="equilibrium")
        for cell in cells:
            style = {"color": lab.COLOURS[cell["seed"] - 1], "marker": lab.MARKERS[cell["seed"] - 1]}
            axes.plot(cell["sampled"]["bids"], label=f"seed {cell['seed']}", markersize=4, linewidth=1, **style)
        lab.plain_axes(axes, f"{name}\n{largest:,} decisions", xlabel="value or signal", ylabel="mean bid")
    for axes in panels[len(names) :]:
        axes.set_visible(False)
    panels[0].legend(fontsize=8)
    lab.save(figure, path)


if __name__ == "__main__":
    typer.run(main)
