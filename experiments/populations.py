"""Does memory help against a mixture of players? Run: `python -m experiments.populations`.

Networks learn one seat against several populations at once: plain, plain with table statistics in the observation, a
GRU, attention over events. All also learn to tell who plays the other seats (`kinds_weight`). How soon each knows that
is measured, and how often it wins alone among each population and one that it never met.
"""

from collections.abc import Sequence
from functools import partial
from itertools import product
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import torch
import typer
from matplotlib.figure import Figure

from experiments import lab
from experiments.analysis import PLAYERS
from experiments.analysis import TOLD_AT as AT
from experiments.from_nothing import rate
from w51_agents.named.registry import make_agent
from w51_agents.training.objective import share_told
from w51_agents.training.rollout import Minibatch
from w51_env import make_game

GAME = "warehouse51_v1"
CONFIG = "selfplay_quick"
ARMS = {
    "plain": [],
    "table statistics": ["options.table_statistics=true"],
    "GRU": ["selfplay.network=recurrent"],
    "attention": ["selfplay.network=history"],
}
POPULATIONS, HELD_OUT = ("heuristic", "pretrained-v2", "pretrained-v1", "exploiter"), ("search:playouts=10",)
SHARED = ["selfplay.kinds_weight=0.5", "selfplay.hidden_sizes=[128]", "evaluation.games=12", "evaluation.minutes=1e9"]

Names = Annotated[list[str], typer.Option(help="Agents; can be repeated.")]


def main(
    decisions: lab.Decisions = 1_000_000,
    seeds: Annotated[int, typer.Option(min=1, help="Trainings of each network.")] = 3,
    deals: Annotated[int, typer.Option(min=2, help="Deals of each match, each played from every seat.")] = 150,
    held_out_deals: Annotated[int, typer.Option(min=2, help="As --deals, against agents that are held out.")] = 10,
    rollouts: Annotated[int, typer.Option(min=2, help="Of 64 steps, in which telling is measured.")] = 20,
    population: Names = list(POPULATIONS),  # noqa: B006 - as typer reads it
    held_out: Names = list(HELD_OUT),  # noqa: B006
    runs: lab.Runs = lab.RUNS,
    data: lab.DataFile = lab.RESULTS / "populations.json",
    figure: lab.FigurePath = lab.PAGES / "populations",
) -> None:
    """Train, play, draw."""
    settings = {
        "decisions": decisions, "deals": deals, "held_out_deals": held_out_deals, "rollouts": rollouts,
        "population": population, "held_out": held_out,
    }  # fmt: skip
    cells = ({"arm": arm, "seed": seed} for seed, arm in product(range(1, seeds + 1), ARMS))
    draw(lab.measured(data, settings, cells, partial(measure, settings, runs)), figure)


def measure(settings: dict[str, Any], runs: Path, arm: str, seed: int) -> dict[str, Any]:
    """Win rates of one network alone among each population, with half their intervals, and what it tells when."""
    changes = [games_against(settings["population"]), *SHARED, *ARMS[arm], f"seed={seed}"]
    run = lab.trained(CONFIG, [*changes, f"decisions={settings['decisions']}"], runs)
    telling = told(run.trainer, settings["rollouts"])
    run.close()
    game = make_game(GAME, **run.config.options)
    learner = make_agent(f"{run.checkpoint}:sampled", game)
    deals = dict.fromkeys(settings["population"], settings["deals"])
    deals |= dict.fromkeys(settings["held_out"], settings["held_out_deals"])
    wins = {name: rate(game, [(learner, make_agent(name, game))], number) for name, number in deals.items()}
    return {"wins": wins, "told": telling}


def games_against(population: Sequence[str]) -> str:
    """The setting of the games: as many of the network with copies of itself as against each population."""
    size = 256 // (1 + len(population))
    kinds = [f"{{num_players: {PLAYERS}, num_envs: {size}, opponents: '{name}'}}" for name in ("self", *population)]
    return f"selfplay.games=[{', '.join(kinds)}]"


@torch.no_grad()
def told(trainer: Any, rollouts: int) -> list[list[float]]:
    """The share of other seats whose kind the network tells, by its own decisions before in a game, as of `AT`.

    Of games that begin in these rollouts, in which nothing is learned.

    Returns:
        For each number of `AT`: the mean share, and the number of decisions.
    """
    model, rollout = trainer.model, trainer.experience.rollout
    num_steps, num_envs = rollout.seats.shape
    before = np.full((num_envs, rollout.rewards.shape[2]), -1)  # own decisions; -1: the game began earlier
    sums, counts = np.zeros(len(AT)), np.zeros(len(AT), int)
    zeros, games = torch.zeros(rollout.seats.size, device=model.device), np.arange(num_envs)
    for _ in range(rollouts):
        trainer.collect()
        kinds = trainer.extra_rows(1.0)["kinds"]
        parts = []
        for rows in model.learning.split(torch.arange(len(kinds), device=model.device), 8192):
            features = model.outputs(Minibatch.of(rollout, zeros, zeros, {}).select(rows)).features
            parts.append((rows, share_told(model.styles(features), kinds[rows])))
        shares = np.empty(len(kinds), np.float32)
        for rows, share in parts:
            shares[rows.cpu().numpy()] = share.cpu().numpy()
        for step, of_games in enumerate(shares.reshape(num_steps, num_envs)):
            own = before[games, rollout.seats[step]]
            counted = (own >= 0) & rollout.is_learner[step]
            bins = np.searchsorted(AT, own[counted], side="right") - 1
            np.add.at(sums, bins, of_games[counted])
            np.add.at(counts, bins, 1)
            before[games, rollout.seats[step]] += own >= 0
            before[rollout.dones[step]] = 0
    return [[float(total / max(count, 1)), int(count)] for total, count in zip(sums, counts, strict=True)]


def draw(data: dict[str, Any], path: Path) -> None:
    """What the networks tell and win; a line for each network and seed, a point for each match."""
    figure = Figure(figsize=(9, 3.8), layout="constrained")
    telling, winning = figure.subplots(1, 2, width_ratios=(2, 3))
    names = list(data["cells"][0]["wins"])
    for number, arm in enumerate(ARMS):
        style: dict[str, Any] = {"color": lab.COLOURS[number], "marker": lab.MARKERS[number], "markersize": 4}
        cells = [cell for cell in data["cells"] if cell["arm"] == arm]
        for index, cell in enumerate(cells):
            label = arm if index == 0 else None
            telling.plot(range(len(AT)), [100 * share for share, _ in cell["told"]], label=label, linewidth=1, **style)
            at = np.arange(len(names)) + 0.2 * (number - (len(ARMS) - 1) / 2) + 0.05 * (index - (len(cells) - 1) / 2)
            wins = 100 * np.array([cell["wins"][name] for name in names])
            winning.errorbar(at, wins[:, 0], wins[:, 1], linestyle="none", linewidth=1, **style)
    lab.plain_axes(telling, "Other seats whose kind is told, %", xticks=range(len(AT)))
    telling.set_xticklabels([f"{one}+" for one in AT], fontsize=9)
    telling.set_xlabel("own decisions before")
    telling.legend(fontsize=8)
    winning.axhline(100 / PLAYERS, color="grey", linewidth=1, linestyle="--")
    lab.plain_axes(winning, "Wins of one among three, %", ylim=(0, None), xticks=range(len(names)))
    winning.set_xticklabels([name.replace(":", ":\n") for name in names], fontsize=9)
    lab.save(figure, path)


if __name__ == "__main__":
    typer.run(main)
