"""What ingots are worth, in points: G1 at the end, and until then what they can still buy."""

from w51_env.compiler.compile import kernel
from w51_env.warehouse51.bots import weights
from w51_env.warehouse51.bots.knowledge import min_amount
from w51_env.warehouse51.bots.weights import for_players
from w51_env.warehouse51.effect_kinds import EFFECT
from w51_env.warehouse51.payment import payee_of, share_of_price
from w51_env.warehouse51.scoring import INGOTS_FOR_A_POINT
from w51_env.warehouse51.state import NOBODY


@kernel
def think_of_money(rules, known):
    """Find what the worth of the ingots of each seat depends on, and the worth of those that it has."""
    held = int(rules.num_players) * int(rules.start_ingots) + int(rules.reserve) - int(known.reserve)
    known.to_buy = for_players(rules, weights.INGOT_POINTS) * rules.num_players * known.relics_left
    for seat in range(rules.num_players):
        have = int(known.ingots[seat])
        others = (held - have) / (rules.num_players - 1)
        known.to_spend[seat] = for_players(rules, weights.HALF_SPENT_MONEY) * others
        known.for_a_point[seat] = min_amount(rules, known, seat, EFFECT.INGOTS_PER_POINT, INGOTS_FOR_A_POINT)
        known.money[seat] = value_of_ingots(known, seat, have)


@kernel
def value_of_ingots(known, seat, ingots):
    """Expected points of a seat from this many ingots.

    While auctions are to come, the seat's part of their points grows with its part of the money, with diminishing
    returns: the first ingots buy the bargains. When none is to come, only whole points count.
    """
    if known.relics_left == 0:
        return float(ingots // known.for_a_point[seat])
    for_a_point = float(known.for_a_point[seat])
    return ingots / for_a_point + known.to_buy * ingots / (ingots + 1.0 + known.to_spend[seat])


@kernel
def gain_of_ingots(known, seat, ingots):
    """Points that a change of its ingots brings a seat; `ingots` may be negative, down to none left."""
    return value_of_ingots(known, seat, max(0, int(known.ingots[seat]) + ingots)) - known.money[seat]


@kernel
def max_payment(known, seat, points):
    """The most of its ingots that a seat can spend for a cost of no more than `points`."""
    have, payments = int(known.ingots[seat]), 0
    for payment in range(1, have + 1):  # more ingots cost more, so this counts the payments up to the most
        payments += known.money[seat] - value_of_ingots(known, seat, have - payment) <= points
    return payments


@kernel
def price_of_winning(rules, known, ingots, rival):
    """Points that paying a price costs the observer.

    It includes a part of the gain of who is paid, and of the payment missed if the rival would pay the observer.
    """
    price = -gain_of_ingots(known, 0, -ingots)
    payee = payee_of(rules, 0)
    first, past = (1, int(rules.num_players)) if payee == NOBODY else (payee, payee + 1)
    for seat in range(first, past):
        paid = share_of_price(rules, 0, seat, ingots)
        if paid > 0:
            price += for_players(rules, weights.OTHERS_GAIN_SHARE) * gain_of_ingots(known, seat, paid)
    missed = share_of_price(rules, rival, 0, ingots) if rival != NOBODY else 0
    if missed > 0:
        price += for_players(rules, weights.MISSED_GAIN_SHARE) * gain_of_ingots(known, 0, missed)
    return price


@kernel
def redeem_price(rules, known):
    """E1 for the observer."""
    return min_amount(rules, known, 0, EFFECT.REDEEM_PRICE, rules.redeem_price)


@kernel
def points_to_redeem(rules, known):
    """G1 points that redeeming one relic costs the observer."""
    return redeem_price(rules, known) / float(min_amount(rules, known, 0, EFFECT.INGOTS_PER_POINT, INGOTS_FOR_A_POINT))
