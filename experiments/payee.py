"""Where the price goes: who is paid in auctions of several players who share secrets. `python -m experiments.payee`.

One lot and the mini game `nano` are solved, and networks are trained for each payee and play under each. What is
measured, and the one question of the page, stand in experiments/payee.yaml since before the first training.
docs/experiments/payee.md has the result.
"""

from functools import partial
from itertools import product
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer
import yaml

from experiments import lab
from experiments.auctions import outcome
from experiments.payee_exact import OneLot, nano, shares
from experiments.payee_figure import HEURISTIC, TRAINED, draw
from w51_agents.agent.interface import Agent, BatchAgent, Infos
from w51_agents.named.registry import make_agent
from w51_agents.training.run import Run
from w51_env import make_game
from w51_env.engine.game import Game
from w51_env.engine.victory import wins_of

PLAN: dict[str, Any] = yaml.safe_load(Path(__file__).with_suffix(".yaml").read_text("utf-8"))
PLAYERS = 4
PLACES = ("left", "opposite", "right")  #  of the weak player
FRACTIONS = [number / 10 for number in range(11)]
STARTS, LOT_ITERATIONS = 3, 1500


def main(
    seeds: Annotated[int, typer.Option(min=1, help="Trainings for each payee.")] = PLAN["seeds"],
    decisions: lab.Decisions = PLAN["training"]["decisions"],
    games: lab.Games = PLAN["games"],
    iterations: Annotated[int, typer.Option(min=1, help="Of CFR+ in nano.")] = 50,
    data: lab.DataFile = lab.RESULTS / "payee.json",
    figure: lab.FigurePath = lab.PAGES / "payee",
    runs: lab.Runs = lab.RUNS,
) -> None:
    """Solve, train, play, draw."""
    lots = [("others", fraction) for fraction in FRACTIONS] + [("left", 1.0), ("right", 1.0)]
    cells: list[lab.Cell] = [
        {"lot": payment, "refund": fraction, "ahead": ahead} for ahead in (False, True) for payment, fraction in lots
    ]
    cells += [{"agent": HEURISTIC, "payee": payee, "seed": 0} for payee in PLAN["payees"]]
    pairs = product(PLAN["payees"], range(1, seeds + 1))
    cells += [{"agent": TRAINED, "payee": payee, "seed": seed} for payee, seed in pairs]
    cells += [{"nano": payee} for payee in PLAN["payees"]]
    settings = {"decisions": decisions, "games": games, "iterations": iterations}
    draw(lab.measured(data, settings, cells, partial(measure, settings, runs)), figure)


def measure(settings: dict[str, int], runs: Path, **cell: Any) -> dict[str, Any]:
    """One lot, the mini game, or an agent that plays."""
    if "lot" in cell:
        return {"starts": [solved_lot(cell["lot"], cell["refund"], cell["ahead"], start) for start in range(STARTS)]}
    options = PLAN["payees"][cell["nano" if "nano" in cell else "payee"]]
    if "nano" in cell:
        return {"starts": nano(options, settings["iterations"], STARTS - 1)}
    game = make_game("warehouse51_v1", num_players=PLAYERS, **options)
    if cell["agent"] == HEURISTIC:
        return played(make_agent(HEURISTIC, game), game, settings["games"])
    rule = ", ".join(f"{name}: {value}" for name, value in options.items())
    with trained(rule, settings["decisions"], cell["seed"], runs) as run:
        agent, seconds = make_agent(str(run.folder), game), run.seconds
    return {**played(agent, game, settings["games"]), "training_seconds": round(seconds, 1)}


def trained(rule: str, decisions: int, seed: int, runs: Path) -> Run:
    """A training for one payee."""
    changes = [f"options={{num_players: {PLAYERS}, reward: margin, {rule}}}", *PLAN["training"]["changes"]]
    return lab.trained(PLAN["training"]["config"], [*changes, f"decisions={decisions}", f"seed={seed}"], runs)


def solved_lot(payment: str, refund: float, is_relative: bool, start: int) -> dict[str, float]:
    """What CFR+ finds for one lot from one start."""
    lot = OneLot(shares(payment, refund), is_relative)
    lot.solve(LOT_ITERATIONS, start or None)
    return lot.outcome()


def played(agent: Agent, game: Game, games: int) -> dict[str, Any]:
    """An agent alone among heuristics, among its copies by the rule played, and by place beside weak players.

    The agent was made for `game`, and believes that its rule holds in the others.
    """
    strength = lab.wins_alone(game, agent, make_agent(HEURISTIC, game), games // PLAYERS, PLAN["deals"] + 1)
    under = {}
    for payee in PLAN["payees"]:
        other = make_game("warehouse51_v1", num_players=PLAYERS, **PLAN["payees"][payee])
        under[payee] = outcome(lab.recorded(other, [agent], np.zeros((games, PLAYERS), int), PLAN["deals"])[1])
    return {
        "wins_alone": float(strength.mean()),
        "under": under,
        "beside": {str(slips): beside(agent, Slipping(game, slips), game, games) for slips in PLAN["weak"]},
    }


def beside(agent: Agent, weak: Agent, game: Game, games: int) -> list[float]:
    """Wins of three copies of an agent by their places beside a weak player; then the wins of that player."""
    seated = np.zeros((games, PLAYERS), int)
    at = np.arange(games) % PLAYERS
    seated[np.arange(games), at] = 1
    batch, _ = lab.recorded(game, [agent, weak], seated, PLAN["deals"] + 2)
    wins = wins_of(batch.final_ranks)
    return [float(wins[np.arange(games), (at + step) % PLAYERS].mean()) for step in (1, 2, 3, 0)]


class Slipping(BatchAgent):
    """The heuristic, but for a random legal action with some probability.

    Args:
        game: The game.
        slips: The probability.
    """

    def __init__(self, game: Game, slips: float):
        self._agent, self._slips = make_agent(HEURISTIC, game), slips
        self.reset(0)

    def reset(self, seed: int) -> None:
        """Start the draws again."""
        self._random = np.random.default_rng(seed)
        self._agent.reset(seed)

    def act_batch(self, observations: np.ndarray, action_masks: np.ndarray, infos: Infos = None) -> np.ndarray:
        """The actions of the heuristic, some of them replaced."""
        actions = np.asarray(self._agent.act_batch(observations, action_masks, infos))
        drawn = (self._random.random(action_masks.shape) * (action_masks > 0)).argmax(1)
        return np.where(self._random.random(len(actions)) < self._slips, drawn, actions)


if __name__ == "__main__":
    typer.run(main)
