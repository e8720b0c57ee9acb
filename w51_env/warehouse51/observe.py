"""The observation: what one seat may know and nothing else, as named slices relative to that seat.

Seat 0 is the observer, seat 1 the left neighbour, and so on clockwise; gap 0 is on the observer's left, gap n - 1 on
the right. Slices are the same for 3, 4 and 5 players; what does not exist is 0.
"""

from collections.abc import Collection, Sequence
from functools import cache

import numpy as np

from w51_env.compiler.compile import kernel, late
from w51_env.engine.layout import Layout
from w51_env.engine.seats import mark_seat, relative, right_of, seat_at
from w51_env.warehouse51.effect_kinds import EFFECT, EFFECT_NAMES, parts_in_use
from w51_env.warehouse51.gaps import knows_gap
from w51_env.warehouse51.ownership import certificate_holder, effect_was_bought
from w51_env.warehouse51.state import (
    AUCTIONS,
    CERTIFICATES,
    EXPOSED,
    MAX_CATEGORIES,
    MAX_INGOTS,
    MAX_PLAYERS,
    MAX_RELICS,
    NO_RELIC,
    NOBODY,
    NOT_BID,
    OVER,
    PAWN_TOKENS,
    PHASES,
    UNSOLD,
)

Part = tuple[str, tuple[int, ...], int, int, str]  # of a Layout

_SEATS, _RELICS = (MAX_PLAYERS,), (MAX_RELICS,)
_ONE_HOT_PHASES = PHASES[: OVER + 1]
_OPTIONS = (
    "pawn_limit, pawn_loan, redeem_price, counterfeits per gap, certificates anytime, certificates follow their relic"
)

_PARTS: list[Part] = [
    ("phase", (len(_ONE_HOT_PHASES),), 0, 1, f"One-hot: {', '.join(_ONE_HOT_PHASES)}."),
    ("num_players", (3,), 0, 1, "One-hot: 3, 4, 5 players."),
    ("options", (6,), 0, MAX_INGOTS, f"{_OPTIONS}."),
    ("to_move", _SEATS, 0, 1, "One-hot: the seat whose decision it is."),
    ("revealer", _SEATS, 0, 1, "One-hot: who turns over, or turned over, the lot."),
    ("last_winner", _SEATS, 0, 1, "One-hot: winner of the last auction that had one."),
    ("first_player", _SEATS, 0, 1, "One-hot: who began the game."),
    ("lot", _RELICS, 0, 1, "One-hot: the relic up for auction, or just bought while its effect is chosen."),
    ("standing_bid", (1,), 0, MAX_INGOTS, "Highest bid so far in the open auction; 0 outside one."),
    ("leader", _SEATS, 0, 1, "One-hot: who made the standing bid; 0 outside an open auction."),
    ("bidding", _SEATS, 0, 1, "1 while the seat is still in the open auction."),
    ("has_bid", _SEATS, 0, 1, "1 if the seat's secret bid is in."),
    ("own_secret_bid", (1,), 0, MAX_INGOTS + 1, "The observer's own secret bid plus 1; 0 before it is made."),
    ("ingots", _SEATS, 0, MAX_INGOTS, "Ingots of each seat."),
    ("reserve", (1,), 0, MAX_INGOTS, "Ingots of the pawnbroker."),
    ("pawn_tokens", (1,), 0, PAWN_TOKENS, "Pawnbroker tokens still free."),
    ("deck_left", (MAX_CATEGORIES,), 0, MAX_RELICS, "Relics left in the blue, green, golden, red deck."),
    ("owned", (MAX_PLAYERS, MAX_RELICS), 0, 1, "1 if the seat has the relic."),
    ("pawned", _RELICS, 0, 1, "1 if the relic is pawned."),
    ("unsold", _RELICS, 0, 1, "1 if the relic left the game unsold."),
    ("exposed", _RELICS, 0, 1, "1 if the relic left a collection as a counterfeit."),
    ("counterfeit_left", _RELICS, 0, 1, "1 if its counterfeit is in the gap on the observer's left."),
    ("counterfeit_right", _RELICS, 0, 1, "1 if its counterfeit is in the gap on the observer's right."),
    (
        "counterfeit_elsewhere",
        _RELICS,
        0,
        MAX_PLAYERS - 2,
        "Distance of another gap where the observer saw its counterfeit, else 0.",
    ),
    ("counterfeits_shown", (1,), 0, 1, "1 once the counterfeit cards are turned over."),
    ("looked", (MAX_PLAYERS, MAX_PLAYERS), 0, 1, "[seat, gap]: 1 if the seat has looked at that gap by an effect."),
    ("cancelled", _RELICS, 0, 1, "1 if its counterfeit was cancelled."),
    ("certified", _RELICS, 0, 1, "1 if the relic bears a certificate."),
    ("certificate_from", _RELICS, 0, 1, "1 if the relic gave a certificate that is not placed yet."),
    ("certificates", _SEATS, 0, 1, "1 if the seat holds a certificate that it can place."),
    ("buyer", _RELICS, 0, MAX_PLAYERS, "Seat that won the relic at auction plus 1; 0 if none."),
    ("price", _RELICS, 0, MAX_INGOTS, "Ingots paid for the relic."),
    ("highest_bid", (MAX_PLAYERS, MAX_RELICS), 0, MAX_INGOTS, "Highest bid of each seat for each relic, once public."),
    ("turn", (1,), 0, MAX_RELICS, "End of the game: turns taken in the present step."),
    ("scores", _SEATS, 0, 127, "Total points, when the game is over."),
    ("ranks", _SEATS, 0, MAX_PLAYERS, "Rank from 1, when the game is over."),
]

# Slices of effect kinds added later, each with its kind. New ones are appended. A new phase has a slice `phase_<name>`.
ADDED_PARTS: list[tuple[str, Part]] = []


def layout_for(effects: Collection[str], added: Sequence[tuple[str, Part]] = ADDED_PARTS) -> Layout:
    """The layout of a game whose relics have these effect kinds.

    A slice never moves: added ones come last, and a game has them only up to the last one that it needs.
    """
    return _layout(tuple(parts_in_use(added, effects)))


@cache
def _layout(added: tuple[Part, ...]) -> Layout:
    return Layout([*_PARTS, *added])


def num_phases(layout: Layout) -> int:
    """How many phases a game of this layout has: the added ones up to the last one that it shows."""
    shown = [phase for phase, name in enumerate(PHASES) if phase <= OVER or f"phase_{name}" in layout]
    return shown[-1] + 1


LAYOUT = layout_for(EFFECT_NAMES)  # with all slices

# The options that the observation shows: in slices of their own, or in what a seat has at the beginning.
OBSERVED_OPTIONS = (
    *("num_players", "first_player", "start_ingots", "reserve", "pawn_limit", "pawn_loan", "redeem_price"),
    *("counterfeits_per_gap", "certificate_timing", "certificate_belongs_to"),
)

AT = LAYOUT.starts()

# Where the bit of each phase is: in the one-hot slice, or in the slice of a phase added later.
PHASE_AT = np.array(
    [
        AT.phase + phase if phase < len(_ONE_HOT_PHASES) else LAYOUT[f"phase_{name}"].start
        for phase, name in enumerate(PHASES)
    ]
)


@kernel
def observe(rules, game, seat, out):
    """Write all of `out`, (LAYOUT.size,) int8, for the observer `seat`."""
    out.values[:] = 0
    write_table(rules, game, seat, out)
    write_seats(rules, game, seat, out)
    write_relics(rules, game, out)
    write_counterfeits(rules, game, seat, out)
    write_certificates(rules, game, seat, out)
    write_bids(rules, game, seat, out)
    write_sales(rules, game, seat, out)


@kernel
def write_table(rules, game, seat, out):
    """Write what all seats know of the auction, the reserve and the decks."""
    out.values[PHASE_AT[game.phase]] = 1
    out.values[AT.num_players + rules.num_players - 3] = 1
    out.values[AT.options] = rules.pawn_limit
    out.values[AT.options + 1] = rules.pawn_loan
    out.values[AT.options + 2] = rules.redeem_price
    out.values[AT.options + 3] = rules.gap_cards
    out.values[AT.options + 4] = rules.certificates_anytime
    out.values[AT.options + 5] = rules.certificate_follows_relic
    mark_seat(rules, game.seat, seat, out, AT.to_move)
    mark_seat(rules, game.revealer, seat, out, AT.revealer)
    mark_seat(rules, game.last_winner, seat, out, AT.last_winner)
    mark_seat(rules, game.first_player, seat, out, AT.first_player)
    if game.lot != NO_RELIC:
        out.values[AT.lot + game.lot] = 1
    if game.phase in AUCTIONS:  # the record keeps the last bid until the lot's effect is settled
        mark_seat(rules, game.leader, seat, out, AT.leader)
        out.values[AT.standing_bid] = game.standing_bid
    out.values[AT.reserve] = game.reserve
    out.values[AT.own_secret_bid] = game.secret_bid[seat] + 1
    out.values[AT.counterfeits_shown] = game.shown
    out.values[AT.turn] = game.turn
    for category in range(MAX_CATEGORIES):
        out.values[AT.deck_left + category] = rules.deck_size[category] - game.drawn[category]


@kernel
def write_seats(rules, game, observer, out):
    """Write what each seat has."""
    for distance in range(rules.num_players):
        seat = seat_at(rules, distance, observer)
        out.values[AT.bidding + distance] = game.bidding[seat]
        out.values[AT.has_bid + distance] = game.secret_bid[seat] != NOT_BID
        out.values[AT.ingots + distance] = game.ingots[seat]
        out.values[AT.scores + distance] = game.scores[seat]
        out.values[AT.ranks + distance] = game.ranks[seat]
        owned = AT.owned + distance * MAX_RELICS
        for relic in range(rules.num_relics):
            out.values[owned + relic] = game.place[relic] == seat


@kernel
def write_bids(rules, game, observer, out):
    """Write the public memory of the bids of each seat."""
    for distance in range(rules.num_players):
        seat = seat_at(rules, distance, observer)
        highest = AT.highest_bid + distance * MAX_RELICS
        for relic in range(MAX_RELICS):  # all, with zeros at the end: so many numbers are copied without a call
            out.values[highest + relic] = game.highest_bid[seat, relic]


@kernel
def write_relics(rules, game, out):
    """Write what all seats know of each relic.

    One loop for each slice, over as many relics as the rules have, so that the compiler vectorises it.
    """
    relics = rules.num_relics
    tokens = PAWN_TOKENS
    for relic in range(relics):
        tokens -= game.pawned[relic]
    out.values[AT.pawn_tokens] = tokens
    for relic in range(MAX_RELICS):
        out.values[AT.pawned + relic] = game.pawned[relic]
    for relic in range(relics):
        out.values[AT.unsold + relic] = game.place[relic] == UNSOLD
    if game.shown:
        for relic in range(relics):
            out.values[AT.cancelled + relic] = game.cancelled[relic]
            if game.place[relic] == EXPOSED:  # its token is free again
                out.values[AT.exposed + relic] = 1
                out.values[AT.pawned + relic] = 0
                out.values[AT.pawn_tokens] += game.pawned[relic]


@kernel
def write_sales(rules, game, observer, out):
    """Write the public memory of who bought which relic, and of the price."""
    relics = rules.num_relics
    for relic in range(MAX_RELICS):
        out.values[AT.price + relic] = game.price[relic]
    first = np.int8(1 - observer)
    around = np.int8(rules.num_players)
    for relic in range(relics):
        distance = np.int8(game.buyer[relic] + first)
        distance = distance if distance > 0 else np.int8(distance + around)
        out.values[AT.buyer + relic] = distance if game.buyer[relic] != NOBODY else 0


@kernel
def write_counterfeits(rules, game, seat, out):
    """S4: write the counterfeits in the gaps beside the seat, and in others only as far as it may know them."""
    right = right_of(rules, seat)
    for relic in range(rules.num_relics):
        out.values[AT.counterfeit_left + relic] = game.counterfeit_gap[relic] == seat
    for relic in range(rules.num_relics):
        out.values[AT.counterfeit_right + relic] = game.counterfeit_gap[relic] == right
    if may_know_other_gaps(rules, game):
        write_other_gaps(rules, game, seat, right, out)


@kernel
def may_know_other_gaps(rules, game):
    """Whether any seat may have seen a gap that is not beside it."""
    return game.shown == 1 or effect_was_bought(rules, game, EFFECT.LOOK_AT_COUNTERFEITS)


@late("warehouse51")
def write_other_gaps(rules, game, seat, right, out):
    """Write who has looked at which gap, which is public, and what the seat knows of gaps that are not beside it."""
    for other in range(rules.num_players):
        start = AT.looked + relative(rules, other, seat) * MAX_PLAYERS
        for gap in range(rules.num_players):
            out.values[start + relative(rules, gap, seat)] = game.looked[other, gap]
    for gap in range(rules.num_players):
        if gap != seat and gap != right and knows_gap(rules, game, seat, gap):
            for relic in range(rules.num_relics):
                if game.counterfeit_gap[relic] == gap:
                    out.values[AT.counterfeit_elsewhere + relic] = relative(rules, gap, seat)


@kernel
def write_certificates(rules, game, observer, out):
    """E2: write the certificates taken and placed. The holders are public."""
    for token in range(CERTIFICATES):
        giver = game.certificate_from[token]
        if giver != NO_RELIC:
            if game.certificate_on[token] == NO_RELIC:
                out.values[AT.certificate_from + int(giver)] = 1
                mark_seat(rules, certificate_holder(rules, game, token), observer, out, AT.certificates)
            else:
                out.values[AT.certified + int(game.certificate_on[token])] = 1
