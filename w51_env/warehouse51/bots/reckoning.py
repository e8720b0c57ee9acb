"""What the heuristic reckons, as numbers: a network that is told them need not learn to value things before it learns to bid."""

import numpy as np

from w51_env.core.compile import kernel
from w51_env.core.layout import Layout
from w51_env.warehouse51.bots.appraise import place_points, set_gain, totals_of
from w51_env.warehouse51.bots.bidding import keenest_rival, leader_of, limit_of, lot_gain, wanted_by
from w51_env.warehouse51.bots.effects import effect_worth
from w51_env.warehouse51.bots.knowledge import ingots_of, lot_of
from w51_env.warehouse51.bots.purse import most_for, price_of_winning, worth
from w51_env.warehouse51.observe import PHASE_AT
from w51_env.warehouse51.state import BLIND_AUCTION, MAX_CATEGORIES, MAX_INGOTS, MAX_PLAYERS, NOBODY, OPEN_AUCTION

_MOST = 127
_LOT = "0 where none is up for auction."

RECKONING = Layout(
    [
        (
            "majorities",
            (MAX_CATEGORIES,),
            0,
            _MOST,
            "Points to be expected of the majority of each category, in tenths.",
        ),
        ("sets", (MAX_CATEGORIES,), 0, _MOST, "Points towards sets of one more relic of each category, in tenths."),
        ("purses", (MAX_PLAYERS,), 0, _MOST, "Points that each seat will make of its ingots, in quarters."),
        (
            "lot_gain",
            (1,),
            -_MOST,
            _MOST,
            f"Points between winning the lot and losing it to the keenest rival, in tenths; {_LOT}",
        ),
        ("limit", (1,), 0, MAX_INGOTS, f"The highest price at which winning the lot pays; {_LOT}"),
        (
            "wanted",
            (MAX_PLAYERS,),
            0,
            _MOST,
            f"Points that the lot adds for each other seat, as that seat sees it, in tenths; {_LOT}",
        ),
        (
            "likely_bids",
            (MAX_PLAYERS,),
            0,
            MAX_INGOTS,
            f"The blind bid that each other seat would make of that; {_LOT}",
        ),
        (
            "limits",
            (MAX_PLAYERS,),
            0,
            MAX_INGOTS,
            f"The most that each other seat could pay for it without a loss; {_LOT}",
        ),
        ("effect", (1,), -_MOST, _MOST, f"Points of the lot's effect, in tenths; {_LOT}"),
    ]
)
_MAJORITIES_AT = RECKONING["majorities"].start
_SETS_AT = RECKONING["sets"].start
_PURSES_AT = RECKONING["purses"].start
_LOT_GAIN_AT = RECKONING["lot_gain"].start
_LIMIT_AT = RECKONING["limit"].start
_WANTED_AT = RECKONING["wanted"].start
_LIKELY_BIDS_AT = RECKONING["likely_bids"].start
_LIMITS_AT = RECKONING["limits"].start
_EFFECT_AT = RECKONING["effect"].start


@kernel
def reckon(rules, observation, out):
    """Write all of `out.values`, (RECKONING.size,) int8, from an observation."""
    seen, told = observation.values, out.values
    told[:] = 0
    for category in range(MAX_CATEGORIES):
        if rules.deck_size[category] > 0:
            totals = totals_of(rules, seen, category)
            told[_MAJORITIES_AT + category] = rounded(10.0 * place_points(rules, seen, totals, 0, category))
            told[_SETS_AT + category] = rounded(10.0 * set_gain(rules, seen, 0, category, 0))
    for seat in range(rules.num_players):
        told[_PURSES_AT + seat] = rounded(4.0 * worth(rules, seen, seat, ingots_of(seen, seat)))
    if seen[PHASE_AT + OPEN_AUCTION] or seen[PHASE_AT + BLIND_AUCTION]:
        reckon_lot(rules, seen, told, lot_of(seen))


@kernel
def reckon_lot(rules, seen, told, lot):
    """Write what depends on the lot."""
    totals = totals_of(rules, seen, int(rules.category[lot]))
    leader = leader_of(rules, seen)
    rival = leader if leader != NOBODY else keenest_rival(rules, seen, totals, lot)
    gain = lot_gain(rules, seen, totals, lot, rival)
    told[_LOT_GAIN_AT] = rounded(10.0 * gain)
    told[_LIMIT_AT] = own_limit(rules, seen, gain, rival)
    told[_EFFECT_AT] = rounded(10.0 * effect_worth(rules, seen, 0, lot))
    for seat in range(1, rules.num_players):
        wanted = wanted_by(rules, seen, totals, seat, lot)
        told[_WANTED_AT + seat] = rounded(10.0 * wanted)
        told[_LIKELY_BIDS_AT + seat] = int(limit_of(rules, seen, seat, wanted))
        told[_LIMITS_AT + seat] = most_for(rules, seen, seat, wanted)


@kernel
def own_limit(rules, seen, gain, rival):
    """The highest price that costs the observer no more than the lot gains."""
    least, most = 0, ingots_of(seen, 0)
    while least < most:  # by halves: the higher the price, the more it costs
        middle = (least + most + 1) // 2
        if price_of_winning(rules, seen, middle, rival) <= gain:
            least = middle
        else:
            most = middle - 1
    return least


@kernel
def rounded(number):
    """To the nearest integer that an int8 holds."""
    return int(np.rint(min(float(_MOST), max(-float(_MOST), number))))
