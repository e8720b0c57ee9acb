"""What RLlib's training costs on 1, 2 and 4 nodes of Ray: `python -m benchmarks.scale_rllib`.

The nodes are processes of this machine. The algorithm is that of examples/rllib_self_play.py, with an
env runner for each node.
"""

import pickle
import time
from argparse import Namespace
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Annotated

import numpy as np
import ray
import typer
from ray.cluster_utils import Cluster as Nodes
from rich.console import Console
from rich.table import Table

from benchmarks.measure import RESULTS, ResultsFile, machine, write_json
from benchmarks.scale import NODES
from examples.rllib_self_play import MAIN, config_of


def main(
    batch: Annotated[int, typer.Option(help="Decisions of an iteration.")] = 4000,
    iterations: Annotated[int, typer.Option(help="Iterations that are measured, after one that is not.")] = 4,
    json_file: ResultsFile = RESULTS / "scale_rllib.json",
) -> None:
    """Measure, print and keep."""
    facts = machine()
    measured = {str(nodes): on_nodes(nodes, batch, iterations) for nodes in NODES}
    table = Table("nodes", *next(iter(measured.values())))
    for nodes, figures in measured.items():
        table.add_row(nodes, *(f"{value:,.4g}" for value in figures.values()))
    Console().print(table)
    write_json(json_file, facts, [], batch=batch, nodes=measured)


def on_nodes(count: int, batch: int, iterations: int) -> dict[str, float]:
    """Per iteration: decisions, seconds and those of its parts, processor time of the driver; and bytes of weights."""
    nodes = Nodes(initialize_head=True, head_node_args={"num_cpus": 2})  # a core for the driver, too
    for _ in range(count - 1):
        nodes.add_node(num_cpus=1)
    ray.init(address=nodes.address, log_to_driver=False, include_dashboard=False)
    arguments = Namespace(
        game="warehouse51_v1", num_players=3, num_env_runners=count, num_learners=0, learners_on_head=False,
        snapshot_every=1000, batch_size=batch,
    )  # fmt: skip
    algorithm = config_of(arguments).build_algo()
    try:
        algorithm.train()
        parts: dict[str, float] = {"learning": 0.0, "weights": 0.0}
        for owner, method, part in (
            (algorithm.learner_group, "update", "learning"),
            (algorithm.env_runner_group, "sync_weights", "weights"),
        ):
            setattr(owner, method, timed(parts, part)(getattr(owner, method)))
        begun, spent = time.monotonic(), time.process_time()
        results = [algorithm.train() for _ in range(iterations)]
        seconds, of_driver = time.monotonic() - begun, time.process_time() - spent
        module = algorithm.get_module(MAIN)
        assert module is not None
        decisions = np.mean([result["env_runners"]["num_env_steps_sampled"] for result in results])
        return {
            "decisions": float(decisions),
            "seconds": seconds / iterations,
            **{f"seconds of {part}": of_part / iterations for part, of_part in parts.items()},
            "seconds of the driver": of_driver / iterations,
            "bytes of weights": len(pickle.dumps(module.get_state(), protocol=5)),
        }
    finally:
        algorithm.stop()
        ray.shutdown()
        nodes.shutdown()


@contextmanager
def timed(seconds: dict[str, float], name: str) -> Iterator[None]:
    """Add the wall time of what runs inside to `seconds[name]`; as a decorator, that of each call."""
    begun = time.monotonic()
    try:
        yield
    finally:
        seconds[name] += time.monotonic() - begun


if __name__ == "__main__":
    typer.run(main)
