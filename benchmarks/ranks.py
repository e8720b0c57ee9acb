"""What a training gains from processes, and what their exchanges cost: `python -m benchmarks.ranks`.

Processes of one thread take turns with one process of one thread and with threads, in one run. On quiet cores the
decisions a second say how much faster they are. On a loaded machine the processor time of a decision says what they add
to the work: with N processes that wait for nobody, N times the decisions a second for each part of a second added.
"""

import json
import os
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from statistics import median
from typing import Annotated, Any

import numpy as np
import torch
import typer
from rich.console import Console
from rich.table import Table

from benchmarks.measure import RESULTS, ResultsFile, machine, write_json
from benchmarks.trainers import ENDLESS, make
from w51_agents.training.config import load_config
from w51_agents.training.ranks import RENDEZVOUS, joined_ranks, ranks

ROOT = Path(__file__).resolve().parents[1]
WAYS = {"one process": (1, 1), "two threads": (1, 2), "two processes": (2, 1), "four processes": (4, 1)}
APART = "two trainings"  # side by side, of one process each that knows nothing of the other: what two cores can
SIZES = {"[128, 128]": 100_000, "[256, 256]": 230_000, "[512, 512]": 640_000}  # parameters, about
GROUPS = 4  # of a rank
ROWS = (128, 256, 512, 1024, 2048, 4096)  # of a minibatch


def main(
    config: Annotated[list[str] | None, typer.Option(help="Name of a config; can be repeated.")] = None,
    updates: Annotated[int, typer.Option(help="Updates in each turn.")] = 6,
    rounds: Annotated[int, typer.Option(help="Turns of each.")] = 3,
    json_file: ResultsFile = RESULTS / "ranks.json",
) -> None:
    """Measure, print and keep."""
    found: dict[str, dict[str, list[dict[str, float]]]] = {}
    for name in config or ["standard", "selfplay_quick"]:
        found[name] = {way: [] for way in [*WAYS, APART] if way != "four processes" or name == "standard"}
        for _ in range(rounds):
            for way, turns in found[name].items():
                turns.append(turn(way, "updates", name, str(updates)))
    exchanges = {
        f"{count} {way}": started(count, 1, "exchanges", way, "20")
        for count in (2, 4)
        for way in ("memory", "messages")
    }
    middle = {
        name: {way: {key: median(turn[key] for turn in turns) for key in turns[0]} for way, turns in ways.items()}
        for name, ways in found.items()
    }
    table = Table("config", "way", "decisions/s", "ratio", "processor us a decision", "ratio")
    for name, ways in middle.items():
        first = ways["one process"]
        for way, one in ways.items():
            rate, cost = one["rate"], one["processor"]
            table.add_row(
                name,
                way,
                f"{rate:,.0f}",
                f"{rate / first['rate']:.2f}",
                f"{cost:.1f}",
                f"{cost / first['processor']:.2f}",
            )
    Console().print(table, exchanges)
    more = {"exchanges": exchanges, "groups": GROUPS, "serial": serial_parts(), "rows": loss_by_rows()}
    write_json(json_file, machine(), [], configs=middle, **more)


def turn(way: str, *work: str) -> dict[str, float]:
    """What one turn of a way has measured."""
    if way != APART:
        return started(*WAYS[way], *work)
    with ThreadPoolExecutor() as side_by_side:
        first, second = side_by_side.map(lambda _: started(1, 1, *work), range(2))
    return {
        "rate": first["rate"] + second["rate"],
        "processor": (first["processor"] + second["processor"]) / 2,
    }


def started(count: int, threads: int, *work: str) -> dict[str, float]:
    """What the first of so many processes has measured."""
    with tempfile.TemporaryDirectory() as folder:
        shared = {"WORLD_SIZE": str(count), "LOCAL_WORLD_SIZE": str(count), "OMP_NUM_THREADS": "1"}
        shared |= {RENDEZVOUS: f"file://{folder}/meeting"}
        command = [sys.executable, "-m", "benchmarks.ranks", "rank", str(threads), *work]
        processes = [
            subprocess.Popen(
                command, cwd=ROOT, env={**os.environ, **shared, "RANK": str(number)}, stdout=subprocess.PIPE
            )
            for number in range(count)
        ]
        answers = [process.communicate()[0] for process in processes]
    answer: dict[str, float] = json.loads(answers[0])
    return answer


def rank(threads: int, work: str, config: str, repeated: int) -> None:
    """Measure in one of the processes; the first one prints what was found."""
    torch.set_num_threads(1)
    with joined_ranks() as group:
        found: Any = measured(config, threads, repeated) if work == "updates" else exchanged(config, repeated)
        if group.writes:
            print(json.dumps(found))


def measured(config: str, threads: int, updates: int) -> dict[str, float]:
    """Decisions a second, and microseconds of processor time of all processes for a decision."""
    name, *changes = config.split()
    trainer: Any = make(load_config(name, [f"decisions={ENDLESS}", f"threads={threads or 'null'}", *changes]))
    for _ in range(2):
        trainer.update()
    begun = time.monotonic()
    used = time.process_time()
    before = trainer.decisions
    for _ in range(updates):
        trainer.update()
    decisions, seconds = trainer.decisions - before, time.monotonic() - begun
    (processor,) = ranks().gather(np.array([time.process_time() - used]))
    trainer.close()
    return {"rate": decisions / seconds, "processor": 1e6 * float(processor.sum()) / decisions}


def serial_parts(repeated: int = 20) -> dict[str, float]:
    """Microseconds of a decision for what each process does for all decisions of an update of `standard`, by part."""
    trainer: Any = make(load_config("standard", [f"decisions={ENDLESS}", "threads=1"]))
    settings, size = trainer.settings, trainer.experience.rollout.actions.numel()
    advantages, rows = torch.randn(size), torch.arange(size)
    parameters = trainer.optimizer.param_groups[0]["params"]
    found = {"order": 0.0, "means": 0.0, "optimizer": 0.0}

    def spend(part: str, begun: float) -> float:
        found[part] += (ended := time.process_time()) - begun
        return ended

    now = time.process_time()
    for _ in range(repeated):
        torch.rand(trainer.experience.rollout.actions.shape)
        for _ in range(settings.update_epochs):
            minibatches = [*trainer.minibatches(rows[torch.randperm(size)], settings.minibatch_size)]
            now = spend("order", now)
            for groups in minibatches:
                numbers = advantages[torch.cat([*groups])]
                (numbers - numbers.mean()).div_(numbers.std(correction=0) + 1e-8)
                now = spend("means", now)
                for parameter in parameters:
                    parameter.grad = torch.ones_like(parameter)
                torch.nn.utils.clip_grad_norm_(parameters, settings.max_grad_norm)
                trainer.optimizer.step()
                now = spend("optimizer", now)
    trainer.close()
    return {part: 1e6 * spent / repeated / size for part, spent in found.items()}


def loss_by_rows(repeated: int = 20) -> dict[int, float]:
    """Microseconds of processor time of a row for the loss of `standard` and its gradients, by rows of a minibatch."""
    trainer: Any = make(load_config("standard", [f"decisions={ENDLESS}", "threads=1"]))
    trainer.update()
    size, found = trainer.experience.rollout.actions.numel(), dict[int, float]()
    batch = trainer._batch(torch.randn(size), torch.randn(size), 0.0)
    for rows in ROWS:
        groups = [torch.randperm(size)[:rows]]
        trainer.set_gradients(batch, groups, 0.0)
        begun = time.process_time()
        for _ in range(repeated):
            trainer.set_gradients(batch, groups, 0.0)
        found[rows] = 1e6 * (time.process_time() - begun) / repeated / rows
    trainer.close()
    return found


def exchanged(way: str, repeated: int) -> dict[str, float]:
    """Milliseconds of processor time of a rank for the sum of gradients of one minibatch, by size of network.

    Args:
        way: `memory`, as on one machine, or `messages`, as on several.
        repeated: Sums of each size.
    """
    found, group = {}, ranks()
    group.here = group.count if way == "memory" else 1
    for name, size in SIZES.items():
        terms = torch.randn(GROUPS, size)
        group.sum_in_order(terms, [GROUPS] * group.count)
        used = time.process_time()
        for _ in range(repeated):
            group.sum_in_order(terms, [GROUPS] * group.count)
        found[name] = 1e3 * (time.process_time() - used) / repeated
    return found


if __name__ == "__main__":
    if sys.argv[1:2] == ["rank"]:
        rank(int(sys.argv[2]), sys.argv[3], sys.argv[4], int(sys.argv[5]))
    else:
        typer.run(main)
