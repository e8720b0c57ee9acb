"""What the effect of a relic is worth to a seat, in points, as far as the observer knows (section 6)."""

from w51_env.compiler.compile import kernel
from w51_env.warehouse51.bots import weights
from w51_env.warehouse51.bots.knowledge import has_effect, owns_counterfeit
from w51_env.warehouse51.bots.money import gain_of_ingots
from w51_env.warehouse51.bots.values import gain_of, loss_of
from w51_env.warehouse51.bots.weights import for_players
from w51_env.warehouse51.effect_kinds import EFFECT, NO_EFFECT
from w51_env.warehouse51.ownership import effect_count
from w51_env.warehouse51.scoring import INGOTS_FOR_A_POINT
from w51_env.warehouse51.state import NOBODY


@kernel
def effect_value(rules, known, seat, relic):
    """Points that a seat may expect of buying the relic's effect."""
    effect = int(rules.effect[relic])
    if effect == NO_EFFECT:
        return 0.0
    if effect in (EFFECT.LOSES_TIES, EFFECT.BID_CAP, EFFECT.SURCHARGE, EFFECT.PAY_EACH_OTHER, EFFECT.GIVE_RELIC):
        return curse_value(rules, known, seat, relic)
    if effect in (EFFECT.CERTIFICATE, EFFECT.GAIN_INGOTS, EFFECT.TAKE_RELIC):
        return immediate_value(rules, known, seat, relic)
    return blessing_value(rules, known, seat, relic)


@kernel
def curse_value(rules, known, seat, relic):
    """The worth of a curse, negative; 0 where another relic lifts it."""
    if has_effect(rules, known, seat, EFFECT.LIFTS_CURSES):
        return 0.0
    effect = int(rules.effect[relic])
    amount = int(rules.amount[relic])
    to_come = known.relics_left / float(rules.num_relics)
    if effect == EFFECT.LOSES_TIES:
        return 0.0 if known.counterfeit[relic] else -weights.LOSES_TIES_VALUE
    if effect == EFFECT.BID_CAP:
        return -weights.CAP_VALUE * to_come / amount
    if effect == EFFECT.SURCHARGE:
        return weights.SURCHARGE_SHARE * known.relics_left / rules.num_players * gain_of_ingots(known, seat, -amount)
    if effect == EFFECT.PAY_EACH_OTHER:
        return gain_of_ingots(known, seat, -amount * (int(rules.num_players) - 1))
    return -min_loss_of_giving(rules, known, seat)


@kernel
def min_loss_of_giving(rules, known, seat):
    """give_relic: the value of the relic whose loss costs the seat least; 0 if it has none."""
    lowest = 0.0
    has_relic = False
    for relic in range(rules.num_relics):
        if known.owner[relic] == seat and not known.pawned[relic]:
            loss = loss_of(rules, known, seat, relic)
            if not has_relic or loss < lowest:
                lowest = loss
                has_relic = True
    return lowest


@kernel
def immediate_value(rules, known, seat, relic):
    """The worth of certificate, gain_ingots and take_relic, which also apply when their relic is a counterfeit (T8)."""
    effect = int(rules.effect[relic])
    if effect == EFFECT.CERTIFICATE:
        return weights.CERTIFICATE_VALUE + (
            for_players(rules, weights.PROTECTS_COUNTERFEIT) if owns_counterfeit(rules, known, seat) else 0.0
        )
    if effect == EFFECT.GAIN_INGOTS:
        return gain_of_ingots(known, seat, min(int(rules.amount[relic]), int(known.reserve)))
    return for_players(rules, weights.TAKE_SHARE) * most_to_take(rules, known, seat, int(rules.amount[relic]))


@kernel
def most_to_take(rules, known, seat, amount):
    """take_relic: the most that another seat's relic of this value or less would add."""
    best = 0.0
    for relic in range(rules.num_relics):
        owner = int(known.owner[relic])
        if owner != NOBODY and owner != seat and rules.value[relic] <= amount and not known.pawned[relic]:
            best = max(best, value_of_taking(rules, known, seat, owner, relic))
    return best


@kernel
def value_of_taking(rules, known, seat, owner, relic):
    """What taking a relic from its owner adds for the seat; the owner's loss counts in part."""
    worth = lasting_value(rules, known, seat, relic)
    if not known.counterfeit[relic]:
        loss = for_players(rules, weights.RIVAL_SHARE) * loss_of(rules, known, owner, relic)
        worth += gain_of(rules, known, seat, relic) + loss
    return worth


@kernel
def blessing_value(rules, known, seat, relic):
    """The worth of a lasting blessing. One that works after E3 is worth nothing on a known counterfeit."""
    effect = int(rules.effect[relic])
    amount = int(rules.amount[relic])
    left = known.relics_left
    to_come = left / float(rules.num_relics)
    if effect == EFFECT.MAY_MATCH_BID:
        return for_players(rules, weights.MATCH_VALUE) * to_come
    if effect == EFFECT.WINS_BLIND_TIES:
        return weights.BLIND_TIES_VALUE * to_come
    if effect == EFFECT.ALWAYS_REVEALS:
        return weights.REVEALS_VALUE * to_come
    if effect == EFFECT.INCOME:
        return weights.INCOME_SHARE * min(amount * left, int(known.reserve)) * gain_of_ingots(known, seat, 1)
    if effect == EFFECT.LIFTS_CURSES:
        return weights.LIFTS_VALUE * to_come + curses_of(rules, known, seat)
    if effect == EFFECT.REDEEM_PRICE:
        return pawned_by(rules, known, seat) * max(0.0, float(rules.redeem_price - amount)) / INGOTS_FOR_A_POINT
    if known.counterfeit[relic]:
        return 0.0
    if effect == EFFECT.CANCELS_COUNTERFEIT:
        return for_players(rules, weights.CANCEL_VALUE) + (
            for_players(rules, weights.PROTECTS_COUNTERFEIT) if owns_counterfeit(rules, known, seat) else 0.0
        )
    if effect == EFFECT.WINS_TIES:
        return for_players(rules, weights.WINS_TIES_VALUE)
    if effect == EFFECT.INGOTS_PER_POINT:
        return max(0.0, 1.0 / amount - 1.0 / INGOTS_FOR_A_POINT) * int(known.ingots[seat])
    return 0.0


@kernel
def curses_of(rules, known, seat):
    """What the seat's lasting curses cost it."""
    cost = 0.0
    for effect in (EFFECT.LOSES_TIES, EFFECT.BID_CAP, EFFECT.SURCHARGE):
        for position in range(effect_count(rules, effect)):
            relic = int(rules.with_effect[effect, position])
            if known.owner[relic] == seat:
                cost -= curse_value(rules, known, seat, relic)
    return cost


@kernel
def pawned_by(rules, known, seat):
    """How many of the seat's relics are pawned."""
    pawned = 0
    for relic in range(rules.num_relics):
        if known.owner[relic] == seat and known.pawned[relic]:
            pawned += 1
    return pawned


@kernel
def lasting_value(rules, known, seat, relic):
    """The worth of a relic's effect to the seat while it has the relic. An immediate effect is over, so it counts 0."""
    effect = int(rules.effect[relic])
    if effect in (EFFECT.LOSES_TIES, EFFECT.BID_CAP, EFFECT.SURCHARGE):
        return curse_value(rules, known, seat, relic)
    return blessing_value(rules, known, seat, relic)
