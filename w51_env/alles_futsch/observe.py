"""The observation: all but the deck, as named slices relative to the observer's seat. Money in thousands.

Money does not fit int8, so each amount takes two numbers: hundreds, and what is left.
"""

from w51_env.alles_futsch.objects import objects_of
from w51_env.alles_futsch.state import (
    FACE_UP,
    MAX_OWNED,
    MAX_PLAYERS,
    MOST_MONEY,
    NO_CARD,
    NO_TYPE,
    NOBODY,
    NUM_CARDS,
    NUM_TYPES,
    OBJECTS_PER_CARD,
    PHASES,
)
from w51_env.core.compile import kernel
from w51_env.core.layout import Layout

HUNDRED = 100
_SEATS, _TYPES = (MAX_PLAYERS,), (NUM_TYPES,)
_MOST_OBJECTS = MAX_OWNED * NUM_TYPES

LAYOUT = Layout(
    [
        ("phase", (len(PHASES),), 0, 1, f"One-hot: {', '.join(PHASES)}."),
        ("num_players", (4,), 0, 1, "One-hot: 2, 3, 4, 5 players."),
        ("options", (7,), 0, HUNDRED, "minimum_bid, sale_price, fine, bonus, random cards, same player selects, seller takes."),
        ("ends_with_deck", (1,), 0, 1, "1 if the game ends when the row of cards can't be filled."),
        ("to_move", _SEATS, 0, 1, "One-hot: the seat whose decision it is."),
        ("selector", _SEATS, 0, 1, "One-hot: who selects, or selected, the card under the hammer."),
        ("leader", _SEATS, 0, 1, "One-hot: who made the standing bid."),
        ("bidding", _SEATS, 0, 1, "1 while the seat is still in the auction."),
        ("standing_bid", (2,), 0, HUNDRED, "Hundreds and rest of the standing bid, 0 before the first."),
        ("added", (2,), 0, HUNDRED, "Hundreds and rest of what the mover has already added to a raise."),
        ("money", (MAX_PLAYERS, 2), 0, HUNDRED, "Hundreds and rest of each seat's money."),
        ("lacks", (MAX_PLAYERS, NUM_TYPES), 0, 1, "One-hot: the type that the seat's table has no row for."),
        ("owned", (MAX_PLAYERS, NUM_TYPES), 0, MAX_OWNED, "Objects of each type that the seat owns."),
        ("objects", _SEATS, 0, _MOST_OBJECTS, "Objects that the seat owns."),
        ("face_up", (FACE_UP, NUM_TYPES), 0, OBJECTS_PER_CARD, "Objects of each type on each face-up card."),
        ("card", _TYPES, 0, OBJECTS_PER_CARD, "Objects of each type on the card under the hammer, or being placed."),
        ("to_place", _TYPES, 0, OBJECTS_PER_CARD, "Objects of each type still to place."),
        ("selling", _TYPES, 0, 1, "One-hot: the type being sold."),
        ("deck_left", (1,), 0, NUM_CARDS, "Cards not turned up yet."),
        ("seen", _TYPES, 0, OBJECTS_PER_CARD * NUM_CARDS, "Objects of each type on cards that are gone."),
        ("lost", _TYPES, 0, OBJECTS_PER_CARD * NUM_CARDS, "Objects of each type lost for want of a buyer."),
        ("broke", _SEATS, 0, 1, "One-hot: who could not pay."),
        ("ranks", _SEATS, 0, MAX_PLAYERS, "Rank from 1, when the game is over."),
    ]
)

_AT = {name: part.start for name, part in LAYOUT.items()}
PHASE_AT, NUM_PLAYERS_AT, OPTIONS_AT, ENDS_WITH_DECK_AT = _AT["phase"], _AT["num_players"], _AT["options"], _AT["ends_with_deck"]
TO_MOVE_AT, SELECTOR_AT, LEADER_AT, BIDDING_AT = _AT["to_move"], _AT["selector"], _AT["leader"], _AT["bidding"]
STANDING_BID_AT, ADDED_AT, MONEY_AT, LACKS_AT = _AT["standing_bid"], _AT["added"], _AT["money"], _AT["lacks"]
OWNED_AT, OBJECTS_AT, FACE_UP_AT, CARD_AT = _AT["owned"], _AT["objects"], _AT["face_up"], _AT["card"]
TO_PLACE_AT, SELLING_AT, DECK_LEFT_AT, SEEN_AT = _AT["to_place"], _AT["selling"], _AT["deck_left"], _AT["seen"]
LOST_AT, BROKE_AT, RANKS_AT = _AT["lost"], _AT["broke"], _AT["ranks"]

assert MOST_MONEY // HUNDRED <= HUNDRED


@kernel
def observe(rules, game, seat, out):
    """Write all of `out.values`, (LAYOUT.size,) int8, for the observer `seat`."""
    out.values[:] = 0
    write_table(rules, game, seat, out)
    write_cards(game, out)
    for distance in range(rules.num_players):
        write_seat(game, (seat + distance) % rules.num_players, distance, out)


@kernel
def mark_seat(rules, seat, observer, out, start):
    """One-hot of a seat, nothing for NOBODY."""
    if seat != NOBODY:
        out.values[start + (int(seat) - int(observer) + rules.num_players) % rules.num_players] = 1


@kernel
def write_money(money, out, start):
    """Hundreds and rest."""
    out.values[start] = int(money) // HUNDRED
    out.values[start + 1] = int(money) % HUNDRED


@kernel
def write_table(rules, game, seat, out):
    """What concerns all seats."""
    out.values[PHASE_AT + game.phase] = 1
    out.values[NUM_PLAYERS_AT + rules.num_players - 2] = 1
    out.values[OPTIONS_AT] = rules.minimum_bid
    out.values[OPTIONS_AT + 1] = rules.sale_price
    out.values[OPTIONS_AT + 2] = rules.fine
    out.values[OPTIONS_AT + 3] = rules.bonus
    out.values[OPTIONS_AT + 4] = rules.random_cards
    out.values[OPTIONS_AT + 5] = rules.same_selects
    out.values[OPTIONS_AT + 6] = rules.seller_takes
    out.values[ENDS_WITH_DECK_AT] = rules.ends_with_deck
    mark_seat(rules, game.seat, seat, out, TO_MOVE_AT)
    mark_seat(rules, game.selector, seat, out, SELECTOR_AT)
    mark_seat(rules, game.leader, seat, out, LEADER_AT)
    mark_seat(rules, game.broke, seat, out, BROKE_AT)
    if game.leader != NOBODY:
        write_money(game.standing_bid, out, STANDING_BID_AT)
    write_money(game.added, out, ADDED_AT)


@kernel
def write_cards(game, out):
    """Cards and objects that belong to nobody."""
    for place in range(FACE_UP):
        write_card(game, game.face_up[place], out, FACE_UP_AT + place * NUM_TYPES)
    write_card(game, game.card, out, CARD_AT)
    out.values[DECK_LEFT_AT] = NUM_CARDS - game.next_card
    if game.selling != NO_TYPE:
        out.values[SELLING_AT + int(game.selling)] = 1
    for kind in range(NUM_TYPES):
        out.values[TO_PLACE_AT + kind] = game.to_place[kind]
        out.values[SEEN_AT + kind] = game.seen[kind]
        out.values[LOST_AT + kind] = game.lost[kind]


@kernel
def write_card(game, card, out, start):
    """Objects of each type on a card."""
    if card != NO_CARD:
        for place in range(OBJECTS_PER_CARD):
            out.values[start + int(game.cards[card, place])] += 1


@kernel
def write_seat(game, seat, distance, out):
    """What is in front of one seat."""
    out.values[BIDDING_AT + distance] = game.bidding[seat]
    out.values[OBJECTS_AT + distance] = objects_of(game, seat)
    out.values[RANKS_AT + distance] = game.ranks[seat]
    out.values[LACKS_AT + distance * NUM_TYPES + int(game.lacks[seat])] = 1
    write_money(game.money[seat], out, MONEY_AT + 2 * distance)
    for kind in range(NUM_TYPES):
        out.values[OWNED_AT + distance * NUM_TYPES + kind] = game.owned[seat, kind]
