"""Plays the entries of the leaderboard anew, as a new version of the protocol demands: `python -m benchmarks.entries`.

    python -m benchmarks.entries                       all, about an hour on one core
    python -m benchmarks.entries heuristic pretrained  only these files of benchmarks/leaderboard

Agents, tracks and what the author says are those of the file, which may be of an earlier version: those not yet played
anew are in benchmarks/leaderboard/earlier. A file is replaced when its games have ended; the same command goes on after
a stop. An agent whose checkpoint is not here keeps its file. Then `python docs/generate.py` writes the leaderboard.
"""

import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Annotated, Any

import typer
import yaml
from rich.console import Console

from benchmarks.measure import ROOT
from w51_lab.arena.store import read_object
from w51_lab.benchmark.entry import MAX_BYTES
from w51_lab.benchmark.protocol import EXACT, PROTOCOL
from w51_lab.commands.benchmark import LEADERBOARD

EARLIER = LEADERBOARD / "earlier"
console = Console(highlight=False, soft_wrap=True)


def main(
    names: Annotated[list[str] | None, typer.Argument(help="Files without .json. Default: all.")] = None,
    workers: Annotated[int, typer.Option(min=1, help="Number of processes.")] = 1,
) -> None:
    """Play the entries anew."""
    files = known()
    if unknown := [name for name in names or () if name not in files]:
        raise typer.BadParameter(f"{', '.join(unknown)}, but known are {', '.join(files)}")
    failed = [name for name in names or files if not renew(files[name], workers)]
    if failed:
        console.print(f"not played: {', '.join(failed)}")
        raise typer.Exit(1)


def known() -> dict[str, Path]:
    """The files of all entries, by name; of one that is in both folders the one that was played anew."""
    return {path.stem: path for folder in (EARLIER, LEADERBOARD) for path in sorted(folder.glob("*.json"))}


def renew(path: Path, workers: int) -> bool:
    """Play one entry and replace its file; whether that was done."""
    begun = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        made, about = Path(folder, path.name), Path(folder, "about.yaml")
        entry = read_object(path, "entry", MAX_BYTES)
        about.write_text(yaml.safe_dump(entry["about"]), "utf-8")
        ended = subprocess.run([*command(entry, workers), "--about", about, "--out", made], cwd=ROOT)
        if ended.returncode:
            return False
        path.unlink()
        (LEADERBOARD / path.name).write_bytes(made.read_bytes())
    console.print(f"{path}: {(time.monotonic() - begun) / 60:.1f} min")
    return True


def command(entry: dict[str, Any], workers: int) -> list[str]:
    """The command that plays an entry: its agents in its tracks, and those that they refuse, which it says again."""
    first = entry["runs"][0]
    tracks = [*first["tracks"], *first["refused"], *([EXACT] if first["exact"] else [])]
    folder = Path("runs") / "leaderboard" / f"{entry['name']} {PROTOCOL}".replace("/", "-")
    options = ["--name", entry["name"], "--folder", str(folder), "--workers", str(workers)]
    agents = [run["agent"] for run in entry["runs"]]
    return [
        *(sys.executable, "-m", "w51_env", "benchmark", *agents, *options),
        *(part for track in tracks for part in ("--track", track)),
    ]


if __name__ == "__main__":
    typer.run(main)
