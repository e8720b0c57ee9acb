"""Which states kernels may be given: those in which they stay within their arrays, and end.

States that callers write or load are checked by this. It is less than all that the rules imply.
"""

import numpy as np

from w51_env.compiler.compile import kernel
from w51_env.engine.choices import first_wrong
from w51_env.engine.limits import VALID, Range, field_indices
from w51_env.engine.seats import left_of
from w51_env.warehouse51.decks import decks_are_empty
from w51_env.warehouse51.effects import can_give_any, can_take_any
from w51_env.warehouse51.rules import MAX_POINTS
from w51_env.warehouse51.state import (
    ABSENT,
    BLIND_AUCTION,
    CANCEL,
    CERTIFY,
    GAME,
    GIVE,
    IN_DECK,
    MAX_CATEGORIES,
    MAX_INGOTS,
    MAX_RELICS,
    NO_GAP,
    NO_RELIC,
    NOBODY,
    NOT_BID,
    OPEN_AUCTION,
    OVER,
    REDEEM,
    REVEAL,
    TAKE,
)

_OVER, _PHASE, _SEAT, _LOT, _STANDING_BID, _SECRET_BID, _INGOTS, _DRAWN, _DECK, _PLACE = field_indices(
    GAME, "over", "phase", "seat", "lot", "standing_bid", "secret_bid", "ingots", "drawn", "deck", "place"
)


def ranges(rules: np.ndarray, num_phases: int) -> dict[str, Range]:
    """The range of each field of the record; `num_phases`: those that the observation can show."""
    seat, relic = int(rules["num_players"]) - 1, int(rules["num_relics"]) - 1
    seats, seats_or_nobody, relics_or_none = (0, seat), (NOBODY, seat), (NO_RELIC, relic)
    ingots, points, is_true = (0, MAX_INGOTS), (0, MAX_POINTS), (0, 1)
    return {
        "stream": None,
        "decisions": None,
        "scores": points,
        "ranks": (0, seat + 1),
        "points": points,
        "over": is_true,
        "phase": (0, num_phases - 1),
        "seat": seats_or_nobody,
        "first_player": seats,
        "last_winner": seats_or_nobody,
        "revealer": seats,
        "lot": relics_or_none,
        "standing_bid": ingots,
        "leader": seats_or_nobody,
        "bidding": is_true,
        "secret_bid": (NOT_BID, MAX_INGOTS),
        "ingots": ingots,
        "reserve": ingots,
        "drawn": (0, MAX_RELICS),
        "deck": relics_or_none,
        "place": (ABSENT, seat),
        "pawned": is_true,
        "counterfeit_gap": (NO_GAP, seat),
        "looked": is_true,
        "shown": is_true,
        "cancelled": is_true,
        "certificate_from": relics_or_none,
        "certificate_on": relics_or_none,
        "buyer": seats_or_nobody,
        "price": ingots,
        "highest_bid": ingots,
        "turn": (0, MAX_RELICS),
        "unused": (0, 0),
    }


@kernel
def wrong_in_auction(rules, game):
    """As `inconsistent_field`, of the phase, the lot, the ingots (S2) and the bids (T3, T5) of a running game."""
    if game.phase == OVER:
        return _OVER
    if game.seat == NOBODY:
        return _SEAT
    if (game.lot == NO_RELIC) != (game.phase in (REVEAL, REDEEM, CERTIFY, CANCEL)):
        return _LOT
    if game.phase == OPEN_AUCTION and game.leader != NOBODY and game.standing_bid > game.ingots[game.leader]:
        return _STANDING_BID
    if game.phase == BLIND_AUCTION:
        if game.leader != NOBODY or game.standing_bid != 0:
            return _STANDING_BID
        seat = left_of(rules, game.revealer)
        while seat != game.seat:  # each of them has bid
            if game.secret_bid[seat] == NOT_BID:
                return _SECRET_BID
            seat = left_of(rules, seat)
    ingots = int(game.reserve)
    for seat in range(rules.num_players):
        ingots += game.ingots[seat]
        if game.secret_bid[seat] > (game.ingots[seat] if game.phase == BLIND_AUCTION else NOT_BID):
            return _SECRET_BID
    return VALID if ingots <= MAX_INGOTS else _INGOTS


@kernel
def without_choice(rules, game):
    """As `inconsistent_field`, where the seat to move has nothing to do but to pawn: the game would never end."""
    if game.phase == REVEAL and decks_are_empty(rules, game):
        return _DRAWN
    if game.phase == TAKE and not can_take_any(rules, game, game.seat):
        return _PHASE
    if game.phase == GIVE and not can_give_any(rules, game, game.seat):
        return _PHASE
    return VALID


@kernel
def wrong_in_decks(rules, game):
    """As `inconsistent_field`, of the decks (S3)."""
    for category in range(MAX_CATEGORIES):
        start, end = int(rules.deck_start[category]), int(rules.deck_start[category] + rules.deck_size[category])
        if start + game.drawn[category] > end:
            return _DRAWN
        left = 0  # a bit for each relic
        for position in range(start + game.drawn[category], end):
            relic = int(game.deck[position])
            if (relic < start or relic >= end) and not game.over:
                return _DECK
            left |= 1 << max(relic, 0)
        for relic in range(start, end):
            if game.place[relic] == IN_DECK and left & (1 << relic) == 0:
                return _PLACE
    if not game.over:
        for relic in range(rules.num_relics, MAX_RELICS):
            if game.place[relic] != ABSENT:
                return _PLACE
    return VALID


inconsistent_field = first_wrong(wrong_in_auction, without_choice, wrong_in_decks)
