"""A tournament over the machines of a Ray cluster."""

import subprocess
import sys

import pytest

pytest.importorskip("ray", reason="needs the extra 'ray'")
pytest.importorskip("pyarrow", reason="needs the extra 'arena'")

from tests.arena.small import plan_of
from tests.commands import ROOT
from w51_env.agents import AgentError
from w51_env.arena.cluster import Cluster

pytestmark = pytest.mark.slow

# In a process of its own: Ray leaves threads and signal handlers behind.
TWO_NODES = """
import sys
from pathlib import Path

from ray.cluster_utils import Cluster as Nodes

from w51_env.arena.cluster import Cluster
from w51_env.arena.store import BLOCKS, Store
from w51_env.arena.tournament import run
from w51_env.arena.workers import InProcessExecutor
from tests.arena.small import DRAWN, plan_of

plan = plan_of("heuristic", DRAWN, games=300)
here = run(plan, InProcessExecutor(plan))
nodes = Nodes(initialize_head=True, head_node_args={"num_cpus": 1})
second = [nodes.add_node(num_cpus=1)]
played = 0

def kill_one_half_way(games):
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
assert len(list((store.folder / BLOCKS).glob("*.parquet"))) == len(plan.blocks)
print("the same")
"""


def test_no_game_is_lost_or_counted_twice_when_a_machine_dies(tmp_path):
    done = subprocess.run(
        [sys.executable, "-c", TWO_NODES, tmp_path], cwd=ROOT, capture_output=True, text=True, timeout=300, check=False
    )
    assert done.stdout.strip().endswith("the same"), done.stderr


def test_an_address_without_a_cluster_is_an_error():
    with pytest.raises(AgentError, match="no cluster can be reached there"):
        Cluster(plan_of("heuristic", "random"), "127.0.0.1:1")
