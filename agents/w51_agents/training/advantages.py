"""Advantages of the decisions of a rollout."""

import numpy as np
from torch import Tensor

from w51_agents.training.rollout import Rollout
from w51_env.compiler.compile import entry


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
