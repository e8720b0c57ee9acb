"""Bids: what a lot adds, what it would add for a rival, and what its price costs."""

from w51_env.core.compile import kernel
from w51_env.warehouse51.actions import BID, PASS
from w51_env.warehouse51.bots.effects import effect_value
from w51_env.warehouse51.bots.knowledge import ingots_of, is_counterfeit, lot_of, neighbour_knows, will_count
from w51_env.warehouse51.bots.money import gain_of_ingots, max_payment, price_of_winning
from w51_env.warehouse51.bots.values import gain_beside, place_points, raised, set_gain, totals_of
from w51_env.warehouse51.bots.weights import (
    BLIND_BID_SHARE,
    BLIND_NOISE,
    BLIND_NOISE_SHARE,
    COUNTERFEIT_LOAN,
    OWN_SHARE,
    RIVAL_EFFECT,
    RIVAL_SHARE,
    SURE_BID_SHARE,
    for_players,
)
from w51_env.warehouse51.observe import AT
from w51_env.warehouse51.payment import payee_of
from w51_env.warehouse51.state import MAX_INGOTS, NOBODY


@kernel
def bid_openly(rules, obs, legal, count):
    """T2: the least bid, while the lot is worth its price; else pass.

    A counterfeit, or a lot for which the leader would pay the observer alone, is bid up while that rival goes on.
    """
    lot = lot_of(obs)
    leader = leader_of(rules, obs)
    bid = min_bid(legal, count)
    if bid == 0:
        return PASS
    totals = totals_of(rules, obs, int(rules.category[lot]))
    rival = leader if leader != NOBODY else strongest_rival(rules, obs, totals, lot)
    if gain_of_lot(rules, obs, totals, lot, rival) >= price_of_winning(rules, obs, bid, rival):
        return BID + bid
    for_others = leader != NOBODY and (payee_of(rules, leader) == 0 or is_counterfeit(obs, lot))
    if for_others and continues(rules, obs, totals, lot, leader, bid + 1):
        return BID + bid
    return PASS


@kernel
def min_bid(legal, count):
    """The least legal bid; 0 if there is none."""
    lowest = 0
    for position in range(count):
        bid = int(legal.actions[position]) - BID
        if 0 < bid <= MAX_INGOTS and (lowest == 0 or bid < lowest):
            lowest = bid
    return lowest


@kernel
def leader_of(rules, obs):
    """The seat that made the standing bid."""
    for seat in range(1, rules.num_players):
        if obs[AT.leader + seat]:
            return seat
    return NOBODY


@kernel
def value_of_lot(rules, obs, totals, seat, lot):
    """Points that the lot adds for another seat, as that seat sees it; 0 for one that cannot bid."""
    if seat >= rules.num_players or ingots_of(obs, seat) == 0 or neighbour_knows(rules, obs, seat, lot):
        return 0.0
    return max(
        0.0,
        gain_beside(rules, obs, totals, seat, lot)
        + for_players(rules, RIVAL_EFFECT) * effect_value(rules, obs, seat, lot),
    )


@kernel
def strongest_rival(rules, obs, totals, lot):
    """The other seat still bidding that wants the lot most; NOBODY if there is none."""
    strongest = NOBODY
    highest = 0.0
    for seat in range(1, rules.num_players):
        if obs[AT.bidding + seat]:
            value = value_of_lot(rules, obs, totals, seat, lot)
            if value > highest:
                highest = value
                strongest = seat
    return strongest


@kernel
def gain_of_lot(rules, obs, totals, lot, rival):
    """Points between winning the lot and losing it to the rival, whose gain counts in part: only one seat wins."""
    gain = effect_value(rules, obs, 0, lot)
    if not will_count(rules, obs, lot):
        if obs[AT.reserve] >= rules.pawn_loan:  # it can be pawned as well as a genuine one
            gain += for_players(rules, COUNTERFEIT_LOAN) * gain_of_ingots(rules, obs, 0, int(rules.pawn_loan))
        return gain
    category = int(rules.category[lot])
    value = float(rules.value[lot])
    with_me = raised(totals, 0, value)
    score = place_points(rules, obs, with_me, 0, category) + set_gain(rules, obs, 0, category, 0)
    if rival == NOBODY or is_counterfeit(obs, lot):
        score -= place_points(rules, obs, totals, 0, category)
    else:
        with_rival = raised(totals, rival, value)
        theirs = place_points(rules, obs, with_rival, rival, category) - place_points(
            rules, obs, with_me, rival, category
        )
        theirs += set_gain(rules, obs, rival, category, 0)
        score += for_players(rules, RIVAL_SHARE) * theirs - place_points(rules, obs, with_rival, 0, category)
    return gain + for_players(rules, OWN_SHARE) * score


@kernel
def continues(rules, obs, totals, lot, rival, bid):
    """Whether a rival would surely make this bid: it costs less than a part of what the lot adds for the rival."""
    if bid > ingots_of(obs, rival):
        return False
    return -gain_of_ingots(rules, obs, rival, -bid) < for_players(rules, SURE_BID_SHARE) * value_of_lot(
        rules, obs, totals, rival, lot
    )


@kernel
def bid_secretly(rules, obs, legal, count):
    """T5: the bid with the highest expected profit: what winning adds less its price, times the probability to win."""
    lot = lot_of(obs)
    totals = totals_of(rules, obs, int(rules.category[lot]))
    values = (
        0.0,
        value_of_lot(rules, obs, totals, 1, lot),
        value_of_lot(rules, obs, totals, 2, lot),
        value_of_lot(rules, obs, totals, 3, lot),
        value_of_lot(rules, obs, totals, 4, lot),
    )
    rival = NOBODY
    for seat in range(1, rules.num_players):
        if values[seat] > values[max(0, rival)]:
            rival = seat
    limits = (
        0.0,
        likely_bid(rules, obs, 1, values[1]),
        likely_bid(rules, obs, 2, values[2]),
        likely_bid(rules, obs, 3, values[3]),
        likely_bid(rules, obs, 4, values[4]),
    )
    gain = gain_of_lot(rules, obs, totals, lot, rival)
    best = PASS
    highest = 0.0
    for position in range(count):
        bid = int(legal.actions[position]) - BID
        if 0 < bid <= MAX_INGOTS:
            profit = gain - price_of_winning(rules, obs, bid, rival)
            if profit <= 0.0:  # higher bids cost more: the bids are in order
                return best
            profit *= chance_to_win(rules, limits, bid)
            if profit > highest:
                highest = profit
                best = BID + bid
    return best


@kernel
def likely_bid(rules, obs, seat, value):
    """Estimate of another seat's blind bid: the highest that costs no more than a part of what the lot adds for it."""
    return float(max_payment(rules, obs, seat, for_players(rules, BLIND_BID_SHARE) * value))


@kernel
def chance_to_win(rules, limits, bid):
    """The probability that all other seats bid less."""
    chance = 1.0
    for seat in range(1, rules.num_players):
        lead = bid - limits[seat]
        chance *= 0.5 + 0.5 * lead / (abs(lead) + BLIND_NOISE + for_players(rules, BLIND_NOISE_SHARE) * limits[seat])
    return chance
