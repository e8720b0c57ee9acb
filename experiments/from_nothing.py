"""What helps self-play that learns the game from nothing? Run: `python -m experiments.from_nothing`.

Variants of one training, several seeds each, four players. Each policy plays as it is trained, its actions drawn: alone
among heuristics and alone among `pretrained-v1`, with each of these alone among it, and against a response that starts
from it. The table is in docs/lab/training.md.
"""

from collections.abc import Iterable, Sequence
from functools import partial
from itertools import product
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated, Any

import numpy as np
import typer

from experiments import lab
from w51_agents.agent.interface import Agent
from w51_agents.named.registry import make_agent
from w51_agents.networks.load import SNAPSHOTS
from w51_agents.networks.making import load_network, save_network
from w51_agents.networks.weights import set_weights, weights_of
from w51_agents.training.config import load_config
from w51_agents.training.registry import trainer_spec
from w51_agents.training.run import Run
from w51_agents.training.settings import TrainingConfig
from w51_env import make_game
from w51_env.engine.game import Game
from w51_lab.trainings.exploit import WARM, responses_to

GAME, SHARE = "warehouse51_v1", 0.25
CONFIG = "selfplay_quick"  #  of all variants
NO_SHAPING = ["selfplay.shaping=null"]
ITEMS = ["selfplay.network=items"]
SETS = "[reconstruction-1, 'generated:1', 'generated:2', 'generated:3', 'generated:4']"
CARDS = [f"selfplay.games=[{{num_players: 4, num_envs: 256, opponents: self, vary: {{relics: {SETS}}}}}]"]
BASE, LOW = "entropy bonus 0.15 to 0.03, margin, shaping", "entropy bonus 0.01 to 0.001"
VARIANTS: dict[str, list[str]] = {
    BASE: [],
    LOW: ["selfplay.ent_coef=0.01", "selfplay.final_ent_coef=0.001"],
    "no shaping": NO_SHAPING,
    "network: items": ITEMS,
    "reward: win": ["options.reward=win", *NO_SHAPING],
    "network: items, five sets of cards": [*ITEMS, *CARDS],
}
THEN_WIN = "margin, then win for the last third"
WEIGHTS, MIXTURE = "mean of the weights of 20 snapshots", "mixture of 5 snapshots"
FIRST = [*list(VARIANTS)[:4], WEIGHTS, MIXTURE]
NAMES = [*FIRST, *[name for name in [*VARIANTS, THEN_WIN] if name not in FIRST]]
EXPLOITED = [BASE, LOW, WEIGHTS, MIXTURE, THEN_WIN]  #  those against which a response is learned
KEPT = 20  #  snapshots of the second half of a training
OTHERS = ("heuristic", "pretrained-v1")
NEW_CARDS = ("generated:1001", "generated:1002", "generated:1003", "generated:1004")
Policies = Sequence[Path]  #  checkpoints of one mixture, each as likely


def main(
    decisions: lab.Decisions = 1_000_000,
    response: Annotated[int, typer.Option(min=1, help="Decisions of each response.")] = 200_000,
    seeds: Annotated[int, typer.Option(min=1, help="Trainings of each variant.")] = 3,
    deals: Annotated[int, typer.Option(min=5, help="Deals of each match, each played from every seat.")] = 150,
    runs: lab.Runs = lab.RUNS,
    data: lab.DataFile = lab.RESULTS / "from_nothing.json",
) -> None:
    """Train and play what is missing."""
    settings = {"decisions": decisions, "response": response, "deals": deals}
    pairs = [pair for names in (FIRST, NAMES) for pair in product(range(1, seeds + 1), names)]  # the first ones first
    cells = ({"variant": name, "seed": seed} for seed, name in dict.fromkeys(pairs))
    lab.measured(data, settings, cells, partial(measure, settings, runs))


def measure(settings: dict[str, int], runs: Path, variant: str, seed: int) -> dict[str, Any]:
    """Win rates of one policy in all matches, and of a response to it."""
    with TemporaryDirectory() as folder:
        policies, entropy = learned(settings["decisions"], runs, Path(folder), variant, seed)
        results: dict[str, Any] = {"entropy": entropy, **matches(policies, settings["deals"])}
        if variant.startswith("network: items"):
            results["new cards"] = np.mean(
                [matches(policies, settings["deals"], cards, OTHERS[:1])["alone"][0] for cards in NEW_CARDS],
                axis=0,
            ).tolist()
        if variant in EXPLOITED:
            results["response"] = responded(policies, settings["response"], settings["deals"], seed)
    return results


def learned(decisions: int, runs: Path, folder: Path, variant: str, seed: int) -> tuple[Policies, float]:
    """The policies of a variant, and the mean entropy of a decision at the end of their training, in nats."""
    if variant == THEN_WIN:
        first = lab.trained(
            CONFIG, [*common(seed), f"decisions={decisions * 2 // 3}", "selfplay.final_ent_coef=0.07"], runs
        )
        first.close()
        changes = ["options.reward=win", *NO_SHAPING, f"selfplay.start={first.checkpoint}"]
        changes += ["selfplay.ent_coef=0.07", "selfplay.learning_rate=7e-4"]
        run = lab.trained(CONFIG, [*common(seed), *changes, f"decisions={decisions // 3}"], runs)
    else:
        run = lab.trained(CONFIG, [*common(seed), *VARIANTS.get(variant, []), f"decisions={decisions}"], runs)
    run.close()
    snapshots = sorted((run.folder / SNAPSHOTS).glob("*.safetensors"))
    policies = {
        WEIGHTS: lambda: [mean_of(snapshots, folder / "mean.safetensors")],
        MIXTURE: lambda: snapshots[::-4][::-1],
    }
    return policies.get(variant, lambda: [run.checkpoint])(), run.updates[-1].losses["entropy"]


def common(seed: int) -> list[str]:
    """The changes to the config that all trainings of a seed have."""
    return [f"seed={seed}", f"snapshots={KEPT}", "evaluation.minutes=1e9"]


def mean_of(snapshots: Sequence[Path], path: Path) -> Path:
    """The checkpoint of a network with the mean of the weights of others."""
    game = four_players()
    networks = [load_network(game, snapshot) for snapshot in snapshots]
    weights = [weights_of(network) for network in networks]
    set_weights(networks[0], {name: np.mean([one[name] for one in weights], axis=0) for name in weights[0]})
    save_network(networks[0], game, path)
    return path


def matches(
    policies: Policies, deals: int, relics: str | None = None, others: Iterable[str] = OTHERS
) -> dict[str, Any]:
    """Win rates alone among each of the others and of each alone among the policies, with 95 % intervals by deal.

    All copies in a game are of one policy; the policies have equally many deals.
    """
    game = four_players() if relics is None else make_game(GAME, num_players=4, relics=relics)
    agents = [make_agent(f"{path}:sampled", game) for path in policies]
    rates: dict[str, Any] = {"alone": [], "resists": []}
    for name in others:
        other = make_agent(name, game)
        rates["alone"].append(rate(game, [(agent, other) for agent in agents], deals))
        rates["resists"].append(rate(game, [(other, agent) for agent in agents], deals))
    if others == OTHERS:
        greedy = [make_agent(f"{path}:greedy", game) for path in policies]
        rates["greedy"] = rate(game, [(agent, make_agent(OTHERS[0], game)) for agent in greedy], deals)
    return rates


def rate(game: Game, pairs: Sequence[tuple[Agent, Agent]], deals: int) -> list[float]:
    """Mean win rate of the first of each pair, alone among copies of the second; and half of its 95 % interval."""
    parts = [lab.wins_alone(game, *pair, deals // len(pairs), seed) for seed, pair in enumerate(pairs)]
    wins = np.concatenate(parts)
    return [float(wins.mean()), float(1.96 * wins.std(ddof=1) / len(wins) ** 0.5)]


def responded(policies: Policies, decisions: int, deals: int, seed: int) -> list[float]:
    """The win rate of a response that starts from the last policy and is trained against all, with its interval."""
    names = [f"{path}:sampled" for path in policies]
    changes = ["options={reward: win, num_players: 4}", "selfplay.minibatch_size=2048", "selfplay.update_epochs=1"]
    changes += ["selfplay.games=[{num_envs: 256}]", "selfplay.gae_lambda=0.95", f"seed={seed}"]
    config = responses_to(load_config(lab.CONFIGS / "exploit.yaml", changes), names[-1], {WARM: decisions})[WARM]
    with TemporaryDirectory() as folder:
        response = trained_response(against(config, names), Path(folder))
        game = four_players()
        return rate(game, [(response, make_agent(name, game)) for name in names], 2 * deals)


def against(config: TrainingConfig, names: Sequence[str]) -> TrainingConfig:
    """The config with these opponents, one in each game."""
    exploit = trainer_spec(config.trainer).exploit
    assert exploit is not None
    return exploit(config, names, (4,)) if len(names) > 1 else config


def trained_response(config: TrainingConfig, folder: Path) -> Agent:
    """The agent of a training in a folder that will be removed."""
    run = Run.begin(config.model_copy(update={"runs": str(folder)}), None)
    try:
        run.train(lambda update, matches: None, lambda: False)
        return run.trainer.agent(four_players())
    finally:
        run.close()


def four_players() -> Game:
    """The game that all matches but those with other cards are played in."""
    return make_game(GAME, num_players=4)


if __name__ == "__main__":
    typer.run(main)
