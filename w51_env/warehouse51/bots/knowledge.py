"""What the heuristic reads from an observation `obs`, (layout.size,) int8. Seat 0 is the observer."""

from w51_env.core.compile import kernel
from w51_env.warehouse51.effect_kinds import CANCELS_COUNTERFEIT
from w51_env.warehouse51.observe import AT, PHASE_AT
from w51_env.warehouse51.ownership import effect_count
from w51_env.warehouse51.state import MAX_CATEGORIES, MAX_RELICS


@kernel
def in_phase(obs, phase):
    """Whether the game is in this phase. The layout of a game ends before phases that its relics do not need."""
    return PHASE_AT[phase] < obs.shape[0] and obs[PHASE_AT[phase]] != 0


@kernel
def ingots_of(obs, seat):
    """Ingots that a seat holds."""
    return int(obs[AT.ingots + seat])


@kernel
def relics_left(obs):
    """Relics left in all decks: the number of auctions to come."""
    left = 0
    for category in range(MAX_CATEGORIES):
        left += int(obs[AT.deck_left + category])
    return left


@kernel
def lot_of(obs):
    """The lot: the relic up for auction, or just bought."""
    relic = 0
    while relic < MAX_RELICS - 1 and obs[AT.lot + relic] == 0:
        relic += 1
    return relic


@kernel
def owns(obs, seat, relic):
    """Whether the seat has the relic, pawned or not."""
    return obs[AT.owned + seat * MAX_RELICS + relic] != 0


@kernel
def is_pawned(obs, relic):
    """Whether the relic bears a pawnbroker token."""
    return obs[AT.pawned + relic] != 0


@kernel
def is_counterfeit(obs, relic):
    """Whether the observer has seen its counterfeit card, and nothing protects it. Branch-free: it is called most."""
    shown = obs[AT.counterfeit_left + relic] | obs[AT.counterfeit_right + relic] | obs[AT.counterfeit_elsewhere + relic]
    return (shown != 0) & ((obs[AT.certified + relic] | obs[AT.cancelled + relic]) == 0)


@kernel
def neighbour_knows(rules, obs, seat, relic):
    """S4: whether the seat, a neighbour, has seen the counterfeit card, too: it is in the gap between the two."""
    return (seat == 1 and obs[AT.counterfeit_left + relic] != 0) or (
        seat == rules.num_players - 1 and obs[AT.counterfeit_right + relic] != 0
    )


@kernel
def has_effect(rules, obs, seat, effect):
    """Whether the seat has an unpawned relic with this effect."""
    for position in range(effect_count(rules, effect)):
        relic = int(rules.with_effect[effect, position])
        if owns(obs, seat, relic) and not is_pawned(obs, relic):
            return True
    return False


@kernel
def min_amount(rules, obs, seat, effect, otherwise):
    """The least amount of a seat's unpawned relics with this effect, if less than `otherwise`."""
    lowest = int(otherwise)
    for position in range(effect_count(rules, effect)):
        relic = int(rules.with_effect[effect, position])
        if owns(obs, seat, relic) and not is_pawned(obs, relic):
            lowest = min(lowest, int(rules.amount[relic]))
    return lowest


@kernel
def owns_counterfeit(rules, obs, seat):
    """Whether the seat has an unpawned relic that the observer knows to be a counterfeit."""
    for relic in range(rules.num_relics):
        if owns(obs, seat, relic) and is_counterfeit(obs, relic) and not is_pawned(obs, relic):
            return True
    return False


@kernel
def will_count(rules, obs, relic):
    """Whether the relic scores for the observer: no known counterfeit, or one that it could protect."""
    if not is_counterfeit(obs, relic):
        return True
    protector = obs[AT.certificates] != 0 or has_effect(rules, obs, 0, CANCELS_COUNTERFEIT)
    return protector and not owns_counterfeit(rules, obs, 0)
