"""Very small training runs, in the auction of one lot."""

import csv
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from w51_agents.training.config import parse_config
from w51_agents.training.registry import trainer_spec
from w51_agents.training.run import Run
from w51_agents.training.run_facts import STATE
from w51_agents.training.settings import TrainingConfig
from w51_agents.training.trainer_state import TrainerState, load_state, save_state

ONE_LOT = "tests.env.third_game:make"
TRAINERS = ("maskable_ppo", "selfplay")

# All of self-play: all kinds of opponents, several numbers of players, critic, teacher, averaged weights, pool.
ALL_OF_SELF_PLAY = {
    "games": [
        {"num_players": 3, "num_envs": 8},
        {"num_players": 2, "num_envs": 4, "opponents": "shader"},
        {"num_players": 4, "num_envs": 6, "opponents": "pool"},
    ],
    "hidden_sizes": [8],
    "num_steps": 8,
    "minibatch_size": 64,
    "critic": "centralized",
    "teacher": "random",
    "average_kl": 0.1,
    "average_rate": 0.1,
    "pool": 2,
    "pool_every": 2,
}


def small(trainer: str, runs: Path, **changes: Any) -> TrainingConfig:
    """A config; `changes` to its keys, those of `selfplay` to its keys."""
    data: dict[str, Any] = {
        "name": "one",
        "game": ONE_LOT,
        "decisions": 1000,
        "trainer": trainer,
        "torch_threads": 1,
        "runs": str(runs),
        "evaluation": {"games": 12, "games_while_training": 6, "against": ["random", "shader"], "num_players": [2, 3]},
    }
    if trainer == "selfplay":
        changes = {"selfplay": {**ALL_OF_SELF_PLAY, **changes.pop("selfplay", {})}, **changes}
    else:
        data |= {
            "num_envs": 8,
            "opponents": "shader",
            "ppo": {"num_steps": 16, "minibatch_size": 64, "hidden_sizes": [8]},
        }
    changes = {key: value for key, value in changes.items() if key in trainer_spec(trainer).config.model_fields}
    data |= changes
    return parse_config(data, "of a test")


ALONE = {"games": [{"num_players": 3, "num_envs": 8}], "critic": "local", "teacher": None, "average_kl": 0, "pool": 0}


def in_mini(runs: Path, threads: int | None = None, against: str = "random", **selfplay: Any) -> TrainingConfig:
    """Of the game `mini`, in which a seat makes some four decisions; `selfplay` to the keys of self-play."""
    options = {"options": {"preset": "mini"}, "threads": threads, "evaluation": {"games": 6, "against": [against]}}
    return small("selfplay", runs, game="warehouse51_v1", selfplay={**ALONE, "num_steps": 12, **selfplay}, **options)


def resume(folder: Path) -> Run:
    """The run in this folder, whose game is the one of these tests."""
    return Run.resume(folder, allowed=[ONE_LOT])


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
    clocks = ("seconds", "decisions_per_second")
    with (folder / name).open() as file:
        return [{key: value for key, value in row.items() if key not in clocks} for row in csv.DictReader(file)]


def learned(folder: Path) -> dict[str, Any]:
    """All that training goes on from, to the last bit; how long it took is left out."""
    state = load_state(folder / "state.safetensors")
    facts = {
        key: value for key, value in state.facts.items() if key not in ("seconds", "config", "strength", "progress")
    }
    return {"arrays": {name: (array.shape, array.tobytes()) for name, array in state.arrays.items()}, "facts": facts}


def content(folder: Path) -> dict[str, bytes]:
    """The content of each file in a folder."""
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@contextmanager
def state_of(folder: Path) -> Iterator[TrainerState]:
    """The state in a folder of a run, which is written with what the caller changes in it."""
    state = load_state(folder / STATE)
    yield state
    save_state(state, folder / STATE)
