"""How far do agents carry over to other cards, players, presets? Run: `python -m experiments.generalisation`.

One agent plays against heuristics with card sets that it met in training and with others, with 3, 4 and 5 players, and
by each rulebook. docs/experiments/generalisation.md has the result.
"""

from functools import partial
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer
from matplotlib.figure import Figure

from experiments import lab
from w51_agents.agent.interface import AgentError
from w51_agents.named.registry import make_agent
from w51_env import make_game
from w51_lab.statistics.estimates import over_seeds

OURS = "reconstruction-1"
TRAINED = ("generated:1", "generated:2", "generated:3", "generated:4")  #  `pretrained-v2` met them in training
NEW = ("generated:1001", "generated:1002", "generated:1003", "generated:1004")
NETWORKS = ("pretrained-v1", "pretrained-v2")
PRESETS = ("fr", "de", "hu")
GROUPS: dict[str, dict[str, dict[str, Any]]] = {  # title: a name and the options of each game
    "Cards (4 players)": {
        "built-in": {"relics": OURS},
        **{f"met {number}": {"relics": cards} for number, cards in enumerate(TRAINED, 1)},
        **{f"new {number}": {"relics": cards} for number, cards in enumerate(NEW, 1)},
    },
    "Players": {
        **{f"{players}, built-in": {"num_players": players, "relics": OURS} for players in (3, 4, 5)},
        **{f"{players}, new {number}": {"num_players": players, "relics": NEW[number - 1]}
           for players in (3, 5) for number in (1, 2)},
    },
    "Presets": {preset: {"preset": preset} for preset in ("default", *PRESETS)},
}  # fmt: skip


def main(
    deals: Annotated[int, typer.Option(min=2, help="Deals of each game, each played from every seat.")] = 500,
    seed: lab.Seed = 1,
    data: lab.DataFile = lab.RESULTS / "generalisation.json",
    figure: lab.FigurePath = lab.PAGES / "generalisation",
) -> None:
    """Play, draw."""
    games: list[dict[str, Any]] = []  #  the same game may be in several groups
    for options in (options for group in GROUPS.values() for options in group.values()):
        games += [complete(options)] if complete(options) not in games else []
    cells = ({"agent": agent, **options} for options in games for agent in NETWORKS)
    draw(lab.measured(data, {"deals": deals, "seed": seed}, cells, partial(measure, deals, seed)), figure)


def complete(options: dict[str, Any]) -> dict[str, Any]:
    """The options with their defaults."""
    return {"num_players": 4, "relics": OURS, "preset": "default", **options}


def measure(deals: int, seed: int, agent: str, **options: Any) -> dict[str, Any]:
    """Wins of the agent alone among heuristics, of an equal share, with an interval; None if it cannot play."""
    game = make_game("warehouse51_v1", **options)
    try:
        player = make_agent(agent, game)
    except AgentError:
        return {"wins": None}
    wins = lab.wins_alone(game, player, make_agent("heuristic", game), deals, seed) * game.num_players
    return {"wins": over_seeds(wins)}


def draw(data: dict[str, Any], path: Path) -> None:
    """A panel for each group of games: wins of an equal share with intervals, by agent."""
    sizes = [len(group) for group in GROUPS.values()]
    figure = Figure(figsize=(12, 4.2), layout="constrained")
    panels = figure.subplots(1, len(GROUPS), sharey=True, width_ratios=[size + 1 for size in sizes])
    for axes, (title, group) in zip(panels, GROUPS.items(), strict=True):
        for number, agent in enumerate(NETWORKS, 1):
            by_game = [wins_of_cell(data, agent, complete(options)) for options in group.values()]
            at = [index + 0.16 * (number - 1.5) for index, wins in enumerate(by_game) if wins]
            lab.error_bars(
                axes, np.array(at), np.array([wins for wins in by_game if wins]).reshape(-1, 3), number, agent
            )
        lab.plain_axes(axes, title, xticks=range(len(group)))
        axes.set_xticklabels(list(group), rotation=40, ha="right", fontsize=9)
        axes.axhline(1, color="grey", linewidth=1, linestyle="--")
    panels[0].set_ylim(0, 1.05 * max(cell["wins"][2] for cell in data["cells"] if cell["wins"]))
    panels[0].set_ylabel("wins against heuristics, of an equal share")
    panels[0].legend(fontsize=8, loc="lower left")
    lab.save(figure, path)


def wins_of_cell(data: dict[str, Any], agent: str, options: dict[str, Any]) -> list[float] | None:
    """The measured wins of an agent in a game."""
    cell = {"agent": agent, **options}
    return next((row["wins"] for row in data["cells"] if cell.items() <= row.items()), None)


if __name__ == "__main__":
    typer.run(main)
