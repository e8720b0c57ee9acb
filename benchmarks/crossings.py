"""Files and functions of this project that calls cross: `python -m benchmarks.crossings bid update tournament`.

Rules of a bid are counted too, without the JIT; compiled code of an update and a tournament is not. Name `bid` alone:
it switches the JIT off.
"""

import os
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Any

ROOT = Path(__file__).resolve().parents[1]


def crossed(make: Callable[[], Callable[[], object]]) -> list[tuple[str, str]]:
    """(file, function) of all functions of this project that a call runs, in any thread; `make` prepares the call."""
    found: set[tuple[str, str]] = set()

    def note(frame: FrameType, event: str, _: Any) -> None:
        path = frame.f_code.co_filename
        if event == "call" and path.startswith(str(ROOT)) and "/benchmarks/" not in path and "/.venv/" not in path:
            found.add((str(Path(path).relative_to(ROOT)), frame.f_code.co_qualname))

    threading.setprofile(note)  # of threads that begin from now on
    sys.setprofile(note)
    try:
        call = make()
        found.clear()
        call()
    finally:
        sys.setprofile(None)
        threading.setprofile(None)
    return sorted(found)


def bid() -> Callable[[], object]:
    """A bid for the first relic, and what the next bidder observes, by the AEC environment."""
    from w51_env import warehouse51_v1

    env = warehouse51_v1.env(num_players=4, first_player=0)
    env.reset(seed=1)
    for action in ("choose_deck_blue", "bid_1"):
        env.step(env.game.actions.id(action))
        env.last()

    second = env.game.actions.id("bid_2")

    def play() -> None:
        env.step(second)
        env.last()

    return play


def update() -> Callable[[], object]:
    """An update of self-play, after some: the first compares compiled code with the layers, two load it."""
    from benchmarks.load import training

    call = training()
    for _ in range(3):
        call()
    return call


def tournament() -> Callable[[], object]:
    """A tournament of two agents, played in this process and not kept."""
    from w51_lab.arena.plan import Plan
    from w51_lab.arena.spec import TournamentSpec
    from w51_lab.arena.tournament import run
    from w51_lab.arena.workers import InProcessExecutor

    plan = Plan(TournamentSpec(agents=("pretrained-v2", "heuristic"), games=200, seed=1))
    executor = InProcessExecutor(plan)
    run(plan, executor)
    return lambda: run(plan, executor)


def main(names: list[str]) -> None:
    """Count and print."""
    calls = {"bid": bid, "update": update, "tournament": tournament}
    for name in names:
        found = crossed(calls[name])
        files = {file for file, _ in found}
        print(f"{name}: {len(files)} files, {len(found)} functions", *sorted(files), sep="\n  ")


if __name__ == "__main__":
    if "bid" in sys.argv:
        os.environ["NUMBA_DISABLE_JIT"] = "1"
    main(sys.argv[1:])
