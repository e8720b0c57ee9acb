"""T8: immediate effects when a relic is bought, and income after each auction.

Permanent, end-of-game and scoring effects are in the rules that they change, which call `has_blessing` or `has_curse`.
"""

from w51_env.compiler.compile import kernel
from w51_env.engine.events import emit
from w51_env.engine.seats import left_of
from w51_env.warehouse51.effect_kinds import EFFECT
from w51_env.warehouse51.event_types import EVENT
from w51_env.warehouse51.ownership import any_relic, effect_count, has_blessing, has_unpawned
from w51_env.warehouse51.state import CERTIFICATES, GIVE, LOOK, NO_RELIC, TAKE


@kernel
def apply_immediate(rules, game, log):
    """T8, R1: the effect of the relic just bought. Returns True if its buyer must choose first, in `phase`."""
    buyer = game.last_winner
    effect = rules.effect[game.lot]
    amount = rules.amount[game.lot]
    game.seat = buyer
    if effect == EFFECT.CERTIFICATE:
        take_certificate(game, buyer, game.lot, log)
    elif effect == EFFECT.GAIN_INGOTS:
        gain_ingots(game, buyer, amount, log)
    elif effect == EFFECT.PAY_EACH_OTHER:
        if not has_blessing(rules, game, buyer, EFFECT.LIFTS_CURSES):
            pay_each_other(rules, game, buyer, amount, log)
    elif effect == EFFECT.TAKE_RELIC:
        game.phase = TAKE
        return can_take_any(rules, game, buyer)
    elif effect == EFFECT.GIVE_RELIC:
        game.phase = GIVE
        return can_give_any(rules, game, buyer) and not has_blessing(rules, game, buyer, EFFECT.LIFTS_CURSES)
    elif effect == EFFECT.LOOK_AT_COUNTERFEITS:
        game.phase = LOOK
        return rules.gap_cards > 0
    return False


@kernel
def take_certificate(game, seat, relic, log):
    """certificate: one of the two tokens, if one is left."""
    for token in range(CERTIFICATES):
        if game.certificate_from[token] == NO_RELIC:
            game.certificate_from[token] = relic
            emit(log, EVENT.TOOK_CERTIFICATE, seat, relic, 0, 0, 0)
            return


@kernel
def gain_ingots(game, seat, amount, log):
    """gain_ingots: from the reserve, as far as it lasts."""
    gained = min(amount, game.reserve)
    if gained > 0:
        game.reserve -= gained
        game.ingots[seat] += gained
        emit(log, EVENT.GAINED, seat, gained, 0, 0, 0)


@kernel
def pay_each_other(rules, game, seat, amount, log):
    """pay_each_other: clockwise from the left, until no ingot is left."""
    payee = left_of(rules, seat)
    while payee != seat:
        paid = min(amount, game.ingots[seat])
        if paid > 0:
            game.ingots[seat] -= paid
            game.ingots[payee] += paid
            emit(log, EVENT.PAID, seat, payee, paid, 0, 0)
        payee = left_of(rules, payee)


@kernel
def can_take(rules, game, seat, relic):
    """Whether take_relic can take it, P4: another player's unpawned relic of at most the lot's amount in value."""
    owner = game.place[relic]
    return (
        owner >= 0
        and owner != seat
        and has_unpawned(game, owner, relic)
        and rules.value[relic] <= rules.amount[game.lot]
    )


can_take_any = any_relic(can_take)  # take_relic: whether there is a relic to take


@kernel
def take(game, relic, log, forced):
    """take_relic: carry out the choice."""
    emit(log, EVENT.TOOK, game.seat, relic, game.place[relic], 0, forced)
    game.place[relic] = game.seat


@kernel
def can_give(rules, game, seat, relic):
    """Whether give_relic can give it, P4: an unpawned relic of the seat's own, not the one just bought."""
    return relic != game.lot and has_unpawned(game, seat, relic)


can_give_any = any_relic(can_give)  # give_relic: whether there is a relic to give


@kernel
def give(rules, game, relic, log, forced):
    """give_relic: carry out the choice."""
    receiver = left_of(rules, game.seat)
    emit(log, EVENT.GAVE, game.seat, relic, receiver, 0, forced)
    game.place[relic] = receiver


@kernel
def look(rules, game, distance, log, forced):
    """look_at_counterfeits: look at the gap `distance` places clockwise from the one on the seat's left."""
    gap = (game.seat + distance) % rules.num_players
    game.looked[game.seat, gap] = 1
    emit(log, EVENT.LOOKED, game.seat, gap, 0, 0, forced)
    for relic in range(rules.num_relics):
        if game.counterfeit_gap[relic] == gap:
            emit(log, EVENT.SAW, game.seat, gap, relic, 0, 0)


@kernel
def pay_income(rules, game, log):
    """income, R2: each pays its amount after each auction, clockwise from the revealer, as far as the reserve lasts."""
    if effect_count(rules, EFFECT.INCOME) == 0:
        return
    seat = game.revealer
    for _ in range(rules.num_players):
        for position in range(effect_count(rules, EFFECT.INCOME)):
            relic = rules.with_effect[EFFECT.INCOME, position]
            paid = min(rules.amount[relic], game.reserve)
            if has_unpawned(game, seat, relic) and paid > 0:
                game.reserve -= paid
                game.ingots[seat] += paid
                emit(log, EVENT.INCOME, seat, paid, 0, 0, 0)
        seat = left_of(rules, seat)
