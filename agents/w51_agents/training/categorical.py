"""The categorical distribution of a policy over masked logits: sampling, log-probabilities and entropies."""

import torch
from torch import Tensor

from w51_agents.training.categorical import logprobs_and_entropies

__all__ = ["kl_divergence", "logprobs_and_entropies", "masked_mean", "sample"]


def sample(probabilities: Tensor, drawn: Tensor) -> Tensor:
    """(B,) int64, an action for each row of (B, actions) probabilities, with (B,) float32, uniform in [0, 1)."""
    cumulative = probabilities.cumsum(1)
    drawn = drawn[:, None] * cumulative[:, -1:]
    # The first action whose cumulative probability is above the draw; an illegal action has that of its predecessor.
    # Rounding can make `drawn` equal to the total.
    return torch.searchsorted(cumulative, torch.minimum(drawn, cumulative[:, -1:] * (1.0 - 1e-6)), right=True)[:, 0]


def kl_divergence(logits: Tensor, other_logits: Tensor) -> Tensor:
    """Mean KL divergence of the policy of (B, actions) logits from that of others, which get no gradient."""
    others = torch.log_softmax(other_logits.detach(), 1)
    return (torch.softmax(logits, 1) * (torch.log_softmax(logits, 1) - others)).sum(1).mean()


def masked_mean(numbers: Tensor, mask: Tensor) -> Tensor:
    """Mean over rows of the mean of (B, K) numbers in each row where the (B, K) bool mask is true: of legal actions.

    The logits of others are about -1e9, and their squares as much more; they get no gradient.
    """
    return (numbers.where(mask, 0.0).sum(1) / mask.sum(1)).mean()
