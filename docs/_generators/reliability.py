"""The latest figures of the long proofs, from benchmarks/results/soak.json: `bash bin/soak --help`."""

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from docs import _tables

ROOT = Path(__file__).resolve().parents[2]
RESULTS = ROOT / "benchmarks" / "results" / "soak.json"
PAGE = "docs/reliability.md"

Figures = Mapping[str, Any]


def pages() -> dict[str, str]:
    """The page with its table."""
    data = json.loads(RESULTS.read_text("utf-8")) if RESULTS.exists() else {}
    return {PAGE: _tables.fill((ROOT / PAGE).read_text("utf-8"), {"soak": figures(data), "survivors": survivors(data)})}


SENTENCES: dict[str, Callable[[Figures], str]] = {
    "steps": lambda data: (
        f"{data['steps']:,} steps, {data['games']:,} games of {data['variants']} variants "
        f"({data['with_random_options']} with random options), {data['states']:,} states checked (all games after each "
        f"{data['every']}th step, and each end): no invariant broken"
    ),
    "leaks": lambda data: f"{data['pairs']:,} pairs of {data['variants']} variants: no difference",
    "memory": lambda data: (
        f"{data['early_kib'] / 1024:.0f} MiB early, {data['late_kib'] / 1024:.0f} MiB after {data['steps']:,} steps"
    ),
    "tournament": lambda data: (
        f"{data['mib_of_a_tenth']:,} MiB for a tenth, {data['mib']:,} MiB for {data['games']:,} games with behaviour"
    ),
    "crash": lambda data: (
        f"{sum(data['faults'].values()):,} of {data['possible']:,} faults, at {data['places']:,} of "
        f"{data['possible_places']:,} places: every resumed program ended the same"
    ),
    "readers": lambda data: f"{data['files']:,} files for {data['readers']} readers: none failed",
    "batches": lambda data: f"{data['calls']:,} calls: {data['refused']:,} refused, none failed",
    "mutate": lambda data: (
        f"{data.get('noticed', 0) + data.get('survived', 0):,} of {data['possible']:,} mutants: "
        f"{data['rate']:.1%} noticed{_interval(data)}, {data.get('explained', 0)} more explained"
    ),
}


def _interval(data: Figures) -> str:
    """The 95 % interval of a run over some of the mutants."""
    return f" (95 %: {data['interval'][0]:.1%} to {data['interval'][1]:.1%})" if "interval" in data else ""


def figures(data: dict[str, Figures]) -> str:
    """A row for each proof."""
    rows = []
    for name, sentence in SENTENCES.items():
        proof = data.get(name)
        if proof is None:
            rows.append((f"`{name}`", "not run yet", "", "", ""))
        else:
            rows.append((f"`{name}`", sentence(proof), _time(proof["seconds"]), proof["date"], f"`{proof['commit']}`"))
    return _tables.table(("proof", "result", "time", "date", "commit"), rows)


def _time(seconds: float) -> str:
    return f"{seconds / 60:.0f} min" if seconds >= 90 else f"{seconds:.0f} s"


def survivors(data: dict[str, Figures]) -> str:
    """Changes of the rules that no test noticed in the last run."""
    mutants = data.get("mutate", {}).get("survivors", [])
    return "\n".join(f"- `{name}`" for name in mutants) if mutants else "None."
