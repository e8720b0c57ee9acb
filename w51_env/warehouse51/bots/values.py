"""What a relic adds to a collection, in points: majorities (G3) and sets (G2)."""

from w51_env.core.compile import kernel
from w51_env.warehouse51.bots.knowledge import is_counterfeit, is_pawned, relics_of
from w51_env.warehouse51.bots.weights import PAWNED_SHARE, SET_CHANCE, SPREAD_LEAST, SPREAD_PER_RELIC, for_players
from w51_env.warehouse51.observe import AT
from w51_env.warehouse51.scoring import PLACE_POINTS, POINTS_PER_SET
from w51_env.warehouse51.state import MAX_CATEGORIES, MAX_RELICS


@kernel
def totals_of(rules, obs, category):
    """(5,) floats: the value of each seat's relics of a category at the end, as far as the observer knows."""
    first = second = third = fourth = fifth = 0.0
    start = int(rules.deck_start[category])
    for relic in range(start, start + int(rules.deck_size[category])):
        value = (
            rules.value[relic]
            * (1.0 - is_counterfeit(obs, relic))
            * (1.0 - (1.0 - for_players(rules, PAWNED_SHARE)) * obs[AT.pawned + relic])
        )
        at = AT.owned + relic
        first += obs[at] * value
        second += obs[at + MAX_RELICS] * value
        third += obs[at + 2 * MAX_RELICS] * value
        fourth += obs[at + 3 * MAX_RELICS] * value
        fifth += obs[at + 4 * MAX_RELICS] * value
    return (first, second, third, fourth, fifth)


@kernel
def raised(totals, seat, value):
    """The totals with one seat's raised."""
    return (
        totals[0] + (value if seat == 0 else 0.0),
        totals[1] + (value if seat == 1 else 0.0),
        totals[2] + (value if seat == 2 else 0.0),
        totals[3] + (value if seat == 3 else 0.0),
        totals[4] + (value if seat == 4 else 0.0),
    )


@kernel
def place_points(rules, obs, totals, seat, category):
    """G3: expected points of a seat from a category's majority.

    A rival stays behind with a probability that grows with the lead, more slowly while many relics are to come.
    """
    left = obs[AT.deck_left + category]
    if left == 0 and totals[seat] <= 0.0:
        return 0.0
    spread = for_players(rules, SPREAD_LEAST) + for_players(rules, SPREAD_PER_RELIC) * left
    first = 1.0
    second = 0.0
    for other in range(rules.num_players):
        if other != seat:
            lead = totals[seat] - totals[other]
            ahead = 0.5 + 0.5 * lead / (abs(lead) + spread)
            second = second * ahead + first * (1.0 - ahead)
            first *= ahead
    return PLACE_POINTS[category, 0] * first + PLACE_POINTS[category, 1] * second


@kernel
def set_gain(rules, obs, seat, category, has_it):
    """G2: points towards sets of one more relic of a category, or, where the seat `has_it` (1 or 0), of the last one.

    A set counts its points times the probability that the seat gets each relic then missing, and times the probability
    that it would not get this one later.
    """
    relics = relics_of(obs, seat, category) - has_it
    chance = 1.0
    for other in range(MAX_CATEGORIES):
        if rules.deck_size[other] > 0:
            later = min(1.0, for_players(rules, SET_CHANCE) * obs[AT.deck_left + other] / rules.num_players)
            if other == category:
                chance *= 1.0 - later
            else:
                for _ in range(relics + 1 - relics_of(obs, seat, other)):
                    chance *= later
    return POINTS_PER_SET * chance


@kernel
def gain_of(rules, obs, seat, relic):
    """Points that a relic would add to what a seat has."""
    return gain_beside(rules, obs, totals_of(rules, obs, int(rules.category[relic])), seat, relic)


@kernel
def gain_beside(rules, obs, totals, seat, relic):
    """Points that a relic would add to what a seat has, given the totals of its category."""
    category = int(rules.category[relic])
    with_it = raised(totals, seat, float(rules.value[relic]))
    gain = place_points(rules, obs, with_it, seat, category) - place_points(rules, obs, totals, seat, category)
    return gain + set_gain(rules, obs, seat, category, 0)


@kernel
def loss_of(rules, obs, seat, relic):
    """Points that a relic of its own adds for a seat, as if redeemed if it is pawned; none from a known counterfeit."""
    if is_counterfeit(obs, relic):
        return 0.0
    category = int(rules.category[relic])
    totals = totals_of(rules, obs, category)
    value = float(rules.value[relic])
    counted = for_players(rules, PAWNED_SHARE) * value if is_pawned(obs, relic) else value
    with_it = raised(totals, seat, value - counted)
    without = raised(totals, seat, -counted)
    loss = place_points(rules, obs, with_it, seat, category) - place_points(rules, obs, without, seat, category)
    return loss + set_gain(rules, obs, seat, category, 1)
