"""The rules in words, with the numbers of the options: on one page, for language models; and in short, for a table."""

from w51_env.alles_futsch.objects import SET_OF
from w51_env.alles_futsch.rules import AllesFutschOptions
from w51_env.alles_futsch.state import FACE_UP, MAX_OWNED, TYPES, UNIT
from w51_env.engine.game import Game
from w51_env.views.language import Words
from w51_env.views.view import View

_NAME = "alles_futsch"
_MONEY = ("start_money", "sale_price", "fine", "bonus", "minimum_bid")  # options, in thousands

_PAGE = """\
ALLES FUTSCH!: the rules

{num_players} players bid for cards. Seats are numbered 0 to {last_seat}; the left neighbour of a seat is the next
number, and seat 0 follows seat {last_seat}. The most cash at the end wins; of those with equal cash, the most objects.

Set-up. Each player has {start_money}. Each card shows three objects of the types {types}. Each player's table has rows
for four of the five types; it lacks the fifth. {num_cards} cards are in the game: up to {face_up} lie face up, the rest
in a face-down deck.

Auctions. The selector (the buyer of the last card) puts a face-up card up for auction. Beginning with the selector,
clockwise, each player raises the standing bid, in thousands, or passes for good. The first bid is at least
{minimum_bid}; nobody bids more than they hold. The highest bidder pays the BANK and gets the card. If nobody bids, the
card leaves the game and {no_bid_selector} selects. A raise above 20,000 is two steps: first the action add_N
(N thousands, a multiple of 20), then raise_M; the bid rises by N + M thousand.

Objects. The buyer of a card places its three objects one at a time, in any order. Each object is
1. taken, if the buyer's table has its type and they own fewer than {set_of} of it; the {set_of}rd of a kind brings
   {bonus} from the bank;
2. else sold for {sale_price} to a fellow player of the seller's choice who has the type on the table and owns fewer
   than {max_owned} of it. They cannot refuse. Their {set_of}rd brings them {bonus}, but a fourth or fifth costs them
   {fine} more, paid to the bank;
3. else, if there is no such player, {no_buyer}.

The end. A player who cannot pay in full pays what is there and is broke: the game ends at once, and that player ranks
last. It also ends when no card is left to select{deck_note}.
"""


def rules_page(game: Game) -> str:
    """The rules of this game as plain text of some 2,000 characters, with its options."""
    options = AllesFutschOptions(**game.options)
    taken = (
        "the seller takes it and pays the fine, if they own fewer than five and their table has the type; else it is "
    )
    return _PAGE.format(
        num_players=options.num_players,
        last_seat=options.num_players - 1,
        start_money=_money(options.start_money),
        types=", ".join(TYPES),
        num_cards=options.num_cards,
        face_up=FACE_UP,
        minimum_bid=_money(options.minimum_bid),
        no_bid_selector="the left neighbour" if options.no_bid_selector == "left" else "the same player",
        set_of=SET_OF,
        bonus=_money(options.bonus),
        sale_price=_money(options.sale_price),
        max_owned=MAX_OWNED,
        fine=_money(options.fine),
        no_buyer="lost" if options.no_buyer == "lost" else f"{taken}lost",
        deck_note=", or when the row of face-up cards cannot be filled up" if options.deck_exhausted == "end" else "",
    )


def _money(thousands: int) -> str:
    return f"{1000 * thousands:,}"


def explain_lines(view: View, words: Words) -> list[str]:
    """The rules in short, with the options in force."""
    options = view.table["options"]
    money = {name: words.number(UNIT * options[name]) for name in _MONEY}
    rules = [words(f"{_NAME}.rules.numbers", **money, num_cards=options["num_cards"])]
    rules += words(f"{_NAME}.rules.text").strip().splitlines()
    rules.append(words(f"{_NAME}.rules.selector_{options['no_bid_selector']}"))
    rules.append(words(f"{_NAME}.rules.no_buyer_{options['no_buyer']}"))
    rules.append(words(f"{_NAME}.rules.deck_{options['deck_exhausted']}"))
    return [words(f"{_NAME}.rules.heading"), *(f"- {line}" for line in rules)]
