"""The events of the game: the meaning of each number in an event row. Amounts in units, the worth in hundredths."""

from w51_env.auctions.state import LOTS, MAX_PLAYERS, MAX_ROUNDS
from w51_env.engine.events import EventType
from w51_env.engine.layout import ids_of

EVENT_TYPES = (
    EventType("round_begins", ("round",), begins_lot=True),
    EventType("signal", ("signal",), private=True),
    EventType("sealed", ("bid",), private=True),  #  -1: a pass
    EventType("shown", ("bid",), shows_bid=True),
    EventType("left", ("price",)),
    EventType("claimed", ("price",)),
    EventType("sold", ("price", "worth")),  #         -1: the worth is not known before the end
    EventType("unsold", ()),
    EventType("finished", ("payoff", "rank")),  #     mean payoff of a round in hundredths
)
EVENT = ids_of(event_type.name for event_type in EVENT_TYPES)  # `EVENT.SOLD`


def max_events(num_rounds: int) -> int:
    """The most events of two games, as a step may play the rest of one and the next; with most bidders, and of more
    than one round with most rounds: the loops are compiled anew for each length of the log.
    """
    rounds, lots = (1, LOTS) if num_rounds == 1 else (MAX_ROUNDS, 1)
    return 2 * (rounds * (1 + lots + 3 * lots * MAX_PLAYERS) + MAX_PLAYERS)
