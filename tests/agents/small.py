"""Training runs as small as can be, in the auction of one lot."""

import csv
from collections.abc import Callable
from pathlib import Path
from typing import Any

from agents.training.config import TrainingConfig, parse_config
from agents.training.run import Run
from agents.training.state import load_state

ONE_LOT = "tests.third_game:make"
TRAINERS = ("maskable_ppo", "selfplay")

# All that self-play can be made of: all kinds of opponents, several numbers of players, a critic, a teacher who draws, a magnet, a pool.
ALL_OF_SELF_PLAY = {
    "tables": [
        {"players": 3, "games": 8},
        {"players": 2, "games": 4, "opponents": "shader"},
        {"players": 4, "games": 6, "opponents": "pool"},
    ],
    "network": [8],
    "steps_per_update": 12,
    "minibatch": 64,
    "critic": "table",
    "teacher": "random",
    "magnet": 0.1,
    "magnet_pace": 0.1,
    "pool": 2,
    "pool_every": 2,
}


def small(trainer: str, runs: Path, **changes: Any) -> TrainingConfig:
    """A config; `changes` to its keys, those of `selfplay` to its keys."""
    data: dict[str, Any] = {
        "name": "one",
        "game": ONE_LOT,
        "decisions": 2000,
        "trainer": trainer,
        "games_at_once": 8,
        "opponents": "shader",
        "torch_threads": 1,
        "runs": str(runs),
        "ppo": {"steps_per_update": 16, "minibatch": 64, "network": [8]},
        "evaluation": {"games": 12, "games_while_training": 6, "against": ["random", "shader"], "players": [2, 3]},
        **changes,
    }
    data["selfplay"] = {**ALL_OF_SELF_PLAY, **changes.get("selfplay", {})}
    return parse_config(data, "of a test")


def train(run: Run, updates: int | None = None) -> Run:
    """Go on for some updates, or to the end."""
    run.train(lambda update, matches: None, after(updates) if updates is not None else lambda: False)
    run.close()
    return run


def after(updates: int) -> Callable[[], bool]:
    """Whether to stop, which is asked before each update."""
    asked = iter([False] * updates)
    return lambda: next(asked, True)


def rows(folder: Path, name: str = "progress.csv") -> list[dict[str, str]]:
    """What a run has written down; how long it took is left out."""
    with (folder / name).open() as file:
        return [{key: value for key, value in row.items() if key != "seconds"} for row in csv.DictReader(file)]


def learned(folder: Path) -> dict[str, Any]:
    """All that training goes on from, to the last bit; how long it took is left out."""
    state = load_state(folder / "state.safetensors")
    facts = {
        key: value for key, value in state.facts.items() if key not in ("seconds", "config", "strength", "progress")
    }
    return {"arrays": {name: (array.shape, array.tobytes()) for name, array in state.arrays.items()}, "facts": facts}
