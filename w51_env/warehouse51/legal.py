"""The legal actions of the seat to move: all of them and nothing else. Masks are made from this list.

What is written behind the last one does not count. So an action is written before it is known to be legal, and bids are
written in whole blocks: branches that depend on the game are mispredicted.
"""

from w51_env.compiler.compile import kernel
from w51_env.warehouse51 import actions, state
from w51_env.warehouse51.decks import has_relics
from w51_env.warehouse51.effect_kinds import EFFECT
from w51_env.warehouse51.effects import can_give, can_take
from w51_env.warehouse51.ending import can_cancel, can_certify
from w51_env.warehouse51.ownership import has_blessing, has_unpawned, max_bid, token_to_place
from w51_env.warehouse51.pawnbroker import can_redeem, price_to_redeem
from w51_env.warehouse51.state import ENDING

BLOCK = 32  # bids that are written at once


@kernel
def legal_actions(rules, game, legal):
    """Write the legal action ids of the seat to move to `legal`; returns how many: 0 when the game is over."""
    phase = game.phase
    seat = game.seat
    count = 0
    if phase == state.OVER:
        return count
    if phase == state.REVEAL:  # T1
        for category in range(state.MAX_CATEGORIES):
            legal.actions[count] = actions.CHOOSE_DECK + category
            count += has_relics(rules, game, category)
    elif phase == state.OPEN_AUCTION:  # T2, T3, may_match_bid
        legal.actions[count] = actions.PASS
        count += 1
        lowest = game.standing_bid + 1
        if game.standing_bid > 0 and has_blessing(rules, game, seat, EFFECT.MAY_MATCH_BID):
            lowest = game.standing_bid
        count = list_bids(legal.actions, count, lowest, max_bid(rules, game, seat))
    elif phase == state.BLIND_AUCTION:  # T5
        count = secret_bids(rules, game, seat, legal.actions)
    elif phase == state.LOOK:  # gaps not beside the seat
        for distance in range(1, rules.num_players - 1):
            legal.actions[count] = actions.CHOOSE_GAP + distance
            count += 1
    else:
        if phase in ENDING:
            legal.actions[count] = actions.DECLINE
            count += 1
        count = relic_choices(rules, game, legal, count)
    if may_pawn(rules, game, seat):  # P3
        for relic in range(rules.num_relics):
            legal.actions[count] = actions.PAWN + relic
            count += has_unpawned(game, seat, relic)
    certifying = phase == state.CERTIFY or (rules.certificates_anytime and phase != state.CANCEL)  # E2, R5
    if certifying and token_to_place(rules, game, seat) >= 0:
        for relic in range(rules.num_relics):
            if can_certify(rules, game, seat, relic):
                legal.actions[count] = actions.CERTIFY_RELIC + relic
                count += 1
    return count


@kernel
def may_pawn(rules, game, seat):
    """P1, P2, P3: whether the seat may pawn: few ingots, a loan in the reserve, a free token, the auctions not over."""
    if game.ingots[seat] > rules.pawn_limit or game.reserve < rules.pawn_loan or game.phase in ENDING:
        return False
    tokens = 0
    for relic in range(rules.num_relics):
        tokens += game.pawned[relic]
    return tokens < state.PAWN_TOKENS


@kernel
def secret_bids(rules, game, seat, out):
    """T5, T3: write to `out` the actions by which a seat may bid in a blind auction; returns how many.

    A determinization draws the bids of others among them.
    """
    return list_bids(out, 0, 0, max_bid(rules, game, seat))


@kernel
def list_bids(out, count, lowest, highest):
    """Append the bids from `lowest` to `highest`, if there are any; returns how many actions there are then."""
    bids = max(0, highest + 1 - lowest)
    for position in range((bids + BLOCK - 1) // BLOCK * BLOCK):
        out[count + position] = actions.BID + lowest + position
    return count + bids


@kernel
def relic_choices(rules, game, legal, count):
    """Append the relics to choose from: to redeem (E1), to cancel the counterfeit of (E3), to take or give."""
    phase = game.phase
    seat = game.seat
    affordable = phase == state.REDEEM and game.ingots[seat] >= price_to_redeem(rules, game, seat)
    for relic in range(rules.num_relics):
        if affordable and can_redeem(rules, game, seat, relic):
            legal.actions[count] = actions.REDEEM_RELIC + relic
            count += 1
        elif (
            (phase == state.TAKE and can_take(rules, game, seat, relic))
            or (phase == state.GIVE and can_give(rules, game, seat, relic))
            or (phase == state.CANCEL and can_cancel(rules, game, seat, relic))
        ):
            legal.actions[count] = actions.CHOOSE_RELIC + relic
            count += 1
    return count
