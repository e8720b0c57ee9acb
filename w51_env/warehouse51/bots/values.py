"""What a relic adds to a collection, in points: majorities (G3) and sets (G2)."""

from w51_env.compiler.compile import kernel
from w51_env.warehouse51.bots.weights import PAWNED_SHARE, SPREAD_LEAST, SPREAD_PER_RELIC, for_players
from w51_env.warehouse51.scoring import PLACE_POINTS, POINTS_PER_SET
from w51_env.warehouse51.state import MAX_CATEGORIES


@kernel
def find_totals(rules, known, category):
    """Find the value of each seat's relics of a category at the end, as far as the observer knows, and its spread."""
    if known.has_totals[category]:
        return
    known.has_totals[category] = 1
    left = known.deck_left[category]
    known.spread[category] = for_players(rules, SPREAD_LEAST) + for_players(rules, SPREAD_PER_RELIC) * left
    known.totals[category, :] = 0.0
    # The share, but for its last bit: published results repeat to the bit only if it stays as it was.
    if_pawned = 1.0 - (1.0 - for_players(rules, PAWNED_SHARE))
    start = int(rules.deck_start[category])
    for relic in range(start, start + int(rules.deck_size[category])):
        value = float(rules.value[relic] * (1 - known.counterfeit[relic]))
        known.totals[category, 1 + known.owner[relic]] += value * (if_pawned if known.pawned[relic] else 1.0)


@kernel
def chance_ahead(leads, spread):
    """The probability that a rival stays behind; it grows with the lead, more slowly while many relics are to come."""
    return 0.5 + 0.5 * leads / (abs(leads) + spread)


@kernel
def place_points(rules, known, category, seat, raised, value):
    """G3: expected points of a seat from a category's majority, if the seat `raised` had `value` more there."""
    find_totals(rules, known, category)
    spread = known.spread[category]
    own = known.totals[category, 1 + seat] + (value if raised == seat else 0.0)
    if known.deck_left[category] == 0 and own <= 0.0:
        return 0.0
    first = 1.0
    second = 0.0
    for other in range(rules.num_players):
        if other != seat:
            theirs = known.totals[category, 1 + other] + (value if raised == other else 0.0)
            ahead = chance_ahead(own - theirs, spread)
            second = second * ahead + first * (1.0 - ahead)
            first = first * ahead
    return PLACE_POINTS[category, 0] * first + PLACE_POINTS[category, 1] * second


@kernel
def set_gain(rules, known, seat, category, has_it):
    """G2: points towards sets of one more relic of a category, or, where the seat `has_it` (1 or 0), of the last one.

    A set counts its points times the probability that the seat gets each relic then missing, and times the probability
    that it would not get this one later. How many are missing would be mispredicted, so the first are no loop.
    """
    relics = int(known.relics[1 + seat, category]) - has_it
    chance = 1.0
    for other in range(MAX_CATEGORIES):
        if rules.deck_size[other] > 0:
            later = known.later[other]
            if other == category:
                chance *= 1.0 - later
            else:
                missing = relics + 1 - int(known.relics[1 + seat, other])
                chance *= later if missing > 0 else 1.0
                chance *= later if missing > 1 else 1.0
                for _ in range(missing - 2):
                    chance *= later
    return POINTS_PER_SET * chance


@kernel
def gain_of(rules, known, seat, relic):
    """Points that a relic would add to what a seat has."""
    category = int(rules.category[relic])
    points = place_points(rules, known, category, seat, seat, float(rules.value[relic]))
    return points - place_points(rules, known, category, seat, seat, 0.0) + set_gain(rules, known, seat, category, 0)


@kernel
def loss_of(rules, known, seat, relic):
    """Points that a relic of its own adds for a seat, as if redeemed if it is pawned; none from a known counterfeit."""
    if known.counterfeit[relic]:
        return 0.0
    category = int(rules.category[relic])
    value = float(rules.value[relic])
    counted = for_players(rules, PAWNED_SHARE) * value if known.pawned[relic] else value
    points = place_points(rules, known, category, seat, seat, value - counted)
    without = place_points(rules, known, category, seat, seat, -counted)
    return points - without + set_gain(rules, known, seat, category, 1)


@kernel
def points_if_sold(rules, known, seat, winner):
    """G3: expected points of a seat from the majority of the lot's category if this seat wins the lot, or NOBODY."""
    return place_points(rules, known, int(rules.category[known.lot]), seat, winner, float(rules.value[known.lot]))


@kernel
def find_points_of_lot(rules, known, seat):
    """G2, G3: find what a seat has if it wins the lot: `known.points` and `known.set_points`."""
    if not known.has_points[seat]:
        known.has_points[seat] = 1
        known.points[seat] = points_if_sold(rules, known, seat, seat)
        known.set_points[seat] = set_gain(rules, known, seat, int(rules.category[known.lot]), 0)
