"""What every trainer is to a run: updates one by one, and a state from which it goes on as if nothing had happened."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from agents.agent import Agent
from agents.training.state import State
from w51_env.core.game import Game


@dataclass(frozen=True)
class Update:
    """How training stands after one update; a row of `progress.csv`.

    Attributes:
        decisions: That were learned from, so far.
        games: Games finished since the last update in which the learner had others against it; the next three are over these.
        mean_return, win_rate, mean_score: Of the learner; nan if no game was finished.
        entropy: Mean entropy of the policy, in nats.
        value_loss: Mean squared error of predicted returns.
        divergence: Mean approximate divergence of the policy from the one that played.
        seconds: Of training, so far.
    """

    decisions: int
    games: int
    mean_return: float
    win_rate: float
    mean_score: float
    entropy: float
    value_loss: float
    divergence: float
    seconds: float = 0.0


class Trainer(Protocol):
    """What learns."""

    @property
    def decisions(self) -> int:
        """That were learned from, so far."""

    def update(self) -> Update:
        """Play, and learn from it."""

    def agent(self, game: Game) -> Agent:
        """The policy as it is now, for a game with the same observations and actions."""

    def write_checkpoint(self, path: Path) -> None:
        """Write the policy, and nothing else that training needs, as `load_agent` knows it."""

    def state(self) -> State:
        """All that training goes on from, between two updates."""

    def restore(self, state: State) -> None:
        """Go on from a state of a trainer made alike."""

    def close(self) -> None:
        """End threads."""


def outcome_means(outcomes: Sequence[Sequence[float]] | np.ndarray) -> dict[str, Any]:
    """What `Update` tells of games that ended, each with the learner's return, wins and score."""
    means = np.mean(outcomes, axis=0).tolist() if len(outcomes) else [float("nan")] * 3
    return {"games": len(outcomes), **dict(zip(("mean_return", "win_rate", "mean_score"), means, strict=True))}
