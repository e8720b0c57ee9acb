"""Throughput of the engine and its adapters: `python benchmarks/throughput.py`.

All play is random and legal. The game is Warehouse 51 for four players with default options, if no other is named.
A step is one decision of one seat in one game. The choice of actions is included unless a line says otherwise.
"""

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from importlib import import_module
from typing import Annotated

import gymnasium
import numpy as np
import typer
from rich.console import Console
from rich.progress import track

from benchmarks import measure
from benchmarks.measure import Result, summarize
from benchmarks.peers import play_aec
from w51_env import make_vec, registered_games
from w51_env.engine.batch import Batch

GAME = "warehouse51_v1"
GYMNASIUM_ID = "Warehouse51-v1"
NUM_GAMES = (1, 64, 1024, 16384)
THREADS = (1, 2)
MANY = 1024
CLONES = 1024
STEPS_A_CALL = 16384  # about as many as are played between two readings of the clock

FIRST_STEP = f"""
import time
start = time.perf_counter()
from w51_env import make_vec
batch = make_vec({GAME!r}, seed=0)
batch.reset()
batch.step(batch.sample_actions())
print(time.perf_counter() - start)
"""

Run = Callable[[int, float], list[Result]]  # (repeats, seconds) -> results
Benchmark = tuple[str, Run]


def batch_benchmarks(observe: bool) -> Iterator[Benchmark]:
    """Random play in a batch: with observations and masks, or without."""
    group = "batch, observations and masks" if observe else "batch, no observations"
    for threads in THREADS:
        for num_games in NUM_GAMES:
            if threads == 1 or num_games > 1:
                label = f"{num_games} game{'s' * (num_games > 1)}, {threads} thread{'s' * (threads > 1)}"
                yield f"{group}: {label}", _batch(GAME, group, label, num_games, threads, observe)


def other_game_benchmarks() -> Iterator[Benchmark]:
    """The same for the other games of the package, with default options."""
    for game_id in registered_games():
        if game_id != GAME:
            for observe, what in ((True, "observations and masks"), (False, "no observations")):
                label = f"{game_id}, {MANY} games, 1 thread, {what}"
                yield f"other games: {label}", _batch(game_id, "other games", label, MANY, 1, observe)


def _batch(game_id: str, group: str, label: str, num_games: int, threads: int, observe: bool) -> Run:
    def run(repeats: int, seconds: float) -> list[Result]:
        batch = make_vec(game_id, num_games, seed=0, threads=threads, observe=observe)
        batch.reset()
        calls = max(1, STEPS_A_CALL // num_games)

        def play() -> tuple[int, float]:
            stepping = 0.0
            for _ in range(calls):
                actions = batch.sample_actions()
                start = time.perf_counter()
                batch.step(actions)
                stepping += time.perf_counter() - start
            return calls * num_games, stepping

        overall, alone = measure.rates(play, repeats, seconds)
        batch.close()
        return [
            summarize(group, label, "steps/s", overall),
            summarize(f"{group}, without the choice of actions", label, "steps/s", alone),
        ]

    return run


def adapter_benchmarks() -> Iterator[Benchmark]:
    """All seats through PettingZoo; a learner against three random bots through Gymnasium and Stable-Baselines3."""
    yield (
        "PettingZoo AEC",
        lambda repeats, seconds: [
            summarize("adapters", "PettingZoo AEC, last() and step()", "steps/s", rates_of_aec(repeats, seconds))
        ],
    )
    for num_envs in (64, 1024):
        yield (
            f"Gymnasium {num_envs}",
            _learner(f"Gymnasium vector, {num_envs} games, learner's decisions", gymnasium_vector, num_envs),
        )
        yield f"SB3 {num_envs}", _learner(f"SB3 VecEnv, {num_envs} games, learner's decisions", sb3_vec_env, num_envs)


def rates_of_aec(repeats: int, seconds: float) -> list[float]:
    """Steps per second of the loop that `benchmarks/peers.py` also uses for PettingZoo's games."""
    return measure.rates(play_aec(f"w51_env.{GAME}"), repeats, seconds)[0]


def _learner(label: str, make: Callable[[int], Callable[[np.ndarray], np.ndarray]], num_envs: int) -> Run:
    """`make` gives a function that plays an action in each game and returns the masks (num_envs, num_actions)."""

    def run(repeats: int, seconds: float) -> list[Result]:
        step = make(num_envs)
        random = np.random.default_rng(0)
        masks = step(np.empty(0))

        def play() -> tuple[int, float]:
            nonlocal masks
            actions = np.argmax(masks * random.random(masks.shape, np.float32), axis=1)
            start = time.perf_counter()
            masks = step(actions)
            return num_envs, time.perf_counter() - start

        return [summarize("adapters", label, "steps/s", measure.rates(play, repeats, seconds)[1])]

    return run


def gymnasium_vector(num_envs: int) -> Callable[[np.ndarray], np.ndarray]:
    """A step function; an empty array of actions resets. Autoreset in the same step, as in SB3's VecEnv."""
    env = gymnasium.make_vec(f"w51_env/{GYMNASIUM_ID}", num_envs=num_envs, autoreset_mode="SameStep")

    def step(actions: np.ndarray) -> np.ndarray:
        infos = env.step(actions)[-1] if len(actions) else env.reset(seed=0)[-1]
        return infos["action_mask"]

    return step


def sb3_vec_env(num_envs: int) -> Callable[[np.ndarray], np.ndarray]:
    """A step function; an empty array of actions resets."""
    env = import_module("w51_env.adapters.sb3_vec_env").LearnerVecEnv(GAME, num_envs, seed=0)

    def step(actions: np.ndarray) -> np.ndarray:
        if len(actions):
            env.step(actions)
        else:
            env.reset()
        return env.action_masks()

    return step


def state_benchmarks() -> Iterator[Benchmark]:
    """Copies and determinizations of games in progress."""

    def midgame(num_games: int) -> Batch:
        batch = make_vec(GAME, num_games, seed=0)
        batch.reset()
        for _ in range(60):
            batch.step(batch.sample_actions())
        return batch

    def microseconds(label: str, action: Callable[[], None], games: int) -> Run:
        def run(repeats: int, seconds: float) -> list[Result]:
            def play() -> tuple[int, float]:
                start = time.perf_counter()
                action()
                return games, time.perf_counter() - start

            return [
                summarize("states", label, "us/game", [1e6 / rate for rate in measure.rates(play, repeats, seconds)[1]])
            ]

        return run

    many, one = midgame(CLONES), midgame(1)
    indices = np.random.default_rng(0).integers(0, CLONES, CLONES)
    seats = many.seat.copy()

    def clone_many() -> None:
        many.clone(indices)

    def clone_one() -> None:
        one.games[0] = many.games[3]

    def resample_many() -> None:
        many.resample_hidden(seats, 0)

    def resample_one() -> None:
        one.resample_hidden(0, 0)

    yield "clone in a batch", microseconds(f"clone, {CLONES} games in a call", clone_many, CLONES)
    yield "clone one", microseconds("clone, one game in a call", clone_one, 1)
    yield (
        "resample in a batch",
        microseconds(f"resample_hidden, with new masks, {CLONES} games in a call", resample_many, CLONES),
    )
    yield "resample one", microseconds("resample_hidden, with new masks, one game in a call", resample_one, 1)
    yield "bytes", lambda repeats, seconds: bytes_a_game()


def bytes_a_game() -> list[Result]:
    """Size of a state, and of a state with all buffers of a batch."""
    batch = make_vec(GAME, CLONES, seed=0)
    buffers = (batch.games, batch.observation, batch.action_mask, batch.final_observation, batch.rewards)
    return [
        summarize("states", "state", "bytes/game", [batch.game.record.itemsize]),
        summarize(
            "states",
            "state and all buffers of a batch",
            "bytes/game",
            [sum(buffer.nbytes for buffer in buffers) / CLONES],
        ),
    ]


def start_benchmarks() -> Iterator[Benchmark]:
    """Import and first step in a new process, with an empty and with a full cache of compiled code."""

    def run(repeats: int, seconds: float) -> list[Result]:
        cold, warm = [], []
        for _ in range(min(repeats, 3)):
            with tempfile.TemporaryDirectory() as cache:
                cold.append(_first_step(cache))
                warm.append(_first_step(cache))
        group = "start: import and first step"
        return [summarize(group, "cold (compiles the rules)", "s", cold), summarize(group, "warm", "s", warm)]

    yield "start", run


def _first_step(cache: str) -> float:
    environment = {**os.environ, "W51_ENV_CACHE": cache}
    output = subprocess.run(
        [sys.executable, "-c", FIRST_STEP], env=environment, check=True, capture_output=True, text=True
    ).stdout
    return float(output)


def benchmarks() -> Iterator[Benchmark]:
    """All of them, in the order of the table."""
    yield from batch_benchmarks(observe=True)
    yield from batch_benchmarks(observe=False)
    yield from other_game_benchmarks()
    yield from adapter_benchmarks()
    yield from state_benchmarks()
    yield from start_benchmarks()


def main(
    json: measure.JsonFile = None,
    repeats: measure.Repeats = 5,
    seconds: Annotated[float, typer.Option(min=0.01, help="Length of a measurement.")] = 0.5,
    only: Annotated[str, typer.Option(help="Run only benchmarks whose name contains this.")] = "",
) -> None:
    """Measure steps per second of the engine and its adapters, states, and start-up."""
    console = measure.wide_console()
    facts = measure.machine()
    results: list[Result] = []
    for _, benchmark in track(
        [line for line in benchmarks() if only in line[0]], "measuring", console=Console(stderr=True), transient=True
    ):
        results += benchmark(repeats, seconds)
    console.print(measure.headline(facts))
    measure.show(console, results)
    if json is not None:
        measure.write_json(json, facts, results)
        console.print(f"written to {json}")


if __name__ == "__main__":
    typer.run(main)
