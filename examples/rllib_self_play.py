"""RLlib: PPO with action masks against a pool of its own snapshots, evaluated in the arena.

The module `main` plays one seat of each episode and learns; the other seats play snapshots of it, or at random before
there are any. Everything is RLlib's own, but for the environment and what several learners need. On a cluster: `ray
start` on each machine, then --address auto --num-env-runners 8 --num-learners 2. RLlib starts lost env runners again,
but no lost learners: these are on the head of the cluster, so that any other machine can be lost.

    pip install '.[rllib,arena]'
    python examples/rllib_self_play.py --iterations 20 --checkpoint runs/rllib
    w51 evaluate rllib:runs/rllib random --trust
"""

import argparse
import zlib
from functools import partial
from pathlib import Path
from typing import Any

import ray
from ray.rllib.algorithms.ppo import PPOConfig
from ray.rllib.callbacks.callbacks import RLlibCallback
from ray.rllib.core.rl_module.multi_rl_module import MultiRLModuleSpec
from ray.rllib.core.rl_module.rl_module import RLModuleSpec
from ray.rllib.examples.rl_modules.classes.action_masking_rlm import ActionMaskingTorchRLModule

from w51_agents.training.rllib_learner import TurnsPPOLearner
from w51_env.adapters.rllib import RLlibEnv

MAIN = "main"
# On the head of a cluster, by Ray's name for it, and without a CPU of their own: env runners could hold them all.
ON_HEAD: dict[str, Any] = {"custom_resources_per_learner": {"node:__internal_head__": 0.001}, "num_cpus_per_learner": 0}


def seat_modules(players: int, pool: tuple[str, ...], agent_id: str, episode: Any, **_: Any) -> str:
    """`main` in one seat of each episode, modules of the pool in the others."""
    number = zlib.crc32(str(episode.id_).encode())
    seat = int(agent_id.removeprefix("player_"))
    return MAIN if number % players == seat else pool[(number // players + seat) % len(pool)]


class Snapshots(RLlibCallback):
    """Adds a copy of `main` to the pool every few iterations, up to a number of copies."""

    def __init__(self, players: int, every: int, most: int = 4):
        super().__init__()
        self.players, self.every, self.most = players, every, most

    def on_train_result(self, *, algorithm: Any, result: dict, **_: Any) -> None:
        iteration = result["training_iteration"]
        modules = algorithm.env_runner.module.keys()
        copies = tuple(name for name in modules if name.startswith("snapshot_"))
        if iteration % self.every or len(copies) >= self.most:
            return
        name = f"snapshot_{iteration}"
        main = algorithm.get_module(MAIN)
        algorithm.add_module(
            module_id=name,
            module_spec=RLModuleSpec.from_module(main),
            new_agent_to_module_mapping_fn=partial(seat_modules, self.players, (*copies, name)),
        )
        algorithm.set_state({"learner_group": {"learner": {"rl_module": {name: main.get_state()}}}})


def config_of(args: argparse.Namespace) -> PPOConfig:
    """The algorithm."""
    module = RLModuleSpec(module_class=ActionMaskingTorchRLModule, model_config={"fcnet_hiddens": [128, 128]})
    return (
        PPOConfig()
        .environment(RLlibEnv, env_config={"game": args.game, "num_players": args.num_players})
        .env_runners(num_env_runners=args.num_env_runners, num_envs_per_env_runner=4, batch_mode="complete_episodes")
        .learners(
            num_learners=args.num_learners,
            learner_class=TurnsPPOLearner,
            **(ON_HEAD if args.learners_on_head else {}),
        )
        .fault_tolerance(restart_failed_env_runners=True, ignore_env_runner_failures=True)
        .callbacks(partial(Snapshots, args.num_players, args.snapshot_every))
        .multi_agent(
            policies={MAIN, "first"},
            policy_mapping_fn=partial(seat_modules, args.num_players, ("first",)),
            policies_to_train=[MAIN],
        )
        .rl_module(rl_module_spec=MultiRLModuleSpec(rl_module_specs={MAIN: module, "first": module}))
        .training(
            train_batch_size_per_learner=args.batch_size,
            minibatch_size=min(512, args.batch_size),
            num_epochs=4,
            lr=3e-4,
            gamma=1.0,
            entropy_coeff=0.01,
        )
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--game", default="warehouse51_v1", help="id of the game")
    parser.add_argument("--num-players", type=int, default=3)
    parser.add_argument("--iterations", type=int, default=20)
    parser.add_argument("--batch-size", type=int, default=4000, help="decisions of each learner in one iteration")
    parser.add_argument("--snapshot-every", type=int, default=5, help="iterations between two snapshots")
    parser.add_argument("--num-env-runners", type=int, default=1)
    parser.add_argument("--num-learners", type=int, default=0, help="0: learn in this process")
    parser.add_argument("--learners-on-head", action=argparse.BooleanOptionalAction, default=True)
    parser.add_argument("--address", default=None, help="of a Ray cluster; default: none, all on this machine")
    parser.add_argument("--checkpoint", type=Path, default=None, help="folder to which `main` is saved")
    args = parser.parse_args()
    ray.init(address=args.address, log_to_driver=False)
    algorithm = config_of(args).build_algo()
    for _ in range(args.iterations):
        result = algorithm.train()
        returns = result["env_runners"].get("module_episode_returns_mean", {})
        runners = algorithm.env_runner_group.num_healthy_remote_workers()
        print(
            f"iteration {result['training_iteration']}: return of {MAIN} {returns.get(MAIN, float('nan')):+.3f}, "
            f"{len(returns)} modules, {runners} env runners, {args.num_learners} learners",
            flush=True,
        )
    if args.checkpoint:
        algorithm.get_module(MAIN).save_to_path(str(args.checkpoint.absolute()))
        print(f"saved to {args.checkpoint}")
    algorithm.stop()


if __name__ == "__main__":
    main()
