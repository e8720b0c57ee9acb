"""The observation: what one seat may know, and nothing else, as named slices relative to that seat.

Seat 0 is the observer, seat 1 the left neighbour, and so on clockwise; gap 0 lies on the observer's left, gap n - 1 on
the right. Slices are the same for 3, 4 and 5 players; what does not exist is 0.
"""

import numpy as np

from w51_env.core.compile import kernel
from w51_env.core.layout import Layout
from w51_env.core.seats import mark_seat, relative
from w51_env.warehouse51.effect_kinds import LOOK_AT_COUNTERFEITS
from w51_env.warehouse51.ownership import certificate_holder, effect_was_bought
from w51_env.warehouse51.set_up import knows_gap
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
    PAWN_TOKENS,
    PHASES,
    UNSOLD,
)

_SEATS, _RELICS = (MAX_PLAYERS,), (MAX_RELICS,)

LAYOUT = Layout(
    [
        ("phase", (len(PHASES),), 0, 1, f"One-hot: {', '.join(PHASES)}."),
        ("num_players", (3,), 0, 1, "One-hot: 3, 4, 5 players."),
        (
            "options",
            (6,),
            0,
            MAX_INGOTS,
            "pawn_limit, pawn_loan, redeem_price, counterfeits per gap, certificates anytime, certificates follow their relic.",
        ),
        ("to_move", _SEATS, 0, 1, "One-hot: the seat whose decision it is."),
        ("revealer", _SEATS, 0, 1, "One-hot: who turns over, or turned over, the lot."),
        ("last_winner", _SEATS, 0, 1, "One-hot: winner of the last auction that had one."),
        ("first_player", _SEATS, 0, 1, "One-hot: who began the game."),
        ("lot", _RELICS, 0, 1, "One-hot: the relic on the block, or just bought while its effect is chosen."),
        ("standing_bid", (1,), 0, MAX_INGOTS, "Highest bid so far in the open auction."),
        ("leader", _SEATS, 0, 1, "One-hot: who made the standing bid."),
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
        ("counterfeit_left", _RELICS, 0, 1, "1 if its counterfeit lies in the gap on the observer's left."),
        ("counterfeit_right", _RELICS, 0, 1, "1 if its counterfeit lies in the gap on the observer's right."),
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
        (
            "highest_bid",
            (MAX_PLAYERS, MAX_RELICS),
            0,
            MAX_INGOTS,
            "Highest bid of each seat for each relic, once public.",
        ),
        ("turn", (1,), 0, MAX_RELICS, "End of the game: turns taken in the present step."),
        ("scores", _SEATS, 0, 127, "Total points, when the game is over."),
        ("ranks", _SEATS, 0, MAX_PLAYERS, "Rank from 1, when the game is over."),
    ]
)

_AT = {name: part.start for name, part in LAYOUT.items()}
PHASE_AT, NUM_PLAYERS_AT, OPTIONS_AT, TO_MOVE_AT = _AT["phase"], _AT["num_players"], _AT["options"], _AT["to_move"]
REVEALER_AT, LAST_WINNER_AT, FIRST_PLAYER_AT = _AT["revealer"], _AT["last_winner"], _AT["first_player"]
LOT_AT, STANDING_BID_AT, LEADER_AT, BIDDING_AT = _AT["lot"], _AT["standing_bid"], _AT["leader"], _AT["bidding"]
HAS_BID_AT, OWN_SECRET_BID_AT, INGOTS_AT, RESERVE_AT = (
    _AT["has_bid"],
    _AT["own_secret_bid"],
    _AT["ingots"],
    _AT["reserve"],
)
PAWN_TOKENS_AT, DECK_LEFT_AT, OWNED_AT, PAWNED_AT = _AT["pawn_tokens"], _AT["deck_left"], _AT["owned"], _AT["pawned"]
UNSOLD_AT, EXPOSED_AT, LEFT_AT, RIGHT_AT = (
    _AT["unsold"],
    _AT["exposed"],
    _AT["counterfeit_left"],
    _AT["counterfeit_right"],
)
ELSEWHERE_AT, SHOWN_AT, LOOKED_AT = _AT["counterfeit_elsewhere"], _AT["counterfeits_shown"], _AT["looked"]
CANCELLED_AT, CERTIFIED_AT, CERTIFICATE_FROM_AT = _AT["cancelled"], _AT["certified"], _AT["certificate_from"]
CERTIFICATES_AT, BUYER_AT, PRICE_AT, HIGHEST_BID_AT = (
    _AT["certificates"],
    _AT["buyer"],
    _AT["price"],
    _AT["highest_bid"],
)
TURN_AT, SCORES_AT, RANKS_AT = _AT["turn"], _AT["scores"], _AT["ranks"]


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
    """What is on the table for all, beside the relics."""
    out.values[PHASE_AT + game.phase] = 1
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
    mark_seat(rules, game.leader, seat, out, LEADER_AT)
    if game.lot != NO_RELIC:
        out.values[LOT_AT + game.lot] = 1
    out.values[STANDING_BID_AT] = game.standing_bid
    out.values[RESERVE_AT] = game.reserve
    out.values[OWN_SECRET_BID_AT] = game.secret_bid[seat] + 1
    out.values[SHOWN_AT] = game.shown
    out.values[TURN_AT] = game.turn
    for category in range(MAX_CATEGORIES):
        out.values[DECK_LEFT_AT + category] = rules.deck_size[category] - game.drawn[category]


@kernel
def write_seats(rules, game, observer, out):
    """What is in front of each seat, and the public memory of its bids."""
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
    """What is known to all of each relic.

    One loop for each slice, over as many relics as the rules have: so the compiler makes vector code of it.
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
            out.values[EXPOSED_AT + relic] = game.place[relic] == EXPOSED
            out.values[CANCELLED_AT + relic] = game.cancelled[relic]


@kernel
def write_counterfeits(rules, game, seat, out):
    """S4: the gaps beside the seat, and others only as far as it may know them."""
    right = seat - 1 if seat > 0 else rules.num_players - 1
    for relic in range(rules.num_relics):
        out.values[LEFT_AT + relic] = game.counterfeit_gap[relic] == seat
    for relic in range(rules.num_relics):
        out.values[RIGHT_AT + relic] = game.counterfeit_gap[relic] == right
    if game.shown or effect_was_bought(rules, game, LOOK_AT_COUNTERFEITS):
        write_other_gaps(rules, game, seat, right, out)


@kernel
def write_other_gaps(rules, game, seat, right, out):
    """Who has looked where (all know that), and what the seat itself knows of gaps not beside it."""
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
    """Certificates taken and placed. The holders are public."""
    for token in range(CERTIFICATES):
        giver = game.certificate_from[token]
        if giver != NO_RELIC:
            if game.certificate_on[token] == NO_RELIC:
                out.values[CERTIFICATE_FROM_AT + int(giver)] = 1
                mark_seat(rules, max(certificate_holder(rules, game, token), NOBODY), observer, out, CERTIFICATES_AT)
            else:
                out.values[CERTIFIED_AT + int(game.certificate_on[token])] = 1
