"""What is remembering worth in a game that is solved? Run: `python -m experiments.remembering`.

In the mini game `nano` a seat that knows a counterfeit shows it by how it bids. The observation without its memory of
bids (`highest_bid`, `buyer`, `price`) shows a seat the table as it is. Responses to honest play, which never bids for a
counterfeit that it knows, win with a memory and without. Counterfactual regret minimization finds how exploitable the
best play is that forgets, and networks learn by self-play: plain, with the memory in the observation, and with a GRU
instead. Exploitability is exact. docs/experiments/remembering.md has the result.
"""

from functools import partial
from itertools import product
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer
from matplotlib.figure import Figure

from experiments import lab
from w51_agents.exact.cfr import CFRPlus, forgetful
from w51_agents.exact.exploitability import exploitability_of, profile_of
from w51_agents.exact.tree import Policy, Tree, build_tree
from w51_agents.networks.making import agent_of_network, load_network
from w51_env import make_game
from w51_env.engine.game import Game

MEMORY = ("buyer", "price", "highest_bid")  #  slices of the observation
HIDDEN = f"selfplay.hidden_slices=[{', '.join(MEMORY)}]"
CONFIG = "selfplay_quick"
GAME = ["options={preset: nano, reward: win}", "selfplay.games=[{num_players: 3, num_envs: 256}]"]
SETTINGS = ["selfplay.shaping=null", "selfplay.ent_coef=0.2", "selfplay.final_ent_coef=0.02", "evaluation.games=12"]
ARMS = {
    "no memory": [HIDDEN],
    "memory in the observation": [],
    "GRU": [HIDDEN, "selfplay.network=recurrent"],
}
SOLVED = {True: "CFR+, remembers", False: "CFR+, forgets"}


def main(
    decisions: lab.Decisions = 1_000_000,
    seeds: Annotated[int, typer.Option(min=1, help="Trainings of each network.")] = 3,
    iterations: Annotated[int, typer.Option(min=1, help="Of CFR+.")] = 200,
    runs: lab.Runs = lab.RUNS,
    data: lab.DataFile = lab.RESULTS / "remembering.json",
    figure: lab.FigurePath = lab.PAGES / "remembering",
) -> None:
    """Solve, train, measure, draw."""
    tree = build_tree(make_game("warehouse51_v1", preset="nano", reward="win"))
    settings = {"decisions": decisions, "iterations": iterations}
    cells: list[lab.Cell] = [{"answers": "honest"}, *({"solved": remembers} for remembers in SOLVED)]
    cells += [{"arm": arm, "seed": seed} for seed, arm in product(range(1, seeds + 1), ARMS)]
    draw(lab.measured(data, settings, cells, partial(measure, tree, settings, runs)), figure)


def measure(tree: Tree, settings: dict[str, int], runs: Path, **cell: Any) -> dict[str, Any]:
    """The exploitability of honest play, of what CFR+ finds, or of a trained network that draws its actions."""
    if "answers" in cell:
        profile = tree.profile(honest(tree.game))
        trees = {"exploitability": tree, "forgets": forgetful(tree, MEMORY)}
        gains = {
            name: [known.best_response(seat, profile)[0] for seat in range(tree.game.num_players)]
            for name, known in trees.items()
        }
        return {name: float(np.mean(best - tree.values(profile))) for name, best in gains.items()}
    if "solved" in cell:
        known = tree if cell["solved"] else forgetful(tree, MEMORY)
        solver = CFRPlus(known)
        solver.run(settings["iterations"])
        states = sum(known.information_states(seat) for seat in range(tree.game.num_players))
        return {"exploitability": exploitability_of(tree, solver.average()).exploitability, "states": states}
    changes = [*GAME, *SETTINGS, *ARMS[cell["arm"]], f"seed={cell['seed']}", f"decisions={settings['decisions']}"]
    run = lab.trained(CONFIG, changes, runs)
    agent = agent_of_network(tree.game, load_network(tree.game, run.checkpoint), greedy=False)
    run.close()
    return {"exploitability": exploitability_of(tree, profile_of(tree, cell["arm"], agent)).exploitability}


def honest(game: Game) -> Policy:
    """Plays at random, but never bids for a counterfeit that the seat knows, where it may do anything else."""
    bids = np.array([action.name.startswith("bid_") for action in game.actions])

    def policy(observations: np.ndarray, masks: np.ndarray) -> np.ndarray:
        known = np.any([observations[:, game.layout[name].slice] > 0 for name in lab.SEEN_COUNTERFEITS], axis=0)
        on_known = (known & (observations[:, game.layout["lot"].slice] > 0)).any(1)
        allowed = masks & ~(on_known[:, None] & bids)
        allowed = np.where(allowed.any(1, keepdims=True), allowed, masks)
        return allowed / allowed.sum(1, keepdims=True)

    return policy


def draw(data: dict[str, Any], path: Path) -> None:
    """The exploitability of each network, a point for each seed, and of what CFR+ finds as lines."""
    figure = Figure(figsize=(7, 3.4), layout="constrained")
    axes = figure.subplots()
    for cell in (cell for cell in data["cells"] if "solved" in cell):
        style: dict[str, Any] = {"color": lab.COLOURS[6], "linestyle": "-" if cell["solved"] else "--", "linewidth": 1}
        axes.axhline(100 * cell["exploitability"], label=SOLVED[cell["solved"]], **style)
    for number, arm in enumerate(ARMS):
        values = [100 * cell["exploitability"] for cell in data["cells"] if cell.get("arm") == arm]
        at = number + 0.1 * (np.arange(len(values)) - (len(values) - 1) / 2)
        axes.plot(at, values, color=lab.COLOURS[number], marker=lab.MARKERS[number], linestyle="none")
    label = "A best response wins more\nthan its share, %"
    lab.plain_axes(axes, label, ylim=(0, None), xticks=range(len(ARMS)))
    axes.set_xticklabels(list(ARMS), fontsize=9)
    axes.legend(fontsize=8)
    lab.save(figure, path)


if __name__ == "__main__":
    typer.run(main)
