"""What the heuristic reads from an observation. Seat 0 is the observer.

`obs`, (SIZE,) int8, is an observation with all slices, and after it what most decisions ask many times.
"""

import numpy as np

from w51_env.core.compile import kernel, scratch
from w51_env.warehouse51.effect_kinds import CANCELS_COUNTERFEIT
from w51_env.warehouse51.observe import AT, LAYOUT, PHASE_AT
from w51_env.warehouse51.ownership import effect_count
from w51_env.warehouse51.state import MAX_CATEGORIES, MAX_PLAYERS, MAX_RELICS

_COUNTERFEIT = LAYOUT.size  #                  of each relic 1 if it is known to be a counterfeit that counts
_RELICS_OF = _COUNTERFEIT + MAX_RELICS  #      of each seat and category the relics that are no such counterfeits
SIZE = _RELICS_OF + MAX_PLAYERS * MAX_CATEGORIES

memory = scratch(SIZE, np.int8)


@kernel
def read(rules, observation, obs):
    """Write all of `obs` from an observation, whose layout may end before the slices of effects that it lacks."""
    shown = observation.values
    for place in range(shown.shape[0]):
        obs[place] = shown[place]
    for place in range(shown.shape[0], SIZE):
        obs[place] = 0
    for relic in range(MAX_RELICS):
        seen = obs[AT.counterfeit_left + relic] | obs[AT.counterfeit_right + relic]
        seen |= obs[AT.counterfeit_elsewhere + relic]
        protected = obs[AT.certified + relic] | obs[AT.cancelled + relic]
        obs[_COUNTERFEIT + relic] = (seen != 0) & (protected == 0)
    for relic in range(rules.num_relics):
        if obs[_COUNTERFEIT + relic] == 0:
            at = _RELICS_OF + int(rules.category[relic])
            for seat in range(MAX_PLAYERS):
                obs[at + seat * MAX_CATEGORIES] += obs[AT.owned + seat * MAX_RELICS + relic]


@kernel
def in_phase(obs, phase):
    """Whether the game is in this phase."""
    return obs[PHASE_AT[phase]] != 0


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
    """Whether the observer has seen its counterfeit card, and nothing protects it."""
    return obs[_COUNTERFEIT + relic] != 0


@kernel
def relics_of(obs, seat, category):
    """A seat's relics of a category, without known counterfeits. Pawned ones count, since they may be redeemed."""
    return int(obs[_RELICS_OF + seat * MAX_CATEGORIES + category])


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
