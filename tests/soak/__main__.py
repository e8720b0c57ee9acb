"""`bash bin/soak`: long proofs of reliability. Each command runs until its number or its time limit is reached."""

import json
import os
import random
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console

from tests.soak.record import ROOT, ProofError, record
from w51_agents.console.terminal import INTERRUPTED

app = typer.Typer(
    add_completion=False, rich_markup_mode=None, help=__doc__, no_args_is_help=True, pretty_exceptions_enable=False
)
console = Console(highlight=False, soft_wrap=True)
Minutes = Annotated[float | None, typer.Option(min=0.01, help="Time limit in minutes. Default: none.")]
Seed = Annotated[int | None, typer.Option(min=0, help="Default: a new one, which is printed.")]
Workers = Annotated[int, typer.Option(min=1, help="How many at a time.")]
Number = Annotated[int, typer.Option(min=1, help="When to stop.")]


def restart(**variables: str) -> None:
    """Begin this command again with these environment variables, which are read when Numba is imported."""
    if not variables.items() <= os.environ.items():
        os.execve(sys.executable, [sys.executable, "-m", "tests.soak", *sys.argv[1:]], {**os.environ, **variables})


def prove(name: str, seed: int | None, work: Callable[[int], dict[str, Any]]) -> None:
    """Run a proof, print its figures and write them; exit status 1 if it fails."""
    from time import monotonic

    chosen = random.SystemRandom().randrange(10**6) if seed is None else seed
    console.print(f"{name}, seed {chosen}")
    begun = monotonic()
    try:
        figures = work(chosen)
    except AssertionError as error:
        Console(stderr=True).print(f"failed: {error}", style="red", markup=False, soft_wrap=True)
        raise typer.Exit(1) from None
    except KeyboardInterrupt:
        raise typer.Exit(INTERRUPTED) from None
    console.print_json(json.dumps(record(name, figures, chosen, monotonic() - begun)))


@app.command()
def steps(
    number: Number = 10**9,
    minutes: Minutes = None,
    seed: Seed = None,
    every: Annotated[int, typer.Option(min=1, help="Check all games after each step of this number.")] = 10,
) -> None:
    """Random steps of both games over presets, options and relic files; invariants at every 10th and at each end."""
    from tests.soak.play import steps as work

    prove("steps", seed, lambda chosen: work(number, minutes, chosen, every=every))


@app.command()
def leaks(number: Number = 10**5, minutes: Minutes = None, seed: Seed = None) -> None:
    """Pairs of states that differ in what a seat cannot know: the seat is given the same bytes."""
    from tests.soak.play import leaks as work

    prove("leaks", seed, lambda chosen: work(number, minutes, chosen))


@app.command()
def memory(number: Number = 10**8, minutes: Minutes = None, seed: Seed = None) -> None:
    """Memory of a process over many steps with events: flat."""
    from tests.soak.play import memory as work

    prove("memory", seed, lambda chosen: work(number, minutes, chosen))


@app.command()
def tournament(number: Number = 10**5, minutes: Minutes = None, seed: Seed = None) -> None:
    """A tournament with behaviour tables, of this number of games and of a tenth: its memory hardly grows."""
    from tests.soak.tournament import tournament as work

    prove("tournament", seed, lambda chosen: work(number, minutes, chosen))


@app.command()
def crash(number: Number = 10**6, minutes: Minutes = None, seed: Seed = None, workers: Workers = 1) -> None:
    """Training and tournaments killed, stopped or out of disk at each system call: resumed, they end the same."""
    from tests.soak.crash import crash as work
    from tests.soak.jobs import all_jobs

    prove("crash", seed, lambda chosen: work(all_jobs(), number, minutes, chosen, workers))


@app.command()
def readers(number: Number = 10**6, minutes: Minutes = None, seed: Seed = None) -> None:
    """Damaged and strange files for every reader: read, or refused with an error of this package."""
    from tests.soak.readers import fuzz_readers

    prove("readers", seed, lambda chosen: fuzz_readers(number, minutes, chosen))


@app.command()
def batches(number: Number = 10**7, minutes: Minutes = None, seed: Seed = None) -> None:
    """Calls of a batch in any order with any arguments: done, or refused without a change. Indices are checked."""
    restart(NUMBA_BOUNDSCHECK="1", W51_ENV_CACHE=str(ROOT / "runs" / "bounds_checked"))
    from tests.soak.api import fuzz_batches

    prove("batches", seed, lambda chosen: fuzz_batches(number, minutes, chosen))


@app.command()
def mutate(
    number: Number = 10**6,
    minutes: Minutes = None,
    seed: Seed = None,
    workers: Workers = 1,
    lines: Annotated[Path, typer.Option(help="File that keeps which test runs which line.")] = Path("runs/mutate.json"),
    only: Annotated[str, typer.Option(help="Only mutants whose name contains this, as `scoring.py`.")] = "",
    least: Annotated[float, typer.Option(help="Fail under this rate.")] = 0.95,
) -> None:
    """Each rule changed once: the tests must notice it. Survivors are listed."""
    restart(NUMBA_DISABLE_JIT="1")
    from tests.soak.mutate import mutate as work

    def check(chosen: int) -> dict[str, Any]:
        lines.parent.mkdir(parents=True, exist_ok=True)
        figures = work(number, minutes, chosen, lines, only, workers)
        if figures["rate"] < least:
            raise ProofError(f"{figures['rate']:.1%} of the mutants are noticed, fewer than {least:.0%}: {figures}")
        return figures

    prove("mutate", seed, check)


if __name__ == "__main__":
    app()
