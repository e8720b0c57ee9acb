"""The events of the game: the meaning of each number in an event row. Money in thousands, cards as in `state.CARDS`."""

from w51_env.alles_futsch.state import FACE_UP, MAX_MONEY, MAX_PLAYERS, NUM_CARDS, OBJECTS_PER_CARD
from w51_env.engine.events import EventType
from w51_env.engine.layout import ids_of

EVENT_TYPES = (
    EventType("set_up", ()),
    EventType("got_table", ("type",)),
    EventType("turned_up", ("card", "slot")),
    EventType("selected", ("card",), begins_lot=True),
    EventType("passed", (), retractable=True),
    EventType("bid", ("money",), retractable=True),
    EventType("bought", ("card", "money"), staged="sale"),
    EventType("unsold", ("card",), staged="sale"),
    EventType("took", ("type", "owned")),
    EventType("sold", ("type", "buyer", "money"), seats=("buyer",), staged="note"),
    EventType("lost", ("type",), staged="note"),
    EventType("fined", ("money",), staged="note"),
    EventType("bonus", ("money",), staged="note"),
    EventType("broke", (), staged="note"),
    EventType("finished", ("money", "objects", "rank")),
)
EVENT = ids_of(event_type.name for event_type in EVENT_TYPES)  # `EVENT.SOLD`

# The most events of a game. Each bid is at least 1 more than the one before, and the last is paid, so there are no
# more bids than there can be money, and one for each card (a bid of 0). A card also has up to five passes, is turned
# up, selected, and bought or unsold; each of its objects has up to four events.
_PER_CARD = 1 + MAX_PLAYERS + 3 + 4 * OBJECTS_PER_CARD
_PER_GAME = 1 + MAX_PLAYERS + FACE_UP + MAX_MONEY + NUM_CARDS * _PER_CARD + MAX_PLAYERS

# With bots in all seats but one, a step may play the rest of a game and all of the next.
MAX_EVENTS = 2 * _PER_GAME
