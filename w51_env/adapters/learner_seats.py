"""The seats of learners, and the seeds of their games."""

from functools import cache

import numpy as np

from w51_env.compiler.compile import entry
from w51_env.engine.options import check_seed


@cache
def ended_dtype(max_players: int) -> np.dtype:
    """The record of the episode that a game ended in the last step, all 0 if it goes on; fields as in `final_info`."""
    per_seat = [("scores", "i2", (max_players,)), ("ranks", "i1", (max_players,)), ("rewards", "f4", (max_players,))]
    return np.dtype([("seat", "i8"), *per_seat, ("rank", "i8"), ("illegal", "?")])


@entry("learner")
def follow(slots, results, seat, current, reward, counts, ended, stepped):  # type: ignore[no-untyped-def]
    """Write the learners' seats and rewards after a call, as `LearnerGames` has them, and `counts`: done, over."""
    counts[0] = counts[1] = 0
    for index in range(seat.shape[0]):
        to_move, result, last = slots[index].seat, results[index], ended[index]
        done = stepped and result.done
        if stepped:
            if done:
                seat[index] = result.learner
                counts[0] += 1
            elif to_move >= 0:
                seat[index] = to_move
            reward[index] = result.rewards[seat[index]]
        current[index] = to_move if to_move >= 0 else seat[index]
        counts[1] += to_move < 0
        for each in range(result.scores.shape[0]):
            last.scores[each] = result.scores[each] if done else 0
            last.ranks[each] = result.ranks[each] if done else 0
            last.rewards[each] = result.rewards[each] if done else np.float32(0)
        last.rank = result.ranks[result.learner] if done else 0
        last.seat = result.learner if done else 0
        last.illegal = done and result.illegal


def consecutive_seeds(seed: int, count: int) -> np.ndarray:
    """(count,) uint64: seed, seed + 1, ..., as the libraries number their environments; 2**64 - 1 is followed by 0."""
    return (np.arange(count, dtype=np.uint64) + np.uint64(check_seed("seed", seed))).astype(np.uint64)
