"""Generalised advantage estimation in games where seats take turns."""

import numpy as np

from w51_env.compiler.compile import entry


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
    advantages, valid = np.zeros(values.shape, np.float32), np.zeros(values.shape, np.int8)
    discounts = np.array([gamma, gamma * gae_lambda], np.float32)
    memory = np.zeros((3, *rewards.shape[1:]), np.float32), np.zeros(rewards.shape[1:], np.int8)
    _write_advantages(values, rewards, seats, dones.view(np.int8), discounts, *memory, advantages, valid)
    return advantages, valid.view(bool)


@entry("policy")
def _write_advantages(  # type: ignore[no-untyped-def]
    values, rewards, seats, dones, discounts, following, has_next, advantages, valid
):  # fmt: skip
    """From the last step to the first, with what follows for each seat: its rewards, its value, its advantage."""
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
