"""All decisions but bids: decks, pawning, redeeming, relics to take and to give, gaps, certificates, counterfeits."""

from w51_env.core.choices import best_of
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
NEVER = -1e9  # points of an action that is not one of the choices


@kernel
def deck_points(rules, obs, action):
    """T1: what the relics of a deck add for the observer, compared with the others."""
    category = action - CHOOSE_DECK
    if category >= MAX_CATEGORIES:
        return NEVER
    totals = totals_of(rules, obs, category)
    lead = set_gain(rules, obs, 0, category, 0)
    for seat in range(rules.num_players):
        with_it = raised(totals, seat, for_players(rules, TYPICAL_VALUE))
        gain = place_points(rules, obs, with_it, seat, category) - place_points(rules, obs, totals, seat, category)
        lead += gain if seat == 0 else -gain / (rules.num_players - 1)
    return lead


@kernel
def pawn(rules, obs, legal, count):
    """P1: pawn the relic that costs least, if the loan brings more; else NOTHING. A counterfeit costs nothing."""
    best = NOTHING
    if ingots_of(obs, 0) > rules.pawn_limit or obs[AT.reserve] < rules.pawn_loan:
        return best
    lowest = for_players(rules, PAWN_GAIN) * gain_of_ingots(rules, obs, 0, int(rules.pawn_loan))
    for position in range(count):
        action = int(legal.actions[position])
        if PAWN <= action < REDEEM_RELIC:
            relic = action - PAWN
            cost = max(0.0, lasting_value(rules, obs, 0, relic))
            if cost < lowest:
                cost += min(loss_of(rules, obs, 0, relic), points_to_redeem(rules, obs))
                if cost < lowest:
                    lowest = cost
                    best = action
    return best


@kernel
def redeem_points(rules, obs, action):
    """E1: what redeeming a relic adds."""
    relic = action - REDEEM_RELIC
    if not 0 <= relic < CERTIFY_RELIC - REDEEM_RELIC:
        return NEVER
    return loss_of(rules, obs, 0, relic) + max(0.0, lasting_value(rules, obs, 0, relic))


@kernel
def certify_points(rules, obs, action):
    """E2: what a known counterfeit would add, or a part of what the loss of a relic costs that may be one."""
    relic = action - CERTIFY_RELIC
    if not 0 <= relic < CHOOSE_RELIC - CERTIFY_RELIC or not rules.has_counterfeit[relic] or is_pawned(obs, relic):
        return NEVER
    known = is_counterfeit(obs, relic)
    return gain_of(rules, obs, 0, relic) if known else COUNTERFEIT_CHANCE * loss_of(rules, obs, 0, relic)


@kernel
def cancel_points(rules, obs, action):
    """E3: what the observer's own relic adds if its counterfeit is cancelled."""
    relic = action - CHOOSE_RELIC
    return gain_of(rules, obs, 0, relic) if relic >= 0 and owns(obs, 0, relic) and not is_pawned(obs, relic) else NEVER


@kernel
def take_points(rules, obs, action):
    """take_relic: what a relic adds."""
    relic = action - CHOOSE_RELIC
    for owner in range(1, rules.num_players):
        if relic >= 0 and owns(obs, owner, relic):
            return value_of_taking(rules, obs, 0, owner, relic)
    return NEVER


@kernel
def give_points(rules, obs, action):
    """give_relic: the own loss and the gain for the left neighbour, as a loss; counterfeits and curses cost least."""
    relic = action - CHOOSE_RELIC
    if relic < 0:
        return NEVER
    loss = loss_of(rules, obs, 0, relic) + lasting_value(rules, obs, 0, relic)
    if not is_counterfeit(obs, relic):
        loss += for_players(rules, RIVAL_SHARE) * gain_of(rules, obs, 1, relic)
    return -loss


@kernel
def look(legal, count):
    """look_at_counterfeits: the gap that is farthest clockwise, since all are alike."""
    farthest = int(legal.actions[0])
    for position in range(count):
        farthest = max(farthest, int(legal.actions[position]))
    return farthest


best_to_redeem, best_to_certify, best_to_cancel = (
    best_of(redeem_points),
    best_of(certify_points),
    best_of(cancel_points),
)
best_to_take, best_to_give, best_deck = best_of(take_points), best_of(give_points), best_of(deck_points)


@kernel
def decide(rules, obs, legal, count):
    """The heuristic's action; the order of the legal ones does not matter.

    It places certificates only in their own phase, even where it could do so before: more is known then.
    """
    first = int(legal.actions[0])
    if in_phase(obs, REDEEM):
        return best_to_redeem(rules, obs, legal, count, DECLINE, points_to_redeem(rules, obs))
    if in_phase(obs, CERTIFY):
        return best_to_certify(rules, obs, legal, count, DECLINE, 0.0)
    if in_phase(obs, CANCEL):
        return best_to_cancel(rules, obs, legal, count, DECLINE, 0.0)
    if in_phase(obs, TAKE):
        return best_to_take(rules, obs, legal, count, first, NEVER)
    if in_phase(obs, GIVE):
        return best_to_give(rules, obs, legal, count, first, NEVER)
    if in_phase(obs, LOOK):
        return look(legal, count)
    action = pawn(rules, obs, legal, count)
    if action != NOTHING:
        return action
    if in_phase(obs, OPEN_AUCTION):
        return bid_openly(rules, obs, legal, count)
    if in_phase(obs, BLIND_AUCTION):
        return bid_secretly(rules, obs, legal, count)
    return best_deck(rules, obs, legal, count, first, NEVER)
