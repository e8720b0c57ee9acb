"""The end of the game, in its order: E1 redeem, E2 certificates, E3 counterfeits, then scoring (E4).

`game.turn` counts the seats (E1, E2) or the cancelling relics (E3, R4) that have had their turn in this step.
"""

from w51_env.compiler.compile import kernel, late
from w51_env.engine.events import emit
from w51_env.warehouse51.effect_kinds import EFFECT
from w51_env.warehouse51.event_types import EVENT
from w51_env.warehouse51.ownership import (
    any_relic,
    effect_count,
    has_unpawned,
    is_certified,
    is_counterfeit,
    token_to_place,
)
from w51_env.warehouse51.pawnbroker import has_pawned
from w51_env.warehouse51.scoring import score_game
from w51_env.warehouse51.state import CANCEL, CERTIFY, EXPOSED, NO_GAP, NOBODY, OVER, REDEEM


@kernel
def begin_ending(rules, game, log):
    """T7: the auctions are over."""
    game.phase = REDEEM
    game.turn = 0
    next_turn(rules, game, log)


@kernel
def decline(rules, game, log, forced):
    """E1, E2, E3, R5: the seat does nothing more in this step."""
    emit(log, EVENT.DECLINED, game.seat, game.phase, 0, 0, forced)
    game.turn += 1
    next_turn(rules, game, log)


@kernel
def seat_in_order(rules, game, turn):
    """E1: clockwise from the winner of the last auction; from the first player if none ever won."""
    start = game.first_player if game.last_winner == NOBODY else game.last_winner
    return (start + turn) % rules.num_players


@late("warehouse51")
def next_turn(rules, game, log):
    """E1, E2, E3, R6: go on to the next seat that has something to decide, through all steps, to the end."""
    if game.phase == REDEEM:
        while game.turn < rules.num_players:
            game.seat = seat_in_order(rules, game, game.turn)
            if has_pawned(rules, game, game.seat):
                return
            game.turn += 1
        game.phase = CERTIFY
        game.turn = 0
    if game.phase == CERTIFY:
        while game.turn < rules.num_players:
            game.seat = seat_in_order(rules, game, game.turn)
            if token_to_place(rules, game, game.seat) >= 0 and can_certify_any(rules, game, game.seat):
                return
            game.turn += 1
        show_counterfeits(rules, game, log)
        game.phase = CANCEL
        game.turn = 0
    game.seat = next_canceller(rules, game)
    while game.seat != NOBODY:
        if can_cancel_any(rules, game, game.seat):
            return
        game.turn += 1
        game.seat = next_canceller(rules, game)
    end_game(rules, game, log)


@kernel
def end_game(rules, game, log):
    """E3, E4: counterfeits leave their collections, and points are counted."""
    expose(rules, game, log)
    score_game(rules, game, log)
    game.phase = OVER
    game.over = 1


@kernel
def can_certify(rules, game, seat, relic):
    """E2, R5: whether the relic is the seat's own, pawned or not, and has no certificate."""
    return game.place[relic] == seat and not is_certified(game, relic)


can_certify_any = any_relic(can_certify)  # E2: whether the seat has a relic that a certificate can be put on


@kernel
def certify(rules, game, relic, log, forced):
    """E2: put a token on a relic; it stays there."""
    game.certificate_on[token_to_place(rules, game, game.seat)] = relic
    emit(log, EVENT.CERTIFIED, game.seat, relic, 0, 0, forced)


@kernel
def show_counterfeits(rules, game, log):
    """E3: turn over the cards in all gaps."""
    game.shown = 1
    for relic in range(rules.num_relics):
        if game.counterfeit_gap[relic] != NO_GAP:
            emit(log, EVENT.COUNTERFEIT_SHOWN, NOBODY, relic, game.counterfeit_gap[relic], 0, 0)


@kernel
def next_canceller(rules, game):
    """E3, R4: the owner of the next working cancelling relic, or NOBODY. Sets `turn` to the relic's position.

    Positions go clockwise from the winner of the last auction, and by the order of the relic set within a seat. All
    that are owned and unpawned have one. One that is itself a counterfeit works if an earlier one has cancelled that.
    """
    position = 0
    for turn in range(rules.num_players):
        seat = seat_in_order(rules, game, turn)
        for index in range(effect_count(rules, EFFECT.CANCELS_COUNTERFEIT)):
            relic = rules.with_effect[EFFECT.CANCELS_COUNTERFEIT, index]
            if has_unpawned(game, seat, relic):
                if position >= game.turn and not is_counterfeit(game, relic):
                    game.turn = position
                    return seat
                position += 1
    return NOBODY


@kernel
def can_cancel(rules, game, seat, relic):
    """E3: whether it is a shown counterfeit, not protected, whose relic is in a collection, of any seat."""
    return game.place[relic] >= 0 and is_counterfeit(game, relic)


can_cancel_any = any_relic(can_cancel)  # E3, R6: whether there is a counterfeit to cancel


@kernel
def cancel(rules, game, relic, log, forced):
    """E3: this counterfeit does not count, and the cancelling relic has had its turn."""
    game.cancelled[relic] = 1
    emit(log, EVENT.CANCELLED, game.seat, relic, 0, 0, forced)
    game.turn += 1
    next_turn(rules, game, log)


@kernel
def expose(rules, game, log):
    """E3: the remaining counterfeits leave their collections, with their effects, curses too, pawned or not."""
    for relic in range(rules.num_relics):
        if can_cancel(rules, game, NOBODY, relic):
            emit(log, EVENT.EXPOSED, game.place[relic], relic, 0, 0, 0)
            game.place[relic] = EXPOSED
