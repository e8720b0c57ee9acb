"""Which states kernels may be given: those in which they stay within their arrays, and end.

States that callers write or load are checked by this. It is less than all that the rules imply.
"""

import numpy as np

from w51_env.compiler.compile import kernel
from w51_env.engine.choices import first_wrong
from w51_env.engine.layout import ids_of
from w51_env.engine.limits import VALID, Range
from w51_env.engine.seats import left_of
from w51_env.warehouse51 import state
from w51_env.warehouse51.decks import decks_are_empty
from w51_env.warehouse51.effects import can_give_any, can_take_any
from w51_env.warehouse51.rules import MAX_POINTS

FIELD = ids_of(state.GAME.names or ())


def ranges(rules: np.ndarray, num_phases: int) -> dict[str, Range]:
    """The range of each field of the record; `num_phases`: those that the observation can show."""
    seat, relic = int(rules["num_players"]) - 1, int(rules["num_relics"]) - 1
    fields: list[tuple[Range, tuple[str, ...]]] = [
        (None, ("stream", "decisions")),
        ((0, MAX_POINTS), ("scores", "points")),
        ((0, seat + 1), ("ranks",)),
        ((0, 1), ("over", "bidding", "pawned", "looked", "shown", "cancelled")),
        ((0, num_phases - 1), ("phase",)),
        ((0, seat), ("first_player", "revealer")),
        ((state.NOBODY, seat), ("seat", "last_winner", "leader", "buyer")),
        ((state.NO_RELIC, relic), ("lot", "deck", "certificate_from", "certificate_on")),
        ((0, state.MAX_INGOTS), ("standing_bid", "ingots", "reserve", "price", "highest_bid")),
        ((state.NOT_BID, state.MAX_INGOTS), ("secret_bid",)),
        ((0, state.MAX_RELICS), ("drawn", "turn")),
        ((state.ABSENT, seat), ("place",)),
        ((state.NO_GAP, seat), ("counterfeit_gap",)),
        ((0, 0), ("unused",)),
    ]
    return {name: ends for ends, names in fields for name in names}


@kernel
def wrong_in_auction(rules, game):
    """As `inconsistent_field`, of the phase, the lot, the ingots (S2) and the bids (T3, T5) of a running game."""
    if game.phase == state.OVER:
        return FIELD.OVER
    if game.seat == state.NOBODY:
        return FIELD.SEAT
    if (game.lot == state.NO_RELIC) != (game.phase in (state.REVEAL, state.REDEEM, state.CERTIFY, state.CANCEL)):
        return FIELD.LOT
    has_leader = game.leader != state.NOBODY
    if game.phase == state.OPEN_AUCTION and has_leader and game.standing_bid > game.ingots[game.leader]:
        return FIELD.STANDING_BID
    if game.phase == state.BLIND_AUCTION:
        if has_leader or game.standing_bid != 0:
            return FIELD.STANDING_BID
        seat = left_of(rules, game.revealer)
        while seat != game.seat:  # each of them has bid
            if game.secret_bid[seat] == state.NOT_BID:
                return FIELD.SECRET_BID
            seat = left_of(rules, seat)
    ingots = int(game.reserve)
    for seat in range(rules.num_players):
        ingots += game.ingots[seat]
        if game.secret_bid[seat] > (game.ingots[seat] if game.phase == state.BLIND_AUCTION else state.NOT_BID):
            return FIELD.SECRET_BID
    return VALID if ingots <= state.MAX_INGOTS else FIELD.INGOTS


@kernel
def without_choice(rules, game):
    """As `inconsistent_field`, where the seat to move has nothing to do but to pawn: the game would never end."""
    if game.phase == state.REVEAL and decks_are_empty(rules, game):
        return FIELD.DRAWN
    if game.phase == state.TAKE and not can_take_any(rules, game, game.seat):
        return FIELD.PHASE
    if game.phase == state.GIVE and not can_give_any(rules, game, game.seat):
        return FIELD.PHASE
    return VALID


@kernel
def wrong_in_decks(rules, game):
    """As `inconsistent_field`, of the decks (S3)."""
    for category in range(state.MAX_CATEGORIES):
        start, end = int(rules.deck_start[category]), int(rules.deck_start[category] + rules.deck_size[category])
        if start + game.drawn[category] > end:
            return FIELD.DRAWN
        left = 0  # a bit for each relic
        for position in range(start + game.drawn[category], end):
            relic = int(game.deck[position])
            if (relic < start or relic >= end) and not game.over:
                return FIELD.DECK
            left |= 1 << max(relic, 0)
        for relic in range(start, end):
            if game.place[relic] == state.IN_DECK and left & (1 << relic) == 0:
                return FIELD.PLACE
    if not game.over:
        for relic in range(rules.num_relics, state.MAX_RELICS):
            if game.place[relic] != state.ABSENT:
                return FIELD.PLACE
    return VALID


inconsistent_field = first_wrong(wrong_in_auction, without_choice, wrong_in_decks)
