"""Scripted players as kernels. They see what an agent sees: an observation and the legal actions."""

from w51_env.alles_futsch.actions import ADD, BASE, PASS, PLACE_TYPE, RAISE, SELECT_CARD, SELL_TO
from w51_env.alles_futsch.objects import SET_OF
from w51_env.alles_futsch.observe import (
    ADDED_AT,
    BIDDING_AT,
    CARD_AT,
    FACE_UP_AT,
    LACKS_AT,
    LEADER_AT,
    MONEY_AT,
    OWNED_AT,
    PARTS,
    PHASE_AT,
    SELLING_AT,
    STANDING_BID_AT,
    read_amount,
)
from w51_env.alles_futsch.state import BID, MAX_OWNED, NUM_TYPES, PLACE, SELECT
from w51_env.core.compile import kernel

BOTS = ("random", "heuristic")

# Found by tournaments of the heuristic against itself with other numbers.
FIRST_SHARE = 0.2  #       worth of a first object of a type, as a share of the bonus that the third will bring
SECOND_SHARE = 0.45  #     of a second
CASH_KEPT = 5  #           thousands never bid
EAGERNESS = 0.85  #        share of the price to bid up to, and
EAGER_ALONE = 0.35  #      what comes to it, divided by the number of rivals

NEVER = -1e9


@kernel
def choose(bot, rules, observation, legal, count, bits):
    """The action of scripted player `bot` (an index into BOTS, from 1). Only `heuristic` is played here."""
    seen = observation.values
    if seen[PHASE_AT + SELECT]:
        return best_card(rules, seen, legal, count)
    if seen[PHASE_AT + BID]:
        return best_bid(rules, seen, legal, count)
    if seen[PHASE_AT + PLACE]:
        return best_object(seen, legal, count)
    return best_buyer(rules, seen, legal, count)


@kernel
def money_of(seen, seat):
    """Thousands of a seat, relative to the observer, as all seats here."""
    return read_amount(seen, MONEY_AT + PARTS * seat)


@kernel
def owned_by(seen, seat, kind):
    """Objects of one type that a seat owns."""
    return int(seen[OWNED_AT + seat * NUM_TYPES + kind])


@kernel
def keeps(seen, seat, kind, owned):
    """A3: a seat that owns so many would take one more of this type from a card of its own."""
    return not seen[LACKS_AT + seat * NUM_TYPES + kind] and owned < SET_OF


@kernel
def worth_of_one(rules, owned):
    """Thousands that an object is worth to a seat that will own so many of its type with it."""
    if owned > SET_OF:
        return -float(rules.fine)
    if owned == SET_OF:
        return float(rules.bonus)
    return rules.bonus * (FIRST_SHARE if owned == 1 else SECOND_SHARE)


@kernel
def loss_of_buyer(rules, seen, buyer, kind):
    """Thousands that a seat loses by being sold an object of this type; NEVER if it can't be."""
    owned = owned_by(seen, buyer, kind)
    if seen[LACKS_AT + buyer * NUM_TYPES + kind] or owned >= MAX_OWNED:
        return NEVER
    return rules.sale_price - worth_of_one(rules, owned + 1)


@kernel
def worth_of_sale(rules, seen, seller, kind):
    """Thousands that selling an object is worth: its price, and what the seller gains by a rival's loss."""
    loss = NEVER
    for buyer in range(rules.num_players):
        if buyer != seller:
            loss = max(loss, loss_of_buyer(rules, seen, buyer, kind))
    return 0.0 if loss == NEVER else rules.sale_price + loss / (rules.num_players - 1)


@kernel
def worth(rules, seen, seat, start):
    """Thousands that the card listed at `start` of the observation is worth to a seat."""
    total = 0.0
    for kind in range(NUM_TYPES):
        owned = owned_by(seen, seat, kind)
        for _ in range(seen[start + kind]):
            if keeps(seen, seat, kind, owned):
                owned += 1
                total += worth_of_one(rules, owned)
            else:
                total += worth_of_sale(rules, seen, seat, kind)
    return total


@kernel
def limit(rules, seen, seat, start, bidding_only):
    """What a seat should bid up to for a card, rivals being all others, or those still in the auction.

    At the price (own worth x rivals + worth to the keenest rival) / players it is all the same to the seat, if the others'
    money counts as much as its own, whether it buys or the keenest rival does.
    """
    rivals = rules.num_players - 1
    keenest = 0.0
    for other in range(rules.num_players):
        if other != seat and (seen[BIDDING_AT + other] or not bidding_only):
            keenest = max(keenest, worth(rules, seen, other, start))
    price = (worth(rules, seen, seat, start) * rivals + keenest) / rules.num_players
    return min((EAGERNESS + EAGER_ALONE / rivals) * price, money_of(seen, seat) - CASH_KEPT)


@kernel
def best_card(rules, seen, legal, count):
    """The card that brings the most if the seat with the highest limit buys it for the second highest."""
    best = legal.actions[0]
    most = NEVER
    for position in range(count):
        start = FACE_UP_AT + (legal.actions[position] - SELECT_CARD) * NUM_TYPES
        own = limit(rules, seen, 0, start, False)
        highest = NEVER
        rival = 0
        for seat in range(1, rules.num_players):
            other = limit(rules, seen, seat, start, False)
            if other > highest:
                highest = other
                rival = seat
        if own >= highest:
            gain = worth(rules, seen, 0, start) - max(highest, 1.0)
        else:
            gain = (max(own, 1.0) - worth(rules, seen, rival, start)) / (rules.num_players - 1)
        if gain > most:
            most = gain
            best = legal.actions[position]
    return best


@kernel
def best_bid(rules, seen, legal, count):
    """Up to the limit, but at once as much as outbids the limits of all who are still in: no steps of 1,000."""
    standing = rules.minimum_bid - 1
    for seat in range(rules.num_players):
        if seen[LEADER_AT + seat]:
            standing = read_amount(seen, STANDING_BID_AT)
    added = read_amount(seen, ADDED_AT)
    most = int(limit(rules, seen, 0, CARD_AT, True))
    if standing >= most and added == 0:
        return PASS
    enough = standing + 1
    for seat in range(1, rules.num_players):
        if seen[BIDDING_AT + seat]:
            enough = max(enough, int(limit(rules, seen, seat, CARD_AT, True)) + 1)
    left = min(enough, most) - standing - added
    if added == 0 and left > BASE:
        return ADD + (left - 1) // BASE
    return RAISE + max(1, min(left, legal.actions[count - 1] - RAISE))


@kernel
def best_object(seen, legal, count):
    """Objects that are kept first, for their bonus may come too late if a sale ends the game."""
    for position in range(count):
        kind = legal.actions[position] - PLACE_TYPE
        if keeps(seen, 0, kind, owned_by(seen, 0, kind)):
            return legal.actions[position]
    return legal.actions[0]


@kernel
def best_buyer(rules, seen, legal, count):
    """Who loses most by the sale; among equals the richest. Someone is broken only by who is the richest then."""
    kind = 0
    while not seen[SELLING_AT + kind]:
        kind += 1
    best = legal.actions[0]
    most = 2 * NEVER
    for position in range(count):
        seat = legal.actions[position] - SELL_TO
        money = money_of(seen, seat)
        price = rules.sale_price + (rules.fine if owned_by(seen, seat, kind) >= SET_OF else 0)
        score = 1000 * loss_of_buyer(rules, seen, seat, kind) + money
        if price > money:
            score = -NEVER if is_richest(rules, seen, seat, min(money, rules.sale_price)) else NEVER
        if score > most:
            most = score
            best = legal.actions[position]
    return best


@kernel
def is_richest(rules, seen, broke, paid):
    """The observer has more than all others when it has been paid so much by one who has nothing left."""
    for seat in range(1, rules.num_players):
        if seat != broke and money_of(seen, seat) >= money_of(seen, 0) + paid:
            return False
    return True
