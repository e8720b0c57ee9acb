"""Does it matter that one pays the neighbour? Run: `python -m experiments.payment`.

The same agent is trained anew for each value of the option `payment_to`, and plays against copies of itself.
docs/experiments/payment.md has the result.
"""

from functools import partial
from itertools import product
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer
from matplotlib.figure import Figure

from experiments import lab
from w51_agents.agent import Agent
from w51_agents.registry import make_agent
from w51_env.engine.game import Game
from w51_env.warehouse51.payment import PAYMENTS
from w51_lab.behaviour.contract import Tables

PLAYERS = 4
SIDES = ("left", "opposite", "right")  #  seats clockwise from a weak player


def main(
    decisions: lab.Decisions = 3_000_000,
    seeds: Annotated[int, typer.Option(min=1, help="Trainings of each option.")] = 3,
    games: lab.Games = 4000,
    data: lab.DataFile = lab.RESULTS / "payment.json",
    figure: lab.FigurePath = lab.PAGES / "payment",
    runs: lab.Runs = lab.RUNS,
) -> None:
    """Train, measure, draw."""
    cells = ({"payment_to": payment, "seed": seed} for seed, payment in product(range(1, seeds + 1), PAYMENTS))
    settings = {"decisions": decisions, "games": games}
    draw(lab.measured(data, settings, cells, partial(measure, decisions, games, runs)), figure)


def measure(decisions: int, games: int, runs: Path, payment_to: str, seed: int) -> dict[str, Any]:
    """Train an agent and play it against copies, with a random player, and against the heuristic."""
    changes = [f"options.payment_to={payment_to}", f"decisions={decisions}", f"seed={seed}"]
    with lab.trained("selfplay_quick", changes, runs) as run:
        game, agent = run.game, make_agent(str(run.folder), run.game)
        seconds = run.seconds
    _, tables = lab.recorded(game, [agent], np.zeros((games, PLAYERS), int), 1000 + seed)
    strength = lab.wins_alone(game, agent, make_agent("heuristic", game), games // PLAYERS, seed)
    return {
        **behaviour_of(tables, game),
        "wins_beside_a_random_player": wins_beside(game, agent, games, seed),
        "win_rate_against_heuristic": float(strength.mean()),
        "training_seconds": round(seconds, 1),
    }


def behaviour_of(tables: Tables, game: Game) -> dict[str, Any]:
    """Prices, length, and inequality of ingots and scores, as means over games."""
    lots, money, seats = tables["lots"], tables["money"], tables["seats"]
    sold = lots["seat"] >= 0
    ingots = money["money"].reshape(-1, PLAYERS).astype(float)
    scores = seats["score"].reshape(-1, PLAYERS).astype(float)
    lot = money["lot"].reshape(-1, PLAYERS)[:, 0]
    return {
        "price": float(lots["price"][sold].mean()),
        "unsold": float(1 - sold.mean()),
        "bids": float(lots["bids"].mean()),
        "decisions_per_game": float(seats["decisions"].mean()),
        "ingots_in_hand": [float(ingots[lot == number].mean()) for number in range(lot.max())],
        "gini_of_ingots": float(gini(ingots[(lot > 0) & (ingots.sum(axis=1) > 0)]).mean()),
        "spread_of_scores": float(scores.std(axis=1).mean()),
        "mean_score": float(scores.mean()),
    }


def gini(values: np.ndarray) -> np.ndarray:
    """(N,) Gini coefficients of (N, seats) amounts: 0 if all have the same, at most 1 - 1 / seats."""
    seats = values.shape[1]
    differences = np.abs(values[:, :, None] - values[:, None, :]).sum(axis=(1, 2))
    return np.asarray(differences / (2 * seats * values.sum(axis=1)))


def wins_beside(game: Game, agent: Agent, games: int, seed: int) -> list[float]:
    """Win rates of three copies of an agent by their place clockwise from a random player: left, opposite, right."""
    place = np.arange(games) % PLAYERS
    seated = (np.arange(PLAYERS) == place[:, None]).astype(int)
    _, tables = lab.recorded(game, [agent, make_agent("random", game)], seated, 2000 + seed)
    wins = tables["seats"]["wins"].reshape(-1, PLAYERS)
    return [float(wins[np.arange(games), (place + side) % PLAYERS].mean()) for side in (1, 2, 3)]


PANELS = {
    "price": "Price of a lot, ingots",
    "gini_of_ingots": "Inequality of ingots, Gini",
    "spread_of_scores": "Spread of the scores of a game, points",
    "decisions_per_game": "Decisions in a game",
    "win_rate_against_heuristic": "Win rate against three heuristics",
}


def draw(results: dict[str, Any], path: Path) -> None:
    """A panel for each measure, a point for each training; who wins beside a random player in the last one."""
    figure = Figure(figsize=(11, 6), layout="constrained")
    panels = figure.subplots(2, 3).ravel()
    rows = {payment: [cell for cell in results["cells"] if cell["payment_to"] == payment] for payment in PAYMENTS}
    for axes, (key, title) in zip(panels, PANELS.items(), strict=False):
        for number, row in enumerate(rows.values()):
            values = [cell[key] for cell in row]
            axes.plot([number] * len(row), values, lab.MARKERS[number], color=lab.COLOURS[number], alpha=0.6)
            axes.plot([number - 0.25, number + 0.25], [np.mean(values)] * 2, color=lab.COLOURS[number], linewidth=2)
        lab.plain_axes(axes, title, xticks=range(len(rows)), xticklabels=rows, xlim=(-0.5, len(rows) - 0.5))
    for number, (payment, row) in enumerate(rows.items()):
        wins = np.array([cell["wins_beside_a_random_player"] for cell in row])
        at = np.arange(len(SIDES)) + 0.15 * (number - 1.5)
        style: dict[str, Any] = {"color": lab.COLOURS[number], "marker": lab.MARKERS[number], "linestyle": "none"}
        panels[-1].plot(at, wins.mean(axis=0), label=payment, **style)
        panels[-1].vlines(at, wins.min(axis=0), wins.max(axis=0), color=lab.COLOURS[number], linewidth=1)
    lab.plain_axes(panels[-1], "Wins by place, seen from a random player", xticks=range(len(SIDES)), xticklabels=SIDES)
    panels[-1].axhline(1 / 3, color="grey", linewidth=1, linestyle="--")
    panels[-1].legend(fontsize=8, title="price to", title_fontsize=8)
    lab.save(figure, path)


if __name__ == "__main__":
    typer.run(main)
