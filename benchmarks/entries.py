"""Plays the entries of the leaderboard anew, as a new version of the protocol demands: `python -m benchmarks.entries`.

    python -m benchmarks.entries                       all, about an hour on one core
    python -m benchmarks.entries heuristic pretrained  only these files of benchmarks/leaderboard
    python -m benchmarks.entries --freeze              the best known rates, before a version is public

Agents and what the author says are those of the file, which may be of an earlier version: those not yet played anew are
in benchmarks/leaderboard/earlier. Each plays all tracks that it can. Games and finished entries are kept in
runs/leaderboard, in a folder for each. The files are replaced at the end, once all entries were played: so each is
played with the sources of the commit that it names, and the leaderboard never is half old and half new. After a stop,
also one while files are replaced, the same command goes on: it takes finished entries as they are, and plays the rest.
To play an entry once more, delete its folder. An agent whose checkpoint is not here keeps its file. Then `python
docs/generate.py` writes the leaderboard.
"""

import json
import subprocess
import sys
import time
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from shutil import copyfile
from typing import Annotated

import typer
import yaml
from rich.console import Console

from benchmarks.measure import ROOT
from w51_agents.system.files import write_atomic
from w51_agents.system.json_text import JsonObject
from w51_lab.arena.store import read_object
from w51_lab.benchmark import protocol
from w51_lab.benchmark.entry import MAX_BYTES, About, AgentRun, read_entry, write_entry
from w51_lab.benchmark.matches import figures_of
from w51_lab.benchmark.protocol import BEST_FILE, PROTOCOL, TRACKS
from w51_lab.commands.benchmark import LEADERBOARD

EARLIER = LEADERBOARD / "earlier"
REFUSED = 2  # exit status of `w51 benchmark` for an agent that is not here or cannot play
console = Console(highlight=False, soft_wrap=True)


def main(
    names: Annotated[list[str] | None, typer.Argument(help="Files without .json. Default: all.")] = None,
    workers: Annotated[int, typer.Option(min=1, help="Number of processes.")] = 1,
    freeze: Annotated[bool, typer.Option("--freeze", help="Write what is known best; play no entry.")] = False,
) -> None:
    """Play the entries anew."""
    files = known()
    if freeze:
        freeze_best()
        return
    if unknown := [name for name in names or () if name not in files]:
        raise typer.BadParameter(f"{', '.join(unknown)}, but known are {', '.join(files)}")
    chosen = [files[name] for name in names or files]
    finished = {path: entry for path in chosen if (entry := play(path, workers)) is not None}
    replace(finished)
    if failed := [path.stem for path in chosen if path not in finished]:
        console.print(f"not played: {', '.join(failed)}")
        raise typer.Exit(1)


def known() -> dict[str, Path]:
    """The files of all entries, by name; of one that is in both folders the one that was played anew."""
    return {path.stem: path for folder in (EARLIER, LEADERBOARD) for path in sorted(folder.glob("*.json"))}


def play(path: Path, workers: int) -> Path | None:
    """Play one entry, or take it as it was finished before; the file of the new one, None if its agent is refused.

    Raises:
        typer.Exit: The games were stopped.
    """
    begun = time.monotonic()
    entry = read_object(path, "entry", MAX_BYTES)
    folder = folder_of(entry)
    finished = folder / "entry.json"
    if finished.exists():
        console.print(f"{path.stem}: was finished before, in {folder}")
        return finished
    folder.mkdir(parents=True, exist_ok=True)
    about = folder / "about.yaml"
    said = {key: value for key, value in entry["about"].items() if key in About.model_fields}
    about.write_text(yaml.safe_dump(said), "utf-8")
    status = subprocess.run([*command(entry, workers), "--about", str(about)], cwd=ROOT).returncode
    if status == REFUSED:
        return None
    if status:
        console.print(f"{path.stem}: stopped with status {status}; no file was replaced, the same command goes on")
        raise typer.Exit(status)
    console.print(f"{path.stem}: {(time.monotonic() - begun) / 60:.1f} min")
    return finished


def replace(finished: Mapping[Path, Path]) -> None:
    """Replace files of the leaderboard, or of earlier versions, by finished entries."""
    for path, entry in finished.items():
        write_atomic(LEADERBOARD / path.name, partial(copyfile, entry))
        (EARLIER / path.name).unlink(missing_ok=True)


def freeze_best() -> None:
    """Write the best rate against each opponent of each track that an entry has, and figures of entries that follow."""
    paths = sorted(LEADERBOARD.glob("*.json"))
    entries = [read_entry(path) for path in paths]
    best: dict[str, dict[str, tuple[float, str]]] = {track: {} for track in TRACKS}
    for entry in entries:
        for run in entry.runs:
            for track, entered in run.tracks.items():
                for opponent, figures in entered.figures.members.items():
                    rate = 1.0 if opponent == run.agent else figures.rate.mean, entry.name  # with itself: but chance
                    best[track][opponent] = max(rate, best[track].get(opponent, rate))
    write_atomic(BEST_FILE, lambda path: path.write_text(json.dumps(best, indent=1) + "\n", "utf-8"))
    protocol.BEST_KNOWN = best
    for path, entry in zip(paths, entries, strict=True):
        write_entry(entry.model_copy(update={"runs": tuple(map(_with_figures, entry.runs))}), path)


def _with_figures(run: AgentRun) -> AgentRun:
    figures = {name: figures_of(run.agent, name, track.settings) for name, track in run.tracks.items()}
    tracks = {name: track.model_copy(update={"figures": figures[name]}) for name, track in run.tracks.items()}
    return run.model_copy(update={"tracks": tracks})


def folder_of(entry: JsonObject) -> Path:
    """Where the games of an entry are kept, and the entry once it is finished."""
    return ROOT / "runs" / "leaderboard" / f"{entry['name']} {PROTOCOL}".replace("/", "-")


def command(entry: JsonObject, workers: int) -> list[str]:
    """The command that plays an entry."""
    options = ["--name", entry["name"], "--folder", str(folder_of(entry)), "--workers", str(workers)]
    agents = [run["agent"] for run in entry["runs"]]
    return [sys.executable, "-m", "w51_env", "benchmark", *agents, *options]


if __name__ == "__main__":
    typer.run(main)
