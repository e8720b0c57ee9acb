"""What histories cost: `python -m benchmarks.history`.

Two batches play at random by turns, one alone and one that also reads the history of the seat to move after each step,
so that a machine whose speed varies slows both alike. The choice of actions is included. Rates are per second of
processor time, since other processes may run beside.
"""

import time
from statistics import median
from typing import Annotated

import typer

from benchmarks.measure import JsonFile, Result, machine, show, summarize, wide_console, write_json
from w51_env import make_vec, registered_games
from w51_env.engine.batch import Batch

GAMES, ROWS = 1024, 64
CALLS = 16  # steps of a turn


def play(batch: Batch, reads: bool) -> float:
    """Decisions per second of processor time in one turn."""
    start = time.process_time()
    for _ in range(CALLS):
        batch.step(batch.sample_actions())
        if reads:
            batch.history()
    return CALLS * batch.num_games / (time.process_time() - start)


def measure(game_id: str, turns: int) -> tuple[list[Result], float]:
    """The rates alone and with histories, and the median of their ratios in the same turns."""
    batches = [make_vec(game_id, GAMES, seed=0, history=rows) for rows in (0, ROWS)]
    rates: tuple[list[float], list[float]] = ([], [])
    for batch in batches:
        batch.reset()
    for turn in range(-20, turns):
        for batch, kept, reads in zip(batches, rates, (False, True), strict=True):
            rate = play(batch, reads)
            if turn >= 0:
                kept.append(rate)
    names = (f"{GAMES} games, alone", f"{GAMES} games, with the last {ROWS} events")
    results = [summarize(game_id, name, "steps/s", kept) for name, kept in zip(names, rates, strict=True)]
    return results, median(with_history / alone for alone, with_history in zip(*rates, strict=True))


def main(json: JsonFile = None, turns: Annotated[int, typer.Option(min=1, help="Turns of each batch.")] = 200) -> None:
    """Measure steps per second with and without histories."""
    facts = machine()
    results = []
    ratios = {}
    for game_id in registered_games():
        measured, ratios[game_id] = measure(game_id, turns)
        results += measured
    console = wide_console()
    show(console, results)
    console.print(", ".join(f"{game_id}: {ratio:.2f} of the rate alone" for game_id, ratio in ratios.items()))
    if json is not None:
        write_json(json, facts, results, ratios=ratios)


if __name__ == "__main__":
    typer.run(main)
