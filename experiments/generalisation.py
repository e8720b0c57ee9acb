"""How far do agents carry over to other cards, players, presets? Run: `python -m experiments.generalisation`.

One agent plays against heuristics with card sets that it met in training and with others, with 3, 4 and 5 players, and
by each rulebook. For each set `pretrained-v2` goes on with this one alone (expert), and once with those that it met
(generalist). docs/experiments/generalisation.md has the result.
"""

from functools import partial
from itertools import product
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
TRAINED = [f"generated:{seed}" for seed in range(1, 9)]  # `pretrained-v2` met them in training with four players
NEW = [f"generated:{seed}" for seed in range(1001, 1009)]
NETWORKS = ("pretrained-v1", "pretrained-v2")
EXPERT, GENERALIST = "expert", "generalist"  # `pretrained-v2` after as many decisions among heuristics
TRAINING = (
    *("selfplay.start=pretrained-v2", "selfplay.num_steps=32", "selfplay.learning_rate=1.0e-3"),
    *("selfplay.ent_coef=0.006", "selfplay.final_ent_coef=0.002", "evaluation.games=4", "evaluation.minutes=1000"),
)
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
    decisions: lab.Decisions = 600_000,
    data: lab.DataFile = lab.RESULTS / "generalisation.json",
    figure: lab.FigurePath = lab.PAGES / "generalisation",
    runs: lab.Runs = lab.RUNS,
) -> None:
    """Play, train, draw."""
    games: list[dict[str, Any]] = []  #  the same game may be in several groups
    for options in (options for group in GROUPS.values() for options in group.values()):
        games += [complete(options)] if complete(options) not in games else []
    cells = [{"agent": agent, **options} for options in games for agent in NETWORKS]
    cells += [
        {"agent": agent, "decisions": decisions, **complete({"relics": relics})}
        for relics, agent in product(TRAINED + NEW, (EXPERT, GENERALIST))
    ]
    draw(lab.measured(data, {"deals": deals, "seed": seed}, cells, partial(measure, deals, seed, runs)), figure)


def complete(options: dict[str, Any]) -> dict[str, Any]:
    """The options with their defaults."""
    return {"num_players": 4, "relics": OURS, "preset": "default", **options}


def measure(deals: int, seed: int, runs: Path, agent: str, decisions: int = 0, **options: Any) -> dict[str, Any]:
    """Wins of the agent alone among heuristics, of an equal share, with an interval; None if it cannot play."""
    game = make_game("warehouse51_v1", **options)
    name = learned(agent, options["relics"], decisions, runs) if decisions else agent
    try:
        player = make_agent(name, game)
    except AgentError:
        return {"wins": None}
    wins = lab.wins_alone(game, player, make_agent("heuristic", game), deals, seed) * game.num_players
    return {"wins": over_seeds(wins)}


def learned(agent: str, relics: str, decisions: int, runs: Path) -> str:
    """The expert of a set, or the generalist, which draw their actions as `pretrained-v2` does."""
    sets = ", ".join(f'"{name}"' for name in ([relics] if agent == EXPERT else TRAINED))
    games = f"selfplay.games=[{{num_players: 4, num_envs: 96, opponents: heuristic, vary: {{relics: [{sets}]}}}}]"
    with lab.trained("any_cards", [games, *TRAINING, f"decisions={decisions}"], runs) as run:
        return f"{run.checkpoint}:sampled"


def draw(data: dict[str, Any], path: Path) -> None:
    """A panel for each group of games: wins of an equal share with intervals, by agent."""
    sizes = [len(group) for group in GROUPS.values()]
    figure = Figure(figsize=(14, 4.2), layout="constrained")
    panels = figure.subplots(1, len(GROUPS), sharey=True, width_ratios=[size + 1 for size in sizes])
    for axes, (title, group) in zip(panels, GROUPS.items(), strict=True):
        for number, agent in enumerate((*NETWORKS, GENERALIST, EXPERT), 1):
            by_game = [wins_of_cell(data, agent, complete(options)) for options in group.values()]
            at = [index + 0.16 * (number - 2.5) for index, wins in enumerate(by_game) if wins]
            lab.error_bars(
                axes, np.array(at), np.array([wins for wins in by_game if wins]).reshape(-1, 3), number, agent
            )
        lab.plain_axes(axes, title, xticks=range(len(group)))
        axes.set_xticklabels(list(group), rotation=40, ha="right", fontsize=9)
        axes.axhline(1, color="grey", linewidth=1, linestyle="--")
    panels[0].set_ylim(0, 1.05 * max(cell["wins"][2] for cell in data["cells"] if cell["wins"]))
    panels[0].set_ylabel("wins against heuristics, of an equal share")
    panels[0].legend(fontsize=8, loc="upper right")
    lab.save(figure, path)


def wins_of_cell(data: dict[str, Any], agent: str, options: dict[str, Any]) -> list[float] | None:
    """The measured wins of an agent in a game."""
    cell = {"agent": agent, **options}
    return next((row["wins"] for row in data["cells"] if cell.items() <= row.items()), None)


if __name__ == "__main__":
    typer.run(main)
