"""The seats of learners, and the seeds of their games."""

import numpy as np

from w51_env.core.compile import entry
from w51_env.core.options import check_seed


@entry("learner")
def follow(slots, results, seat, current, reward, counts, stepped):  # type: ignore[no-untyped-def]
    """Write the learners' seats and rewards after a call, as `LearnerGames` has them, and `counts`: done, over."""
    counts[0] = counts[1] = 0
    for index in range(seat.shape[0]):
        to_move, result = slots[index].seat, results[index]
        if stepped:
            if result.done:
                seat[index] = result.learner
                counts[0] += 1
            elif to_move >= 0:
                seat[index] = to_move
            reward[index] = result.rewards[seat[index]]
        current[index] = to_move if to_move >= 0 else seat[index]
        counts[1] += to_move < 0


def consecutive_seeds(seed: int, count: int) -> np.ndarray:
    """(count,) uint64: seed, seed + 1, ..., as the libraries number their environments; 2**64 - 1 is followed by 0."""
    return (np.arange(count, dtype=np.uint64) + np.uint64(check_seed("seed", seed))).astype(np.uint64)
