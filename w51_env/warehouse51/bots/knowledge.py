"""What the heuristic asks of what it knows (`known`). Seat 0 is the observer."""

from w51_env.compiler.compile import kernel
from w51_env.warehouse51.effect_kinds import EFFECT
from w51_env.warehouse51.ownership import effect_count


@kernel
def has_effect(rules, known, seat, effect):
    """Whether the seat has an unpawned relic with this effect."""
    for position in range(effect_count(rules, effect)):
        relic = int(rules.with_effect[effect, position])
        if known.owner[relic] == seat and not known.pawned[relic]:
            return True
    return False


@kernel
def min_amount(rules, known, seat, effect, otherwise):
    """The least amount of a seat's unpawned relics with this effect, if less than `otherwise`."""
    lowest = int(otherwise)
    for position in range(effect_count(rules, effect)):
        relic = int(rules.with_effect[effect, position])
        if known.owner[relic] == seat and not known.pawned[relic]:
            lowest = min(lowest, int(rules.amount[relic]))
    return lowest


@kernel
def owns_counterfeit(rules, known, seat):
    """Whether the seat has an unpawned relic that the observer knows to be a counterfeit."""
    for relic in range(rules.num_relics):
        if known.owner[relic] == seat and known.counterfeit[relic] and not known.pawned[relic]:
            return True
    return False


@kernel
def will_count(rules, known, relic):
    """Whether the relic scores for the observer: no known counterfeit, or one that it could protect."""
    if not known.counterfeit[relic]:
        return True
    protector = known.certificate != 0 or has_effect(rules, known, 0, EFFECT.CANCELS_COUNTERFEIT)
    return protector and not owns_counterfeit(rules, known, 0)
