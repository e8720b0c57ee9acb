"""Which states kernels may be given: those in which they stay within their arrays, and end."""

import numpy as np

from w51_env.auctions import state
from w51_env.compiler.compile import kernel
from w51_env.engine.layout import ids_of
from w51_env.engine.limits import VALID, Range

FIELD = ids_of(state.GAME.names or ())
_MAX_SCORE = 32767


def ranges(rules: np.ndarray) -> dict[str, Range]:
    """The range of each field of the record."""
    seat, decision = int(rules["num_players"]) - 1, int(rules["highest"]) + 1
    rounds = int(rules["num_rounds"])
    money = int(rules["budget"]) + rounds * state.MAX_BID
    fields: list[tuple[Range, tuple[str, ...]]] = [
        (None, ("stream", "decisions", "totals")),
        ((-_MAX_SCORE, _MAX_SCORE), ("scores",)),
        ((0, money if rules["budget"] else 0), ("money",)),
        ((0, seat + 1), ("ranks",)),
        ((0, 1), ("over", "bidding")),
        ((0, len(state.PHASES) - 1), ("phase",)),
        ((state.NOBODY, seat), ("seat", "last_winner")),
        ((0, int(rules["max_value"])), ("signals", "second_signals", "common")),
        ((state.NOT_BID, decision), ("bids", "second_bids")),
        ((0, decision), ("shown", "second_shown", "last")),
        ((0, decision - 1), ("clock",)),
        ((0, rounds), ("round",)),
        ((0, max(rounds, state.LOTS)), ("wins",)),
        ((0, state.TIE_LOTS[seat + 1] - 1), ("lot", "second_lot")),
        ((0, 0), ("unused",)),
    ]
    return {name: ends for ends, names in fields for name in names}


@kernel
def inconsistent_field(rules, game):
    """The index of a field that contradicts others, VALID if there is none."""
    if game.over:
        return VALID
    if game.phase != state.BID:
        return FIELD.PHASE
    if game.seat == state.NOBODY or game.bidding[game.seat] == 0:
        return FIELD.SEAT
    if game.bids[game.seat] != state.NOT_BID and not (rules.two_bids and game.second_bids[game.seat] == state.NOT_BID):
        return FIELD.BIDS
    if game.round >= rules.num_rounds:
        return FIELD.ROUND
    return VALID if game.clock >= rules.lowest else FIELD.CLOCK
