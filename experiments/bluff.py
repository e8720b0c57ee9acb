"""Who bids up known counterfeits, against whom, and what does it bring? Run: `python -m experiments.bluff`.

An agent plays beside three others, and its bids for counterfeits that it knew are counted. Then it plays as it is and,
on the same deals, without any such bid. docs/experiments/bluff.md has the result.
"""

from functools import partial
from itertools import product
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer
from matplotlib.figure import Figure

from experiments import lab
from experiments.analysis import mean_interval
from w51_agents.agent import Agent, Infos
from w51_agents.registry import make_agent
from w51_env import make_game
from w51_env.engine.game import Game
from w51_lab.behaviour.contract import Tables

PLAYERS = 4


def main(
    games: Annotated[int, typer.Option(min=4, help="Games of each pair, in which bids are counted.")] = 1000,
    deals: Annotated[int, typer.Option(min=2, help="Deals of each pair, played with bluffs and without.")] = 500,
    seed: lab.Seed = 1,
    data: lab.DataFile = lab.RESULTS / "bluff.json",
    figure: lab.FigurePath = lab.PAGES / "bluff",
) -> None:
    """Play, measure, draw."""
    settings = {"games": games, "deals": deals, "seed": seed}
    cells = ({"agent": agent, "others": others} for agent, others in product(lab.AGENTS, lab.AGENTS))
    draw(lab.measured(data, settings, cells, partial(measure, games, deals, seed)), figure)


def measure(games: int, deals: int, seed: int, agent: str, others: str) -> dict[str, Any]:
    """How often an agent bids for counterfeits that it knows, beside three others, and what that brings."""
    game = make_game("warehouse51_v1", num_players=PLAYERS)
    player, rivals = (make_agent(name, game) for name in (agent, others))
    seated = (np.arange(PLAYERS) != np.arange(games)[:, None] % PLAYERS).astype(int)
    _, tables = lab.recorded(game, [player, rivals], seated, seed)
    bluffing, honest = (lab.wins_alone(game, one, rivals, deals, seed) for one in (player, Honest(player, game)))
    return {
        "rates": rates(tables),
        "wins": float(bluffing.mean() * PLAYERS),
        "gain": mean_interval((bluffing - honest) * PLAYERS),
    }


class Honest(lab.Handicapped):
    """An agent that never bids for a counterfeit that it knows."""

    def __init__(self, agent: Agent, game: Game):
        super().__init__(agent, game)
        self._bids = np.array([entry.name.startswith("bid_") for entry in game.actions])

    def act_batch(self, observations: np.ndarray, action_masks: np.ndarray, infos: Infos = None) -> np.ndarray:
        """The actions of the agent without bids for known counterfeits."""
        layout = self._game.layout
        known = np.any([observations[:, layout[name].slice] > 0 for name in lab.SEEN_COUNTERFEITS], axis=0)
        on_known = np.any((observations[:, layout["lot"].slice] > 0) & known, axis=1)
        masks = action_masks.copy()
        masks[on_known[:, None] & self._bids] = 0
        return self._agent.act_batch(observations, masks, infos)


def rates(tables: Tables) -> dict[str, Any]:
    """Of the agent that is alone, at lots whose counterfeit it knew; fractions of these lots, `bought` of its bids."""
    stakes, lots = tables["stakes"], tables["lots"]
    of_lot = np.arange(len(stakes["seat"])) // PLAYERS  #  `stakes` has the seats of a lot together
    rows = (stakes["agent"] == 0) & stakes["knew"]
    bid = rows & (stakes["bids"] > 0)
    paid = bid & (lots["payee"][of_lot] == stakes["seat"])
    return {
        "lots": int(rows.sum()),
        "bid": float(bid.sum() / rows.sum()),
        "bought": float(stakes["bought"][bid].mean()),
        "paid": float(paid.sum() / bid.sum()),
        "highest": float(stakes["highest"][bid].mean()),
        "price_if_sold_to_another": float(lots["price"][of_lot][bid & ~stakes["bought"]].mean()),
    }


def draw(data: dict[str, Any], path: Path) -> None:
    """How often each agent bids for known counterfeits, and the gain of it, against each kind of others."""
    figure = Figure(figsize=(11, 4), layout="constrained")
    panels = figure.subplots(1, 3)
    for number, agent in enumerate(lab.AGENTS):
        cells = {cell["others"]: cell for cell in data["cells"] if cell["agent"] == agent}
        at = np.arange(len(cells)) + 0.26 * (number - 1)
        for axes, key in zip(panels, ("bid", "bought"), strict=False):
            values = [100 * cell["rates"][key] for cell in cells.values()]
            axes.bar(at, values, 0.24, color=lab.COLOURS[number], label=agent)
        lab.error_bars(panels[2], at, np.array([cell["gain"] for cell in cells.values()]), number, agent)
    titles = ("Bids for a counterfeit it knows, %", "... and has to buy it, % of these", "Gain, of an equal share")
    for axes, title in zip(panels, titles, strict=True):
        lab.plain_axes(axes, title, xticks=range(len(lab.AGENTS)), xticklabels=lab.AGENTS, xlabel="the three others")
    panels[2].axhline(0, color="grey", linewidth=1, linestyle="--")
    figure.legend(*panels[0].get_legend_handles_labels(), fontsize=9, title="bluffer", loc="outside right upper")
    lab.save(figure, path)


if __name__ == "__main__":
    typer.run(main)
