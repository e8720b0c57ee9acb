"""The events of the game: what each number in an event row means. New types are appended."""

from collections.abc import Collection

from w51_env.engine.events import EventType
from w51_env.engine.layout import ids_of
from w51_env.warehouse51.effect_kinds import EFFECT_NAMES, parts_in_use
from w51_env.warehouse51.state import MAX_INGOTS, MAX_PLAYERS, MAX_RELICS

_TYPES = (
    EventType("set_up", ()),
    EventType("revealed", ("relic",), begins_lot=True),
    EventType("passed", (), retractable=True),
    EventType("bid", ("ingots", "matches"), retractable=True),
    EventType("bid_in_secret", (), secret=("ingots",), retractable=True),
    EventType("bid_shown", ("ingots",), shows_bid=True),
    EventType("sold", ("relic", "ingots", "payee"), seats=("payee",), staged="sale"),
    EventType("unsold", ("relic",), staged="sale"),
    EventType("surcharged", ("ingots",), staged="note"),
    EventType("income", ("ingots",)),
    EventType("gained", ("ingots",), staged="note"),
    EventType("paid", ("payee", "ingots"), seats=("payee",), staged="note"),
    EventType("took", ("relic", "owner"), seats=("owner",), staged="note"),
    EventType("gave", ("relic", "receiver"), seats=("receiver",), staged="note"),
    EventType("looked", ("gap",), seats=("gap",)),
    EventType("saw", ("gap", "relic"), private=True, seats=("gap",)),
    EventType("took_certificate", ("relic",), staged="note"),
    EventType("pawned", ("relic", "ingots"), retractable=True, staged="note"),
    EventType("redeemed", ("relic", "ingots"), retractable=True, staged="note"),
    EventType("certified", ("relic",), retractable=True, staged="note"),
    EventType("declined", ("phase",)),
    EventType("counterfeit_shown", ("relic", "gap"), seats=("gap",), staged="turn"),
    EventType("cancelled", ("relic",), staged="note"),
    EventType("exposed", ("relic",), staged="leave"),
    EventType("scored", ("source", "points")),
    EventType("finished", ("points", "rank")),
)

# Events of effect kinds added later, each with its kind. New ones are appended.
ADDED_EVENTS: list[tuple[str, EventType]] = []


def event_types_for(effects: Collection[str]) -> tuple[EventType, ...]:
    """The event types of a game whose relics have these effects: added ones up to the last one that it needs."""
    return (*_TYPES, *parts_in_use(ADDED_EVENTS, effects))


EVENT_TYPES = event_types_for(EFFECT_NAMES)  # all
EVENT = ids_of(event_type.name for event_type in EVENT_TYPES)  # `EVENT.SOLD`

# The most events of a game. Each relic causes at most one bid for each ingot in play and one pass of each player. The
# decisions before its auction and the effects after it cause fewer than this many other events.
_OTHERS_PER_RELIC = 40
_PER_GAME = MAX_RELICS * (MAX_INGOTS + MAX_PLAYERS + _OTHERS_PER_RELIC)

# With bots in all seats but one, a step may play the rest of a game and the whole next one.
MAX_EVENTS = 2 * _PER_GAME
