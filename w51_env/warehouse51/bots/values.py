"""What a relic adds to a collection, in points: majorities (G3) and sets (G2)."""

from w51_env.compiler.compile import kernel
from w51_env.compiler.quads import SIZE, every, item_of, quad_of, where_above, where_equal
from w51_env.warehouse51.bots.weights import PAWNED_SHARE, SPREAD_LEAST, SPREAD_PER_RELIC, for_players
from w51_env.warehouse51.scoring import PLACE_POINTS, POINTS_PER_SET
from w51_env.warehouse51.state import MAX_CATEGORIES, NOBODY

# Points of a seat in `known.points`: if it wins the lot, nobody does, the observer does; and the observer's if it wins.
IF_WON, IF_UNSOLD, IF_LOST, OBSERVER_IF_LOST = range(SIZE)


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
def place_points(rules, known, category, seats, raised, values):
    """G3: expected points from a category's majority, four at once, as quads.

    Each number is that of the seat in `seats`, if the seat in `raised` had that of `values` more there.
    """
    find_totals(rules, known, category)
    spread = known.spread[category]
    own = every(0.0)
    for other in range(rules.num_players):
        own = where_equal(seats, other, known.totals[category, 1 + other], own)
    own = own + where_equal(raised, seats, values, 0.0)
    first = every(1.0)
    second = every(0.0)
    for other in range(rules.num_players):
        theirs = known.totals[category, 1 + other] + where_equal(raised, other, values, 0.0)
        ahead = where_equal(seats, other, 1.0, chance_ahead(own - theirs, spread))
        second = second * ahead + first * (1.0 - ahead)
        first = first * ahead
    points = PLACE_POINTS[category, 0] * first + PLACE_POINTS[category, 1] * second
    if known.deck_left[category] == 0:
        points = where_above(own, 0.0, points, 0.0)
    return points


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
    values = quad_of(rules.value[relic], 0.0, 0.0, 0.0)
    points = place_points(rules, known, category, every(seat), every(seat), values)
    return item_of(points, 0) - item_of(points, 1) + set_gain(rules, known, seat, category, 0)


@kernel
def loss_of(rules, known, seat, relic):
    """Points that a relic of its own adds for a seat, as if redeemed if it is pawned; none from a known counterfeit."""
    if known.counterfeit[relic]:
        return 0.0
    category = int(rules.category[relic])
    value = float(rules.value[relic])
    counted = for_players(rules, PAWNED_SHARE) * value if known.pawned[relic] else value
    values = quad_of(value - counted, -counted, 0.0, 0.0)
    points = place_points(rules, known, category, every(seat), every(seat), values)
    return item_of(points, 0) - item_of(points, 1) + set_gain(rules, known, seat, category, 1)


@kernel
def find_points_of_lot(rules, known, seat):
    """G2, G3: find what the lot changes for a seat: `known.set_points` and `known.points`, by IF_WON and so on."""
    if known.has_points[seat]:
        return
    known.has_points[seat] = 1
    category, value = int(rules.category[known.lot]), every(rules.value[known.lot])
    raised = quad_of(seat, NOBODY, 0, seat)
    points = place_points(rules, known, category, quad_of(seat, seat, seat, 0), raised, value)
    for index in range(SIZE):
        known.points[seat, index] = item_of(points, index)
    known.set_points[seat] = set_gain(rules, known, seat, category, 0)
