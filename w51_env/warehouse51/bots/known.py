"""What the heuristic knows: the part of an observation that it reads, as a record of its own. Seat 0 is the observer.

`know` writes it from a state, by the knowledge functions of the observation; `recall` from an observation. Both write
the same bytes. In a playout no observation is written. The record also holds the thoughts of the seat (`thoughts`).
"""

import numpy as np

from w51_env.compiler.compile import kernel, scratch_records, words_of
from w51_env.engine.seats import relative, right_of, seat_at
from w51_env.warehouse51.gaps import beside, knows_gap
from w51_env.warehouse51.observe import AT, PHASE_AT, may_know_other_gaps
from w51_env.warehouse51.ownership import token_to_place
from w51_env.warehouse51.state import (
    AUCTIONS,
    CERTIFICATES,
    GAME,
    MAX_CATEGORIES,
    MAX_PLAYERS,
    MAX_RELICS,
    NO_RELIC,
    NOBODY,
    PHASES,
)

_SEATS, _RELICS = (MAX_PLAYERS,), (MAX_RELICS,)

_BY_OWNER = (1 + MAX_PLAYERS,)  # by the seat plus 1; 0 is nobody

KNOWN = np.dtype(
    [
        ("phase", "i1"),
        ("lot", "i1"),  #                       NO_RELIC: none
        ("lot_known_to", "i1"),  #              the neighbour that has seen the lot's counterfeit, too; 0: none
        ("reserve", "i1"),  #                   ingots of the pawnbroker
        ("certificate", "i1"),  #               1 if the observer holds a certificate that it can place
        ("ingots", "i1", _SEATS),
        ("deck_left", "i1", (MAX_CATEGORIES,)),  # relics left in each deck
        ("owner", "i1", _RELICS),  #            the seat that has the relic, pawned or not, or NOBODY
        ("pawned", "i1", _RELICS),  #           1 if a seat has it pawned
        ("counterfeit", "i1", _RELICS),  #      1 if the observer has seen its counterfeit card, and nothing protects it
        # What changes from bid to bid.
        ("leader", "i1"),  #                    the other seat that made the standing bid of an auction, or NOBODY
        ("bidding", "i1", _SEATS),  #           1 while the seat is still in the open auction
        ("changed", "i1"),  #                   1 if the fields before these may have changed since the thoughts began
        # The thoughts. Those with a mark, 1 where they are of now, come when they are needed.
        ("has_totals", "i1", (MAX_CATEGORIES,)),
        ("has_pawn", "i1"),
        ("has_score", "i1"),
        ("has_worth", "i1", _SEATS),
        ("has_gain", "i1", _BY_OWNER),
        ("has_points", "i1", _SEATS),
        ("relics", "i1", (*_BY_OWNER, MAX_CATEGORIES)),  # of each owner and category those that are no counterfeits
        ("pawn", "i8"),  #                      the action that pawns a relic, or `choices.NOTHING`
        ("relics_left", "i8"),  #               in all decks: the number of auctions to come
        ("totals", "f8", (MAX_CATEGORIES, *_BY_OWNER)),  # the value of the relics at the end
        ("spread", "f8", (MAX_CATEGORIES,)),  # of these, in the majority of the category
        ("later", "f8", (MAX_CATEGORIES,)),  #  the chance of a seat to win one more relic
        ("for_a_point", "i8", _SEATS),  #       of `money.value_of_ingots`: the ingots that make a point,
        ("to_spend", "f8", _SEATS),  #          a multiple of the mean money of the others,
        ("to_buy", "f8"),  #                    and what all ingots of the table would buy
        ("money", "f8", _SEATS),  #             what the ingots that a seat has are worth
        ("worth", "f8", _SEATS),  #             of the lot to another seat
        ("effect", "f8"),  #                    worth of the lot's effect to the observer
        ("score", "f8"),  #                     and of the rest, until it counts what others lose
        ("points", "f8", _SEATS),  #            from the majority of the lot's category, if the seat wins the lot
        ("set_points", "f8", _SEATS),  #        and towards sets
        ("likely_bids", "f8", _SEATS),  #       estimates of the blind bids of the other seats
        ("gain", "f8", _BY_OWNER),  #           between winning the lot and losing it, by the rival
    ],
    align=True,
)

memory = scratch_records(MAX_PLAYERS, KNOWN)

# The words of a state with all that lasts from bid to bid, but for the phase and the lot.
_OFFSETS = {name: int(part[1]) for name, part in (GAME.fields or {}).items()}
_FIRST, _PAST = _OFFSETS["ingots"] // 8, -(-_OFFSETS["price"] // 8)
# `count`: how many there are. LLVM would unroll a loop of a length that it knows, and not compare many at once.
SEEN = np.dtype([("words", "i8", (_PAST - _FIRST,)), ("count", "i8"), ("phase", "i8"), ("lot", "i8")])

seen_before = scratch_records(MAX_PLAYERS, SEEN)


# ---- from a state


@kernel
def know(rules, game, seat, known, seen):
    """Write what the seat may know of a state, as far as the state has changed since the last time (`seen`)."""
    leads = game.phase in AUCTIONS and game.leader != NOBODY and game.leader != seat
    known.leader = relative(rules, game.leader, seat) if leads else NOBODY
    for distance in range(MAX_PLAYERS):
        if distance < rules.num_players:
            known.bidding[distance] = game.bidding[seat_at(rules, distance, seat)]
    if is_seen(game, seen):
        return
    see(game, seen)
    known.changed = 1
    known.phase = game.phase
    known.lot = game.lot
    known.reserve = game.reserve
    known.certificate = token_to_place(rules, game, seat) >= 0
    for distance in range(MAX_PLAYERS):
        if distance < rules.num_players:
            known.ingots[distance] = game.ingots[seat_at(rules, distance, seat)]
    for category in range(MAX_CATEGORIES):
        known.deck_left[category] = rules.deck_size[category] - game.drawn[category]
    know_owners(rules, game, seat, known)
    know_counterfeits(rules, game, seat, known)


@kernel
def is_seen(game, seen):
    """Whether all that lasts from bid to bid is as it was. It never is in new memory: without a lot, it is NO_RELIC."""
    changed, words = (game.phase ^ seen.phase) | (game.lot ^ seen.lot), words_of(game)
    for word in range(seen.count):
        changed |= words[_FIRST + word] ^ seen.words[word]
    return changed == 0


@kernel
def see(game, seen):
    """Keep what lasts from bid to bid."""
    words = words_of(game)
    for word in range(_FIRST, _PAST):
        seen.words[word - _FIRST] = words[word]
    seen.count = _PAST - _FIRST
    seen.phase = game.phase
    seen.lot = game.lot


@kernel
def know_owners(rules, game, seat, known):
    """Write who has which relic, and which are pawned.

    Numbers of 8 bits, and loops whose length is not a constant: the compiler takes many numbers at once.
    """
    observer, around = np.int8(seat), np.int8(rules.num_players)
    for relic in range(rules.num_relics):
        distance = np.int8(game.place[relic] - observer)
        distance = distance if distance >= 0 else np.int8(distance + around)
        known.owner[relic] = distance if game.place[relic] >= 0 else NOBODY
    for relic in range(rules.num_relics):
        known.pawned[relic] = game.pawned[relic] & (game.place[relic] >= 0)


@kernel
def know_counterfeits(rules, game, seat, known):
    """S4: write the counterfeits that the seat has seen and that nothing protects (E2, E3)."""
    left, right = np.int8(seat), np.int8(right_of(rules, seat))
    for relic in range(rules.num_relics):
        gap = game.counterfeit_gap[relic]
        known.counterfeit[relic] = (gap == left) | (gap == right)
    known.lot_known_to = 0
    if game.lot != NO_RELIC and known.counterfeit[game.lot]:
        known.lot_known_to = 1 if game.counterfeit_gap[game.lot] == left else rules.num_players - 1
    if may_know_other_gaps(rules, game):
        for gap in range(rules.num_players):
            if not beside(rules, seat, gap) and knows_gap(rules, game, seat, gap):
                there = np.int8(gap)
                for relic in range(rules.num_relics):
                    known.counterfeit[relic] |= game.counterfeit_gap[relic] == there
    for token in range(CERTIFICATES):
        if game.certificate_on[token] != NO_RELIC:
            known.counterfeit[game.certificate_on[token]] = 0
    if game.shown:
        for relic in range(rules.num_relics):
            known.counterfeit[relic] &= 1 - game.cancelled[relic]


# ---- from an observation


@kernel
def recall(rules, observation, known):
    """Write the same from an observation, whose layout may end before the slices of effects that it lacks."""
    shown = observation.values
    known.changed = 1
    known.phase = 0
    for phase in range(len(PHASES)):
        if PHASE_AT[phase] < shown.shape[0] and shown[PHASE_AT[phase]] != 0:
            known.phase = phase
    known.reserve = shown[AT.reserve]
    known.certificate = shown[AT.certificates]
    known.leader = NOBODY
    for seat in range(MAX_PLAYERS):
        known.ingots[seat] = shown[AT.ingots + seat]
        known.bidding[seat] = shown[AT.bidding + seat]
        if seat > 0 and shown[AT.leader + seat]:
            known.leader = seat
    for category in range(MAX_CATEGORIES):
        known.deck_left[category] = shown[AT.deck_left + category]
    recall_relics(rules, observation, known)


@kernel
def recall_relics(rules, observation, known):
    """Write what an observation shows of each relic."""
    shown = observation.values
    known.lot = NO_RELIC
    known.lot_known_to = 0
    for relic in range(rules.num_relics):
        left, right = shown[AT.counterfeit_left + relic], shown[AT.counterfeit_right + relic]
        if shown[AT.lot + relic]:
            known.lot = relic
            known.lot_known_to = 1 if left else (rules.num_players - 1 if right else 0)
        seen = left | right | shown[AT.counterfeit_elsewhere + relic]
        protected = shown[AT.certified + relic] | shown[AT.cancelled + relic]
        known.counterfeit[relic] = (seen != 0) & (protected == 0)
        known.owner[relic] = NOBODY
        for seat in range(MAX_PLAYERS):
            if shown[AT.owned + seat * MAX_RELICS + relic]:
                known.owner[relic] = seat
        known.pawned[relic] = shown[AT.pawned + relic] & (known.owner[relic] != NOBODY)
