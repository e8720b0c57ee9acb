"""Throughput of other libraries' games and of Warehouse 51: `python benchmarks/peers.py` (needs the extra `peers`).

The same kind of loop plays every game: random legal moves, with the observation and the legal actions at each decision.
Most games are much smaller than Warehouse 51, so the ratios compare waiting times of an agent, not quality of code.
"""

import random
import time
import warnings
from collections.abc import Callable, Iterator
from functools import partial
from importlib import import_module
from typing import Annotated

import numpy as np
import typer
from rich import box
from rich.console import Console
from rich.progress import track
from rich.table import Table

from benchmarks import measure
from benchmarks.measure import Result, readable, summarize
from w51_env import make_game
from w51_env.engine.batch import Batch

GAME = "warehouse51_v1"
STEPS_A_CALL = 500
NUM_GAMES = 1024
PETTINGZOO = ("texas_holdem_no_limit_v6", "texas_holdem_v4", "leduc_holdem_v4", "hanabi_v5", "rps_v2")
OPEN_SPIEL = {
    "first_sealed_auction": "first_sealed_auction",
    "liars_dice": "liars_dice",
    "goofspiel (turn-based)": "turn_based_simultaneous_game(game=goofspiel())",
    "leduc_poker": "leduc_poker",
    "hanabi": "hanabi",
    "bridge (bidding and play)": "bridge(use_double_dummy_result=false)",
}
RLCARD = ("no-limit-holdem", "limit-holdem", "leduc-holdem")

Play = Callable[[], tuple[int, float]]


def this_package() -> Iterator[tuple[str, Callable[[], Play]]]:
    """Warehouse 51: through PettingZoo, one game called from Python, and a batch."""
    yield "AEC", partial(play_aec, f"w51_env.{GAME}")
    yield "one game", partial(play_batch, 1)
    yield f"{NUM_GAMES} games", partial(play_batch, NUM_GAMES)


def peers() -> Iterator[tuple[str, str, Callable[[], Play]]]:
    """(library, game, function that makes its `Play`) for every peer."""
    for name in PETTINGZOO:
        yield "pettingzoo", name, partial(play_aec, f"pettingzoo.classic.{name}")
    for name, game in OPEN_SPIEL.items():
        yield "open-spiel", name, partial(play_open_spiel, game)
    for name in RLCARD:
        yield "rlcard", name, partial(play_rlcard, name)


def timed(play: Callable[[], int]) -> Play:
    """A `Play` for `measure.rates`, from a function that returns its number of steps."""

    def play_timed() -> tuple[int, float]:
        start = time.perf_counter()
        steps = play()
        return steps, time.perf_counter() - start

    return play_timed


def play_batch(num_games: int) -> Play:
    """Random play in a batch, observations and masks written at every step."""
    batch = Batch(make_game(GAME), num_games, seed=0)
    batch.reset()
    calls = max(1, 16384 // num_games)

    def play() -> int:
        for _ in range(calls):
            batch.step(batch.sample_actions())
        return calls * num_games

    return timed(play)


def play_aec(module: str) -> Play:
    """Random play through PettingZoo's `last` and `step`. Removals of finished agents are not counted."""
    env = import_module(module).env()
    draw = random.Random(0).random
    env.reset(seed=0)

    def play() -> int:
        steps = 0
        while steps < STEPS_A_CALL:
            if not env.agents:
                env.reset()
            observation, _, terminated, truncated, _ = env.last()
            if terminated or truncated:
                env.step(None)
                continue
            if isinstance(observation, dict):
                legal = np.flatnonzero(observation["action_mask"])
                env.step(int(legal[int(draw() * len(legal))]))
            else:
                env.step(int(draw() * env.action_space(env.agent_selection).n))
            steps += 1
        return steps

    return timed(play)


def play_open_spiel(name: str) -> Play:
    """Random play with the tensor of the player to move at every decision."""
    spiel = import_module("pyspiel")
    game = spiel.load_game(name)
    informed = game.get_type().provides_information_state_tensor
    draw = random.Random(0).random

    def play() -> int:
        steps = 0
        while steps < STEPS_A_CALL:
            state = game.new_initial_state()
            while not state.is_terminal():
                if state.is_chance_node():
                    outcomes, weights = zip(*state.chance_outcomes(), strict=True)
                    state.apply_action(random.choices(outcomes, weights)[0])
                    continue
                _ = state.information_state_tensor() if informed else state.observation_tensor()
                legal = state.legal_actions()
                state.apply_action(legal[int(draw() * len(legal))])
                steps += 1
        return steps

    return timed(play)


def play_rlcard(name: str) -> Play:
    """Random play through `step`, which gives the next player's observation and legal actions."""
    env = import_module("rlcard").make(name, config={"seed": 0})
    draw = random.Random(0).random

    def play() -> int:
        steps = 0
        while steps < STEPS_A_CALL:
            state, _ = env.reset()
            while not env.is_over():
                legal = list(state["legal_actions"])
                state, _ = env.step(legal[int(draw() * len(legal))])
                steps += 1
        return steps

    return timed(play)


def measure_all(repeats: int, seconds: float) -> tuple[list[Result], dict[str, str]]:
    """The results, and for each missing library a message with the command that installs it."""
    results, missing = [], {}
    lines = [("w51_env", name, make) for name, make in this_package()] + list(peers())
    for library, name, make in track(lines, "measuring", console=Console(stderr=True), transient=True):
        try:
            play = make()
        except ImportError as error:
            if library == "w51_env":
                raise
            missing[library] = f"{library} is left out ({error}); install it with: pip install '.[peers]'"
            continue
        results.append(summarize(library, name, "steps/s", measure.rates(play, repeats, seconds)[0]))
    return results, missing


def ratios(results: list[Result]) -> dict[str, dict[str, float]]:
    """For every peer: throughput of Warehouse 51 divided by that of the peer, for each way of playing."""
    mine = {result.name: result.value for result in results if result.group == "w51_env"}
    return {
        f"{result.group} {result.name}": {name: value / result.value for name, value in mine.items()}
        for result in results
        if result.group != "w51_env"
    }


def show(console: Console, results: list[Result]) -> None:
    """Print a row for each peer, with the ratios as columns."""
    factors = ratios(results)
    mine = [result for result in results if result.group == "w51_env"]
    table = Table(
        "library",
        "game",
        "steps/s",
        *(f"w51_env {result.name}" for result in mine),
        box=box.SIMPLE_HEAD,
        header_style="bold",
    )
    for column in table.columns[2:]:
        column.justify = "right"
    table.add_row(
        "w51_env",
        "warehouse51, 4 players",
        "",
        *(readable(result.value, result.unit) for result in mine),
        end_section=True,
    )
    for result in results:
        if result.group != "w51_env":
            times = [f"x {factors[f'{result.group} {result.name}'][own_result.name]:,.1f}" for own_result in mine]
            table.add_row(result.group, result.name, readable(result.value, result.unit), *times)
    console.print(table)


def main(
    json: measure.JsonFile = None,
    repeats: measure.Repeats = 5,
    seconds: Annotated[float, typer.Option(min=0.01, help="Length of a measurement.")] = 0.5,
) -> None:
    """Measure PettingZoo's classic games, OpenSpiel and RLCard beside Warehouse 51, and print ratios."""
    warnings.simplefilter("ignore")  # of the peers
    console = measure.wide_console()
    facts = measure.machine()
    results, missing = measure_all(repeats, seconds)
    console.print(measure.headline(facts))
    show(console, results)
    for message in missing.values():
        console.print(message, markup=False)
    if json is not None:
        measure.write_json(json, facts, results, ratios=ratios(results))
        console.print(f"written to {json}")


if __name__ == "__main__":
    typer.run(main)
