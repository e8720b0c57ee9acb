"""Bids: what a lot adds, what it would add for a rival, and what its price costs."""

from w51_env.compiler.compile import kernel
from w51_env.warehouse51.actions import BID, PASS
from w51_env.warehouse51.bots import weights
from w51_env.warehouse51.bots.effects import effect_value
from w51_env.warehouse51.bots.knowledge import will_count
from w51_env.warehouse51.bots.money import gain_of_ingots, max_payment, price_of_winning
from w51_env.warehouse51.bots.values import find_points_of_lot, points_if_sold
from w51_env.warehouse51.bots.weights import for_players
from w51_env.warehouse51.payment import payee_of
from w51_env.warehouse51.state import MAX_INGOTS, NOBODY


@kernel
def bid_openly(rules, known, legal, count):
    """T2: the least bid, while the lot is worth its price; else pass.

    A counterfeit, or a lot for which the leader would pay the observer alone, is bid up while that rival goes on.
    """
    bid = min_bid(legal, count)
    if bid == 0:
        return PASS
    leader = int(known.leader)
    rival = leader if leader != NOBODY else strongest_rival(rules, known)
    if gain_of_lot(rules, known, rival) >= price_of_winning(rules, known, bid, rival):
        return BID + bid
    for_others = leader != NOBODY and (payee_of(rules, leader) == 0 or known.counterfeit[known.lot] != 0)
    if for_others and continues(rules, known, leader, bid + 1):
        return BID + bid
    return PASS


@kernel
def min_bid(legal, count):
    """The least legal bid, which comes first of them; 0 if there is none."""
    for position in range(count):
        bid = int(legal.actions[position]) - BID
        if 0 < bid <= MAX_INGOTS:
            return bid
    return 0


@kernel
def value_of_lot(rules, known, seat):
    """Points that the lot adds for another seat, as that seat sees it; 0 for one that cannot bid."""
    if not known.has_worth[seat]:
        known.has_worth[seat] = 1
        known.worth[seat] = 0.0
        if seat < rules.num_players and known.ingots[seat] > 0 and known.lot_known_to != seat:
            lot = int(known.lot)
            effect = for_players(rules, weights.RIVAL_EFFECT) * effect_value(rules, known, seat, lot)
            find_points_of_lot(rules, known, seat)
            gain = known.points[seat] - points_if_sold(rules, known, seat, NOBODY)
            known.worth[seat] = max(0.0, gain + known.set_points[seat] + effect)
    return known.worth[seat]


@kernel
def strongest_rival(rules, known):
    """The other seat still bidding that wants the lot most; NOBODY if there is none."""
    strongest = NOBODY
    highest = 0.0
    for seat in range(1, rules.num_players):
        if known.bidding[seat]:
            value = value_of_lot(rules, known, seat)
            if value > highest:
                highest = value
                strongest = seat
    return strongest


@kernel
def gain_of_lot(rules, known, rival):
    """Points between winning the lot and losing it to the rival, whose gain counts in part: only one seat wins."""
    if not known.has_gain[1 + rival]:
        known.has_gain[1 + rival] = 1
        known.gain[1 + rival] = gain_beside(rules, known, int(known.lot), rival)
    return known.gain[1 + rival]


@kernel
def gain_beside(rules, known, lot, rival):
    """The same, where it was not found before."""
    think_of_lot(rules, known, lot)
    if not will_count(rules, known, lot):
        return known.effect
    score = known.score
    if rival == NOBODY or known.counterfeit[lot]:
        score -= points_if_sold(rules, known, 0, NOBODY)
    else:
        find_points_of_lot(rules, known, rival)
        theirs = known.points[rival] - points_if_sold(rules, known, rival, 0) + known.set_points[rival]
        score += for_players(rules, weights.RIVAL_SHARE) * theirs - points_if_sold(rules, known, 0, rival)
    return known.effect + for_players(rules, weights.OWN_SHARE) * score


@kernel
def think_of_lot(rules, known, lot):
    """Find what the lot brings the observer, whoever would win it else; if it will not count, by its effect alone."""
    if known.has_score:
        return
    known.has_score = 1
    known.effect = effect_value(rules, known, 0, lot)
    if will_count(rules, known, lot):
        find_points_of_lot(rules, known, 0)
        known.score = known.points[0] + known.set_points[0]
    elif known.reserve >= rules.pawn_loan:  # it can be pawned as well as a genuine one
        known.effect += for_players(rules, weights.COUNTERFEIT_LOAN) * gain_of_ingots(known, 0, int(rules.pawn_loan))


@kernel
def continues(rules, known, rival, bid):
    """Whether a rival would surely make this bid: it costs less than a part of what the lot adds for the rival."""
    if bid > known.ingots[rival]:
        return False
    cost = -gain_of_ingots(known, rival, -bid)
    return cost < for_players(rules, weights.SURE_BID_SHARE) * value_of_lot(rules, known, rival)


@kernel
def bid_secretly(rules, known, legal, count):
    """T5: the bid with the highest expected profit: what winning adds less its price, times the probability to win."""
    rival = NOBODY
    highest = 0.0
    for seat in range(1, rules.num_players):
        value = value_of_lot(rules, known, seat)
        if value > highest:
            highest = value
            rival = seat
    for seat in range(1, rules.num_players):
        known.likely_bids[seat] = likely_bid(rules, known, seat)
    gain = gain_of_lot(rules, known, rival)
    best = PASS
    highest = 0.0
    for position in range(count):
        bid = int(legal.actions[position]) - BID
        if 0 < bid <= MAX_INGOTS:
            profit = gain - price_of_winning(rules, known, bid, rival)
            if profit <= 0.0:  # higher bids cost more: the bids are in order
                return best
            profit *= chance_to_win(rules, known, bid)
            if profit > highest:
                highest = profit
                best = BID + bid
    return best


@kernel
def likely_bid(rules, known, seat):
    """Estimate of another seat's blind bid: the highest that costs no more than a part of what the lot adds for it."""
    share = for_players(rules, weights.BLIND_BID_SHARE)
    return float(max_payment(known, seat, share * value_of_lot(rules, known, seat)))


@kernel
def chance_to_win(rules, known, bid):
    """The probability that all other seats bid less than this, by `known.likely_bids`."""
    chance = 1.0
    for seat in range(1, rules.num_players):
        likely = known.likely_bids[seat]
        lead = bid - likely
        noise = weights.BLIND_NOISE + for_players(rules, weights.BLIND_NOISE_SHARE) * likely
        chance *= 0.5 + 0.5 * lead / (abs(lead) + noise)
    return chance
