"""Measures all figures of the documentation anew, and writes them there: `python -m benchmarks.renew`.

    python -m benchmarks.renew                      all, on a machine that does nothing else: half a day on two cores
    python -m benchmarks.renew throughput peers     only these
    python -m benchmarks.renew --short FOLDER       short forms, into another folder, to see that all of them work
    python -m benchmarks.renew --list               names, files and minutes

Each measurement is a process. Its file in benchmarks/results is replaced when it has ended well, so that a stopped run
keeps the figures before. At the end `docs/generate.py` writes the pages. The long proofs of `bash bin/soak` keep their
own figures, in soak.json.
"""

import shlex
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from benchmarks.measure import RESULTS, ROOT
from w51_lab.benchmark.protocol import MIMIC

console = Console(highlight=False, soft_wrap=True)


@dataclass(frozen=True)
class Measurement:
    """One file of figures.

    Attributes:
        name: Of the file in benchmarks/results.
        module: In benchmarks, with its arguments but `--json`.
        minutes: About how long it takes on two cores.
        short: Arguments that make it short.
        needs: Modules beside those of the extra `dev`.
    """

    name: str
    module: str
    minutes: float
    short: str
    needs: tuple[str, ...] = ()


_TINY = "--set decisions=2048 --set evaluation.games=8"
MEASUREMENTS = (
    Measurement("throughput", "throughput", 4, "--repeats 1 --seconds 0.02 --only batch"),
    Measurement("history", "history", 1, "--turns 1"),
    Measurement("peers", "peers", 3, "--repeats 1 --seconds 0.02", ("rlcard", "pyspiel")),
    Measurement("openspiel", "openspiel", 1, "--games 2 --repeats 1", ("pyspiel",)),
    Measurement("jax_callback", "jax_callback", 2, "--games 16 --repeats 1", ("jax", "pgx")),
    Measurement("isolation", "isolation", 3, "--pairs 2"),
    Measurement("pictures", "pictures", 1, ""),
    Measurement("arena_speed", "arena_speed", 2, "--part 0.001"),
    Measurement("web_tables", "web_tables", 11, "--tables 2 --browsers 6 --seconds 8 --think 0.1"),
    Measurement("web_clicks", "web_clicks", 4, "--clicks 2 --games 1", ("playwright",)),
    Measurement("web_alone", "web_tables --tables 1 --browsers 1 --alone --think 0.05 --seconds 60", 2, "--seconds 4"),
    Measurement("quick", "strength quick", 5, f"{_TINY} --set num_envs=16 --set ppo.num_steps=16"),
    Measurement("bots_quick", "strength bots_quick", 4, _TINY),
    Measurement("quickstart", "quickstart", 1, "--games 4"),
    Measurement(
        "pretrained",
        f"strength pretrained --games 10000 --seed 100 --also '{MIMIC}'",
        20,
        "--games 6",
    ),
    Measurement("pretrained_v2", "strength pretrained-v2", 8, "--games 6"),
    Measurement("exploiter", "strength exploiter", 6, "--games 6"),
    Measurement("futsch", "strength pretrained --game alles_futsch_v1", 3, "--games 6"),
    Measurement("futsch_v2", "strength pretrained-v2 --game alles_futsch_v1", 3, "--games 6"),
    Measurement("held_out", "held_out", 5, "--games 4"),
    Measurement("update", "update", 1, "--updates 1"),
    Measurement("update_populations", "update --config populations", 1, "--updates 1"),
    Measurement("scale", "scale", 5, "--blocks 2", ("ray",)),
    Measurement("scale_rllib", "scale_rllib", 2, "--batch 500 --iterations 1", ("ray.rllib",)),
    Measurement("ranks", "ranks", 15, "--updates 1 --rounds 1"),
    Measurement("trainers", "trainers", 6, "--seconds 1 --rounds 1"),
    Measurement(
        "arena_statistics", "arena_statistics", 30, "--deals 1000 --unequal-deals 100 --repetitions 10 --more 10"
    ),
    Measurement("coach", "coach", 400, "--games 1"),
    Measurement("search", "search", 60, "search:playouts=2 --games 6 --players 3"),
    Measurement(
        "search_network",
        "search search:playouts=30,playout_bot=pretrained-v2,z_threshold=0 "
        "--players 4 --games 800 --against pretrained-v2 --seed 102",
        30,
        "--games 6",
    ),
    Measurement("responses", "search --plan responses --seed 800", 60, "--games 2"),
    Measurement("champion", "search --plan champion --seed 700", 120, "--games 2"),
    Measurement("cfr", "cfr", 1, ""),
    Measurement(
        "exploitability",
        "exploitability --decisions 1000000",
        60,
        "--decisions 3000 --selfplay 3000 --games 6",
        ("pyspiel",),
    ),
    Measurement("duel", "duel maskable_ppo selfplay", 25, "--minutes 0.05 --games 8"),
    Measurement("standard", "strength standard", 70, _TINY),
    Measurement(
        "ablations",
        "ablations --decisions 2000000 --points 5",
        300,
        "--decisions 20000 --points 1 --seeds 1 --games 8 --no-picture",
    ),
)


def main(
    names: Annotated[list[str] | None, typer.Argument(help="Names of measurements. Default: all.")] = None,
    short: Annotated[Path | None, typer.Option(metavar="FOLDER", help="Short ones, into this folder.")] = None,
    show: Annotated[bool, typer.Option("--list", help="List the measurements, and measure nothing.")] = False,
) -> None:
    """Measure anew, and write the tables of the documentation."""
    known = {one.name: one for one in MEASUREMENTS}
    if unknown := [name for name in names or () if name not in known]:
        raise typer.BadParameter(f"{', '.join(unknown)}, but known are {', '.join(known)}")
    chosen = [known[name] for name in names or known]
    if show:
        for one in chosen:
            console.print(f"{one.name:18}{one.minutes:5g} min   python -m benchmarks.{one.module}")
        return
    failed = [one.name for one in chosen if not renew(one, short)]
    if short is None:
        failed += ["docs/generate.py"] * bool(
            subprocess.run([sys.executable, ROOT / "docs" / "generate.py"]).returncode
        )
    if failed:
        console.print(f"not renewed: {', '.join(failed)}")
        raise typer.Exit(1)


def renew(one: Measurement, short: Path | None) -> bool:
    """Measure and replace one file; whether that was done."""
    if missing := [module for module in one.needs if find_spec(module) is None]:
        console.print(f"{one.name}: not installed: {', '.join(missing)}")
        return False
    target = (RESULTS if short is None else short) / f"{one.name}.json"
    target.parent.mkdir(parents=True, exist_ok=True)
    begun = time.monotonic()
    with tempfile.TemporaryDirectory(dir=target.parent, prefix=".unfinished-") as folder:
        made = Path(folder) / target.name
        ended = subprocess.run(command(one, made, is_short=short is not None), cwd=ROOT, check=False)
        if ended.returncode or not made.exists():
            console.print(f"{one.name}: ended with status {ended.returncode}")
            return False
        made.replace(target)
    console.print(f"{target}: {(time.monotonic() - begun) / 60:.1f} min")
    return True


def command(one: Measurement, made: Path, *, is_short: bool) -> list[str]:
    """The command line of a measurement; of an option that stands twice the last one counts."""
    module, *arguments = shlex.split(one.module)
    more = shlex.split(one.short) if is_short else []
    return [sys.executable, "-m", f"benchmarks.{module}", *arguments, *more, "--json", str(made)]


if __name__ == "__main__":
    typer.run(main)
