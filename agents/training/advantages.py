"""Generalised advantage estimation in games where seats take turns."""

import numpy as np


def estimate_advantages(
    values: np.ndarray, rewards: np.ndarray, seats: np.ndarray, dones: np.ndarray, gamma: float, gae_lambda: float
) -> tuple[np.ndarray, np.ndarray]:
    """Generalised advantage estimation (Schulman et al., arXiv:1506.02438); each seat's decisions are a trajectory.

    A seat's rewards until its next decision count for its last one, whoever moved when they were paid. A seat's last
    decision in a rollout has no successor yet: it bootstraps the one before and has no advantage itself.

    Args:
        values: (T, N) predicted return of the seat to move.
        rewards: (T, N, seats) of each step.
        seats: (T, N) the seat that moves.
        dones: (T, N) whether the step ended an episode.
        gamma: Discount for each of a seat's own decisions.
        gae_lambda: Weight of later errors.

    Returns:
        advantages: (T, N) float32, 0 where not valid.
        valid: (T, N) bool.
    """
    steps, games = values.shape
    rows = np.arange(games)
    advantages = np.zeros((steps, games), np.float32)
    valid = np.zeros((steps, games), bool)
    shape = (games, rewards.shape[2])
    reward_sum, next_value, next_advantage = (np.zeros(shape, np.float32) for _ in range(3))
    has_next = np.zeros(shape, bool)
    for step in range(steps - 1, -1, -1):
        over = dones[step]
        reward_sum[over] = 0.0
        next_value[over] = 0.0
        next_advantage[over] = 0.0
        has_next[over] = True
        reward_sum += rewards[step]
        mover = rows, seats[step]
        valid[step] = has_next[mover]
        td_error = reward_sum[mover] + gamma * next_value[mover] - values[step]
        advantages[step] = np.where(valid[step], td_error + gamma * gae_lambda * next_advantage[mover], 0.0)
        next_value[mover], next_advantage[mover] = values[step], advantages[step]
        reward_sum[mover], has_next[mover] = 0.0, True
    return advantages, valid
