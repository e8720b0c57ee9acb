"""What a relic adds to a collection, in points: majorities (G3) and sets (G2)."""

from w51_env.core.compile import kernel
from w51_env.warehouse51.bots.weights import PAWNED_SHARE, SPREAD_LEAST, SPREAD_PER_RELIC, for_players
from w51_env.warehouse51.scoring import PLACE_POINTS, POINTS_PER_SET
from w51_env.warehouse51.state import MAX_CATEGORIES, NOBODY


@kernel
def find_totals(rules, known, category):
    """Find the value of each seat's relics of a category at the end, as far as the observer knows."""
    if known.has_totals[category]:
        return
    known.has_totals[category] = 1
    known.totals[category, :] = 0.0
    start = int(rules.deck_start[category])
    for relic in range(start, start + int(rules.deck_size[category])):
        known.totals[category, 1 + known.owner[relic]] += (
            rules.value[relic]
            * (1.0 - known.counterfeit[relic])
            * (1.0 - (1.0 - for_players(rules, PAWNED_SHARE)) * known.pawned[relic])
        )


@kernel
def spread_of(rules, left):
    """The spread in value of a majority while this many relics are to come."""
    return for_players(rules, SPREAD_LEAST) + for_players(rules, SPREAD_PER_RELIC) * left


@kernel
def chance_ahead(lead, spread):
    """The probability that a rival stays behind; it grows with the lead, more slowly while many relics are to come."""
    return 0.5 + 0.5 * lead / (abs(lead) + spread)


@kernel
def place_points(rules, known, category, seat, raised, value):
    """G3: expected points of a seat from a category's majority, if the seat `raised` had `value` more there."""
    find_totals(rules, known, category)
    left = int(known.deck_left[category])
    own = known.totals[category, 1 + seat] + (value if seat == raised else 0.0)
    if left == 0 and own <= 0.0:
        return 0.0
    spread = spread_of(rules, left)
    for other in range(rules.num_players):
        lead = own - (known.totals[category, 1 + other] + (value if other == raised else 0.0))
        known.ahead[other] = chance_ahead(lead, spread) if other != seat else 1.0
    first = 1.0
    second = 0.0
    for other in range(rules.num_players):
        ahead = known.ahead[other]
        second = second * ahead + first * (1.0 - ahead)
        first *= ahead
    return PLACE_POINTS[category, 0] * first + PLACE_POINTS[category, 1] * second


@kernel
def find_points(rules, known, category, value, out):
    """G3: find in `known.points[out]` the expected points of each seat if it alone had `value` more of a category.

    As `place_points` finds those of one. The compiler takes all seats at once, as numbers of one register.
    """
    find_totals(rules, known, category)
    left = int(known.deck_left[category])
    spread = spread_of(rules, left)
    known.first[:] = 1.0
    known.second[:] = 0.0
    for other in range(rules.num_players):
        theirs = known.totals[category, 1 + other]
        for seat in range(rules.num_players):
            ahead = chance_ahead(known.totals[category, 1 + seat] + value - theirs, spread)
            ahead = ahead if seat != other else 1.0
            known.second[seat] = known.second[seat] * ahead + known.first[seat] * (1.0 - ahead)
            known.first[seat] *= ahead
    for seat in range(rules.num_players):
        points = PLACE_POINTS[category, 0] * known.first[seat] + PLACE_POINTS[category, 1] * known.second[seat]
        nothing = left == 0 and known.totals[category, 1 + seat] + value <= 0.0
        known.points[out, seat] = 0.0 if nothing else points


@kernel
def set_gain(rules, known, seat, category, has_it):
    """G2: points towards sets of one more relic of a category, or, where the seat `has_it` (1 or 0), of the last one.

    A set counts its points times the probability that the seat gets each relic then missing, and times the probability
    that it would not get this one later.
    """
    relics = int(known.relics[1 + seat, category]) - has_it
    chance = 1.0
    for other in range(MAX_CATEGORIES):
        if rules.deck_size[other] > 0:
            later = known.later[other]
            if other == category:
                chance *= 1.0 - later
            else:
                for _ in range(relics + 1 - int(known.relics[1 + seat, other])):
                    chance *= later
    return POINTS_PER_SET * chance


@kernel
def gain_of(rules, known, seat, relic):
    """Points that a relic would add to what a seat has."""
    category = int(rules.category[relic])
    with_it = place_points(rules, known, category, seat, seat, float(rules.value[relic]))
    gain = with_it - place_points(rules, known, category, seat, NOBODY, 0.0)
    return gain + set_gain(rules, known, seat, category, 0)


@kernel
def loss_of(rules, known, seat, relic):
    """Points that a relic of its own adds for a seat, as if redeemed if it is pawned; none from a known counterfeit."""
    if known.counterfeit[relic]:
        return 0.0
    category = int(rules.category[relic])
    value = float(rules.value[relic])
    counted = for_players(rules, PAWNED_SHARE) * value if known.pawned[relic] else value
    with_it = place_points(rules, known, category, seat, seat, value - counted)
    loss = with_it - place_points(rules, known, category, seat, seat, -counted)
    return loss + set_gain(rules, known, seat, category, 1)
