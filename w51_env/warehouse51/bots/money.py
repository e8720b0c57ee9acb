"""What ingots are worth, in points: G1 at the end, and until then what they can still buy."""

from w51_env.core.compile import kernel
from w51_env.warehouse51.bots.knowledge import ingots_of, min_amount, relics_left
from w51_env.warehouse51.bots.weights import (
    HALF_SPENT_MONEY,
    INGOT_POINTS,
    MISSED_GAIN_SHARE,
    OTHERS_GAIN_SHARE,
    for_players,
)
from w51_env.warehouse51.effect_kinds import INGOTS_PER_POINT, REDEEM_PRICE
from w51_env.warehouse51.observe import AT
from w51_env.warehouse51.payment import share_of_price
from w51_env.warehouse51.scoring import INGOTS_FOR_A_POINT
from w51_env.warehouse51.state import NOBODY


@kernel
def purse_of(rules, obs, seat):
    """What the worth of a seat's ingots depends on, for `value_in`: computed once for several amounts.

    Ingots for a point; auctions to come; what all ingots of the table would buy in them; a multiple of the others' mean
    money.
    """
    for_a_point = min_amount(rules, obs, seat, INGOTS_PER_POINT, INGOTS_FOR_A_POINT)
    left = relics_left(obs)
    held = int(rules.num_players) * int(rules.start_ingots) + int(rules.reserve) - int(obs[AT.reserve])
    others = (held - ingots_of(obs, seat)) / (rules.num_players - 1)
    to_buy = for_players(rules, INGOT_POINTS) * rules.num_players * left
    return (for_a_point, left, to_buy, for_players(rules, HALF_SPENT_MONEY) * others)


@kernel
def value_in(purse, ingots):
    """Expected points of a seat from this many ingots.

    While auctions are to come, the seat's part of their points grows with its part of the money, with diminishing
    returns: the first ingots buy the bargains. When none is to come, only whole points count.
    """
    for_a_point, left, to_buy, others = purse
    if left == 0:
        return float(ingots // for_a_point)
    return ingots / float(for_a_point) + to_buy * ingots / (ingots + 1.0 + others)


@kernel
def money_value(rules, obs, seat, ingots):
    """Expected points of a seat from this many ingots."""
    return value_in(purse_of(rules, obs, seat), ingots)


@kernel
def gain_of_ingots(rules, obs, seat, ingots):
    """Points that a change of its ingots brings a seat; `ingots` may be negative, down to none left."""
    have, purse = ingots_of(obs, seat), purse_of(rules, obs, seat)
    return value_in(purse, max(0, have + ingots)) - value_in(purse, have)


@kernel
def max_payment(rules, obs, seat, points):
    """The most of its ingots that a seat can spend for a cost of no more than `points`."""
    have, purse = ingots_of(obs, seat), purse_of(rules, obs, seat)
    before = value_in(purse, have)
    low, high = 0, have
    while low < high:  # bisection: more ingots cost more
        middle = (low + high + 1) // 2
        if before - value_in(purse, have - middle) <= points:
            low = middle
        else:
            high = middle - 1
    return low


@kernel
def price_of_winning(rules, obs, ingots, rival):
    """Points that paying a price costs the observer.

    It includes a part of the gain of who is paid, and of the payment missed if the rival would pay the observer.
    """
    price = -gain_of_ingots(rules, obs, 0, -ingots)
    for seat in range(1, rules.num_players):
        paid = share_of_price(rules, 0, seat, ingots)
        if paid > 0:
            price += for_players(rules, OTHERS_GAIN_SHARE) * gain_of_ingots(rules, obs, seat, paid)
    missed = share_of_price(rules, rival, 0, ingots) if rival != NOBODY else 0
    if missed > 0:
        price += for_players(rules, MISSED_GAIN_SHARE) * gain_of_ingots(rules, obs, 0, missed)
    return price


@kernel
def redeem_price(rules, obs):
    """E1 for the observer."""
    return min_amount(rules, obs, 0, REDEEM_PRICE, rules.redeem_price)


@kernel
def points_to_redeem(rules, obs):
    """G1 points that redeeming one relic costs the observer."""
    return redeem_price(rules, obs) / float(min_amount(rules, obs, 0, INGOTS_PER_POINT, INGOTS_FOR_A_POINT))
