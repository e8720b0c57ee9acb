"""Where the price goes: who is paid in auctions of several players who share secrets. `python -m experiments.payee`.

One lot and the mini game `nano` are solved, and networks are trained for each payee and play under each. What is
measured, and the one question of the page, stand in experiments/payee.yaml since before the first training.
docs/experiments/payee.md has the result.
"""

from functools import partial
from itertools import product
from pathlib import Path
from tempfile import TemporaryDirectory
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
from w51_agents.training.config import load_config
from w51_agents.training.run import Run
from w51_env import make_game
from w51_env.engine.game import Game
from w51_env.engine.victory import wins_of

PLAN: dict[str, Any] = yaml.safe_load(Path(__file__).with_suffix(".yaml").read_text("utf-8"))
PLAYERS = 4
PLACES = ("left", "opposite", "right")  #  of the weak player
FRACTIONS = [number / 10 for number in range(11)]
STARTS, LOT_ITERATIONS = 3, 1500
LONGER = 5  #  times as many decisions have the curves of those who do not beat the heuristic


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
    cells += [{"curve": payee, "seed": 1} for payee in ("left", "right")]
    pairs = product(PLAN["payees"], range(1, seeds + 1))
    cells += [{"agent": TRAINED, "payee": payee, "seed": seed} for payee, seed in pairs]
    cells += [{"nano": payee} for payee in PLAN["payees"]]
    settings = {"decisions": decisions, "games": games, "iterations": iterations}
    draw(lab.measured(data, settings, cells, partial(measure, settings, runs)), figure)


def measure(settings: dict[str, int], runs: Path, **cell: Any) -> dict[str, Any]:
    """One lot, the mini game, or an agent that plays."""
    if "curve" in cell:
        return {"points": curve(cell["curve"], cell["seed"], settings)}
    if "lot" in cell:
        return {"starts": [solved_lot(cell["lot"], cell["refund"], cell["ahead"], start) for start in range(STARTS)]}
    options = PLAN["payees"][cell["nano" if "nano" in cell else "payee"]]
    if "nano" in cell:
        return {"starts": nano(options, settings["iterations"], STARTS - 1)}
    game = make_game("warehouse51_v1", num_players=PLAYERS, **options)
    if cell["agent"] == HEURISTIC:
        return played(make_agent(HEURISTIC, game), game, settings["games"])
    with trained(rule_of(cell["payee"]), settings["decisions"], cell["seed"], runs) as run:
        agent, seconds = make_agent(str(run.folder), game), run.seconds
    return {**played(agent, game, settings["games"]), "training_seconds": round(seconds, 1)}


def trained(rule: str, decisions: int, seed: int, runs: Path) -> Run:
    """A training for one payee."""
    return lab.trained(PLAN["training"]["config"], changes_for(rule, decisions, seed), runs)


def changes_for(rule: str, decisions: int, seed: int) -> list[str]:
    """The changes of the config of a training."""
    options = f"options={{num_players: {PLAYERS}, reward: margin, {rule}}}"
    return [options, *PLAN["training"]["changes"], f"decisions={decisions}", f"seed={seed}"]


def curve(payee: str, seed: int, settings: dict[str, int]) -> list[dict[str, float]]:
    """Wins alone among heuristics in a training that goes on for LONGER times as many decisions."""
    decisions, points = LONGER * settings["decisions"], []
    game = make_game("warehouse51_v1", num_players=PLAYERS, **PLAN["payees"][payee])
    with TemporaryDirectory() as folder:
        changes = [*changes_for(rule_of(payee), decisions, seed), f"runs={folder}", "name=run"]
        config = load_config(lab.CONFIGS / f"{PLAN['training']['config']}.yaml", changes)
        for done, path in lab.checkpoints(config, [decisions * part // LONGER for part in range(1, LONGER + 1)]):
            wins = wins_alone(make_agent(str(path), game), game, settings["games"])
            points.append({"decisions": done, "wins_alone": wins})
    return points


def rule_of(payee: str) -> str:
    """The options of a payee as in a config."""
    return ", ".join(f"{name}: {value}" for name, value in PLAN["payees"][payee].items())


def wins_alone(agent: Agent, game: Game, games: int) -> float:
    """Wins of an agent alone among heuristics."""
    rivals = make_agent(HEURISTIC, game)
    return float(lab.wins_alone(game, agent, rivals, games // PLAYERS, PLAN["deals"] + 1).mean())


def solved_lot(payment: str, refund: float, is_relative: bool, start: int) -> dict[str, float]:
    """What CFR+ finds for one lot from one start."""
    lot = OneLot(shares(payment, refund), is_relative)
    lot.solve(LOT_ITERATIONS, start or None)
    return lot.outcome()


def played(agent: Agent, game: Game, games: int) -> dict[str, Any]:
    """An agent alone among heuristics, among its copies by the rule played, and by place beside weak players.

    The agent was made for `game`, and believes that its rule holds in the others.
    """
    under = {}
    for payee in PLAN["payees"]:
        other = make_game("warehouse51_v1", num_players=PLAYERS, **PLAN["payees"][payee])
        under[payee] = outcome(lab.recorded(other, [agent], np.zeros((games, PLAYERS), int), PLAN["deals"])[1])
    return {
        "wins_alone": wins_alone(agent, game, games),
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
