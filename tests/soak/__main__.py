"""`bash bin/soak PROOF`: long proofs of reliability. Each runs until its number or its time limit is reached.

\b
steps       random steps of both games over presets, options and relic files; invariants now and then and at each end
leaks       pairs of states that differ in what a seat cannot know: the seat is given the same bytes
memory      memory of a process over many steps with events: flat
tournament  a tournament with behaviour tables, of this number of games and of a tenth: its memory hardly grows
crash       training and tournaments killed, stopped or out of disk at each system call: resumed, they end the same
readers     damaged and strange files for every reader: read, or refused with an error of this package
batches     calls of a batch in any order with any arguments: done, or refused without a change; indices are checked
mutate      each rule changed once: the tests must notice it; survivors are listed
"""

import json
import os
import random
import sys
from enum import StrEnum
from time import monotonic
from typing import Annotated, Any

import typer
from rich.console import Console

from tests.soak.record import ROOT, ProofError, record
from w51_agents.console.terminal import INTERRUPTED
from w51_env.engine.imports import import_object

Proof = StrEnum("Proof", "steps leaks memory tournament crash readers batches mutate")
PROOFS = {  # the function, and when it stops unless told
    Proof.steps: ("play:steps", 10**9),
    Proof.leaks: ("play:leaks", 10**5),
    Proof.memory: ("play:memory", 10**8),
    Proof.tournament: ("tournament:tournament", 10**5),
    Proof.crash: ("jobs:crash_all", 10**6),
    Proof.readers: ("readers:fuzz_readers", 10**6),
    Proof.batches: ("api:fuzz_batches", 10**7),
    Proof.mutate: ("mutate:mutate", 10**6),
}
# Read when Numba is imported.
VARIABLES = {
    Proof.batches: {"NUMBA_BOUNDSCHECK": "1", "W51_ENV_CACHE": str(ROOT / "runs" / "bounds_checked")},
    Proof.mutate: {"NUMBA_DISABLE_JIT": "1"},
}
LEAST = 0.95  # of the mutants that must be noticed
app = typer.Typer(add_completion=False, rich_markup_mode=None, no_args_is_help=True, pretty_exceptions_enable=False)
console = Console(highlight=False, soft_wrap=True)


@app.command(help=__doc__)
def main(
    proof: Annotated[Proof, typer.Argument(show_choices=False, metavar="PROOF")],
    number: Annotated[int | None, typer.Option(min=1, help="When to stop. Each proof has its own default.")] = None,
    minutes: Annotated[float | None, typer.Option(min=0.01, help="Time limit in minutes. Default: none.")] = None,
    seed: Annotated[int | None, typer.Option(min=0, help="Default: a new one, which is printed.")] = None,
    workers: Annotated[int, typer.Option(min=1, help="How many faults or mutants at a time.")] = 1,
    only: Annotated[str, typer.Option(help="Only mutants whose name contains this, as `scoring.py`.")] = "",
) -> None:
    """Run a proof, print its figures and write them; exit status 1 if it fails."""
    variables = VARIABLES.get(proof, {})
    if not variables.items() <= os.environ.items():
        os.execve(sys.executable, [sys.executable, "-m", "tests.soak", *sys.argv[1:]], {**os.environ, **variables})
    chosen = random.SystemRandom().randrange(10**6) if seed is None else seed
    console.print(f"{proof}, seed {chosen}")
    begun = monotonic()
    try:
        name, usual = PROOFS[proof]
        crash: dict[str, Any] = {"workers": workers}
        more = {Proof.crash: crash, Proof.mutate: {**crash, "chosen": only}}.get(proof, {})
        figures = import_object(f"tests.soak.{name}")(number or usual, minutes, chosen, **more)
        if figures.get("rate", 1.0) < LEAST:
            raise ProofError(f"{figures['rate']:.1%} of the mutants are noticed, fewer than {LEAST:.0%}: {figures}")
    except AssertionError as error:
        Console(stderr=True).print(f"failed: {error}", style="red", markup=False, soft_wrap=True)
        raise typer.Exit(1) from None
    except KeyboardInterrupt:
        raise typer.Exit(INTERRUPTED) from None
    console.print_json(json.dumps(record(proof, figures, chosen, monotonic() - begun)))


if __name__ == "__main__":
    app()
