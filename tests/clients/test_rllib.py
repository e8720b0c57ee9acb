"""RLlib's own masked PPO on all seats, its checkpoints in the arena, and a cluster that loses a node."""

import contextlib
import os
import shutil
import signal
import socket
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from tests.clients.record import client
from tests.commands import wait_for
from tests.env.auctions.test_adapters import KINDS
from w51_agents import AgentError, make_agent
from w51_env import make_game, warehouse51_v1
from w51_env.engine.errors import GameOverError, IllegalActionError, OptionError

ROOT = Path(__file__).resolve().parents[2]


@client("ray", "RLlib: `check_multiagent_environments`; every observation in its space, rewards at the end")
def test_rllibs_check_of_environments_passes():
    from ray.rllib.utils.pre_checks.env import check_multiagent_environments

    from w51_env.adapters.rllib import RLlibEnv

    kinds = [{"game": "auctions_v0", **options} for options in KINDS.values()]
    for config in ({"num_players": 3}, {"game": "alles_futsch_v1", "num_players": 3}, *kinds):
        env = RLlibEnv(config)
        for _ in range(5):
            check_multiagent_environments(env)
        random = np.random.default_rng(1)
        observations, _ = env.reset(seed=4)
        over, total = False, dict.fromkeys(env.possible_agents, 0.0)
        while not over:
            [(agent, seen)] = observations.items()
            assert env.observation_spaces[agent].contains(seen)
            action = int(random.choice(np.flatnonzero(seen["action_mask"])))
            observations, rewards, ended, _, _ = env.step({agent: action})
            for name, reward in rewards.items():
                total[name] += reward
            over = ended["__all__"]
        assert set(observations) == set(env.possible_agents)
        assert config in kinds or sum(total.values()) == pytest.approx(0, abs=1e-6)


@client("ray", "RLlib: `check_multiagent_environments`; every observation in its space, rewards at the end")
def test_rllibs_check_passes_through_its_wrapper_of_pettingzoo():
    from pettingzoo.utils.env_logger import EnvLogger
    from ray.rllib.env.wrappers.pettingzoo_env import PettingZooEnv
    from ray.rllib.utils.pre_checks.env import check_multiagent_environments

    EnvLogger.flush()
    env = PettingZooEnv(warehouse51_v1.env(num_players=3))
    for _ in range(100):  # each plays one action without looking at the mask
        check_multiagent_environments(env)
    assert "Illegal move made" in EnvLogger.mqueue[0]


@client("ray", "RLlib: `history` beside the observation, as PettingZoo has it")
def test_observations_have_the_history_of_each_agent():
    from w51_env.adapters.pettingzoo_env import TurnBasedEnv
    from w51_env.adapters.rllib import RLlibEnv

    env, same = RLlibEnv({"num_players": 3, "history": 24}), TurnBasedEnv("warehouse51_v1", num_players=3, history=24)
    observations, _ = env.reset(seed=3)
    same.reset(seed=3)
    over = False
    while not over:
        [(agent, seen)] = observations.items()
        action = int(np.flatnonzero(seen["action_mask"])[-1])
        observations, _, ended, _, _ = env.step({agent: action})
        same.step(action)
        over = ended["__all__"]
        for name, seen in observations.items():
            assert env.observation_spaces[name].contains(seen)
            np.testing.assert_array_equal(seen["history"], same.observe(name)["history"])


@client("ray", "RLlib: bad input")
def test_bad_input_is_refused_with_what_is_allowed():
    from w51_env.adapters.rllib import RLlibEnv

    with pytest.raises(OptionError, match="option 'players' is unknown"):
        RLlibEnv({"players": 3})
    env = RLlibEnv({"num_players": 3, "illegal_action": "raise"})
    with pytest.raises(GameOverError, match="call reset first"):
        env.step({"player_0": 0})
    [agent] = env.reset(seed=1)[0]
    other = "player_0" if agent != "player_0" else "player_1"
    with pytest.raises(IllegalActionError, match=f"actions of {other}, but {agent} is to move"):
        env.step({other: 0})
    with pytest.raises(IllegalActionError, match="is not legal for seat"):
        env.step({agent: 184})


@client("ray", "RLlib: agents `rllib:FOLDER` only with trust")
def test_a_pickled_checkpoint_needs_trust(tmp_path: Path):
    game = make_game("warehouse51_v1", num_players=3)
    with pytest.raises(AgentError, match="allow it with --trust"):
        make_agent(f"rllib:{tmp_path}", game)
    with pytest.raises(AgentError, match="RLlib cannot load it"):
        make_agent(f"rllib:{tmp_path}", game, trust=True)
    with pytest.raises(AgentError, match="there is no such folder"):
        make_agent(f"rllib:{tmp_path / 'none'}", game, trust=True)


@pytest.mark.slow
@client("ray", "RLlib: the example: self-play with a pool, saved, evaluated in the arena")
def test_the_example_trains_and_its_checkpoint_plays_in_the_arena(tmp_path: Path):
    example = [sys.executable, "examples/rllib_self_play.py", "--num-env-runners", "0", "--iterations", "3"]
    small = ["--batch-size", "500", "--snapshot-every", "1", "--checkpoint", str(tmp_path / "main")]
    done = subprocess.run([*example, *small], cwd=ROOT, capture_output=True, text=True, timeout=900, check=False)
    assert done.returncode == 0, done.stderr[-3000:]
    assert "iteration 3" in done.stdout
    command = [sys.executable, "-m", "w51_env", "evaluate", f"rllib:{tmp_path / 'main'}", "random"]
    options = ["--players", "3", "--games", "12", "--workers", "1"]
    refused = subprocess.run([*command, *options], cwd=ROOT, capture_output=True, text=True, timeout=300, check=False)
    assert refused.returncode == 2
    assert "--trust" in refused.stderr + refused.stdout
    played = subprocess.run(
        [*command, *options, "--trust"], cwd=ROOT, capture_output=True, text=True, timeout=300, check=False
    )
    assert played.returncode == 0, played.stderr[-3000:]
    assert "rllib" in played.stdout


def is_open(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


@pytest.mark.slow
@client("ray", "RLlib: the example on two nodes, 3 env runners and 2 learners; one node is killed half way")
def test_training_goes_on_when_a_node_is_killed(tmp_path: Path):
    kept = {name: value for name, value in os.environ.items() if not name.startswith("RAY_")}
    cache = os.environ.get("W51_ENV_CACHE", str(Path.home() / ".cache" / "w51_env"))
    env = {**kept, "HOME": str(tmp_path), "W51_ENV_CACHE": cache, "RAY_AUTH_MODE": "token"}
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    ray = [sys.executable, "-m", "ray.scripts.scripts"]
    subprocess.run([*ray, "get-auth-token", "--generate"], env=env, check=True, capture_output=True)
    session = Path("/tmp") / f"w51-rllib-{port}"  # short: Ray puts sockets into it
    processes: list[subprocess.Popen] = []

    def start(*arguments: object) -> subprocess.Popen:
        command = [*map(str, arguments)]
        processes.append(
            subprocess.Popen(
                command, cwd=ROOT, env=env, text=True, stdout=subprocess.PIPE, stderr=log, start_new_session=True
            )
        )
        return processes[-1]

    with (tmp_path / "log").open("w") as log:
        try:
            head = ("--head", "--port", port, "--temp-dir", session, "--include-dashboard", False)
            start(*ray, "start", *head, "--num-cpus", 1, "--block")
            wait_for(lambda: is_open(port), 180)
            second = start(*ray, "start", f"--address=127.0.0.1:{port}", "--num-cpus", 2, "--block")
            options = ("--iterations", 5, "--batch-size", 300, "--num-env-runners", 3, "--num-learners", 2)
            address = ("--address", f"127.0.0.1:{port}", "--snapshot-every", 2)
            training = start("timeout", 1200, sys.executable, "examples/rllib_self_play.py", *address, *options)
            lines = []
            assert training.stdout is not None
            for line in training.stdout:
                lines.append(line)
                if line.startswith("iteration 2"):
                    os.killpg(second.pid, signal.SIGKILL)
            assert training.wait(timeout=60) == 0, (tmp_path / "log").read_text()[-3000:]
            assert "3 env runners, 2 learners" in lines[0]
            [last] = [line for line in lines if line.startswith("iteration 5")]
            assert "1 env runners" in last  # those of the lost node have no room elsewhere
        finally:
            for process in processes:
                with contextlib.suppress(ProcessLookupError):
                    os.killpg(process.pid, signal.SIGKILL)
                process.communicate()
            shutil.rmtree(session, ignore_errors=True)


@client("ray", "RLlib: the recipe")
def test_the_recipe_runs():
    import ray

    from tests.clients.test_recipes import run

    run("rllib.md")
    ray.shutdown()
