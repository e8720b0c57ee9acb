"""Env slots: what a batch records of each of its games beside the state, and the settings common to all of them.

A slot is a position in the batch. Its record holds the episode bookkeeping: who controls each seat, how its episodes
are seeded, what the last step and the last finished episode gave.
"""

from functools import cache

import numpy as np

from w51_env.compiler.compile import aligned_zeros
from w51_env.engine.options import check_name

BLOCK = 64  # legal actions that are compared in one operation

DISABLED, NEXT_STEP, SAME_STEP = range(3)  # settings.autoreset
FIXED, ROTATE, SHUFFLE = range(3)  # settings.seating
_MODES = {  # the same numbers as `Batch` calls them; the second is that of settings.illegal_loses
    "autoreset": ("disabled", "next_step", "same_step"),
    "illegal_action": ("raise", "lose"),
    "seating": ("fixed", "rotate", "shuffle"),
}

# settings.command, and what a round does. A CHECK round without an illegal action is followed by a STEP round.
CHECK, STEP, RESET, SAMPLE = range(4)

SKIP = np.iinfo(np.int64).min  # action of a game that a partial step leaves as it is

# `slot.count` of a game that comes to no decision of an external seat: too many episodes in a row had none; or too many
# decisions in a row were forced, or made by bots.
NO_DECISION, NO_END = -1, -2
MAX_EPISODES, MAX_IN_A_ROW = 10_000, 30_000

SETTINGS = np.dtype(
    [
        ("sample_seed", "u8"),
        ("min_reward", "f4"),  # of a seat in this game: what an illegal action pays
        ("num_players", "i4"),
        ("autoreset", "i4"),
        ("seating", "i4"),
        ("chunk", "i4"),  # games that a thread takes at a time
        ("command", "i1"),  # RESET: `actions` are 1 (begin the next episode) or 0 (leave the game as it is)
        ("illegal_loses", "i1"),
        ("observe", "i1"),
        ("keep_final", "i1"),
        ("partial", "i1"),  # a step skips the games whose action is SKIP
    ]
)


def mode_name(name: str, value: str) -> str:
    """The value of a setting that has a list of values in calls; OptionError if it is not among them."""
    return check_name(name, value, _MODES[name])


def mode_number(name: str, value: str) -> int:
    """The same as the number that compiled code reads."""
    return _MODES[name].index(mode_name(name, value))


@cache
def slot_dtype(max_players: int) -> np.dtype:
    """The record of an env slot; with five players it fills exactly one cache line."""
    return np.dtype(
        [
            ("seed", "u8"),  # from which the seeds of its episodes are derived
            ("episode", "u4"),  # number of episodes begun before this one
            ("skipped", "u4"),  # number of episodes that ended without a decision of an external seat
            ("count", "i2"),  # number of legal actions of the seat to move, or NO_DECISION, NO_END
            ("seat", "i1"),  # the seat to move, -1 when the game is over
            ("done", "i1"),  # the last step ended the episode
            ("illegal", "i1"),  # the episode ended by an illegal action
            ("learner", "i1"),  # first external seat of the episode that ended last, -1 if none
            ("length", "u2"),  # decisions of the episode that ended last
            ("rewards", "f4", (max_players,)),
            ("scores", "i2", (max_players,)),  # of the episode that ended last
            ("ranks", "i1", (max_players,)),
            ("controllers", "i1", (max_players,)),
        ],
        align=True,
    )


def make_legal(num_games: int, num_actions: int) -> np.ndarray:
    """(num_games, at least num_actions) uint8, for lists of legal actions: whole blocks, as `is_legal` reads them."""
    return aligned_zeros((num_games, -(-num_actions // BLOCK) * BLOCK), np.uint8)
