"""The programs that `crash` disturbs: a training run of each trainer, and a tournament."""

import json
from importlib import import_module
from pathlib import Path
from typing import Any

import torch

from tests.agents.networks.small import TRAINERS, learned, rows, small
from tests.soak.crash import Job, crash
from w51_agents.networks.load import CHECKPOINT
from w51_agents.training.config import config_text
from w51_agents.training.run_facts import STATE
from w51_agents.training.settings import TrainingConfig
from w51_env import make_game
from w51_env.engine.batch import Batch
from w51_lab.arena.store import SPEC
from w51_lab.commands import evaluate, train

_EVALUATION = {"games": 4, "games_while_training": 2, "against": ["random"], "num_players": [3]}


PRELOADED = (
    "fontTools.subset",
    "matplotlib.backends.backend_agg",
    "pyarrow.csv",
    "pyarrow.parquet",
    "tensorboardX",
    "torch._dynamo",
    "w51_agents.training.maskable_ppo",
    "w51_agents.training.selfplay",
    "w51_lab.behaviour",
    "w51_lab.trainings.baselines",
    "w51_lab.trainings.exploit",
    "w51_lab.report.page",
)


def preload() -> None:
    """Import what the programs import and load the compiled rules, so that each fork need not."""
    torch.set_num_threads(1)  # a fork would lose others
    for module in PRELOADED:
        import_module(module)
    batch = Batch(
        make_game("warehouse51_v1", preset="mini"), 2, events=True, controllers=["external", "random", "heuristic"]
    )
    batch.reset()
    batch.step(batch.sample_actions())


def all_jobs() -> list[Job]:
    """A training run of each trainer, and a tournament."""
    preload()
    return [*(_training(trainer) for trainer in TRAINERS), _tournament()]


def crash_all(number: int, minutes: float | None, seed: int, workers: int) -> dict[str, Any]:
    """`crash` of all programs."""
    return crash(all_jobs(), number, minutes, seed, workers)


def _training(trainer: str) -> Job:
    def begin(folder: Path) -> list[str]:
        path = folder.parent / f"{trainer}.yaml"
        path.write_text(config_text(_config(trainer, folder)), "utf-8")
        return ["--config", str(path)]

    return Job(
        name=trainer,
        main=lambda arguments: train.app(arguments),
        begin=begin,
        resume=lambda folder: ["--resume", str(folder / "one")],
        outcome=_outcome_of_run,
        has_begun=lambda folder: (folder / "one" / STATE).exists(),
    )


def _config(trainer: str, folder: Path) -> TrainingConfig:
    changes: dict[str, Any] = {"game": "warehouse51_v1", "options": {"preset": "mini"}, "evaluation": _EVALUATION}
    changes |= {"decisions": 500, "checkpoint_minutes": 1e-9}
    if trainer == "selfplay":
        kinds = [{"num_players": 3, "num_envs": 8}, {"num_players": 3, "num_envs": 4, "opponents": "pool"}]
        return small(trainer, folder, **changes, selfplay={"games": kinds, "critic": "local"})
    return small(trainer, folder, **changes, opponents=["random"])


def _outcome_of_run(folder: Path) -> Any:
    run = folder / "one"
    names = sorted(str(path.relative_to(run)) for path in run.rglob("*") if "tensorboard" not in path.parts)
    evaluation = json.loads((run / "evaluation.json").read_text("utf-8"))
    return learned(run), rows(run), evaluation, (run / CHECKPOINT).read_bytes(), names


def _tournament() -> Job:
    agents = ["heuristic", "random", "--preset", "mini", "--games", "12", "--time-limit", "60", "--workers", "1"]
    return Job(
        name="tournament",
        main=lambda arguments: evaluate.app(arguments),
        begin=lambda folder: [*agents, "--behaviour", "--replays", "2", "--out", str(folder / "cup")],
        resume=lambda folder: ["--resume", str(folder / "cup"), "--workers", "1"],
        outcome=_outcome_of_tournament,
        has_begun=lambda folder: (folder / "cup" / SPEC).exists(),
    )


def _outcome_of_tournament(folder: Path) -> Any:
    cup = folder / "cup"
    summary = json.loads((cup / "summary.json").read_text("utf-8"))
    names = sorted(str(path.relative_to(cup)) for path in cup.rglob("*"))
    replays = {path.name: path.read_bytes() for path in (cup / "replays").iterdir()}
    return _without_times(summary), names, replays


def _without_times(data: Any) -> Any:
    if isinstance(data, dict):
        return {key: _without_times(value) for key, value in data.items() if "second" not in key and key != "versions"}
    return [_without_times(value) for value in data] if isinstance(data, list) else data
