"""Methods by exact exploitability in two games of three players. Run: `python -m experiments.mini_games`.

Each method learns from as many decisions and has as many settings tried, with a seed of their own; the best ones are
trained with five others. docs/leaderboard.md has the table, docs/experiments/mini_games.md the method.
"""

from collections.abc import Collection
from functools import cache, partial
from itertools import combinations_with_replacement, product
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import numpy as np
import torch
import typer

from experiments import lab
from experiments.nfsp import NFSP, Settings
from experiments.psro_mini import payoffs, solve
from w51_agents.agent.interface import Agent
from w51_agents.exact.auctions.payoffs import ExactAuction
from w51_agents.exact.auctions.strategies import solve as fictitious_play
from w51_agents.exact.auctions.strategies import strategy_of
from w51_agents.exact.exploitability import exploitability_of, profile_of
from w51_agents.exact.tree import build_tree
from w51_agents.named.registry import make_agent
from w51_env import make_game
from w51_env.engine.game import Game

DATA = lab.RESULTS / "mini_games.json"
PLAYERS, ENVS, OF_TUNING = 3, 64, 100
NANO, AUCTION = "nano", "all-pay"
GAMES: dict[str, tuple[str, dict[str, Any]]] = {
    NANO: ("warehouse51_v1", {"preset": "nano", "reward": "win"}),
    AUCTION: ("auctions_v0", {"preset": "coarse", "num_players": PLAYERS, "auction": "all_pay"}),
}
PPO, MMD, PSRO, BY_NFSP = "PPO", "MMD", "PSRO", "NFSP"
# Settings that are tried. PPO and MMD: the weight of the entropy at first, a tenth of it at the end; MMD: the weight of
# the KL divergence from the policy that played. PSRO: responses, which share the decisions, and their entropy.
TRIED: dict[str, list[dict[str, float]]] = {
    PPO: [{"entropy": weight} for weight in (0.05, 0.1, 0.2, 0.4)],
    MMD: [{"entropy": weight, "kl": kl} for weight, kl in product((0.05, 0.2), (0.1, 1.0))],
    PSRO: [{"responses": count, "entropy": weight} for count, weight in product((3, 6), (0.02, 0.1))],
    BY_NFSP: [{"anticipatory": part, "rate": rate} for part, rate in product((0.1, 0.3), (1e-3, 3e-3))],
}
COMMON = (
    *("selfplay.shaping=null", "selfplay.hidden_sizes=[128, 128]", "selfplay.learning_rate=1.0e-3"),
    *("selfplay.num_steps=32", "selfplay.minibatch_size=512", "selfplay.update_epochs=2", "evaluation.games=3"),
)


class Training(NamedTuple):
    """What a training of any method is told."""

    game: str
    decisions: int
    seed: int
    settings: dict[str, Any]
    runs: Path


def main(
    decisions: lab.Decisions = 400_000,
    seeds: Annotated[int, typer.Option(min=2, help="Trainings of each method with its best settings.")] = 5,
    method: Annotated[list[str] | None, typer.Option(help="Only these; can be repeated.")] = None,
    data: lab.DataFile = DATA,
    runs: lab.Runs = lab.RUNS,
) -> None:
    """Choose settings, train, measure."""
    torch.set_num_threads(1)
    settings, measures = {"decisions": decisions}, partial(measure, decisions, runs)
    for game, name in product(GAMES, method or TRIED):
        tried: list[lab.Cell] = [
            {"game": game, "method": name, "settings": one, "seed": OF_TUNING} for one in TRIED[name]
        ]
        found = lab.measured(data, settings, tried, measures)
        best = min(cells_of(found, game, name, [OF_TUNING]), key=lambda cell: float(cell["gain"]))
        of_best = [{**tried[0], "settings": best["settings"], "seed": seed} for seed in range(1, seeds + 1)]
        lab.measured(data, settings, of_best, measures)


def cells_of(data: dict[str, Any], game: str, method: str, seeds: Collection[int]) -> list[lab.Cell]:
    """The trainings of a method in a game with some seeds."""
    return [
        cell for cell in data["cells"] if (cell["game"], cell["method"]) == (game, method) and cell["seed"] in seeds
    ]


def measure(decisions: int, runs: Path, game: str, method: str, settings: dict[str, Any], seed: int) -> dict[str, Any]:
    """What a best response gains against copies of what a method has learned."""
    by = {PPO: by_self_play, MMD: by_self_play, PSRO: by_responses, BY_NFSP: by_nfsp}[method]
    learned = by(Training(game, decisions, seed, settings, runs))
    return {"gain": exact(game).gain(learned)}


def by_self_play(training: Training) -> Any:
    """PPO, or MMD as PPO without clipping, with a KL penalty to the last policy; the magnet is the uniform policy."""
    changes = ["selfplay.games=[{num_players: 3, num_envs: 64}]", *_entropy(training.settings["entropy"])]
    if kl := training.settings.get("kl"):
        changes += ["selfplay.clip_range=1.0e9", f"selfplay.average_kl={kl}", "selfplay.average_rate=1.0"]
    return exact(training.game).strategy(_learned(training, changes, training.decisions, training.seed))


def by_responses(training: Training) -> Any:
    """PSRO: responses to the mixture that solves the meta-game of all so far, by PPO; the last mixture."""
    measured, count = exact(training.game), training.settings["responses"]
    names, weights = ["random"], np.ones(1)
    strategies = [measured.strategy(make_agent("random", measured.game))]
    for number in range(count):
        pairs = list(combinations_with_replacement(range(len(names)), 2))
        chances = [weights[one] * weights[two] * (1 + (one != two)) for one, two in pairs]
        envs = np.round(ENVS * np.array(chances)).astype(int)
        groups = [_against(names, pair, envs) for pair, envs in zip(pairs, envs.tolist(), strict=True) if envs]
        changes = [f"selfplay.games=[{', '.join(groups)}]", *_entropy(training.settings["entropy"])]
        name = _learned(training, changes, training.decisions // count, training.seed * 100 + number)
        names.append(name)
        strategies.append(measured.strategy(name))
        weights, mixture = measured.mixed(strategies)
    return mixture


def _against(names: list[str], pair: tuple[int, int], envs: int) -> str:
    one, two = (names[number] for number in pair)
    seats = {one: 2} if one == two else {one: 1, two: 1}
    opponents = ", ".join(f"{name}: {count}" for name, count in seats.items())
    return f"{{num_players: {PLAYERS}, num_envs: {envs}, opponents: {{{opponents}}}}}"


def by_nfsp(training: Training) -> Any:
    """The average policy of NFSP."""
    agent = NFSP(exact(training.game).game, Settings(**training.settings), training.seed)
    agent.train(training.decisions, training.seed)
    return exact(training.game).strategy(agent)


def _entropy(weight: float) -> list[str]:
    return [f"selfplay.ent_coef={weight}", f"selfplay.final_ent_coef={weight / 10}"]


def _learned(training: Training, changes: list[str], decisions: int, seed: int) -> str:
    """The checkpoint of a training of this package."""
    name, options = GAMES[training.game]
    chosen = ", ".join(f"{key}: {value}" for key, value in options.items())
    changes = [f"game={name}", f"options={{{chosen}}}", *COMMON, *changes, f"decisions={decisions}", f"seed={seed}"]
    with lab.trained("selfplay_quick", changes, training.runs) as run:
        return str(run.checkpoint)


class InTree:
    """Strategies in a game whose tree is enumerated: profiles."""

    def __init__(self, game: Game):
        self.game, self._tree = game, build_tree(game)

    def strategy(self, agent: Agent | str) -> Any:
        """What an agent plays; of a checkpoint the policy from which it draws."""
        return profile_of(self._tree, "learned", _made(agent, self.game))

    def gain(self, profile: Any) -> float:
        """What a best response to copies of a strategy wins above the equal share."""
        return exploitability_of(self._tree, profile).exploitability

    def mixed(self, profiles: list[Any]) -> tuple[np.ndarray, Any]:
        """The solution of the meta-game of strategies: probabilities, in the mean over the seats, and what it plays."""
        weights = solve(payoffs(self._tree, profiles))
        return weights.mean(axis=1), self._tree.mixture(profiles, weights)


class InAuction:
    """The same in an auction of one round, by exact payoffs; a gain is a part of what the equilibrium pays."""

    def __init__(self, game: Game):
        self.game, self._auction = game, ExactAuction(game)
        self._unit = self._auction.utility_loss(fictitious_play(self._auction)).value

    def strategy(self, agent: Agent | str) -> Any:
        """As above."""
        return strategy_of(self._auction, "learned", _made(agent, self.game))

    def gain(self, strategy: Any) -> float:
        """As above."""
        return self._auction.utility_loss(strategy).loss / self._unit

    def mixed(self, strategies: list[Any]) -> tuple[np.ndarray, Any]:
        """As above, alike for all seats: the mean of replicator dynamics."""
        chances = np.full(len(strategies), 1 / len(strategies))
        total, steps = np.zeros_like(chances), 4000
        for _ in range(steps):
            total += chances / steps
            values = self._auction.chances @ self._weighted(strategies, chances)
            chances = chances * np.exp(0.1 * (values - values.max()))
            chances /= chances.sum()
        return total, np.tensordot(total, strategies, 1)

    def _weighted(self, strategies: list[Any], chances: np.ndarray) -> np.ndarray:
        payoffs = self._auction.payoffs(np.tensordot(chances, strategies, 1))
        return np.stack([(strategy * payoffs).sum(axis=1) for strategy in strategies], axis=1)


def _made(agent: Agent | str, game: Game) -> Agent:
    return make_agent(f"{agent}:sampled", game) if isinstance(agent, str) else agent


@cache
def exact(game: str) -> InTree | InAuction:
    """One of the games."""
    name, options = GAMES[game]
    made = make_game(name, **options)
    return InTree(made) if game == NANO else InAuction(made)


if __name__ == "__main__":
    typer.run(main)
