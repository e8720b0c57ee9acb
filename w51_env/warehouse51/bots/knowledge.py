"""What the heuristic asks of what it knows (`known`). Seat 0 is the observer."""

from w51_env.core.compile import kernel
from w51_env.warehouse51.bots.known import HAS
from w51_env.warehouse51.effect_kinds import CANCELS_COUNTERFEIT
from w51_env.warehouse51.ownership import effect_count


@kernel
def in_phase(known, phase):
    """Whether the game is in this phase."""
    return known.values[HAS.phase] == phase


@kernel
def ingots_of(known, seat):
    """Ingots that a seat holds."""
    return int(known.values[HAS.ingots + seat])


@kernel
def reserve_of(known):
    """Ingots of the pawnbroker."""
    return int(known.values[HAS.reserve])


@kernel
def deck_left(known, category):
    """Relics left in a deck."""
    return int(known.values[HAS.deck_left + category])


@kernel
def lot_of(known):
    """The lot: the relic up for auction, or just bought."""
    return int(known.values[HAS.lot])


@kernel
def leader_of(known):
    """The other seat that made the standing bid, or NOBODY."""
    return int(known.values[HAS.leader])


@kernel
def is_bidding(known, seat):
    """Whether the seat is still in the open auction."""
    return known.values[HAS.bidding + seat] != 0


@kernel
def owner_of(known, relic):
    """The seat that has the relic, pawned or not, or NOBODY."""
    return int(known.values[HAS.owner + relic])


@kernel
def owns(known, seat, relic):
    """Whether the seat has the relic, pawned or not."""
    return known.values[HAS.owner + relic] == seat


@kernel
def is_pawned(known, relic):
    """Whether the relic bears a pawnbroker token."""
    return known.values[HAS.pawned + relic] != 0


@kernel
def is_counterfeit(known, relic):
    """Whether the observer has seen its counterfeit card, and nothing protects it."""
    return known.values[HAS.counterfeit + relic] != 0


@kernel
def knows_the_lot(known, seat):
    """S4: whether another seat has seen the lot's counterfeit card, too: it is in the gap between the two."""
    return known.values[HAS.lot_known_to] == seat


@kernel
def relics_of(known, seat, category):
    """A seat's relics of a category, without known counterfeits. Pawned ones count, since they may be redeemed."""
    return int(known.relics[1 + seat, category])


@kernel
def has_effect(rules, known, seat, effect):
    """Whether the seat has an unpawned relic with this effect."""
    for position in range(effect_count(rules, effect)):
        relic = int(rules.with_effect[effect, position])
        if owns(known, seat, relic) and not is_pawned(known, relic):
            return True
    return False


@kernel
def min_amount(rules, known, seat, effect, otherwise):
    """The least amount of a seat's unpawned relics with this effect, if less than `otherwise`."""
    lowest = int(otherwise)
    for position in range(effect_count(rules, effect)):
        relic = int(rules.with_effect[effect, position])
        if owns(known, seat, relic) and not is_pawned(known, relic):
            lowest = min(lowest, int(rules.amount[relic]))
    return lowest


@kernel
def owns_counterfeit(rules, known, seat):
    """Whether the seat has an unpawned relic that the observer knows to be a counterfeit."""
    for relic in range(rules.num_relics):
        if owns(known, seat, relic) and is_counterfeit(known, relic) and not is_pawned(known, relic):
            return True
    return False


@kernel
def will_count(rules, known, relic):
    """Whether the relic scores for the observer: no known counterfeit, or one that it could protect."""
    if not is_counterfeit(known, relic):
        return True
    protector = known.values[HAS.certificate] != 0 or has_effect(rules, known, 0, CANCELS_COUNTERFEIT)
    return protector and not owns_counterfeit(rules, known, 0)
