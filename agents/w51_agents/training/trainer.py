"""The interface of a trainer to a run: updates one by one, and a state from which training continues unchanged."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Protocol

import numpy as np
from pydantic import Field

from w51_agents.agent import Agent
from w51_agents.training.trainer_state import TrainerState
from w51_env.engine.game import Game

Count = Annotated[int, Field(ge=0, lt=2**63)]  # checked where rows are read from a file


@dataclass(frozen=True)
class Update:
    """Statistics of one update; a row of `progress.csv`.

    Attributes:
        decisions: Decisions learned from so far.
        games: Games against opponents that ended since the last update; the next three are means over these.
        mean_return, win_rate, mean_score: Results of the learner; nan if no game ended.
        entropy: Mean entropy of the policy, in nats.
        value_loss: Mean squared error of predicted returns.
        approx_kl: Mean approximate KL divergence of the new policy from the one that played.
        seconds: Wall time of training so far.
    """

    decisions: Count
    games: Count
    mean_return: float
    win_rate: float
    mean_score: float
    entropy: float
    value_loss: float
    approx_kl: float
    seconds: float = 0.0


class Trainer(Protocol):
    """A learning algorithm, as a run uses it."""

    @property
    def decisions(self) -> int:
        """Decisions learned from so far."""

    def update(self) -> Update:
        """Collect experience and learn from it."""

    def agent(self, game: Game) -> Agent:
        """The policy as it is now, for a game with the same observations and actions."""

    def write_checkpoint(self, path: Path) -> None:
        """Write the policy as safetensors, and nothing else of the training, as `load_agent` reads it."""

    def state(self) -> TrainerState:
        """All that `restore` needs to continue, between two updates."""

    def restore(self, state: TrainerState) -> None:
        """Continue from the state of a trainer with the same config.

        Raises:
            StateError: The state has values that no trainer writes; another error is a fault of the code.
        """

    def close(self) -> None:
        """End threads."""


def outcome_means(outcomes: Sequence[Sequence[float]] | np.ndarray) -> dict[str, Any]:
    """Fields of `Update`, from the learner's return, wins and score in each game that ended."""
    means = np.mean(outcomes, axis=0).tolist() if len(outcomes) else [float("nan")] * 3
    return {"games": len(outcomes), **dict(zip(("mean_return", "win_rate", "mean_score"), means, strict=True))}
