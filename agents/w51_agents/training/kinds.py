"""Who plays the other seats, as a further output of what learns: labels, the layer, its loss."""

from collections.abc import Sequence

from torch import Tensor, nn
from torch.nn import functional

from w51_agents.agent import AgentError
from w51_agents.policies.layers import linear
from w51_agents.training.learner_settings import MIXTURE

NOBODY = -1  # there is no such seat


class KindHead(nn.Module):
    """Tells who plays the other seats, clockwise from the seat to move, from the features of a network.

    Args:
        width: Number of features.
        others: The most other seats.
        kinds: The kinds of players.

    Attributes:
        kinds: The same.

    Raises:
        AgentError: There is nobody to tell from others, or a mixture plays.
    """

    def __init__(self, width: int, others: int, kinds: Sequence[str]):
        if len(kinds) < 2 or MIXTURE in kinds:
            players = ", ".join(kinds)
            raise AgentError(f"kinds_weight: the players are {players}, but games of `self` against others are needed")
        super().__init__()
        self.kinds = tuple(kinds)
        self.last = linear(width, others * len(kinds), 0.01)

    def forward(self, features: Tensor) -> Tensor:
        """(B, others, kinds) logits, of (B, width) features."""
        return self.last(features).float().unflatten(1, (-1, len(self.kinds)))


def kind_loss(logits: Tensor, kinds: Tensor) -> Tensor:
    """The mean over decisions of the mean cross-entropy of the other seats.

    Args:
        logits: (B, others, kinds).
        kinds: (B, others) int64, NOBODY where there is no seat; each row has one.
    """
    losses = functional.cross_entropy(logits.transpose(1, 2), kinds, ignore_index=NOBODY, reduction="none")
    return (losses.sum(1) / (kinds != NOBODY).sum(1)).mean()


def share_told(logits: Tensor, kinds: Tensor) -> Tensor:
    """(B,) float32, the share of the other seats whose kind is the likeliest; arguments as of `kind_loss`."""
    is_seat = kinds != NOBODY
    return ((logits.argmax(2) == kinds) & is_seat).sum(1) / is_seat.sum(1).clamp_min(1)
