"""Scripted players as kernels. They see what an agent sees: an observation and the legal actions."""

from w51_env.alles_futsch.actions import PASS, PLACE_TYPE, RAISE, SELECT_CARD, SELL_TO
from w51_env.alles_futsch.objects import SET_OF
from w51_env.alles_futsch.observe import (
    CARD_AT,
    FACE_UP_AT,
    HUNDRED,
    LACKS_AT,
    MONEY_AT,
    OWNED_AT,
    PHASE_AT,
    SELLING_AT,
    STANDING_BID_AT,
)
from w51_env.alles_futsch.state import BID, MAX_OWNED, NUM_TYPES, PLACE, SELECT
from w51_env.core.compile import kernel

BOTS = ("random", "heuristic")

# Worth of a first and second object of a type, as a share of the bonus that the third will bring.
FIRST_SHARE = 0.2
SECOND_SHARE = 0.45
BID_SHARE = 0.75  #     of its worth that a card is bid for
CASH_KEPT = 25  #       thousands kept, to pay for a forced purchase


@kernel
def choose(bot, rules, observation, legal, count, bits):
    """The action of scripted player `bot` (an index into BOTS, from 1). Only `heuristic` is played here."""
    seen = observation.values
    if seen[PHASE_AT + SELECT]:
        return best_card(rules, seen, legal, count)
    if seen[PHASE_AT + BID]:
        return bid_for_card(rules, seen, legal, count)
    if seen[PHASE_AT + PLACE]:
        return best_object(seen, legal, count)
    return worst_buyer(seen, legal, count)


@kernel
def money_of(seen, seat):
    """Thousands of a seat, relative to the observer."""
    return int(seen[MONEY_AT + 2 * seat]) * HUNDRED + int(seen[MONEY_AT + 2 * seat + 1])


@kernel
def has_buyer_for(rules, seen, seller, kind):
    """Another seat may buy an object of this type."""
    for seat in range(rules.num_players):
        if seat != seller and not seen[LACKS_AT + seat * NUM_TYPES + kind] and seen[OWNED_AT + seat * NUM_TYPES + kind] < MAX_OWNED:
            return True
    return False


@kernel
def worth(rules, seen, seat, start):
    """Thousands that the objects listed at `start` of the observation are worth to a seat."""
    total = 0.0
    for kind in range(NUM_TYPES):
        owned = int(seen[OWNED_AT + seat * NUM_TYPES + kind])
        for _ in range(seen[start + kind]):
            if seen[LACKS_AT + seat * NUM_TYPES + kind] or owned >= SET_OF:
                if has_buyer_for(rules, seen, seat, kind):
                    total += rules.sale_price
            else:
                owned += 1
                if owned == SET_OF:
                    total += rules.bonus
                else:
                    total += rules.bonus * (FIRST_SHARE if owned == 1 else SECOND_SHARE)
    return total


@kernel
def best_card(rules, seen, legal, count):
    """The card worth most to the selector, less what it is worth to the keenest other."""
    best = legal.actions[0]
    most = -1e9
    for position in range(count):
        start = FACE_UP_AT + (legal.actions[position] - SELECT_CARD) * NUM_TYPES
        keenest = 0.0
        for seat in range(1, rules.num_players):
            keenest = max(keenest, worth(rules, seen, seat, start))
        margin = worth(rules, seen, 0, start) - 0.5 * keenest
        if margin > most:
            most = margin
            best = legal.actions[position]
    return best


@kernel
def bid_for_card(rules, seen, legal, count):
    """Raise by 1 up to a share of the card's worth, keeping some cash; finish a raise begun by adding 1."""
    if legal.actions[0] != PASS:
        return legal.actions[0]
    standing = int(seen[STANDING_BID_AT]) * HUNDRED + int(seen[STANDING_BID_AT + 1])
    limit = min(BID_SHARE * worth(rules, seen, 0, CARD_AT), money_of(seen, 0) - CASH_KEPT)
    if standing + 1 > limit:
        return PASS
    for position in range(count):
        if legal.actions[position] == RAISE + 1:
            return RAISE + 1
    return PASS


@kernel
def best_object(seen, legal, count):
    """Objects to sell first, while there are buyers; then those that are taken."""
    for position in range(count):
        kind = legal.actions[position] - PLACE_TYPE
        if seen[LACKS_AT + kind] or seen[OWNED_AT + kind] >= SET_OF:
            return legal.actions[position]
    return legal.actions[0]


@kernel
def worst_buyer(seen, legal, count):
    """Whoever must pay the fine as well, then who gets no bonus; among equals the richest."""
    kind = 0
    while not seen[SELLING_AT + kind]:
        kind += 1
    best = legal.actions[0]
    most = -1
    for position in range(count):
        seat = legal.actions[position] - SELL_TO
        owned = seen[OWNED_AT + seat * NUM_TYPES + kind]
        rank = 2 if owned >= SET_OF else (0 if owned == SET_OF - 1 else 1)
        score = rank * 10_000 + money_of(seen, seat)
        if score > most:
            most = score
            best = legal.actions[position]
    return best
