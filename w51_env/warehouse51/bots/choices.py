"""All decisions but bids: decks, pawning, redeeming, relics to take and to give, gaps, certificates, counterfeits."""

from w51_env.compiler.compile import kernel
from w51_env.engine.choices import best_of
from w51_env.warehouse51 import state
from w51_env.warehouse51.actions import CERTIFY_RELIC, CHOOSE_DECK, CHOOSE_RELIC, DECLINE, PAWN, REDEEM_RELIC
from w51_env.warehouse51.bots.bidding import bid_openly, bid_secretly
from w51_env.warehouse51.bots.effects import lasting_value, value_of_taking
from w51_env.warehouse51.bots.money import gain_of_ingots, points_to_redeem
from w51_env.warehouse51.bots.thoughts import think
from w51_env.warehouse51.bots.values import gain_of, loss_of, place_points, set_gain
from w51_env.warehouse51.bots.weights import COUNTERFEIT_CHANCE, PAWN_GAIN, RIVAL_SHARE, TYPICAL_VALUE, for_players

NOTHING = -1
NEVER = -1e9  # points of an action that is not one of the choices


@kernel
def deck_points(rules, known, action):
    """T1: what the relics of a deck add for the observer, compared with the others."""
    category = action - CHOOSE_DECK
    if category >= state.MAX_CATEGORIES:
        return NEVER
    lead = set_gain(rules, known, 0, category, 0)
    value = for_players(rules, TYPICAL_VALUE)
    for seat in range(rules.num_players):
        gain = place_points(rules, known, category, seat, seat, value)
        gain -= place_points(rules, known, category, seat, state.NOBODY, value)
        lead += gain if seat == 0 else -gain / (rules.num_players - 1)
    return lead


@kernel
def pawn(rules, known, legal, count):
    """P1: pawn the relic that costs least, if the loan brings more; else NOTHING. A counterfeit costs nothing.

    Which relics can be pawned stays as it is from bid to bid, and so does what they cost.
    """
    if not known.has_pawn:
        known.has_pawn = 1
        known.pawn = cheapest_to_pawn(rules, known, legal, count)
    return known.pawn


@kernel
def cheapest_to_pawn(rules, known, legal, count):
    """The same, where it was not found before."""
    best = NOTHING
    if known.ingots[0] > rules.pawn_limit or known.reserve < rules.pawn_loan:
        return best
    lowest = for_players(rules, PAWN_GAIN) * gain_of_ingots(known, 0, int(rules.pawn_loan))
    for position in range(count):
        action = int(legal.actions[position])
        if PAWN <= action < REDEEM_RELIC:
            relic = action - PAWN
            cost = max(0.0, lasting_value(rules, known, 0, relic))
            if cost < lowest:
                cost += min(loss_of(rules, known, 0, relic), points_to_redeem(rules, known))
                if cost < lowest:
                    lowest = cost
                    best = action
    return best


@kernel
def redeem_points(rules, known, action):
    """E1: what redeeming a relic adds."""
    relic = action - REDEEM_RELIC
    if not 0 <= relic < CERTIFY_RELIC - REDEEM_RELIC:
        return NEVER
    return loss_of(rules, known, 0, relic) + max(0.0, lasting_value(rules, known, 0, relic))


@kernel
def certify_points(rules, known, action):
    """E2: what a known counterfeit would add, or a part of what the loss of a relic costs that may be one."""
    relic = action - CERTIFY_RELIC
    if not 0 <= relic < CHOOSE_RELIC - CERTIFY_RELIC or not rules.has_counterfeit[relic] or known.pawned[relic]:
        return NEVER
    if known.counterfeit[relic]:
        return gain_of(rules, known, 0, relic)
    return COUNTERFEIT_CHANCE * loss_of(rules, known, 0, relic)


@kernel
def cancel_points(rules, known, action):
    """E3: what the observer's own relic adds if its counterfeit is cancelled."""
    relic = action - CHOOSE_RELIC
    if relic < 0 or known.owner[relic] != 0 or known.pawned[relic]:
        return NEVER
    return gain_of(rules, known, 0, relic)


@kernel
def take_points(rules, known, action):
    """take_relic: what a relic adds."""
    relic = action - CHOOSE_RELIC
    if relic < 0 or known.owner[relic] <= 0:  # nobody's, or the observer's own
        return NEVER
    return value_of_taking(rules, known, 0, int(known.owner[relic]), relic)


@kernel
def give_points(rules, known, action):
    """give_relic: the own loss and the gain for the left neighbour, as a loss; counterfeits and curses cost least."""
    relic = action - CHOOSE_RELIC
    if relic < 0:
        return NEVER
    loss = loss_of(rules, known, 0, relic) + lasting_value(rules, known, 0, relic)
    if not known.counterfeit[relic]:
        loss += for_players(rules, RIVAL_SHARE) * gain_of(rules, known, 1, relic)
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
def decide(rules, known, legal, count):
    """The heuristic's action; the order of the legal ones does not matter.

    It places certificates only in their own phase, even where it could do so before: more is known then.
    """
    think(rules, known)
    first = int(legal.actions[0])
    if known.phase == state.REDEEM:
        return best_to_redeem(rules, known, legal, count, DECLINE, points_to_redeem(rules, known))
    if known.phase == state.CERTIFY:
        return best_to_certify(rules, known, legal, count, DECLINE, 0.0)
    if known.phase == state.CANCEL:
        return best_to_cancel(rules, known, legal, count, DECLINE, 0.0)
    if known.phase == state.TAKE:
        return best_to_take(rules, known, legal, count, first, NEVER)
    if known.phase == state.GIVE:
        return best_to_give(rules, known, legal, count, first, NEVER)
    if known.phase == state.LOOK:
        return look(legal, count)
    action = pawn(rules, known, legal, count)
    if action != NOTHING:
        return action
    if known.phase == state.OPEN_AUCTION:
        return bid_openly(rules, known, legal, count)
    if known.phase == state.BLIND_AUCTION:
        return bid_secretly(rules, known, legal, count)
    return best_deck(rules, known, legal, count, first, NEVER)
