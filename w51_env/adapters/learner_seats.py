"""The seats of learners, and the seeds of their games."""

from functools import cache

import numpy as np

from w51_env.compiler.compile import entry
from w51_env.engine.options import check_seed

ENDED = ("scores", "ranks", "rewards", "rank", "illegal", "learner")  # of an episode that ended in the last step


@cache
def followed_dtype(max_players: int) -> np.dtype:
    """The record of the learner of a game: its seat in the episode of the last step and in the current one, its reward;
    and of the episode that ended in the last step the fields ENDED, all 0 if it goes on.
    """
    per_seat = [("scores", "i2", (max_players,)), ("ranks", "i1", (max_players,)), ("rewards", "f4", (max_players,))]
    numbers = [("seat", "i8"), ("current", "i8"), ("reward", "f8"), ("rank", "i8"), ("learner", "i8")]
    return np.dtype([*numbers, *per_seat, ("illegal", "?")])


@entry("learner")
def follow(slots, results, followed, counts, stepped):  # type: ignore[no-untyped-def]
    """Write `followed` after a call, as `LearnerGames` has it, and `counts`: done, over."""
    counts[0] = counts[1] = 0
    for index in range(followed.shape[0]):
        to_move = slots[index].seat
        result, of = results[index], followed[index]
        done = stepped and result.done
        if stepped:
            if done:
                of.seat = result.learner
                counts[0] += 1
            elif to_move >= 0:
                of.seat = to_move
            of.reward = result.rewards[of.seat]
        of.current = to_move if to_move >= 0 else of.seat
        counts[1] += to_move < 0
        for each in range(result.scores.shape[0]):
            of.scores[each] = result.scores[each] if done else 0
            of.ranks[each] = result.ranks[each] if done else 0
            of.rewards[each] = result.rewards[each] if done else np.float32(0)
        of.rank = result.ranks[result.learner] if done else 0
        of.learner = result.learner if done else 0
        of.illegal = done and result.illegal


def consecutive_seeds(seed: int, count: int) -> np.ndarray:
    """(count,) uint64: seed, seed + 1, ..., as the libraries number their environments; 2**64 - 1 is followed by 0."""
    return (np.arange(count, dtype=np.uint64) + np.uint64(check_seed("seed", seed))).astype(np.uint64)


def seated(controllers: np.ndarray, learner_seat: int | str, seeds: np.ndarray) -> np.ndarray:
    """(N, num_players) int8, the controllers of the first episode of each of the (N,) seeds; a shuffle follows.

    Args:
        controllers: (num_players,) int8, of a learner in seat 0 and its opponents.
        learner_seat: As for `gymnasium_env.LearnerEnv`.
        seeds: (N,) uint64.
    """
    players = len(controllers)
    if learner_seat == "rotate":
        shift = (seeds % np.uint64(players)).astype(np.int64)
    else:
        shift = np.full(len(seeds), 0 if learner_seat == "random" else learner_seat)
    return controllers[(np.arange(players) - shift[:, None]) % players]
