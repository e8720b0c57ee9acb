"""What objectives are made of: log-probabilities and entropies of masked logits, means of legal actions, advantages."""

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional

from w51_agents.training.rollout import Rollout
from w51_env.compiler.compile import entry

NOBODY = -1  # in the place of the style of a seat's player: there is no such seat


def logprobs_and_entropies(logits: Tensor, actions: Tensor) -> tuple[Tensor, Tensor]:
    """Log-probabilities (B,) of (B,) actions and entropies (B,) in nats, of (B, actions) logits."""
    logprobs = torch.log_softmax(logits, 1)
    return logprobs.gather(1, actions[:, None])[:, 0], -torch.linalg.vecdot(logprobs.exp(), logprobs)


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


def style_loss(logits: Tensor, styles: Tensor, weights: Tensor | None = None) -> Tensor:
    """The mean over decisions of the mean cross-entropy of the other seats.

    Args:
        logits: (B, others, styles).
        styles: (B, others) int64, NOBODY where there is no seat; each row has one.
        weights: (styles,) of seats of each style; None: all count alike.
    """
    losses = functional.cross_entropy(logits.transpose(1, 2), styles, weights, ignore_index=NOBODY, reduction="none")
    return (losses.sum(1) / (styles != NOBODY).sum(1)).mean()


def share_told(logits: Tensor, styles: Tensor) -> Tensor:
    """(B,) float32, the share of the other seats whose style is the likeliest; arguments as of `style_loss`."""
    is_seat = styles != NOBODY
    return ((logits.argmax(2) == styles) & is_seat).sum(1) / is_seat.sum(1).clamp_min(1)


def explained_variance(returns: Tensor, advantages: Tensor) -> float:
    """Part of the variance of (B,) returns that the values explain, which are the returns less the advantages."""
    variance = returns.var(correction=0)
    return float(1.0 - advantages.var(correction=0) / variance) if variance > 0 else float("nan")


def estimate_advantages(rollout: Rollout, gamma: float, gae_lambda: float) -> tuple[np.ndarray, np.ndarray]:
    """Generalised advantage estimation (Schulman et al., arXiv:1506.02438); each seat's decisions are a trajectory.

    A seat's rewards until its next decision count for its last one, whoever moved when they were paid. A seat's last
    decision in a rollout has no successor yet: it bootstraps the one before and has no advantage itself.

    Returns:
        (T, N) float32 advantages, 0 where they are not valid; (T, N) bool, where they are.
    """
    steps, seats = rollout.values.shape, rollout.rewards.shape[1:]
    advantages, valid = np.zeros(steps, np.float32), np.zeros(steps, np.int8)
    discounts = np.array([gamma, gamma * gae_lambda], np.float32)
    memory = np.zeros((3, *seats), np.float32), np.zeros(seats, np.int8)
    arrays = rollout.values, rollout.rewards, rollout.seats, rollout.dones.view(np.int8)
    _write_advantages(*arrays, discounts, *memory, advantages, valid)
    return advantages, valid.view(bool)


@entry("policy")
def _write_advantages(values, rewards, seats, dones, discounts, *written):  # type: ignore[no-untyped-def]
    """From the last step to the first, with what follows for each seat: its rewards, its value, its advantage."""
    following, has_next, advantages, valid = written
    gamma, gamma_lambda = discounts[0], discounts[1]
    for step in range(values.shape[0] - 1, -1, -1):
        for game in range(values.shape[1]):
            for seat in range(rewards.shape[2]):
                if dones[step, game]:
                    following[0, game, seat] = following[1, game, seat] = following[2, game, seat] = 0.0
                    has_next[game, seat] = True
                following[0, game, seat] += rewards[step, game, seat]
            mover, value = seats[step, game], values[step, game]
            valid[step, game] = has_next[game, mover]
            if has_next[game, mover]:
                td_error = following[0, game, mover] + gamma * following[1, game, mover] - value
                advantages[step, game] = td_error + gamma_lambda * following[2, game, mover]
            following[1, game, mover], following[2, game, mover] = value, advantages[step, game]
            following[0, game, mover] = 0.0
            has_next[game, mover] = True
