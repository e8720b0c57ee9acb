"""The observation: what one seat may know and nothing else, as named slices relative to that seat.

Seat 0 is the observer, seat 1 the left neighbour, and so on clockwise; gap 0 is on the observer's left, gap n - 1 on
the right. Slices are the same for 3, 4 and 5 players; what does not exist is 0.
"""

from collections.abc import Collection, Sequence
from functools import cache

import numpy as np

from w51_env.core.compile import kernel
from w51_env.core.layout import Layout
from w51_env.core.seats import mark_seat, relative
from w51_env.warehouse51.effect_kinds import EFFECT_NAMES, LOOK_AT_COUNTERFEITS, parts_in_use
from w51_env.warehouse51.gaps import knows_gap
from w51_env.warehouse51.ownership import certificate_holder, effect_was_bought
from w51_env.warehouse51.state import (
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
    is_bidding,
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


LAYOUT = layout_for(EFFECT_NAMES)  # with all slices

# The options that the observation shows: in slices of their own, or in what a seat has at the beginning.
OBSERVED_OPTIONS = (
    *("num_players", "first_player", "start_ingots", "reserve", "pawn_limit", "pawn_loan", "redeem_price"),
    *("counterfeits_per_gap", "certificate_timing", "certificate_belongs_to"),
)

_AT = {name: part.start for name, part in LAYOUT.items()}
NUM_PLAYERS_AT, OPTIONS_AT, TO_MOVE_AT = _AT["num_players"], _AT["options"], _AT["to_move"]
REVEALER_AT, LAST_WINNER_AT, FIRST_PLAYER_AT = _AT["revealer"], _AT["last_winner"], _AT["first_player"]
LOT_AT, STANDING_BID_AT, LEADER_AT, BIDDING_AT = _AT["lot"], _AT["standing_bid"], _AT["leader"], _AT["bidding"]
HAS_BID_AT, OWN_SECRET_BID_AT, INGOTS_AT = _AT["has_bid"], _AT["own_secret_bid"], _AT["ingots"]
RESERVE_AT, PAWN_TOKENS_AT, DECK_LEFT_AT = _AT["reserve"], _AT["pawn_tokens"], _AT["deck_left"]
OWNED_AT, PAWNED_AT, UNSOLD_AT, EXPOSED_AT = _AT["owned"], _AT["pawned"], _AT["unsold"], _AT["exposed"]
LEFT_AT, RIGHT_AT, ELSEWHERE_AT = _AT["counterfeit_left"], _AT["counterfeit_right"], _AT["counterfeit_elsewhere"]
SHOWN_AT, LOOKED_AT, CANCELLED_AT = _AT["counterfeits_shown"], _AT["looked"], _AT["cancelled"]
CERTIFIED_AT, CERTIFICATE_FROM_AT, CERTIFICATES_AT = _AT["certified"], _AT["certificate_from"], _AT["certificates"]
BUYER_AT, PRICE_AT, HIGHEST_BID_AT, TURN_AT = _AT["buyer"], _AT["price"], _AT["highest_bid"], _AT["turn"]
SCORES_AT, RANKS_AT = _AT["scores"], _AT["ranks"]

# Where the bit of each phase is: in the one-hot slice, or in the slice of a phase added later.
PHASE_AT = np.array(
    [
        _AT["phase"] + phase if phase < len(_ONE_HOT_PHASES) else _AT[f"phase_{name}"]
        for phase, name in enumerate(PHASES)
    ]
)


@kernel
def observe(rules, game, seat, out):
    """Write all of `out`, (LAYOUT.size,) int8, for the observer `seat`."""
    out.values[:] = 0
    write_table(rules, game, seat, out)
    write_seats(rules, game, seat, out)
    write_relics(rules, game, seat, out)
    write_counterfeits(rules, game, seat, out)
    write_certificates(rules, game, seat, out)


@kernel
def write_table(rules, game, seat, out):
    """Write what all seats know of the auction, the reserve and the decks."""
    out.values[PHASE_AT[game.phase]] = 1
    out.values[NUM_PLAYERS_AT + rules.num_players - 3] = 1
    out.values[OPTIONS_AT] = rules.pawn_limit
    out.values[OPTIONS_AT + 1] = rules.pawn_loan
    out.values[OPTIONS_AT + 2] = rules.redeem_price
    out.values[OPTIONS_AT + 3] = rules.gap_cards
    out.values[OPTIONS_AT + 4] = rules.certificates_anytime
    out.values[OPTIONS_AT + 5] = rules.certificate_follows_relic
    mark_seat(rules, game.seat, seat, out, TO_MOVE_AT)
    mark_seat(rules, game.revealer, seat, out, REVEALER_AT)
    mark_seat(rules, game.last_winner, seat, out, LAST_WINNER_AT)
    mark_seat(rules, game.first_player, seat, out, FIRST_PLAYER_AT)
    if game.lot != NO_RELIC:
        out.values[LOT_AT + game.lot] = 1
    if is_bidding(game.phase):  # the record keeps the last bid until the lot's effect is settled
        mark_seat(rules, game.leader, seat, out, LEADER_AT)
        out.values[STANDING_BID_AT] = game.standing_bid
    out.values[RESERVE_AT] = game.reserve
    out.values[OWN_SECRET_BID_AT] = game.secret_bid[seat] + 1
    out.values[SHOWN_AT] = game.shown
    out.values[TURN_AT] = game.turn
    for category in range(MAX_CATEGORIES):
        out.values[DECK_LEFT_AT + category] = rules.deck_size[category] - game.drawn[category]


@kernel
def write_seats(rules, game, observer, out):
    """Write what each seat has, and the public memory of its bids."""
    for distance in range(rules.num_players):
        seat = observer + distance
        if seat >= rules.num_players:
            seat -= rules.num_players
        out.values[BIDDING_AT + distance] = game.bidding[seat]
        out.values[HAS_BID_AT + distance] = game.secret_bid[seat] != NOT_BID
        out.values[INGOTS_AT + distance] = game.ingots[seat]
        out.values[SCORES_AT + distance] = game.scores[seat]
        out.values[RANKS_AT + distance] = game.ranks[seat]
        owned = OWNED_AT + distance * MAX_RELICS
        highest = HIGHEST_BID_AT + distance * MAX_RELICS
        for relic in range(rules.num_relics):
            out.values[owned + relic] = game.place[relic] == seat
        for relic in range(rules.num_relics):
            out.values[highest + relic] = game.highest_bid[seat, relic]


@kernel
def write_relics(rules, game, observer, out):
    """Write what all seats know of each relic.

    One loop for each slice, over as many relics as the rules have, so that the compiler vectorises it.
    """
    relics = rules.num_relics
    tokens = PAWN_TOKENS
    for relic in range(relics):
        tokens -= game.pawned[relic]
    out.values[PAWN_TOKENS_AT] = tokens
    for relic in range(relics):
        out.values[PAWNED_AT + relic] = game.pawned[relic]
    for relic in range(relics):
        out.values[UNSOLD_AT + relic] = game.place[relic] == UNSOLD
    for relic in range(relics):
        out.values[PRICE_AT + relic] = game.price[relic]
    first = np.int8(1 - observer)
    around = np.int8(rules.num_players)
    for relic in range(relics):
        distance = np.int8(game.buyer[relic] + first)
        distance = distance if distance > 0 else np.int8(distance + around)
        out.values[BUYER_AT + relic] = distance if game.buyer[relic] != NOBODY else 0
    if game.shown:
        for relic in range(relics):
            out.values[CANCELLED_AT + relic] = game.cancelled[relic]
            if game.place[relic] == EXPOSED:  # its token is free again
                out.values[EXPOSED_AT + relic] = 1
                out.values[PAWNED_AT + relic] = 0
                out.values[PAWN_TOKENS_AT] += game.pawned[relic]


@kernel
def write_counterfeits(rules, game, seat, out):
    """S4: write the counterfeits in the gaps beside the seat, and in others only as far as it may know them."""
    right = seat - 1 if seat > 0 else rules.num_players - 1
    for relic in range(rules.num_relics):
        out.values[LEFT_AT + relic] = game.counterfeit_gap[relic] == seat
    for relic in range(rules.num_relics):
        out.values[RIGHT_AT + relic] = game.counterfeit_gap[relic] == right
    if game.shown or effect_was_bought(rules, game, LOOK_AT_COUNTERFEITS):
        write_other_gaps(rules, game, seat, right, out)


@kernel
def write_other_gaps(rules, game, seat, right, out):
    """Write who has looked at which gap, which is public, and what the seat knows of gaps that are not beside it."""
    for other in range(rules.num_players):
        start = LOOKED_AT + relative(rules, other, seat) * MAX_PLAYERS
        for gap in range(rules.num_players):
            out.values[start + relative(rules, gap, seat)] = game.looked[other, gap]
    for gap in range(rules.num_players):
        if gap != seat and gap != right and knows_gap(rules, game, seat, gap):
            for relic in range(rules.num_relics):
                if game.counterfeit_gap[relic] == gap:
                    out.values[ELSEWHERE_AT + relic] = relative(rules, gap, seat)


@kernel
def write_certificates(rules, game, observer, out):
    """E2: write the certificates taken and placed. The holders are public."""
    for token in range(CERTIFICATES):
        giver = game.certificate_from[token]
        if giver != NO_RELIC:
            if game.certificate_on[token] == NO_RELIC:
                out.values[CERTIFICATE_FROM_AT + int(giver)] = 1
                mark_seat(rules, max(certificate_holder(rules, game, token), NOBODY), observer, out, CERTIFICATES_AT)
            else:
                out.values[CERTIFIED_AT + int(game.certificate_on[token])] = 1
