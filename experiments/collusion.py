"""Do learners bid below the equilibrium if an auction is repeated? Run: `python -m experiments.collusion`.

Self-play learns repeated first-price auctions with two bidders, with values drawn anew or kept, and with the bids of
the last round shown or hidden. In small, with two rounds and few bids, CFR+ finds what the repeated game itself leads
to. docs/experiments/collusion.md has the result.
"""

from functools import partial
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer
from matplotlib.figure import Figure

from experiments import lab
from w51_agents.agent.interface import Agent
from w51_agents.exact.cfr import CFRPlus, forgetful
from w51_agents.exact.exploitability import exploitability_of
from w51_agents.exact.tree import build_tree
from w51_agents.named.registry import make_agent
from w51_env import make_game
from w51_env.auctions.state import CENTS
from w51_env.engine.batch import Batch
from w51_env.engine.game import Game

PLAYERS, ROUNDS = 2, 10
LAST_BIDS = ("last", "last_winner")  #  slices of the observation
CONDITIONS = {
    "values anew, bids shown": (False, False),
    "values anew, bids hidden": (False, True),
    "values kept, bids shown": (True, False),
    "values kept, bids hidden": (True, True),
}
SMALL = {"num_players": PLAYERS, "max_value": 4, "max_bid": 4, "bid_step": 1}
SOLVED = {"one round": (1, False), "two rounds, bids shown": (2, False), "two rounds, bids hidden": (2, True)}
DRAWS, ITERATIONS = 8, 100  #  of the lots that decide ties, for each pair of values; of CFR+
SHAPING = "experiments.collusion:RoundPayoffs"


class RoundPayoffs:
    """Potentials for learning: the payoffs of all rounds so far, as the parts of the reward that they will be."""

    def __init__(self, game: Game):
        options = game.options
        self._keeps, self._players = options["keep_values"], game.num_players
        self._scale = CENTS * options["max_value"] * options["num_rounds"]

    def __call__(self, games: np.ndarray) -> np.ndarray:
        """(N, num_players) float64; with kept values the totals have the worth of the lots won at the end only."""
        totals = games["totals"].astype(float)
        if self._keeps:
            totals += CENTS * (games["wins"].astype(float) * games["signals"]) * (games["over"] == 0)[:, None]
        return np.asarray(totals[:, : self._players] / self._scale)


def main(
    decisions: lab.Decisions = 600_000,
    seeds: Annotated[int, typer.Option(min=1, help="Trainings of each condition.")] = 3,
    games: lab.Games = 2000,
    data: lab.DataFile = lab.RESULTS / "collusion.json",
    figure: lab.FigurePath = lab.PAGES / "collusion",
    runs: lab.Runs = lab.RUNS,
) -> None:
    """Train, play, draw."""
    cells: list[lab.Cell] = [{"condition": name, "seed": seed} for seed in range(1, seeds + 1) for name in CONDITIONS]
    cells += [{"solved": name} for name in SOLVED]
    settings = {"decisions": decisions, "games": games, "rounds": ROUNDS}
    draw(lab.measured(data, settings, cells, partial(measure, decisions, games, runs)), figure)


def measure(decisions: int, games: int, runs: Path, condition: str = "", seed: int = 0, solved: str = "") -> lab.Cell:
    """Prices and payoffs of copies of a learner, and those of the equilibrium of one round on as many deals."""
    if solved:
        return equilibrium(*SOLVED[solved])
    keeps, hides = CONDITIONS[condition]
    options = {"preset": "coarse", "num_players": PLAYERS, "num_rounds": ROUNDS}
    written = ", ".join(f"{name}: {value}" for name, value in {**options, "keep_values": str(keeps).lower()}.items())
    changes = [f"options={{{written}}}", f"decisions={decisions}", f"seed={seed}", f"selfplay.shaping={SHAPING}"]
    changes += [f"selfplay.num_steps={PLAYERS * ROUNDS}", "selfplay.gae_lambda=0.95"]
    changes += [f"selfplay.hidden_slices=[{', '.join(LAST_BIDS)}]"] * hides
    with lab.trained("auctions_quick", changes, runs, (SHAPING,)) as run:
        learned = played(run.game, make_agent(str(run.checkpoint), run.game), games, seed)
    game = make_game("auctions_v0", **options)
    static = played(game, make_agent("equilibrium", game), games, seed)
    most = static["highest"] / PLAYERS  #  payoff of each if the higher value always wins and pays nothing
    gain = (learned["payoff"] - static["payoff"]) / (most - static["payoff"])
    return {"gain": gain, "revenue": learned["price"] / static["price"], "learned": learned, "static": static}


def equilibrium(rounds: int, hides: bool) -> lab.Cell:
    """The price of a round and the payoff of a seat in what CFR+ finds with kept values, and its gap, in units."""
    game = make_game("auctions_v0", num_rounds=rounds, keep_values=True, **SMALL)
    roots = balanced(game)
    tree, prices = build_tree(game, roots), build_tree(game, roots, price_of)
    solver = CFRPlus(forgetful(tree, LAST_BIDS) if hides else tree)
    solver.run(ITERATIONS)
    profile = solver.average()
    exploited = exploitability_of(tree, profile)
    unit = SMALL["max_value"]
    payoff, gap = (float(unit * values.mean()) for values in (exploited.values, exploited.gains))
    return {"price": float(prices.values(profile)[0]), "payoff": payoff, "gap": gap, "nodes": tree.nodes()}


def balanced(game: Game) -> np.ndarray:
    """States in which each pair of values stands equally often, with other lots for ties."""
    pairs = (SMALL["max_value"] + 1) ** PLAYERS
    batch = Batch(game, 4 * DRAWS * pairs, seed=1)
    batch.reset()
    _, pair = np.unique(batch.games["signals"][:, :PLAYERS], axis=0, return_inverse=True)
    return np.concatenate([batch.games[np.flatnonzero(pair == number)[:DRAWS]] for number in range(pairs)])


def price_of(batch: Batch) -> np.ndarray:
    """(N, players) the mean price of a round, in units, in the place of each payoff."""
    states = batch.games
    paid = (states["wins"] * states["signals"].astype(float)).sum(1) - states["totals"].sum(1) / CENTS
    return np.repeat(paid[:, None] / batch.game.options["num_rounds"], PLAYERS, axis=1)


def played(game: Game, agent: Agent, games: int, seed: int) -> dict[str, Any]:
    """Means over the rounds of copies of an agent, in units; `prices` by round."""
    _, tables = lab.recorded(game, [agent], np.zeros((games, PLAYERS), int), 1000 + seed)
    lots, bids = tables["lots"], tables["bids"]
    price = np.where(lots["seat"] >= 0, lots["price"], 0).astype(float)
    worth = (bids["signal"] * bids["won"]).reshape(-1, PLAYERS).sum(axis=1)
    return {
        "price": float(price.mean()),
        "payoff": float((worth - price).mean() / PLAYERS),
        "highest": float(lots["highest"].mean()),
        "prices": [round(float(mean), 3) for mean in price.reshape(games, ROUNDS).mean(axis=0)],
    }


def draw(data: dict[str, Any], path: Path) -> None:
    """Mean prices by round of each training, with those of the equilibrium of one round."""
    figure = Figure(figsize=(11, 3.4), layout="constrained")
    panels, rounds = figure.subplots(1, len(CONDITIONS), sharey=True), np.arange(1, ROUNDS + 1)
    for axes, name in zip(panels, CONDITIONS, strict=True):
        for cell in (cell for cell in data["cells"] if cell.get("condition") == name):
            colour, marker = (names[cell["seed"] - 1] for names in (lab.COLOURS, lab.MARKERS))
            style: dict[str, Any] = {"color": colour, "marker": marker, "markersize": 4, "linewidth": 1}
            axes.plot(rounds, cell["learned"]["prices"], label=f"seed {cell['seed']}", **style)
        static = np.mean([cell["static"]["price"] for cell in data["cells"] if "static" in cell])
        axes.axhline(static, color="black", linestyle="--", linewidth=1, label="equilibrium of one round")
        lab.plain_axes(axes, name, xlabel="round")
    panels[0].set_ylabel("mean price, units")
    panels[0].set_ylim(0)  # of all panels, once all prices are drawn
    panels[0].legend(fontsize=8)
    lab.save(figure, path)


if __name__ == "__main__":
    typer.run(main)
