"""Whose reward is whose: advantages over a seat's own decisions, in games where seats take turns."""

import numpy as np


def estimate_advantages(
    values: np.ndarray, rewards: np.ndarray, seats: np.ndarray, dones: np.ndarray, discount: float, trace: float
) -> tuple[np.ndarray, np.ndarray]:
    """Generalised advantages (Schulman et al., arXiv:1506.02438), each seat's decisions a trajectory of its own.

    What a seat earns until its next decision belongs to its last one, whoever moved when it was paid. Where a rollout ends before
    a seat's next decision, its last one has no successor yet: it serves as the value of the one before, and is not known itself.

    Args:
        values: (T, N) of the seat to move, at its decision.
        rewards: (T, N, seats) paid by each step.
        seats: (T, N) the seat that moves.
        dones: (T, N) the step ended an episode.
        discount: Gamma, for each of a seat's own decisions.
        trace: Lambda.

    Returns:
        advantages: (T, N) float32, 0 where not known.
        known: (T, N) bool.
    """
    steps, games = values.shape
    rows = np.arange(games)
    advantages = np.zeros((steps, games), np.float32)
    known = np.zeros((steps, games), bool)
    shape = (games, rewards.shape[2])
    earned, next_value, next_advantage = (np.zeros(shape, np.float32) for _ in range(3))
    has_next = np.zeros(shape, bool)
    for step in range(steps - 1, -1, -1):
        over = dones[step]
        earned[over] = 0.0
        next_value[over] = 0.0
        next_advantage[over] = 0.0
        has_next[over] = True
        earned += rewards[step]
        own = rows, seats[step]
        known[step] = has_next[own]
        surprise = earned[own] + discount * next_value[own] - values[step]
        advantages[step] = np.where(known[step], surprise + discount * trace * next_advantage[own], 0.0)
        next_value[own], next_advantage[own], earned[own], has_next[own] = values[step], advantages[step], 0.0, True
    return advantages, known
