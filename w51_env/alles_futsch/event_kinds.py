"""The events of the game: the meaning of each number in an event row. Money in thousands, cards as in `state.CARDS`."""

from w51_env.alles_futsch.state import FACE_UP, MAX_PLAYERS, MOST_MONEY, NUM_CARDS, OBJECTS_PER_CARD
from w51_env.core.events import EventKind

(
    SET_UP,
    GOT_TABLE,
    TURNED_UP,
    SELECTED,
    PASSED,
    BID_MADE,
    BOUGHT,
    UNSOLD,
    TOOK,
    SOLD,
    LOST,
    FINED,
    BONUS,
    BROKE,
    FINISHED,
) = range(15)

EVENT_KINDS = (
    EventKind("set_up", (), "{seat} begins."),
    EventKind("got_table", ("type",), "{seat}'s table has no row for a {type}."),
    EventKind("turned_up", ("card", "slot"), "{card} is turned up."),
    EventKind("selected", ("card",), "{seat} puts {card} up for auction.", begins_lot=True),
    EventKind("passed", (), "{seat} passes."),
    EventKind("bid", ("money",), "{seat} bids {money}."),
    EventKind("bought", ("card", "money"), "{seat} buys {card} and pays {money} to the bank."),
    EventKind("unsold", ("card",), "Nobody wants {card}; it is out."),
    EventKind("took", ("type", "owned"), "{seat} takes a {type}, number {owned}."),
    EventKind("sold", ("type", "buyer", "money"), "{seat} sells a {type} to {buyer} and gets {money}."),
    EventKind("lost", ("type",), "Nobody can buy {seat}'s {type}; it is lost."),
    EventKind("fined", ("money",), "{seat} pays {money} to the bank for one object too many."),
    EventKind("bonus", ("money",), "{seat} gets {money} from the bank for three of a kind."),
    EventKind("broke", (), "{seat} can't pay and is broke: the game ends."),
    EventKind("finished", ("money", "objects", "rank"), "{seat} ends with {money} and {objects} objects, rank {rank}."),
)

# The most events of a game. Each bid is at least 1 more than the one before, and the last is paid, so there are no
# more bids than there can be money, and one for each card (a bid of 0). A card also has up to five passes, is turned
# up, selected, and bought or unsold; each of its objects has up to four events.
_PER_CARD = 1 + MAX_PLAYERS + 3 + 4 * OBJECTS_PER_CARD
_PER_GAME = 1 + MAX_PLAYERS + FACE_UP + MOST_MONEY + NUM_CARDS * _PER_CARD + MAX_PLAYERS

# With bots in all seats but one, a step may play the rest of a game and all of the next.
MAX_EVENTS = 2 * _PER_GAME
