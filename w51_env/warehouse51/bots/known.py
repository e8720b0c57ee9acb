"""What the heuristic knows: the part of an observation that it reads, as a record of its own. Seat 0 is the observer.

`know` writes it from a state, by the knowledge functions of the observation; `recall` from an observation. Both write
the same bytes. In a playout no observation is written. The record also holds the thoughts of the seat (`thoughts`).
"""

import numpy as np

from w51_env.core.compile import kernel, scratch_records
from w51_env.core.layout import Layout
from w51_env.core.seats import relative, seat_at
from w51_env.warehouse51.gaps import gap_on_right, knows_gap, may_know_other_gaps
from w51_env.warehouse51.observe import AT, PHASE_AT
from w51_env.warehouse51.ownership import token_to_place
from w51_env.warehouse51.state import (
    CERTIFICATES,
    MAX_CATEGORIES,
    MAX_INGOTS,
    MAX_PLAYERS,
    MAX_RELICS,
    NO_RELIC,
    NOBODY,
    PHASES,
    is_bidding,
)

_SEATS, _RELICS = (MAX_PLAYERS,), (MAX_RELICS,)

_LAYOUT = Layout(
    [
        ("phase", (1,), 0, len(PHASES) - 1, "The phase."),
        ("lot", (1,), NO_RELIC, MAX_RELICS - 1, "The lot."),
        ("lot_known_to", (1,), 0, MAX_PLAYERS - 1, "The neighbour that has seen the lot's counterfeit, too; 0: none."),
        ("reserve", (1,), 0, MAX_INGOTS, "Ingots of the pawnbroker."),
        ("certificate", (1,), 0, 1, "1 if the observer holds a certificate that it can place."),
        ("ingots", _SEATS, 0, MAX_INGOTS, "Ingots of each seat."),
        ("deck_left", (MAX_CATEGORIES,), 0, MAX_RELICS, "Relics left in each deck."),
        ("owner", _RELICS, NOBODY, MAX_PLAYERS - 1, "The seat that has the relic."),
        ("pawned", _RELICS, 0, 1, "1 if a seat has the relic pawned."),
        ("counterfeit", _RELICS, 0, 1, "1 if the observer has seen its counterfeit card, and nothing protects it."),
        # From here on what changes from bid to bid.
        ("leader", (1,), NOBODY, MAX_PLAYERS - 1, "Who made the standing bid of an auction, if it is another seat."),
        ("bidding", _SEATS, 0, 1, "1 while the seat is still in the open auction."),
    ]
)
HAS = _LAYOUT.starts()
_LASTING = HAS.leader  # the first numbers, which stay as they are from bid to bid

_BY_OWNER = (1 + MAX_PLAYERS,)  # by the seat plus 1; 0 is nobody

KNOWN = np.dtype(
    [
        ("values", "i1", (_LAYOUT.size,)),  #   what is known, at the places HAS
        # The thoughts. Those with a mark, 1 where they are of now, come when they are needed.
        ("thought_of", "i1", (_LASTING,)),  #   the first of `values`, as they were when the thoughts began
        ("has_totals", "i1", (MAX_CATEGORIES,)),
        ("has_score", "i1"),
        ("has_worth", "i1", _SEATS),
        ("has_gain", "i1", _BY_OWNER),
        ("relics", "i1", (*_BY_OWNER, MAX_CATEGORIES)),  # of each owner and category those that are no counterfeits
        ("relics_left", "i8"),  #               in all decks: the number of auctions to come
        ("totals", "f8", (MAX_CATEGORIES, *_BY_OWNER)),  # the value of the relics at the end
        ("later", "f8", (MAX_CATEGORIES,)),  #  the chance of a seat to win one more relic
        ("for_a_point", "i8", _SEATS),  #       of `money.value_of_ingots`: the ingots that make a point,
        ("to_spend", "f8", _SEATS),  #          a multiple of the mean money of the others,
        ("to_buy", "f8"),  #                    and what all ingots of the table would buy
        ("money", "f8", _SEATS),  #             what the ingots that a seat has are worth
        ("worth", "f8", _SEATS),  #             of the lot to another seat
        ("effect", "f8"),  #                    worth of the lot's effect to the observer
        ("score", "f8"),  #                     and of the rest, until it counts what others lose
        ("points", "f8", (2, MAX_PLAYERS)),  #  of `values.find_points`, and what they are computed from
        ("ahead", "f8", _SEATS),
        ("first", "f8", _SEATS),
        ("second", "f8", _SEATS),
        ("gain", "f8", _BY_OWNER),  #           between winning the lot and losing it, by the rival
    ],
    align=True,
)

memory = scratch_records(MAX_PLAYERS, KNOWN)


# ---- from a state


@kernel
def know(rules, game, seat, known):
    """Write what the seat may know of a state."""
    values = known.values
    values[HAS.phase] = game.phase
    values[HAS.lot] = game.lot
    values[HAS.reserve] = game.reserve
    values[HAS.certificate] = token_to_place(rules, game, seat) >= 0
    leads = is_bidding(game.phase) and game.leader != NOBODY and game.leader != seat
    values[HAS.leader] = relative(rules, game.leader, seat) if leads else NOBODY
    for distance in range(rules.num_players):
        other = seat_at(rules, distance, seat)
        values[HAS.ingots + distance] = game.ingots[other]
        values[HAS.bidding + distance] = game.bidding[other]
    for category in range(MAX_CATEGORIES):
        values[HAS.deck_left + category] = rules.deck_size[category] - game.drawn[category]
    know_owners(rules, game, seat, known)
    know_counterfeits(rules, game, seat, known)


@kernel
def know_owners(rules, game, seat, known):
    """Write who has which relic, and which are pawned.

    Numbers of 8 bits, and loops whose length is not a constant: the compiler takes many numbers at once.
    """
    values, observer, around = known.values, np.int8(seat), np.int8(rules.num_players)
    for relic in range(rules.num_relics):
        distance = np.int8(game.place[relic] - observer)
        distance = distance if distance >= 0 else np.int8(distance + around)
        values[HAS.owner + relic] = distance if game.place[relic] >= 0 else NOBODY
    for relic in range(rules.num_relics):
        values[HAS.pawned + relic] = game.pawned[relic] & (game.place[relic] >= 0)


@kernel
def know_counterfeits(rules, game, seat, known):
    """S4: write the counterfeits that the seat has seen and that nothing protects (E2, E3)."""
    values, left, right = known.values, np.int8(seat), np.int8(gap_on_right(rules, seat))
    for relic in range(rules.num_relics):
        gap = game.counterfeit_gap[relic]
        values[HAS.counterfeit + relic] = (gap == left) | (gap == right)
    values[HAS.lot_known_to] = 0
    if game.lot != NO_RELIC and values[HAS.counterfeit + game.lot]:
        values[HAS.lot_known_to] = 1 if game.counterfeit_gap[game.lot] == left else rules.num_players - 1
    if may_know_other_gaps(rules, game):
        for gap in range(rules.num_players):
            if knows_gap(rules, game, seat, gap):
                there = np.int8(gap)
                for relic in range(rules.num_relics):
                    values[HAS.counterfeit + relic] |= game.counterfeit_gap[relic] == there
    for token in range(CERTIFICATES):
        if game.certificate_on[token] != NO_RELIC:
            values[HAS.counterfeit + game.certificate_on[token]] = 0
    if game.shown:
        for relic in range(rules.num_relics):
            values[HAS.counterfeit + relic] &= 1 - game.cancelled[relic]


# ---- from an observation


@kernel
def recall(rules, observation, known):
    """Write the same from an observation, whose layout may end before the slices of effects that it lacks."""
    shown, values = observation.values, known.values
    values[HAS.phase] = 0
    for phase in range(len(PHASES)):
        if PHASE_AT[phase] < shown.shape[0] and shown[PHASE_AT[phase]] != 0:
            values[HAS.phase] = phase
    values[HAS.reserve] = shown[AT.reserve]
    values[HAS.certificate] = shown[AT.certificates]
    values[HAS.leader] = NOBODY
    for seat in range(MAX_PLAYERS):
        values[HAS.ingots + seat] = shown[AT.ingots + seat]
        values[HAS.bidding + seat] = shown[AT.bidding + seat]
        if seat > 0 and shown[AT.leader + seat]:
            values[HAS.leader] = seat
    for category in range(MAX_CATEGORIES):
        values[HAS.deck_left + category] = shown[AT.deck_left + category]
    recall_relics(rules, observation, known)


@kernel
def recall_relics(rules, observation, known):
    """Write what an observation shows of each relic."""
    shown, values = observation.values, known.values
    values[HAS.lot] = NO_RELIC
    values[HAS.lot_known_to] = 0
    for relic in range(rules.num_relics):
        left, right = shown[AT.counterfeit_left + relic], shown[AT.counterfeit_right + relic]
        if shown[AT.lot + relic]:
            values[HAS.lot] = relic
            values[HAS.lot_known_to] = 1 if left else (rules.num_players - 1 if right else 0)
        seen = left | right | shown[AT.counterfeit_elsewhere + relic]
        protected = shown[AT.certified + relic] | shown[AT.cancelled + relic]
        values[HAS.counterfeit + relic] = (seen != 0) & (protected == 0)
        values[HAS.owner + relic] = NOBODY
        for seat in range(MAX_PLAYERS):
            if shown[AT.owned + seat * MAX_RELICS + relic]:
                values[HAS.owner + relic] = seat
        values[HAS.pawned + relic] = shown[AT.pawned + relic] & (values[HAS.owner + relic] != NOBODY)
