"""The categorical distribution of a policy over masked logits: sampling, log-probabilities and entropies."""

from typing import Any

import torch
from torch import Tensor


def logprobs_and_entropies(logits: Tensor, actions: Tensor) -> tuple[Tensor, Tensor]:
    """Log-probabilities (B,) of (B,) actions and entropies (B,) in nats, of (B, actions) logits."""
    return _LogprobsAndEntropies.apply(logits, actions)


class _LogprobsAndEntropies(torch.autograd.Function):
    """Gradients in closed form: a third of the passes over all logits that autograd makes."""

    @staticmethod
    def forward(context: Any, logits: Tensor, actions: Tensor) -> tuple[Tensor, Tensor]:
        probabilities, logprobs = torch.softmax(logits, 1), torch.log_softmax(logits, 1)
        entropies = -torch.linalg.vecdot(probabilities, logprobs)
        context.save_for_backward(probabilities, logprobs, entropies, actions)
        return logprobs.gather(1, actions[:, None])[:, 0], entropies

    @staticmethod
    def backward(context: Any, by_logprob: Tensor, by_entropy: Tensor) -> tuple[Tensor, None]:
        probabilities, logprobs, entropies, actions = context.saved_tensors
        # d logp[a] / d logit[k] = [k = a] - p[k];  d H / d logit[k] = -p[k] (logp[k] + H).
        common = by_logprob + by_entropy * entropies
        gradient = torch.addcmul(common[:, None], by_entropy[:, None], logprobs).mul_(probabilities).neg_()
        return gradient.scatter_add_(1, actions[:, None], by_logprob[:, None]), None


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
