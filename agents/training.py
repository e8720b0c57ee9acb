"""What every trainer tells and leaves, and how a run is kept."""

import csv
from collections.abc import Callable
from dataclasses import asdict, dataclass, fields
from pathlib import Path

import yaml

from agents.config import TrainingConfig
from agents.files import write_whole


@dataclass(frozen=True)
class Update:
    """How training stands after one update; a row of `progress.csv`.

    Attributes:
        decisions: The learner's decisions so far.
        seconds: Since training began.
        games: Games finished since the last update in which the learner had others against it; the next three are over these.
        mean_return, win_share, mean_score: Of the learner; nan if no game was finished.
        entropy: Mean entropy of the policy, in nats.
        value_loss: Mean squared error of predicted returns.
        divergence: Mean approximate divergence of the policy from the one that played.
    """

    decisions: int
    seconds: float
    games: int
    mean_return: float
    win_share: float
    mean_score: float
    entropy: float
    value_loss: float
    divergence: float


@dataclass(frozen=True)
class Training:
    """What a run brought.

    Attributes:
        updates: All of them.
        complete: False where the run was asked to stop.
        checkpoint: The name of the checkpoint's file.
        write_checkpoint: Writes it to a path.
    """

    updates: list[Update]
    complete: bool
    checkpoint: str
    write_checkpoint: Callable[[Path], object]


def save(training: Training, config: TrainingConfig, folder: Path) -> Path:
    """Write config, progress and checkpoint into the folder, each file whole or not at all; the path of the checkpoint."""
    text = yaml.safe_dump(config.model_dump(mode="json"), sort_keys=False, allow_unicode=True)
    write_whole(folder / "config.yaml", lambda path: path.write_text(text, "utf-8"))
    write_whole(folder / "progress.csv", lambda path: write_progress(path, training.updates))
    return write_whole(folder / training.checkpoint, training.write_checkpoint)


def write_progress(path: Path, updates: list[Update]) -> None:
    """A CSV file with a row for each update."""
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, [field.name for field in fields(Update)])
        writer.writeheader()
        for update in updates:
            writer.writerow({name: round(value, 6) for name, value in asdict(update).items()})
