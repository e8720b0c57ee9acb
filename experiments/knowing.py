"""What is knowing a counterfeit worth? Run: `python -m experiments.knowing`.

Copies of an agent play; prices and worth of what they buy are compared by who had seen the counterfeit card. Then the
knowledge is taken from one seat. docs/experiments/knowing.md has the result.
"""

from functools import partial
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer
from matplotlib.figure import Figure

from experiments import lab
from experiments.analysis import mean_interval
from w51_agents.agent import Infos
from w51_agents.registry import make_agent
from w51_env import make_game
from w51_env.engine.game import Game
from w51_env.warehouse51.relics import load_relic_set
from w51_lab.behaviour.contract import Tables

WHO_KNOWS = ("the buyer", "others only", "nobody")


def main(
    games: Annotated[int, typer.Option(min=4, help="Games of each agent against its copies.")] = 4000,
    deals: Annotated[int, typer.Option(min=2, help="Deals with one seat that knows nothing.")] = 1000,
    seed: lab.Seed = 1,
    data: lab.DataFile = lab.RESULTS / "knowing.json",
    figure: lab.FigurePath = lab.PAGES / "knowing",
) -> None:
    """Play, measure, draw."""
    settings = {"games": games, "deals": deals, "seed": seed}
    cells = ({"players": players, "agent": name} for players in (3, 4, 5) for name in lab.AGENTS)
    draw(lab.measured(data, settings, cells, partial(measure, games, deals, seed)), figure)


def measure(games: int, deals: int, seed: int, players: int, agent: str) -> dict[str, Any]:
    """What copies of an agent pay by who knows, and what one of them wins that knows nothing."""
    game = make_game("warehouse51_v1", num_players=players)
    player = make_agent(agent, game)
    _, tables = lab.recorded(game, [player], np.zeros((games, players), int), seed)
    ignorant = mean_interval(lab.wins_alone(game, Blindfolded(player, game), player, deals, seed) * players)
    return {"by_knowledge": by_knowledge(game, tables), "curse": curse(game, tables), "ignorant": ignorant}


class Blindfolded(lab.Handicapped):
    """An agent that never sees a counterfeit card before all do."""

    def act_batch(self, observations: np.ndarray, action_masks: np.ndarray, infos: Infos = None) -> np.ndarray:
        """The actions of the agent without the knowledge."""
        seen = observations.copy()
        for name in lab.SEEN_COUNTERFEITS:
            seen[:, self._game.layout[name].slice] = 0
        return self._agent.act_batch(seen, action_masks, infos)


def by_knowledge(game: Game, tables: Tables) -> dict[str, Any]:
    """Lots with a counterfeit card by who knows that it lies in a gap, each with means and 95 % intervals by deal."""
    lots = tables["lots"]
    has_card = np.array([relic.counterfeit for relic in load_relic_set(game.options["relics"]).relics])[lots["relic"]]
    sold = lots["seat"] >= 0
    kinds = (lots["counterfeit"] & lots["buyer_knew"], lots["counterfeit"] & ~lots["buyer_knew"], ~lots["counterfeit"])
    results: dict[str, Any] = {}
    for name, kind in zip(WHO_KNOWS, kinds, strict=True):
        rows = has_card & kind & sold
        results[name] = {"lots": int(rows.sum())}
        for column in ("price", "worth"):
            sums = np.bincount(lots["deal"][rows], lots[column][rows])
            counts = np.bincount(lots["deal"][rows])
            results[name][column] = mean_interval(sums[counts > 0] / counts[counts > 0])
    return results


def curse(game: Game, tables: Tables) -> dict[str, float]:
    """How often a relic that may be a counterfeit, as far as a seat knows, is one: of all such, of those it buys."""
    stakes = tables["stakes"]
    may_be = np.array([relic.counterfeit for relic in load_relic_set(game.options["relics"]).relics])[stakes["relic"]]
    open_to_doubt = may_be & ~stakes["knew"]
    bought = open_to_doubt & stakes["bought"]
    return {
        "all": float(stakes["counterfeit"][open_to_doubt].mean()),
        "bought": float(stakes["counterfeit"][bought].mean()),
    }


def draw(data: dict[str, Any], path: Path) -> None:
    """Prices and worth by who knows, the winner's curse, and wins without the knowledge; all by agent and players."""
    figure = Figure(figsize=(11, 7), layout="constrained")
    panels = figure.subplots(2, 2).ravel()
    names = lab.AGENTS
    four = {cell["agent"]: cell for cell in data["cells"] if cell["players"] == 4}
    for axes, column, title in zip(panels, ("price", "worth"), ("Price, ingots", "Worth, points"), strict=False):
        for number, (name, cell) in enumerate(four.items()):
            points = np.array([cell["by_knowledge"][who][column] for who in WHO_KNOWS])
            at = np.arange(len(WHO_KNOWS)) + 0.12 * (number - 1)
            lab.error_bars(axes, at, points, number, name)
        lab.plain_axes(
            axes,
            f"{title} (4 players)",
            ylim=(0, None),
            xticks=range(3),
            xticklabels=[f"known to {who}" for who in WHO_KNOWS],
        )
    for number, name in enumerate(names):
        cells = [cell for cell in data["cells"] if cell["agent"] == name]
        players = [cell["players"] for cell in cells]
        style: dict[str, Any] = {"color": lab.COLOURS[number], "marker": lab.MARKERS[number]}
        panels[2].plot(players, [100 * cell["curse"]["bought"] for cell in cells], label=f"{name}, bought", **style)
        panels[2].plot(players, [100 * cell["curse"]["all"] for cell in cells], ":", label=f"{name}, all", **style)
        points = np.array([cell["ignorant"] for cell in cells])
        lab.error_bars(panels[3], np.array(players) + 0.08 * (number - 1), points, number, name)
    lab.plain_axes(
        panels[2], "Counterfeits among doubtful relics, %", xticks=(3, 4, 5), xlabel="players", ylim=(0, None)
    )
    lab.plain_axes(panels[3], "Wins without the knowledge, of an equal share", xticks=(3, 4, 5), xlabel="players")
    panels[3].axhline(1, color="grey", linewidth=1, linestyle="--")
    for axes in panels:
        axes.legend(fontsize=8)
    lab.save(figure, path)


if __name__ == "__main__":
    typer.run(main)
