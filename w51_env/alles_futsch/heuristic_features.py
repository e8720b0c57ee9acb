"""Heuristic features: what the heuristic computes from an observation, as extra inputs for a network."""

import numpy as np

from w51_env.alles_futsch.bots import HEURISTIC, NEVER, card_value, keeps, loss_of_buyer, max_bid, money_of, owned_by
from w51_env.alles_futsch.observe import AT
from w51_env.alles_futsch.state import FACE_UP, MAX_PLAYERS, NUM_TYPES, OBJECTS_PER_CARD
from w51_env.compiler.compile import kernel
from w51_env.engine.layout import Layout

_MOST = 127
_AMOUNT = (-_MOST, _MOST)
_SEATS = (MAX_PLAYERS,)

HEURISTIC_FEATURES = Layout(
    [
        ("lot_values", _SEATS, *_AMOUNT, "Thousands that the card for auction is worth to each seat."),
        ("lot_limits", _SEATS, *_AMOUNT, "The highest bid of each seat for it."),
        ("lot_kept", _SEATS, 0, OBJECTS_PER_CARD, "Objects of it that each seat would keep."),
        ("row_values", (FACE_UP, MAX_PLAYERS), *_AMOUNT, "Thousands that each face-up card is worth to each seat."),
        ("sale_losses", _SEATS, *_AMOUNT, "Thousands that each seat loses if it buys the object being sold."),
        ("leads", _SEATS, *_AMOUNT, "Thousands that the observer has more than each seat."),
    ]
)
_AT = HEURISTIC_FEATURES.starts()


@kernel
def heuristic_features(rules, observation, out):
    """Write all of `out.values`, (HEURISTIC_FEATURES.size,) int8, from an observation."""
    obs, features = observation.values, out.values
    features[:] = 0
    for seat in range(rules.num_players):
        features[_AT.leads + seat] = rounded(float(money_of(obs, 0) - money_of(obs, seat)))
        for slot in range(FACE_UP):
            worth = card_value(rules, obs, HEURISTIC, seat, AT.face_up + slot * NUM_TYPES)
            features[_AT.row_values + slot * MAX_PLAYERS + seat] = rounded(worth)
        write_lot(rules, obs, seat, features)


@kernel
def write_lot(rules, obs, seat, features):
    """What the card for auction, or the object being sold, is to a seat."""
    features[_AT.lot_values + seat] = rounded(card_value(rules, obs, HEURISTIC, seat, AT.card))
    features[_AT.lot_limits + seat] = rounded(max_bid(rules, obs, HEURISTIC, seat, AT.card, False))
    for a_type in range(NUM_TYPES):
        owned = owned_by(obs, seat, a_type)
        for _ in range(obs[AT.card + a_type]):
            if keeps(obs, seat, a_type, owned):
                owned += 1
                features[_AT.lot_kept + seat] += 1
        if obs[AT.selling + a_type]:
            loss = loss_of_buyer(rules, obs, HEURISTIC, seat, a_type)
            features[_AT.sale_losses + seat] = rounded(loss) if loss != NEVER else -_MOST


@kernel
def rounded(number):
    """The nearest integer within the range of an int8 slice, -127..127."""
    return int(np.rint(min(float(_MOST), max(-float(_MOST), number))))
