"""Processor time of a picture: SVG and pixels, for each decision of games of random agents.

    python benchmarks/pictures.py --json benchmarks/results/pictures.json

Pixels are made in the order of the decisions, so blocks that do not change are reused, and once without reuse.
"""

import argparse
import json
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.measure import machine
from w51_env import make_vec
from w51_env.pictures import raster
from w51_env.pictures.raster import rgb_array
from w51_env.pictures.svg import draw
from w51_env.views.view import View

TABLES = (("warehouse51_v1", 3), ("warehouse51_v1", 5), ("alles_futsch_v1", 5))


def views(game_id: str, num_players: int) -> tuple[list[View], float]:
    """What seat 0 may know before each decision of one game, and the mean milliseconds of a view."""
    batch = make_vec(game_id, 1, seed=5, num_players=num_players, autoreset="disabled", events=True)
    batch.reset()
    seen, seconds = [], 0.0
    while batch.seat[0] >= 0:
        start = time.process_time()
        seen.append(batch.view(0, 0))
        seconds += time.process_time() - start
        batch.step(batch.sample_actions(len(seen)))
    return seen, 1000 * seconds / len(seen)


def milliseconds(
    function: Callable[[View], Any], items: Sequence[View], before: Callable[[], Any] = lambda: None
) -> dict[str, float]:
    """Median and 95th percentile of one call, in processor time."""
    function(items[0])
    times = []
    for item in items:
        before()
        start = time.process_time()
        function(item)
        times.append(1000 * (time.process_time() - start))
    return {"median": round(float(np.median(times)), 2), "p95": round(float(np.percentile(times, 95)), 2)}


def main() -> None:
    """Prints one line for each table of players and writes the figures."""
    parser = argparse.ArgumentParser(description="Processor time of a picture.")
    parser.add_argument("--json", type=Path, help="write the figures to this file")
    arguments = parser.parse_args()
    facts, results = machine(), []
    for game_id, players in TABLES:
        seen, view_ms = views(game_id, players)
        result = {
            "game": game_id,
            "players": players,
            "pictures": len(seen),
            "view_ms": round(view_ms, 2),
            "svg_ms": milliseconds(draw, seen),
            "svg_kB": round(max(len(draw(view).encode()) for view in seen) / 1000, 1),
            "rgb_array_ms": milliseconds(rgb_array, seen),
            "rgb_array_without_reuse_ms": milliseconds(rgb_array, seen[::5], raster._rasterise.cache_clear),
        }
        results.append(result)
        print(json.dumps(result))
    if arguments.json:
        arguments.json.write_text(json.dumps({"machine": facts, "results": results}, indent=2) + "\n", "utf-8")


if __name__ == "__main__":
    main()
