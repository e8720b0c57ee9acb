"""What the loss needs of a policy, with gradients worked out by hand: a third of the passes over all logits that autograd makes."""

from typing import Any

import torch
from torch import Tensor


class PolicyTerms(torch.autograd.Function):
    """Logits (B, A) and actions (B,) -> the actions' log probabilities (B,) and the entropies (B,)."""

    @staticmethod
    def forward(context: Any, logits: Tensor, actions: Tensor) -> tuple[Tensor, Tensor]:  # type: ignore[override]
        probabilities, logprobs = torch.softmax(logits, 1), torch.log_softmax(logits, 1)
        entropy = -torch.linalg.vecdot(probabilities, logprobs)
        context.save_for_backward(probabilities, logprobs, entropy, actions)
        return logprobs.gather(1, actions[:, None])[:, 0], entropy

    @staticmethod
    def backward(context: Any, by_logprob: Tensor, by_entropy: Tensor) -> tuple[Tensor, None]:  # type: ignore[override]
        probabilities, logprobs, entropy, actions = context.saved_tensors
        # d logp[a] / d logit[k] = [k = a] - p[k];  d H / d logit[k] = -p[k] (logp[k] + H).
        common = by_logprob + by_entropy * entropy
        gradient = torch.addcmul(common[:, None], by_entropy[:, None], logprobs).mul_(probabilities).neg_()
        return gradient.scatter_add_(1, actions[:, None], by_logprob[:, None]), None


def policy_terms(logits: Tensor, actions: Tensor) -> tuple[Tensor, Tensor]:
    """See `PolicyTerms`."""
    return PolicyTerms.apply(logits, actions)
