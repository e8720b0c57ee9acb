"""A tournament over the machines of a Ray cluster."""

import json
import os
import shutil
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from pathlib import Path

import pytest

from tests.commands import ROOT, paste, refused, wait_for
from tests.lab.arena.small import plan_of
from w51_agents import AgentError
from w51_agents.named.files import file_data

# Ray is imported by the tests that need it here: these are slow, and their module is read in each run.
pytestmark = [pytest.mark.slow, pytest.mark.skipif(find_spec("ray") is None, reason="needs the extra 'ray'")]

# In a process of its own: Ray leaves threads and signal handlers behind.
TWO_NODES = """
import sys
from pathlib import Path

from ray.cluster_utils import Cluster as Nodes

from w51_lab.arena.cluster import Cluster
from w51_lab.arena.store import Store
from w51_lab.arena.tournament import run
from w51_lab.arena.workers import InProcessExecutor
from tests.lab.arena.small import DRAWN, plan_of

plan = plan_of("heuristic", DRAWN, games=300)
here = run(plan, InProcessExecutor(plan))
nodes = Nodes(initialize_head=True, head_node_args={"num_cpus": 1})
second = [nodes.add_node(num_cpus=1)]
played = 0

def kill_one_half_way(games, stored):
    global played
    played += games
    if second and played >= 150:
        nodes.remove_node(second.pop(), allow_graceful=False)

store = Store.begin(Path(sys.argv[1]), "cup", plan)
cluster = Cluster(plan, nodes.address)
there = run(plan, cluster, store, kill_one_half_way)
cluster.close()
nodes.shutdown()
assert not second
assert played == 300, played
for name in ("deals", "lineups", "seats", "scores", "ranks", "lengths"):
    assert (getattr(here.games, name) == getattr(there.games, name)).all(), name
assert len(store.load()) == len(plan.blocks)
print("the same")
"""


def test_no_game_is_lost_or_counted_twice_when_a_machine_dies(tmp_path):
    done = subprocess.run(
        [sys.executable, "-c", TWO_NODES, tmp_path], cwd=ROOT, capture_output=True, text=True, timeout=300, check=False
    )
    assert done.stdout.strip().endswith("the same"), done.stderr


LOST_NODE = """
import os, signal, subprocess, sys, time
from pathlib import Path

from ray.cluster_utils import Cluster as Nodes

from tests.lab.arena.small import stored_blocks

folder = Path(sys.argv[1])
nodes = Nodes(initialize_head=True, head_node_args={"num_cpus": 1})
nodes.add_node(num_cpus=1)
line = [sys.executable, "evaluate.py", "heuristic", "random", "--games", "90000", "--ray", nodes.address, "--out"]
with subprocess.Popen([*line, str(folder)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as played:
    while not stored_blocks(folder):
        assert played.poll() is None, played.stderr.read()
        time.sleep(0.1)
    node = nodes.head_node.all_processes["raylet"][0].process  # the one that the tournament is connected to
    os.kill(node.pid, signal.SIGSTOP)
    time.sleep(5)  # then the cluster takes it for dead
    os.kill(node.pid, signal.SIGCONT)
    printed, errors = played.communicate(timeout=60)
nodes.shutdown()
assert printed == "", printed
sys.stderr.write(errors)
sys.exit(played.returncode)
"""


def test_a_tournament_whose_own_node_is_taken_for_dead_ends_with_the_command_that_continues_it(tmp_path):
    soon = {"initial_delay_ms": 0, "period_ms": 500, "timeout_ms": 500, "failure_threshold": 2}
    env = {**os.environ, **{f"RAY_health_check_{name}": str(value) for name, value in soon.items()}}
    done = command(sys.executable, "-c", LOST_NODE, tmp_path / "cup", env=env)
    refused((done.returncode, done.stdout, done.stderr), "the connection to the cluster is lost", "marked dead")
    status, printed = paste(done.stderr, ROOT)
    assert status == 0, printed
    assert json.loads((tmp_path / "cup" / "summary.json").read_text())["games"] == 90_000


def test_an_address_without_a_cluster_is_an_error():
    from w51_lab.arena.cluster import Cluster

    with pytest.raises(AgentError, match="cannot be reached"):
        Cluster(plan_of("heuristic", "random"), "127.0.0.1:1")


def test_a_machine_with_other_files_of_an_agent_plays_no_block(tmp_path, monkeypatch):
    from w51_lab.arena.cluster import _plan_of, _play_block

    monkeypatch.syspath_prepend(tmp_path)
    module = tmp_path / "elsewhere.py"
    module.write_text("from tests.lab.arena.small import Plain as Agent\n")
    plan = plan_of("elsewhere:Agent", "random")
    shared = plan.spec.model_dump_json(), plan.state, json.dumps(file_data(plan.files))
    assert _play_block(shared, plan.blocks[0]).block == plan.blocks[0]
    module.write_text("from tests.lab.arena.small import Forgetful as Agent\n")  # as another machine has it
    _plan_of.cache_clear()
    with pytest.raises(AgentError, match=r"machine .*: the file of agent 'elsewhere:Agent' has changed since"):
        _play_block(shared, plan.blocks[0])


# ---- the commands of docs/arena.md: two nodes, each started by `ray start` as on a machine of its own

RAY = shutil.which("ray", path=str(Path(sys.executable).parent)) or "ray"
MATCH = ["heuristic", "random", "--preset", "mini", "--games", "60", "--json", "/dev/stdout"]


def environment(home: Path, **changes: str) -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith("RAY_")}
    return {**kept, "HOME": str(home), "RAY_USAGE_STATS_ENABLED": "0", "COLUMNS": "200", **changes}


def command(*arguments: object, env: dict[str, str], seconds: float = 300) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*map(str, arguments)], cwd=ROOT, env=env, capture_output=True, text=True, timeout=seconds, check=False
    )


@pytest.fixture(scope="module")
def head(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, dict[str, str]]]:
    """Address of a cluster of two nodes and the environment of a user who has its token."""
    folder = tmp_path_factory.mktemp("ray")
    cache = {"XDG_CACHE_HOME": os.environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")}  # compiled rules
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    env = environment(folder, RAY_AUTH_MODE="token", **cache)
    assert command(RAY, "get-auth-token", "--generate", env=env).returncode == 0
    (folder / ".ray" / "auth_token").chmod(0o600)
    address = f"127.0.0.1:{port}"
    session = Path("/tmp") / f"w51-ray-{port}"  # short: Ray puts sockets into it
    options = ["--num-cpus", 1, "--block"]
    log = (folder / "nodes.log").open("w")
    nodes = []

    def start(*arguments: object) -> None:
        nodes.append(
            subprocess.Popen([RAY, "start", *map(str, [*arguments, *options])], env=env, stdout=log, stderr=log)
        )

    try:
        start("--head", "--port", port, "--temp-dir", session, "--include-dashboard=false")
        wait_until(lambda: "started" in (folder / "nodes.log").read_text(), nodes)
        start(f"--address={address}")
        wait_until(lambda: (folder / "nodes.log").read_text().count("started") == 2, nodes)
        yield address, env
    finally:
        for node in reversed(nodes):
            node.terminate()
        for node in nodes:
            node.wait(60)
        log.close()
        shutil.rmtree(session, ignore_errors=True)


def without_times(printed: str) -> list[str]:
    return [line for line in printed.splitlines() if 'seconds": ' not in line]


def wait_until(happened: Callable[[], bool], nodes: list[subprocess.Popen]) -> None:
    wait_for(lambda: happened() or any(node.poll() is not None for node in nodes), 180)
    assert all(node.poll() is None for node in nodes)


def test_a_tournament_runs_on_a_cluster_that_the_documented_commands_started(head):
    address, env = head
    here = command(sys.executable, "evaluate.py", *MATCH, env=env)
    there = command(sys.executable, "evaluate.py", *MATCH, "--ray", address, env=env)
    assert here.returncode == there.returncode == 0, there.stderr
    assert without_times(there.stdout) == without_times(here.stdout)
    assert [line for line in there.stderr.splitlines() if "Auth" in line] == []


@pytest.mark.parametrize("token", ["none", "wrong"])
def test_without_the_token_the_error_names_what_to_do(head, tmp_path, token):
    address, env = head
    if token == "wrong":
        (tmp_path / ".ray").mkdir()
        (tmp_path / ".ray" / "auth_token").touch(0o600)
        (tmp_path / ".ray" / "auth_token").write_text("0" * 64)
    done = command(sys.executable, "evaluate.py", *MATCH, "--ray", address, env={**env, "HOME": str(tmp_path)})
    assert done.returncode == 2
    assert "set RAY_AUTH_MODE=token, and copy ~/.ray/auth_token from the head to this machine" in done.stderr
    assert "Traceback" not in done.stderr
