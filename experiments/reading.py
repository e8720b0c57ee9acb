"""What does a network need that reads the table? Run: `python -m experiments.reading`.

Networks learn with two teachers, one for games among heuristics and one for all others, and see who plays only by what
the others do. They differ in what they read and in what else they learn. Beside them a gate switches between the two
teachers themselves, by what a network tells of the others. docs/experiments/reading.md has the result.
"""

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
from experiments.from_nothing import rate
from w51_agents.agent.interface import Agent, BatchAgent, Infos
from w51_agents.named.registry import make_agent
from w51_agents.training.model import LearnerModel
from w51_env import make_game
from w51_env.engine.game import Game

GAME, CONFIG = "warehouse51_v1", "selfplay_quick"
HEURISTIC, EXPERTS = "heuristic", ("exploiter", "pretrained-v2")  # experts: among heuristics, and among all others
TOLD, GATE = "kinds told", "gate"
ARMS = {
    "observation": [],
    "no earlier bids": ["selfplay.hidden_slices=[buyer, price, highest_bid]"],
    "table statistics": ["options.table_statistics=true"],
    "attention": ["selfplay.network=history"],
    TOLD: ["selfplay.kinds_weight=0.5"],
    "heuristic's inputs": ["selfplay.base_policy=heuristic", "selfplay.heuristic_features=true"],
}
KINDS = (  # number of games, opponents, teacher
    (48, "self", EXPERTS[1]),
    (80, HEURISTIC, EXPERTS[0]),
    (16, f"{{{HEURISTIC}: 1}}", EXPERTS[1]),
    (64, EXPERTS[1], EXPERTS[1]),
    (32, f"{{{EXPERTS[1]}: 1}}", EXPERTS[1]),
    (16, f"{{'mimic:{HEURISTIC}>{EXPERTS[1]},lots=1-8': 1}}", EXPERTS[1]),
)
GAMES = [
    f"{{num_players: {PLAYERS}, num_envs: {size}, opponents: {opponents}, teacher: {teacher}}}"
    for size, opponents, teacher in KINDS
]
SHARED = [
    f"selfplay.games=[{', '.join(GAMES)}]", "options.reward=win", "selfplay.shaping=null", "selfplay.ent_coef=0.0003",
    "selfplay.final_ent_coef=0", "selfplay.teacher_weight=1", "selfplay.teacher_until=2", "threads=1",
    "evaluation.games=12", "evaluation.minutes=1e9",
]  # fmt: skip
MATCHES = tuple(f"{how} {name}" for name in (HEURISTIC, EXPERTS[1]) for how in ("among", "lone"))


def main(
    decisions: lab.Decisions = 3_000_000,
    seeds: Annotated[int, typer.Option(min=1, help="Trainings of each network.")] = 3,
    deals: Annotated[int, typer.Option(min=2, help="Deals of each match, each played from every seat.")] = 500,
    runs: lab.Runs = lab.RUNS,
    data: lab.DataFile = lab.RESULTS / "reading.json",
    figure: lab.FigurePath = lab.PAGES / "reading",
) -> None:
    """Train, play, draw."""
    settings = {"decisions": decisions, "deals": deals}
    cells = ({"arm": arm, "seed": seed} for seed, arm in product(range(1, seeds + 1), (*ARMS, GATE)))
    draw(lab.measured(data, settings, cells, partial(measure, settings, runs)), figure)


def measure(settings: dict[str, int], runs: Path, arm: str, seed: int) -> dict[str, Any]:
    """Win rates alone among three of each population, and of one of these among three of it, with half their intervals.

    The gate asks the network of its seed that tells kinds.
    """
    changes = [*SHARED, *ARMS[TOLD if arm == GATE else arm], f"seed={seed}", f"decisions={settings['decisions']}"]
    run = lab.trained(CONFIG, changes, runs)
    game = make_game(GAME, **run.config.options)
    trainer: Any = run.trainer
    agent = Gate(game, trainer.model) if arm == GATE else make_agent(f"{run.checkpoint}:greedy", game)
    wins = {}
    for name in (HEURISTIC, EXPERTS[1]):
        other = make_agent(name, game)
        for how, pair in (("among", (agent, other)), ("lone", (other, agent))):
            wins[f"{how} {name}"] = rate(game, [pair], settings["deals"])
    run.close()
    return {"wins": wins}


class Gate(BatchAgent):
    """Plays as the first expert in the first lot and where two other seats or more are likely heuristics, else as the
    second.

    Args:
        game: The game.
        model: A network that tells kinds.
    """

    likely = 0.7

    def __init__(self, game: Game, model: LearnerModel):
        assert model.styles is not None
        self._experts: list[Agent] = [make_agent(name, game) for name in EXPERTS]
        self._network, self._styles = model.network, model.styles
        self._deck = game.layout["deck_left"].slice
        self._most = 0  # relics left in the decks in the first lot

    def reset(self, seed: int) -> None:
        for expert in self._experts:
            expert.reset(seed)

    @torch.no_grad()
    def act_batch(self, observations: np.ndarray, action_masks: np.ndarray, infos: Infos = None) -> np.ndarray:
        """(N,) int64 action ids."""
        torso = self._network.torso
        logits = self._styles(torso(torso.read(torch.from_numpy(np.ascontiguousarray(observations)))))
        is_bot = torch.softmax(logits, 2)[:, :, self._styles.styles.index(HEURISTIC)].double().numpy()
        none = np.prod(1 - is_bot, 1)
        one = sum(is_bot[:, seat] * np.prod(np.delete(1 - is_bot, seat, 1), 1) for seat in range(is_bot.shape[1]))
        left = observations[:, self._deck].sum(1)
        self._most = max(self._most, int(left.max()))
        among_bots = (1 - none - one >= self.likely) | (left == self._most)
        actions = np.empty(len(observations), np.int64)
        for expert, which in zip(self._experts, (among_bots, ~among_bots), strict=True):
            if which.any():
                actions[which] = expert.act_batch(observations[which], action_masks[which])
        return actions


def draw(data: dict[str, Any], path: Path) -> None:
    """Each match of each network, a point for each seed."""
    figure = Figure(figsize=(8, 3.6), layout="constrained")
    axes = figure.subplots()
    for number, arm in enumerate((*ARMS, GATE)):
        cells = [cell for cell in data["cells"] if cell["arm"] == arm]
        for index, cell in enumerate(cells):
            wins = 100 * np.array([cell["wins"][name] for name in MATCHES])
            at = np.arange(len(MATCHES)) + 0.13 * (number - len(ARMS) / 2) + 0.03 * (index - (len(cells) - 1) / 2)
            style: dict[str, Any] = {"color": lab.COLOURS[number], "marker": lab.MARKERS[number], "markersize": 4}
            label = arm if index == 0 else None
            axes.errorbar(at, wins[:, 0], wins[:, 1], linestyle="none", linewidth=1, label=label, **style)
    axes.axhline(100 / PLAYERS, color="grey", linewidth=1, linestyle="--")
    title = "Wins, %: alone among three; and a lone one's among three of it"
    lab.plain_axes(axes, title, ylim=(0, None), xticks=range(len(MATCHES)))
    axes.set_xticklabels(MATCHES, fontsize=9)
    figure.legend(loc="outside right upper", fontsize=8)
    lab.save(figure, path)


if __name__ == "__main__":
    typer.run(main)
