"""The observation: all but the order of the deck, as named slices relative to the observer's seat. Money in thousands.

An amount does not fit int8, so it is split into five numbers. The first three are its first, second and third hundred,
each from 0 to 100: their sum is the amount up to 300. The other two are the hundreds and the rest of what is above
300.
"""

from w51_env.alles_futsch.state import (
    FACE_UP,
    MAX_BONUS,
    MAX_OWNED,
    MAX_PLAYERS,
    MIN_PLAYERS,
    NO_CARD,
    NO_TYPE,
    NOBODY,
    NUM_CARDS,
    NUM_TYPES,
    OBJECTS,
    OBJECTS_PER_CARD,
    PHASES,
)
from w51_env.compiler.compile import kernel
from w51_env.engine.layout import Layout
from w51_env.engine.seats import mark_seat, seat_at

HUNDRED = 100
CUT_AT = 3 * HUNDRED
PARTS = 5  # numbers of an amount
_SEATS, _TYPES = (MAX_PLAYERS,), (NUM_TYPES,)
_AMOUNT = "as the first, second, third hundred, and hundreds and rest of what is above 300"

LAYOUT = Layout(
    [
        ("phase", (len(PHASES),), 0, 1, f"One-hot: {', '.join(PHASES)}."),
        ("num_players", (MAX_PLAYERS - MIN_PLAYERS + 1,), 0, 1, "One-hot: 2, 3, 4, 5 players."),
        ("prices", (4,), 0, MAX_BONUS, "minimum_bid, sale_price, fine, bonus."),
        (
            "rulings",
            (4,),
            0,
            1,
            (
                "1 for random cards; the left neighbour selects; the seller takes; the end when the row can't be "
                "filled up. All are 0 in the default."
            ),
        ),
        ("to_move", _SEATS, 0, 1, "One-hot: the seat whose decision it is."),
        ("selector", _SEATS, 0, 1, "One-hot: who selects, or selected, the card for auction."),
        ("leader", _SEATS, 0, 1, "One-hot: who made the standing bid, or bought the card."),
        ("bidding", _SEATS, 0, 1, "1 while the seat is still in the auction."),
        ("standing_bid", (PARTS,), 0, HUNDRED, f"The standing bid, 0 before the first, {_AMOUNT}."),
        ("added", (PARTS,), 0, HUNDRED, f"What the mover has already added to a raise, {_AMOUNT}."),
        ("money", (MAX_PLAYERS, PARTS), 0, HUNDRED, f"Each seat's money, {_AMOUNT}."),
        ("lacks", (MAX_PLAYERS, NUM_TYPES), 0, 1, "One-hot: the type that the seat's table has no row for."),
        ("owned", (MAX_PLAYERS, NUM_TYPES), 0, MAX_OWNED, "Objects of each type that the seat owns."),
        ("face_up", (FACE_UP, NUM_TYPES), 0, OBJECTS_PER_CARD, "Objects of each type on each face-up card."),
        ("card", _TYPES, 0, OBJECTS_PER_CARD, "Objects of each type on the card for auction, or being placed."),
        ("to_place", _TYPES, 0, OBJECTS_PER_CARD, "Objects of each type still to place."),
        ("selling", _TYPES, 0, 1, "One-hot: the type being sold."),
        ("deck_left", (1,), 0, NUM_CARDS, "Cards not turned up yet."),
        (
            "gone",
            (NUM_CARDS,),
            0,
            NUM_CARDS,
            "Number of each card (multiset of types) that was bought or left the game unsold.",
        ),
        ("lost", _TYPES, 0, OBJECTS_PER_CARD * NUM_CARDS, "Objects of each type lost because nobody could buy them."),
        ("broke", _SEATS, 0, 1, "One-hot: who could not pay."),
        ("ranks", _SEATS, 0, MAX_PLAYERS, "Rank from 1, when the game is over."),
    ]
)

# The options that the observation shows: in slices of their own, or in what a seat has at the beginning.
OBSERVED_OPTIONS = (
    *("num_players", "first_player", "start_money", "num_cards", "minimum_bid", "sale_price", "fine", "bonus"),
    *("cards", "no_bid_selector", "no_buyer", "deck_exhausted"),
)

AT = LAYOUT.starts()


@kernel
def observe(rules, game, seat, out):
    """Write all of `out.values`, (LAYOUT.size,) int8, for the observer `seat`."""
    out.values[:] = 0
    write_auction(rules, game, seat, out)
    write_cards(rules, game, out)
    for distance in range(rules.num_players):
        write_seat(game, seat_at(rules, distance, seat), distance, out)


@kernel
def write_amount(money, out, start):
    """An amount of money as five numbers."""
    amount = int(money)
    out.values[start] = min(amount, HUNDRED)
    out.values[start + 1] = min(max(amount - HUNDRED, 0), HUNDRED)
    out.values[start + 2] = min(max(amount - 2 * HUNDRED, 0), HUNDRED)
    if amount > CUT_AT:  # rare
        out.values[start + 3] = (amount - CUT_AT) // HUNDRED
        out.values[start + 4] = (amount - CUT_AT) % HUNDRED


@kernel
def read_amount(values, start):
    """The amount that `write_amount` wrote."""
    first = int(values[start]) + int(values[start + 1]) + int(values[start + 2])
    return first + HUNDRED * int(values[start + 3]) + int(values[start + 4])


@kernel
def write_auction(rules, game, seat, out):
    """The options, and the state of the auction."""
    out.values[AT.phase + game.phase] = 1
    out.values[AT.num_players + rules.num_players - MIN_PLAYERS] = 1
    out.values[AT.prices] = rules.minimum_bid
    out.values[AT.prices + 1] = rules.sale_price
    out.values[AT.prices + 2] = rules.fine
    out.values[AT.prices + 3] = rules.bonus
    out.values[AT.rulings] = rules.random_cards
    out.values[AT.rulings + 1] = 1 - rules.same_selects
    out.values[AT.rulings + 2] = rules.seller_takes
    out.values[AT.rulings + 3] = rules.ends_with_deck
    mark_seat(rules, game.seat, seat, out, AT.to_move)
    mark_seat(rules, game.selector, seat, out, AT.selector)
    mark_seat(rules, game.leader, seat, out, AT.leader)
    mark_seat(rules, game.broke, seat, out, AT.broke)
    if game.leader != NOBODY:
        write_amount(game.standing_bid, out, AT.standing_bid)
    write_amount(game.added, out, AT.added)


@kernel
def write_cards(rules, game, out):
    """Cards and objects that belong to nobody."""
    for slot in range(FACE_UP):
        write_card(game.face_up[slot], out, AT.face_up + slot * NUM_TYPES)
    write_card(game.card, out, AT.card)
    out.values[AT.deck_left] = rules.num_cards - game.next_card
    if game.selling != NO_TYPE:
        out.values[AT.selling + int(game.selling)] = 1
    for a_type in range(NUM_TYPES):
        out.values[AT.to_place + a_type] = game.to_place[a_type]
        out.values[AT.lost + a_type] = game.lost[a_type]
    for card in range(NUM_CARDS):
        out.values[AT.gone + card] = game.gone[card]


@kernel
def write_card(card, out, start):
    """Objects of each type on a card."""
    if card != NO_CARD:
        for a_type in range(NUM_TYPES):
            out.values[start + a_type] = OBJECTS[card, a_type]


@kernel
def write_seat(game, seat, distance, out):
    """Money and objects of one seat."""
    out.values[AT.bidding + distance] = game.bidding[seat]
    out.values[AT.ranks + distance] = game.ranks[seat]
    out.values[AT.lacks + distance * NUM_TYPES + int(game.lacks[seat])] = 1
    write_amount(game.money[seat], out, AT.money + PARTS * distance)
    for a_type in range(NUM_TYPES):
        out.values[AT.owned + distance * NUM_TYPES + a_type] = game.owned[seat, a_type]
