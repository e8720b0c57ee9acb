"""Speed of PettingZoo's interface, of these sources against those of another checkout, in turns in one run.

python benchmarks/aec_speed.py ../other-checkout
"""

import os
import statistics
import subprocess
import sys
from pathlib import Path
from typing import Annotated

import typer

ROOT = Path(__file__).resolve().parents[1]
TARGET = 1.6  # times the rate of the other checkout
# One process: the best rate over many games of one loop of `last` and `step`, in steps per second of processor time.
PLAY = """
import time
from w51_env import warehouse51_v0

env = warehouse51_v0.env(num_players=4)
best = 0.0
for game in range(60):
    env.reset(seed=game % 5)
    steps, begun = 0, time.process_time()
    for agent in env.agent_iter():
        observation, _, terminated, _, _ = env.last()
        if terminated:
            break
        env.step(int(observation["action_mask"].argmax()))
        steps += 1
    best = max(best, steps / (time.process_time() - begun))
print(best)
"""


def main(
    other: Annotated[Path, typer.Argument(exists=True, file_okay=False, help="A checkout of another commit.")],
    rounds: Annotated[int, typer.Option(min=1, help="Measurements of each, in turns.")] = 5,
) -> None:
    """Print the rates of both and their ratio."""
    rates: dict[Path, list[float]] = {ROOT: [], other.resolve(): []}
    for _ in range(rounds):
        for folder, measured in rates.items():
            measured.append(rate(folder))
    for folder, measured in rates.items():
        print(
            f"{folder}: {statistics.median(measured):,.0f} steps/s (from {min(measured):,.0f} to {max(measured):,.0f})"
        )
    ratio = statistics.median(rates[ROOT]) / statistics.median(rates[other.resolve()])
    print(f"ratio {ratio:.2f}, target {TARGET}")
    sys.exit(ratio < TARGET)


def rate(folder: Path) -> float:
    """Steps per second of the sources in a folder, in a process of its own."""
    env = {**os.environ, "PYTHONPATH": str(folder)}
    done = subprocess.run([sys.executable, "-c", PLAY], cwd=folder, env=env, capture_output=True, text=True, check=True)
    return float(done.stdout)


if __name__ == "__main__":
    typer.run(main)
