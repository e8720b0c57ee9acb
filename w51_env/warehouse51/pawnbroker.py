"""The pawnbroker: P1 pawning, and E1 redeeming. Who may pawn (P1 to P3) is in `legal`."""

from w51_env.compiler.compile import kernel
from w51_env.engine.events import emit
from w51_env.warehouse51.effect_kinds import EFFECT
from w51_env.warehouse51.event_types import EVENT
from w51_env.warehouse51.ownership import any_relic, min_blessing_amount


@kernel
def pawn(rules, game, relic, log, forced):
    """P1: the relic gets a token, and its owner gets the loan."""
    game.pawned[relic] = 1
    game.reserve -= rules.pawn_loan
    game.ingots[game.seat] += rules.pawn_loan
    emit(log, EVENT.PAWNED, game.seat, relic, rules.pawn_loan, 0, forced)


@kernel
def price_to_redeem(rules, game, seat):
    """E1, redeem_price: ingots that one relic costs to redeem."""
    return min_blessing_amount(rules, game, seat, EFFECT.REDEEM_PRICE, rules.redeem_price)


@kernel
def can_redeem(rules, game, seat, relic):
    """E1: whether the relic is the seat's own and pawned."""
    return game.pawned[relic] == 1 and game.place[relic] == seat


has_pawned = any_relic(can_redeem)  # E1, R6: whether the seat has something to redeem


@kernel
def redeem(rules, game, relic, log, forced):
    """E1: pay the reserve and take off the token."""
    price = price_to_redeem(rules, game, game.seat)
    game.pawned[relic] = 0
    game.ingots[game.seat] -= price
    game.reserve += price
    emit(log, EVENT.REDEEMED, game.seat, relic, price, 0, forced)
