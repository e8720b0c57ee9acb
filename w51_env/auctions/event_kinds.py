"""The events of the game: the meaning of each number in an event row. Amounts in units, the worth in hundredths."""

from w51_env.engine.events import EventKind
from w51_env.engine.layout import ids_of

EVENT_KINDS = (
    EventKind("round_begins", ("round",), begins_lot=True),
    EventKind("signal", ("signal",), private=True),
    EventKind("sealed", ("bid",), private=True),  #  -1: a pass
    EventKind("shown", ("bid",), shows_bid=True),
    EventKind("left", ("price",)),
    EventKind("claimed", ("price",)),
    EventKind("sold", ("price", "worth")),  #         -1: the worth is not known before the end
    EventKind("unsold", ()),
    EventKind("finished", ("payoff", "rank")),  #     mean payoff of a round in hundredths
)
EVENT = ids_of(kind.name for kind in EVENT_KINDS)  # `EVENT.SOLD`


def max_events(num_players: int, num_rounds: int) -> int:
    """The most events of two games: with bots in all seats but one, a step may play the rest of one and the next."""
    return 2 * (num_rounds * (2 + 3 * num_players) + num_players)
