"""Table statistics: how each seat has bid so far in open auctions, as a slice of the observation.

Only free choices count, and only open auctions: a decision with a single legal action, or a bid that others do not see
yet, says nothing to the table. A count stays at MAX_COUNT when it has reached it.
"""

from dataclasses import replace
from functools import cache

import numpy as np

from w51_env.compiler.compile import kernel
from w51_env.engine.game import Game, Kernel, Kernels
from w51_env.engine.layout import Layout
from w51_env.engine.limits import Limits
from w51_env.engine.seats import seat_at

NAME = "table_statistics"  # of the option, of the slice and of the field of the record
COUNTS = ("bids", "jumps", "passes", "passes at the first chance", "hundreds above the least bid", "rest of it")
MAX_COUNT = 127
_BIDS, _JUMPS, _PASSES, _FIRST_PASSES, _HUNDREDS, _REST, _HAS_BID = range(7)
_HUNDRED = 100
_COLUMNS = 8  # of the field: to full words

# What a decision means, beside an amount above the least bid: 0 or more.
PASSED, BEGINS_AUCTION, OTHER = -1, -2, -3


@kernel
def add(counts, seat, column, number):
    """Add to a count, up to MAX_COUNT."""
    counts[seat, column] = min(int(counts[seat, column]) + number, MAX_COUNT)


@kernel
def count_decision(counts, seat, meaning):
    """Count one decision; `counts`: the field of the record."""
    if meaning == BEGINS_AUCTION:
        counts[:, _HAS_BID] = 0
    elif meaning == PASSED:
        add(counts, seat, _PASSES, 1)
        add(counts, seat, _FIRST_PASSES, 1 - int(counts[seat, _HAS_BID]))
    elif meaning >= 0:
        add(counts, seat, _BIDS, 1)
        add(counts, seat, _JUMPS, meaning > 0)
        rest = int(counts[seat, _REST]) + meaning
        add(counts, seat, _HUNDREDS, rest // _HUNDRED)
        counts[seat, _REST] = rest % _HUNDRED
        counts[seat, _HAS_BID] = 1


@cache
def _counting(kernels: Kernels, meaning: Kernel, start: int) -> Kernels:
    """The kernels of a game that counts decisions and shows the counts from position `start` of its observation."""
    move, observe = kernels.move, kernels.observe

    @kernel
    def move_and_count(rules, game, action, log, forced):
        count_decision(game.table_statistics, game.seat, meaning(rules, game, action, forced))
        move(rules, game, action, log, forced)

    @kernel
    def observe_counts(rules, game, seat, out):
        observe(rules, game, seat, out)
        for distance in range(rules.num_players):
            other = seat_at(rules, distance, seat)
            for column in range(len(COUNTS)):
                out.values[start + distance * len(COUNTS) + column] = game.table_statistics[other, column]

    return replace(kernels, move=move_and_count, observe=observe_counts)


def with_table_statistics(game: Game, meaning: Kernel, unit: str) -> Game:
    """The game with table statistics as the last slice of its observation, and as an option.

    Args:
        game: The game without them.
        meaning: (rules, game, action, forced) -> PASSED, BEGINS_AUCTION, or, for a bid in an open auction, by how much
            it is above the least bid that overbids; OTHER for any other decision, and for one that was no free choice.
        unit: What amounts count.
    """
    shape = (game.max_players, len(COUNTS))
    text = f"Open auctions, free choices of each seat: {', '.join(COUNTS)} ({unit})."
    parts = [(part.name, part.shape, part.low, part.high, part.meaning) for part in game.layout.values()]
    fields = [(name, game.record[name]) for name in game.record.names or ()]
    # First: a record that only adds fields at its end is a subtype to Numba, which then warns of it.
    record = np.dtype([(NAME, "i1", (game.max_players, _COLUMNS)), *fields], align=True)
    ranges = dict.fromkeys(record.names or ())
    return replace(
        game,
        options={**game.options, NAME: True},
        observed_options=(*game.observed_options, NAME),
        record=record,
        limits=game.limits and Limits(record, {**ranges, **game.limits.ranges, NAME: (0, MAX_COUNT)}),
        layout=Layout([*parts, (NAME, shape, 0, MAX_COUNT, text)]),
        kernels=_counting(game.kernels, meaning, game.layout.size),
    )
