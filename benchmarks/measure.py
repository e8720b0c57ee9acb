"""Common parts of the benchmarks: repeats of a fixed time, their median, and facts about the machine."""

import json
import os
import platform
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from importlib import metadata
from pathlib import Path
from typing import Annotated, Any

import typer
from rich import box
from rich.console import Console
from rich.table import Table

ROOT = Path(__file__).resolve().parents[1]
RESULTS = ROOT / "benchmarks" / "results"
# Options of the commands.
ResultsFile = Annotated[Path, typer.Option("--json", help="File of the results.")]
JsonFile = Annotated[Path | None, typer.Option(help="JSON file for the results.")]
Games = Annotated[int, typer.Option(min=1, help="Games of each measurement.")]
Repeats = Annotated[int, typer.Option(min=1, help="Measurements of each line; the median is shown.")]
Threads = Annotated[int, typer.Option(help="Threads of PyTorch.")]
PACKAGES = (
    "w51_env",
    "numpy",
    "numba",
    "gymnasium",
    "pettingzoo",
    "stable-baselines3",
    "torch",
    "uvicorn",
    "thorvg-python",
    "rlcard",
    "open-spiel",
    "jax",
    "pgx",
)


@dataclass(frozen=True)
class Result:
    """One line of a benchmark.

    Attributes:
        group: Heading of its table.
        name: Thing that was measured.
        unit: `steps/s`, `us/game`, `s`, `bytes/game`.
        value: Median of the repeats.
        least, greatest: Minimum and maximum of the repeats.
        repeats: Number of repeats.
    """

    group: str
    name: str
    unit: str
    value: float
    least: float
    greatest: float
    repeats: int


def summarize(group: str, name: str, unit: str, values: Sequence[float]) -> Result:
    """Median, minimum and maximum of repeated measurements."""
    return Result(group, name, unit, statistics.median(values), min(values), max(values), len(values))


def rates(play: Callable[[], tuple[int, float]], repeats: int, seconds: float) -> tuple[list[float], list[float]]:
    """Steps per second of `play`, a function that plays for a while and returns (steps, seconds spent in `step`).

    The first call is not measured, so that compilation and loading are excluded.

    Args:
        play: The function.
        repeats: Number of measurements.
        seconds: Length of a measurement.

    Returns:
        For each repeat: steps per second of wall time, and steps per second spent in `step`.
    """
    play()
    overall, stepping = [], []
    for _ in range(repeats):
        steps, stepped = 0, 0.0
        start = time.perf_counter()
        while (elapsed := time.perf_counter() - start) < seconds:
            more, duration = play()
            steps += more
            stepped += duration
        overall.append(steps / elapsed)
        stepping.append(steps / stepped)
    return overall, stepping


def machine() -> dict[str, Any]:
    """Facts on which the figures depend: commit, date, processor, cores, load, Python and package versions."""
    versions = {}
    for package in PACKAGES:
        try:
            versions[package] = metadata.version(package)
        except metadata.PackageNotFoundError:
            continue
    return {
        "commit": _commit(),
        "date": datetime.now(UTC).date().isoformat(),
        "processor": _processor(),
        "cores": len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count(),
        "load_before": os.getloadavg()[0] if hasattr(os, "getloadavg") else None,
        "system": f"{platform.system()} {platform.machine()}",
        "python": platform.python_version(),
        "packages": versions,
    }


def _commit() -> str:
    """The commit of these sources, with `-dirty` where more than figures and pages has changed; else `unknown`."""
    command = ["git", "-C", str(ROOT)]
    unread = (":!*.md", ":!docs", ":!benchmarks/results", ":!experiments/results")
    changed = [*command, "status", "--porcelain", "--untracked-files=no", "--", ".", *unread]
    try:
        revision = subprocess.run(
            [*command, "rev-parse", "--short", "HEAD"], capture_output=True, text=True, check=True
        )
        dirty = subprocess.run(changed, capture_output=True, text=True, check=True).stdout
    except (OSError, subprocess.CalledProcessError):
        return "unknown"
    return revision.stdout.strip() + ("-dirty" if dirty else "")


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text("utf-8").splitlines()
    except OSError:
        return platform.processor()
    return next(
        (line.partition(":")[2].strip() for line in lines if line.startswith("model name")), platform.processor()
    )


def readable(value: float, unit: str) -> str:
    """A figure with three significant digits: `3.61 M`, `17.2 k`, `0.84`."""
    if unit == "steps/s" and value >= 1e6:
        return f"{value / 1e6:.2f} M"
    if unit == "steps/s" and value >= 1e3:
        return f"{value / 1e3:.1f} k"
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


def wide_console() -> Console:
    """A console that is 120 columns wide where the output is no terminal."""
    return Console(width=None if sys.stdout.isatty() else 120)


def headline(facts: dict[str, Any]) -> str:
    """The machine in two lines."""
    versions = ", ".join(f"{name} {version}" for name, version in facts["packages"].items())
    hardware = f"{facts['processor']}, {facts['cores']} core(s), load {facts['load_before']:.1f}, {facts['system']}"
    return f"{hardware}\nPython {facts['python']}, {versions}"


def show(console: Console, results: Sequence[Result]) -> None:
    """Print the results, a table for each group in the order of its first result."""
    for group in dict.fromkeys(result.group for result in results):
        table = Table(group, "median", "least", "greatest", "unit", box=box.SIMPLE_HEAD, header_style="bold")
        for column in table.columns[1:4]:
            column.justify = "right"
        for result in results:
            if result.group == group:
                numbers = [readable(value, result.unit) for value in (result.value, result.least, result.greatest)]
                table.add_row(result.name, *numbers, result.unit)
        console.print(table)


def write_json(path: Path, facts: dict[str, Any], results: Sequence[Result], **more: Any) -> None:
    """Write the facts about the machine, the results and `more` as JSON."""
    path.parent.mkdir(parents=True, exist_ok=True)
    data = {"machine": facts, "results": [asdict(result) for result in results], **more}
    path.write_text(json.dumps(data, indent=2) + "\n", "utf-8")
