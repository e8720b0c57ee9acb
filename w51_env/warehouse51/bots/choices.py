"""All decisions but bids: decks, pawning, redeeming, relics to take and to give, gaps, certificates, counterfeits."""

from w51_env.core.compile import kernel
from w51_env.warehouse51.actions import CERTIFY_RELIC, CHOOSE_DECK, CHOOSE_RELIC, DECLINE, PAWN, REDEEM_RELIC
from w51_env.warehouse51.bots.bidding import bid_openly, bid_secretly
from w51_env.warehouse51.bots.effects import lasting_value, value_of_taking
from w51_env.warehouse51.bots.knowledge import in_phase, ingots_of, is_counterfeit, is_pawned, owns
from w51_env.warehouse51.bots.money import gain_of_ingots, points_to_redeem
from w51_env.warehouse51.bots.values import gain_of, loss_of, place_points, raised, set_gain, totals_of
from w51_env.warehouse51.bots.weights import COUNTERFEIT_CHANCE, PAWN_GAIN, RIVAL_SHARE, TYPICAL_VALUE, for_players
from w51_env.warehouse51.observe import AT
from w51_env.warehouse51.state import (
    BLIND_AUCTION,
    CANCEL,
    CERTIFY,
    GIVE,
    LOOK,
    MAX_CATEGORIES,
    OPEN_AUCTION,
    REDEEM,
    TAKE,
)

NOTHING = -1


@kernel
def decide(rules, obs, legal, count):
    """The heuristic's action; the order of the legal ones does not matter.

    It places certificates only in their own phase, even where it could do so before: more is known then.
    """
    if in_phase(obs, REDEEM):
        return redeem(rules, obs, legal, count)
    if in_phase(obs, CERTIFY):
        return certify(rules, obs, legal, count)
    if in_phase(obs, CANCEL):
        return cancel(rules, obs, legal, count)
    if in_phase(obs, TAKE):
        return take(rules, obs, legal, count)
    if in_phase(obs, GIVE):
        return give(rules, obs, legal, count)
    if in_phase(obs, LOOK):
        return look(legal, count)
    action = pawn(rules, obs, legal, count)
    if action != NOTHING:
        return action
    if in_phase(obs, OPEN_AUCTION):
        return bid_openly(rules, obs, legal, count)
    if in_phase(obs, BLIND_AUCTION):
        return bid_secretly(rules, obs, legal, count)
    return choose_deck(rules, obs, legal, count)


@kernel
def choose_deck(rules, obs, legal, count):
    """T1: the deck whose relics add most for the observer, compared with the others."""
    best = int(legal.actions[0])
    most = -1e9
    for position in range(count):
        category = int(legal.actions[position]) - CHOOSE_DECK
        if category < MAX_CATEGORIES:
            totals = totals_of(rules, obs, category)
            lead = set_gain(rules, obs, 0, category, 0)
            for seat in range(rules.num_players):
                with_it = raised(totals, seat, for_players(rules, TYPICAL_VALUE))
                gain = place_points(rules, obs, with_it, seat, category) - place_points(
                    rules, obs, totals, seat, category
                )
                lead += gain if seat == 0 else -gain / (rules.num_players - 1)
            if lead > most:
                most = lead
                best = CHOOSE_DECK + category
    return best


@kernel
def pawn(rules, obs, legal, count):
    """P1: pawn the relic that costs least, if the loan brings more; else NOTHING. A counterfeit costs nothing."""
    best = NOTHING
    if ingots_of(obs, 0) > rules.pawn_limit or obs[AT.reserve] < rules.pawn_loan:
        return best
    least = for_players(rules, PAWN_GAIN) * gain_of_ingots(rules, obs, 0, int(rules.pawn_loan))
    for position in range(count):
        action = int(legal.actions[position])
        if PAWN <= action < REDEEM_RELIC:
            relic = action - PAWN
            cost = max(0.0, lasting_value(rules, obs, 0, relic))
            if cost < least:
                cost += min(loss_of(rules, obs, 0, relic), points_to_redeem(rules, obs))
                if cost < least:
                    least = cost
                    best = action
    return best


@kernel
def redeem(rules, obs, legal, count):
    """E1: the relic that adds most beyond its price, if any does."""
    best = DECLINE
    most = points_to_redeem(rules, obs)
    for position in range(count):
        action = int(legal.actions[position])
        if REDEEM_RELIC <= action < CERTIFY_RELIC:
            relic = action - REDEEM_RELIC
            gain = loss_of(rules, obs, 0, relic) + max(0.0, lasting_value(rules, obs, 0, relic))
            if gain > most:
                most = gain
                best = action
    return best


@kernel
def certify(rules, obs, legal, count):
    """E2: the known counterfeit that would add most; else, of relics that may be one, the one whose loss costs most."""
    best = DECLINE
    most = 0.0
    for position in range(count):
        action = int(legal.actions[position])
        if CERTIFY_RELIC <= action < CHOOSE_RELIC:
            relic = action - CERTIFY_RELIC
            if rules.has_counterfeit[relic] and not is_pawned(obs, relic):
                known = is_counterfeit(obs, relic)
                gain = gain_of(rules, obs, 0, relic) if known else COUNTERFEIT_CHANCE * loss_of(rules, obs, 0, relic)
                if gain > most:
                    most = gain
                    best = action
    return best


@kernel
def cancel(rules, obs, legal, count):
    """E3: the counterfeit of the observer's own relic that adds most, if any does."""
    best = DECLINE
    most = 0.0
    for position in range(count):
        relic = int(legal.actions[position]) - CHOOSE_RELIC
        if relic >= 0 and owns(obs, 0, relic) and not is_pawned(obs, relic):
            gain = gain_of(rules, obs, 0, relic)
            if gain > most:
                most = gain
                best = CHOOSE_RELIC + relic
    return best


@kernel
def take(rules, obs, legal, count):
    """take_relic: the relic that adds most."""
    best = int(legal.actions[0])
    most = -1e9
    for position in range(count):
        relic = int(legal.actions[position]) - CHOOSE_RELIC
        if relic >= 0:
            for owner in range(1, rules.num_players):
                if owns(obs, owner, relic):
                    worth = value_of_taking(rules, obs, 0, owner, relic)
                    if worth > most:
                        most = worth
                        best = CHOOSE_RELIC + relic
    return best


@kernel
def give(rules, obs, legal, count):
    """give_relic: the relic with the least own loss and gain for the left neighbour; counterfeits and curses first."""
    best = int(legal.actions[0])
    least = 1e9
    for position in range(count):
        relic = int(legal.actions[position]) - CHOOSE_RELIC
        if relic >= 0:
            loss = loss_of(rules, obs, 0, relic) + lasting_value(rules, obs, 0, relic)
            if not is_counterfeit(obs, relic):
                loss += for_players(rules, RIVAL_SHARE) * gain_of(rules, obs, 1, relic)
            if loss < least:
                least = loss
                best = CHOOSE_RELIC + relic
    return best


@kernel
def look(legal, count):
    """look_at_counterfeits: the gap that is farthest clockwise, since all are alike."""
    farthest = int(legal.actions[0])
    for position in range(count):
        farthest = max(farthest, int(legal.actions[position]))
    return farthest
