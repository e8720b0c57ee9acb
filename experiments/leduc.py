"""How far from an equilibrium do learners end in Leduc poker? Run: `python -m experiments.leduc`.

Self-play of this package and OpenSpiel's neural fictitious self-play (NFSP, Heinrich and Silver, arXiv:1603.01121; its
PyTorch version, with the settings of its example for Leduc) learn from the same number of decisions. NashConv is exact.
docs/experiments/leduc.md has the result.
"""

import json
import time
from collections.abc import Iterator, Sequence
from itertools import product
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated, Any

import numpy as np
import torch
import typer
from rich.console import Console

from benchmarks.measure import ROOT, machine
from w51_agents.exact.exploitability import exploitability_of, profile_of
from w51_agents.exact.tree import Tree, build_tree
from w51_agents.named.registry import make_agent
from w51_agents.system.files import write_json
from w51_agents.training.config import load_config
from w51_agents.training.run import Run
from w51_env import make_game

DATA = ROOT / "experiments" / "results" / "leduc.json"
GAME = "experiments.leduc_game:make"
SELF_PLAY, NFSP = "self-play", "NFSP"
NFSP_SETTINGS = {  # of open_spiel/python/examples/nfsp_leduc_pytorch.py
    "replay_buffer_capacity": 200_000,
    "reservoir_buffer_capacity": 2_000_000,
    "min_buffer_size_to_learn": 1000,
    "anticipatory_param": 0.1,
    "batch_size": 128,
    "learn_every": 64,
    "rl_learning_rate": 0.01,
    "sl_learning_rate": 0.01,
    "optimizer_str": "sgd",
    "loss_str": "mse",
    "update_target_network_every": 19_200,
    "discount_factor": 1.0,
    "epsilon_decay_duration": 20_000_000,
    "epsilon_start": 0.06,
    "epsilon_end": 0.001,
}
console = Console(highlight=False)


def main(
    decisions: Annotated[int, typer.Option(min=1000, help="Of each training, of both seats together.")] = 1_000_000,
    points: Annotated[int, typer.Option(min=2, help="Measured points of each training.")] = 10,
    seeds: Annotated[int, typer.Option(min=1, help="Trainings of each learner.")] = 3,
    data: Annotated[Path, typer.Option(help="File of the data.")] = DATA,
) -> None:
    """Train and measure."""
    torch.set_num_threads(1)
    before: dict[str, Any] = json.loads(data.read_text("utf-8")) if data.exists() else {}
    curves = before["curves"] if before.get("decisions") == decisions else []
    done = {(one["learner"], one["seed"]) for one in curves}
    for (name, train), seed in product(((SELF_PLAY, self_play), (NFSP, nfsp)), range(1, seeds + 1)):
        if (name, seed) in done:
            continue
        begun = time.process_time()
        rows = list(train(seed, decisions, points))
        seconds = time.process_time() - begun
        curves.append({"learner": name, "seed": seed, "processor_seconds": seconds, "points": rows})
        write_json({"machine": machine(), "decisions": decisions, "curves": curves}, data)
        console.print(f"{name}, seed {seed}: {rows[-1]}")


def self_play(
    seed: int, decisions: int, points: int, game: str = GAME, changed: Sequence[str] = ()
) -> Iterator[dict[str, Any]]:
    """NashConv in chips over a self-play run, of the sampled policy and of the mixture of those since the half."""
    tree = build_tree(make_game(game), payoff=lambda batch: batch.rewards / 2)  # a margin is both seats' chips
    sampled = []
    with TemporaryDirectory() as folder:
        changes = [f"decisions={decisions}", f"seed={seed}", f"runs={folder}", f"game={game}", *changed]
        run = Run.begin(load_config(ROOT / "experiments" / "leduc.yaml", changes, [game]), None)
        with run:
            for number in range(1, points + 1):
                run.train(lambda update, matches: None, _reaches(run, decisions * number // points))
                profile = profile_of(tree, SELF_PLAY, make_agent(f"{run.checkpoint}:sampled", tree.game))
                sampled += [profile] if 2 * number > points else []
                row = {"decisions": run.trainer.decisions, "nash_conv": nash_conv(tree, profile)}
                yield row | ({"mixture": nash_conv(tree, tree.mixture(sampled))} if sampled else {})


def _reaches(run: Run, decisions: int) -> Any:
    return lambda: run.trainer.decisions >= decisions


def nash_conv(tree: Tree, profile: Any) -> float:
    """NashConv of a profile."""
    return exploitability_of(tree, profile).nash_conv


def nfsp(seed: int, decisions: int, points: int) -> Iterator[dict[str, Any]]:
    """NashConv in chips over a run of OpenSpiel's NFSP, of its average policy."""
    from open_spiel.python import rl_environment
    from open_spiel.python.algorithms import exploitability
    from open_spiel.python.pytorch import nfsp as openspiel

    np.random.seed(seed)  # noqa: NPY002 - OpenSpiel draws from it
    torch.manual_seed(seed)
    env = rl_environment.Environment("leduc_poker")
    env.seed(seed)
    size, actions = env.observation_spec()["info_state"][0], env.action_spec()["num_actions"]
    agents = [openspiel.NFSP(seat, size, actions, [128], seed=seed + seat, **NFSP_SETTINGS) for seat in range(2)]
    policy = _average_policy(env.game, agents, openspiel.MODE.AVERAGE_POLICY)
    count = 0
    for number in range(1, points + 1):
        while count < decisions * number // points:
            step = env.reset()
            while not step.last():
                step = env.step([agents[step.observations["current_player"]].step(step).action])
                count += 1
            for agent in agents:
                agent.step(step)
        yield {"decisions": count, "nash_conv": float(exploitability.nash_conv(env.game, policy))}


def _average_policy(game: Any, agents: list[Any], mode: Any) -> Any:
    from open_spiel.python import policy, rl_environment

    class Average(policy.Policy):
        def action_probabilities(self, state: Any, player_id: Any = None) -> dict[int, float]:
            seat = state.current_player()
            legal = state.legal_actions(seat)
            observations: dict[str, Any] = {"info_state": [None, None], "legal_actions": [None, None]}
            observations["current_player"] = seat
            observations["info_state"][seat] = state.information_state_tensor(seat)
            observations["legal_actions"][seat] = legal
            step = rl_environment.TimeStep(observations=observations, rewards=None, discounts=None, step_type=None)
            with agents[seat].temp_mode_as(mode):
                probabilities = agents[seat].step(step, is_evaluation=True).probs
            return {action: probabilities[action] for action in legal}

    return Average(game, [0, 1])


if __name__ == "__main__":
    typer.run(main)
