"""The tables of the README: what is known of the relics, and the figures that stand in benchmarks/results.

To renew these: `python benchmarks/throughput.py --json benchmarks/results/throughput.json`, the same with `peers`, and after the quick run
`cp runs/quick/evaluation.json benchmarks/results/quick_run.json`.
"""

import json
from pathlib import Path
from typing import Any

from benchmarks.measure import readable
from benchmarks.throughput import NUM_GAMES, THREADS
from docs import _tables
from docs._generators.training import strength
from docs._generators.warehouse51 import sources
from w51_env.warehouse51.relics import load_relic_set

ROOT = Path(__file__).resolve().parents[2]
PAGE = "README.md"
RESULTS = ROOT / "benchmarks" / "results"
GROUPS = ("batch, observations and masks", "batch, no observations")
OTHERS = {
    "PettingZoo, `last()` and `step()`": ("adapters", "PettingZoo AEC, last() and step()"),
    "Gymnasium vector, 1,024 games, decisions of the learner": (
        "adapters",
        "Gymnasium vector, 1024 games, learner's decisions",
    ),
    "Stable-Baselines3, 1,024 games, decisions of the learner": (
        "adapters",
        "SB3 VecEnv, 1024 games, learner's decisions",
    ),
    "Alles Futsch!, 1,024 games, observed, 1 thread": (
        "other games",
        "alles_futsch_v0, 1024 games, 1 thread, observations and masks",
    ),
    "copy of a game, in a batch": ("states", "clone, 1024 games in a call"),
    "redraw of all that a seat can't know, in a batch": (
        "states",
        "resample_hidden, with new masks, 1024 games in a call",
    ),
    "state of a game": ("states", "state"),
    "import and first step, rules compiled before": ("start: import and first step", "warm"),
    "the same, the very first time": ("start: import and first step", "cold (compiles the rules)"),
}


def pages() -> dict[str, str]:
    """The README with its tables filled in."""
    tables = {
        "relic-sources": sources(load_relic_set("reconstruction-1")),
        "quick-run": quick_run(_read("quick_run")),
        "pretrained": strength(_read("pretrained")),
        "speed": speed(_read("throughput")),
        "peers": peers(_read("peers")),
    }
    return {PAGE: _tables.fill((ROOT / PAGE).read_text("utf-8"), tables)}


def _read(name: str) -> Any:
    return json.loads((RESULTS / f"{name}.json").read_text("utf-8"))


def quick_run(data: list[dict[str, Any]]) -> str:
    """The evaluation that train.py wrote: the trained agent against each baseline, and these against each other."""
    rows = [
        (
            f"against {match['agents'][1]['name']}" if agent == match["agents"][0] else "",
            agent["name"],
            f"{agent['mean_score']:.2f}",
            f"{agent['win_rate']:.1%}",
            f"{agent['low']:.1%} to {agent['high']:.1%}",
        )
        for match in data
        for agent in match["agents"]
    ]
    first = data[0]
    header = ("", "agent", "mean score", "win rate of a seat", f"{first['confidence']:.0%} interval")
    note = f"({first['games']:,} games each, every seating on the same deals; the equal share is a win rate of {first['equal_share']:.0%} for each seat.)"
    return f"{_tables.table(header, rows)}\n\n{note}"


def speed(data: dict[str, Any]) -> str:
    """Medians of benchmarks/throughput.py: the batch by games and threads, then what a user of the adapters meets."""
    results = {(result["group"], result["name"]): result for result in data["results"]}
    figures = {line: readable(result["value"], result["unit"]) for line, result in results.items()}
    batches = [
        (f"{games:,}", *(figures.get((group, _line(games, threads)), "") for group in GROUPS for threads in THREADS))
        for games in NUM_GAMES
    ]
    header = ("games", *(f"{what}, {_threads(threads)}" for what in ("observed", "unobserved") for threads in THREADS))
    others = [(what, f"{figures[line]} {results[line]['unit']}") for what, line in OTHERS.items()]
    return "\n\n".join((_tables.table(header, batches), _tables.table(("", ""), others), _machine(data)))


def _line(games: int, threads: int) -> str:
    return f"{games} game{'s' * (games > 1)}, {_threads(threads)}"


def _threads(threads: int) -> str:
    return f"{threads} thread{'s' * (threads > 1)}"


def peers(data: dict[str, Any]) -> str:
    """The ratios of benchmarks/peers.py."""
    rows = []
    for result in data["results"]:
        if result["group"] != "w51_env":
            factors = data["ratios"][f"{result['group']} {result['name']}"]
            same = "AEC" if result["group"] == "pettingzoo" else "one game"
            batch = next(name for name in factors if name not in ("AEC", "one game"))
            pace = f"{readable(result['value'], result['unit'])} steps/s"
            rows.append(
                (
                    result["group"],
                    result["name"],
                    pace,
                    f"x {factors[same]:,.1f} ({same})",
                    f"x {factors[batch]:,.0f} ({batch})",
                )
            )
    return f"{_tables.table(('library', 'game', 'its pace', 'w51_env, same way', 'w51_env, batch'), rows)}\n\n{_machine(data)}"


def _machine(data: dict[str, Any]) -> str:
    machine = data["machine"]
    return f"(Medians; {machine['processor']}, {machine['cores']} cores, Python {machine['python']}, numba {machine['packages']['numba']})"
