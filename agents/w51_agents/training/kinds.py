"""Who plays the other seats, which `KindHead` learns to tell: labels and loss."""

from collections.abc import Sequence

from torch import Tensor
from torch.nn import functional

from w51_agents.agent.interface import AgentError
from w51_agents.training.learner_settings import MIXTURE

NOBODY = -1  # there is no such seat


def check_kinds(kinds: Sequence[str]) -> None:
    """AgentError if there is nobody to tell from others, or a mixture plays."""
    if len(kinds) < 2 or MIXTURE in kinds:
        players = ", ".join(kinds)
        raise AgentError(f"kinds_weight: the players are {players}, but games of `self` against others are needed")


def kind_loss(logits: Tensor, kinds: Tensor, weights: Tensor | None = None) -> Tensor:
    """The mean over decisions of the mean cross-entropy of the other seats.

    Args:
        logits: (B, others, kinds).
        kinds: (B, others) int64, NOBODY where there is no seat; each row has one.
        weights: (kinds,) of seats of each kind; None: all count alike.
    """
    losses = functional.cross_entropy(logits.transpose(1, 2), kinds, weights, ignore_index=NOBODY, reduction="none")
    return (losses.sum(1) / (kinds != NOBODY).sum(1)).mean()


def share_told(logits: Tensor, kinds: Tensor) -> Tensor:
    """(B,) float32, the share of the other seats whose kind is the likeliest; arguments as of `kind_loss`."""
    is_seat = kinds != NOBODY
    return ((logits.argmax(2) == kinds) & is_seat).sum(1) / is_seat.sum(1).clamp_min(1)
