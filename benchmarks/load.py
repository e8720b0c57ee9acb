"""How much slower work gets beside two busy processes: `python -m benchmarks.load`, on a machine with no other work.

On two cores, half of the time is left at worst for what uses both: twice as slow. The bar is 2.2. Each line is a
process, which plays by turns alone and beside the busy processes.
"""

import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Annotated, Any

import torch
import typer
from rich.console import Console
from rich.table import Table

from benchmarks.measure import ROOT, JsonFile, machine, write_json
from w51_agents import make_agent
from w51_agents.training.config import load_config
from w51_agents.training.registry import trainer_spec
from w51_env import make_game, make_vec
from w51_lab.arena.plan import Plan
from w51_lab.arena.spec import TournamentSpec
from w51_lab.arena.tournament import run
from w51_lab.arena.workers import make_executor

TARGET = 2.2
GAME = "warehouse51_v1"
Play = Callable[[], Any]


def engine(threads: int) -> Play:
    games = make_vec(GAME, 1024, num_players=4, seed=0, threads=threads)
    games.reset()

    def play() -> None:
        for _ in range(20):
            games.step(games.sample_actions())

    return play


def arena() -> Play:
    plan = Plan(TournamentSpec(agents=("pretrained-v2", "heuristic"), games=4000, seed=1))
    executor = make_executor(plan, None)
    return lambda: run(plan, executor)


def training() -> Play:
    config = load_config(ROOT / "configs" / "selfplay_quick.yaml", ["decisions=1000000000"])
    torch.set_num_threads(config.torch_threads or 1)
    update: Play = trainer_spec(config.trainer).make(config, make_game(GAME, **config.options)).update
    return update


def decisions(name: str, count: int) -> Play:
    games = make_vec(GAME, count, num_players=4, seed=0)
    games.reset()
    agent = make_agent(name, games.game)

    def play() -> None:
        for _ in range(10):
            infos = [{"determinizer": games.determinizer(index)} for index in range(count)]
            games.step(agent.act_batch(games.observation, games.action_mask, infos))

    return play


LINES: dict[str, Callable[[], Play]] = {
    "engine, 1 thread": lambda: engine(1),
    "engine, 2 threads": lambda: engine(2),
    "arena, a network": arena,
    "training": training,
    "search, 100 playouts": lambda: decisions("search:playouts=100", 1),
    "a network's decision, as at the web table": lambda: decisions("pretrained-v2", 1),
    "a network's decisions, 1024 games": lambda: decisions("pretrained-v2", 1024),
}


def serve(line: str) -> None:
    """One process: reads a number of seconds, plays so long, writes how often it played in a second."""
    play = LINES[line]()
    play()
    print("ready", flush=True)
    for seconds in sys.stdin:
        begun, times = time.perf_counter(), 0
        while (elapsed := time.perf_counter() - begun) < float(seconds):
            play()
            times += 1
        print(times / elapsed, flush=True)


def main(
    seconds: Annotated[float, typer.Option(help="Seconds of a turn.")] = 2.0,
    turns: Annotated[int, typer.Option(help="Turns alone, and as many beside the busy processes.")] = 5,
    busy: Annotated[int, typer.Option(help="Busy processes.")] = 2,
    only: Annotated[str, typer.Option(help="Only lines whose name contains this.")] = "",
    json_file: JsonFile = None,
) -> None:
    """Measure and print; status 1 if a line is slower than the bar."""
    facts, slower = machine(), {}
    for line in (line for line in LINES if only in line):
        with player(line) as process:
            alone, beside = [], []
            for _ in range(turns):
                alone.append(rate(process, seconds))
                with busy_processes(busy):
                    beside.append(rate(process, seconds))
        slower[line] = statistics.median(alone) / statistics.median(beside)
    table = Table("beside two busy processes", "times slower", f"at most {TARGET}")
    for line, times in slower.items():
        table.add_row(line, f"{times:.2f}", "yes" if times <= TARGET else "no")
    Console().print(table)
    if json_file is not None:
        write_json(json_file, facts, [], busy=busy, slower=slower)
    sys.exit(max(slower.values()) > TARGET)


@contextmanager
def player(line: str) -> Iterator[subprocess.Popen[str]]:
    """A process that plays a line when it is asked; it is ended afterwards."""
    process = subprocess.Popen(
        [sys.executable, "-c", f"from benchmarks.load import serve; serve({line!r})"],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n", f"{line}: it ended with status {process.wait()}"
        yield process
    finally:
        process.kill()
        process.wait()


def rate(process: subprocess.Popen[str], seconds: float) -> float:
    """Plays in a second of wall time."""
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write(f"{seconds}\n")
    process.stdin.flush()
    return float(process.stdout.readline())


@contextmanager
def busy_processes(count: int) -> Iterator[None]:
    """Processes that compute without end, until the context ends."""
    processes = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(count)]
    try:
        yield
    finally:
        for process in processes:
            process.kill()
            process.wait()


if __name__ == "__main__":
    typer.run(main)
