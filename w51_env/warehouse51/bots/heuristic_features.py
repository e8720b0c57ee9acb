"""Heuristic features: what the heuristic computes from an observation, as extra inputs for a network."""

import numpy as np

from w51_env.compiler.compile import kernel
from w51_env.engine.layout import Layout
from w51_env.warehouse51.bots.bidding import gain_of_lot, likely_bid, strongest_rival, value_of_lot
from w51_env.warehouse51.bots.effects import effect_value
from w51_env.warehouse51.bots.known import memory, recall
from w51_env.warehouse51.bots.money import max_payment, price_of_winning
from w51_env.warehouse51.bots.thoughts import think
from w51_env.warehouse51.bots.values import place_points, set_gain
from w51_env.warehouse51.state import AUCTIONS, MAX_CATEGORIES, MAX_INGOTS, MAX_PLAYERS, NOBODY

_MAX_POINTS = 127
_GAIN = (0, _MAX_POINTS)
_CHANGE = (-_MAX_POINTS, _MAX_POINTS)
_INGOTS = (0, MAX_INGOTS)
_CATEGORIES, _SEATS = (MAX_CATEGORIES,), (MAX_PLAYERS,)
_LOT = (1,)

_TABLE = [
    ("majority_points", _CATEGORIES, *_GAIN, "Expected points from the majority of each category, in tenths."),
    ("set_points", _CATEGORIES, *_GAIN, "Points towards sets of one more relic of each category, in tenths."),
    ("ingot_points", _SEATS, *_GAIN, "Expected points of each seat from its ingots, in quarters."),
]
_OF_THE_LOT = [
    ("lot_points", _LOT, *_CHANGE, "Points between winning the lot and losing it to the strongest rival, in tenths"),
    ("own_limit", _LOT, *_INGOTS, "The highest price at which winning the lot pays"),
    ("lot_points_of_others", _SEATS, *_GAIN, "Points that the lot adds for each other seat, as it sees it, in tenths"),
    ("likely_bids", _SEATS, *_INGOTS, "The expected blind bid of each other seat"),
    ("limits_of_others", _SEATS, *_INGOTS, "The most that each other seat could pay for the lot without a loss"),
    ("effect_points", _LOT, *_CHANGE, "Points of the lot's effect, in tenths"),
]
HEURISTIC_FEATURES = Layout(
    [
        *_TABLE,
        *(
            (name, shape, low, high, f"{meaning}; 0 outside auctions.")
            for name, shape, low, high, meaning in _OF_THE_LOT
        ),
    ]
)
_AT = HEURISTIC_FEATURES.starts()


@kernel
def heuristic_features(rules, observation, out):
    """Write all of `out.values`, (HEURISTIC_FEATURES.size,) int8, from an observation."""
    known, features = memory()[0], out.values
    recall(rules, observation, known)
    think(rules, known)
    features[:] = 0
    for category in range(MAX_CATEGORIES):
        if rules.deck_size[category] > 0:
            points = place_points(rules, known, category, 0, NOBODY, 0.0)
            features[_AT.majority_points + category] = rounded(10.0 * points)
            features[_AT.set_points + category] = rounded(10.0 * set_gain(rules, known, 0, category, 0))
    for seat in range(rules.num_players):
        features[_AT.ingot_points + seat] = rounded(4.0 * known.money[seat])
    if known.phase in AUCTIONS:
        write_lot_features(rules, known, out)


@kernel
def write_lot_features(rules, known, out):
    """Write the features that depend on the lot."""
    features = out.values
    leader = int(known.leader)
    rival = leader if leader != NOBODY else strongest_rival(rules, known)
    gain = gain_of_lot(rules, known, rival)
    features[_AT.lot_points] = rounded(10.0 * gain)
    features[_AT.own_limit] = max_price(rules, known, gain, rival)
    features[_AT.effect_points] = rounded(10.0 * effect_value(rules, known, 0, int(known.lot)))
    for seat in range(1, rules.num_players):
        wanted = value_of_lot(rules, known, seat)
        features[_AT.lot_points_of_others + seat] = rounded(10.0 * wanted)
        features[_AT.likely_bids + seat] = int(likely_bid(rules, known, seat))
        features[_AT.limits_of_others + seat] = max_payment(known, seat, wanted)


@kernel
def max_price(rules, known, gain, rival):
    """The highest price that costs the observer no more than the lot gains."""
    low, high = 0, int(known.ingots[0])
    while low < high:  # bisection: a higher price costs more
        middle = (low + high + 1) // 2
        if price_of_winning(rules, known, middle, rival) <= gain:
            low = middle
        else:
            high = middle - 1
    return low


@kernel
def rounded(number):
    """The nearest integer within the range of an int8 slice, -127..127."""
    return int(np.rint(min(float(_MAX_POINTS), max(-float(_MAX_POINTS), number))))
