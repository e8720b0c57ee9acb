"""What a tournament and a training cost beside play, on 1, 2 and 4 nodes of Ray: `python -m benchmarks.scale`.

The nodes are processes of this machine with one core each, so more nodes than cores are not faster. Costs are processor
time, from which docs/lab/scale.md derives what many machines do.
"""

import pickle
import tempfile
import time
from collections.abc import Callable
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any
from unittest.mock import patch

import numpy as np
import ray
import typer
from ray.cluster_utils import Cluster as Nodes
from rich.console import Console
from rich.table import Table

from benchmarks.measure import RESULTS, ResultsFile, machine, write_json
from w51_lab.arena import cluster as module
from w51_lab.arena.blocks import BlockResult, play_block
from w51_lab.arena.cluster import Cluster
from w51_lab.arena.database import close
from w51_lab.arena.plan import Plan
from w51_lab.arena.spec import TournamentSpec
from w51_lab.arena.store import Store
from w51_lab.arena.tournament import collect, run

NODES = (1, 2, 4)
IN_FLIGHT = (2, 200, 3200)  # blocks; 3,200 are those of 100 machines with 16 cores
AGENTS = {"bots": ("heuristic", "random"), "networks": ("pretrained-v2", "heuristic")}


def main(
    blocks: Annotated[int, typer.Option(help="Blocks of a tournament.")] = 6,
    json_file: ResultsFile = RESULTS / "scale.json",
) -> None:
    """Measure, print and keep."""
    table = Table("what", "figure")
    measured: dict[str, Any] = {"blocks": {name: block_costs(agents) for name, agents in AGENTS.items()}}
    for name, costs in measured["blocks"].items():
        for what, value in costs.items():
            table.add_row(f"{name}, {what}", f"{value:,.4g}")
    measured["nodes"] = {str(nodes): on_nodes(nodes, blocks) for nodes in NODES}
    measured["driver"] = {str(count): driver_cost(count) for count in IN_FLIGHT}
    for nodes, result in measured["nodes"].items():
        table.add_row(f"{nodes} nodes", ", ".join(f"{what} {value:.3g}" for what, value in result.items()))
    for count, microseconds in measured["driver"].items():
        table.add_row(f"driver, {count} blocks in flight", f"{microseconds:,.0f} us a block")
    Console().print(table)
    write_json(json_file, machine(), [], **measured)


def block_costs(agents: tuple[str, ...]) -> dict[str, float]:
    """Of one full block: games, seconds of play, bytes and microseconds of its way to the driver and the store."""
    plan = Plan(TournamentSpec(agents=agents, games=100_000, seed=1))
    block = plan.blocks[0]
    play_block(plan, replace(block, stop=1))
    spent, result = timed(lambda: play_block(plan, block))
    packing, data = timed(lambda: pickle.dumps(result, protocol=5))
    with tempfile.TemporaryDirectory() as folder:
        store = Store.begin(Path(folder), "cup", plan)
        store.add(result)
        storing, _ = timed(lambda: store.add(result))
        close(store._file)  # which then stands alone
        stored = store.results.stat().st_size
    many = [result] * 50
    collecting, _ = timed(lambda: collect(plan, many))
    return {
        "games": len(result.deals),
        "seconds of play": spent,
        "bytes of a result": len(data),
        "us to pack": 1e6 * packing,
        "bytes stored": stored,
        "us to store": 1e6 * storing,
        "us to collect at the end": 1e6 * collecting / len(many),
    }


def on_nodes(nodes: int, blocks: int) -> dict[str, float]:
    """A tournament of bots over nodes with a core each: seconds of the whole, of its play, and of the driver."""
    plan = Plan(TournamentSpec(agents=AGENTS["bots"], games=8192 * blocks, seed=1))
    with cluster_of(nodes, plan) as cluster:
        list(cluster.results(plan.blocks[:nodes]))  # workers start
        begun, spent = time.monotonic(), time.process_time()
        played = run(plan, cluster)
        return {
            "seconds": time.monotonic() - begun,
            "seconds of play": played.seconds,
            "blocks": len(played.results),
            "seconds of the driver": time.process_time() - spent,
        }


def driver_cost(in_flight: int) -> float:
    """Microseconds of the driver's processor time for a block without games, with so many under way."""
    plan = Plan(TournamentSpec(agents=AGENTS["bots"], games=100, seed=1))
    result, count = play_block(plan, plan.blocks[0]), max(400, 2 * in_flight)
    with cluster_of(1, plan) as cluster:
        cluster._play = ray.remote(num_cpus=1)(_returning(result))
        list(cluster.results(plan.blocks[:1] * 20))
        with patch.object(module, "_AHEAD", in_flight):
            begun = time.process_time()
            for _ in cluster.results(plan.blocks[:1] * count):
                pass
        return 1e6 * (time.process_time() - begun) / count


def _returning(result: BlockResult) -> Callable[..., BlockResult]:
    def play(shared: Any, block: Any) -> BlockResult:
        return result

    return play


@contextmanager
def cluster_of(count: int, plan: Plan) -> Any:
    """A cluster of nodes on this machine, with a core each."""
    nodes = Nodes(initialize_head=True, head_node_args={"num_cpus": 1})
    for _ in range(count - 1):
        nodes.add_node(num_cpus=1)
    cluster = Cluster(plan, nodes.address)
    try:
        yield cluster
    finally:
        cluster.close()
        nodes.shutdown()


def timed(work: Callable[[], Any]) -> tuple[float, Any]:
    """Processor time of this process in seconds, the least of three, and the result; once if it takes long."""
    times: list[float] = []
    result = None
    while len(times) < 3 and sum(times) < 2.0:
        begun = time.process_time()
        result = work()
        times.append(time.process_time() - begun)
    return float(np.min(times)), result


if __name__ == "__main__":
    typer.run(main)
