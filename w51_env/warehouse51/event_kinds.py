"""The events of the game: what each number in an event row means. New kinds are appended."""

from collections.abc import Collection

from w51_env.engine.events import EventKind
from w51_env.engine.layout import ids_of
from w51_env.warehouse51.effect_kinds import EFFECT_NAMES, parts_in_use
from w51_env.warehouse51.state import MAX_INGOTS, MAX_PLAYERS, MAX_RELICS

_KINDS = (
    EventKind("set_up", ()),
    EventKind("revealed", ("relic",), begins_lot=True),
    EventKind("passed", (), retractable=True),
    EventKind("bid", ("ingots", "matches"), retractable=True),
    EventKind("bid_in_secret", (), secret=("ingots",), retractable=True),
    EventKind("bid_shown", ("ingots",), shows_bid=True),
    EventKind("sold", ("relic", "ingots", "payee"), seats=("payee",), staged="sale"),
    EventKind("unsold", ("relic",), staged="sale"),
    EventKind("surcharged", ("ingots",), staged="note"),
    EventKind("income", ("ingots",)),
    EventKind("gained", ("ingots",), staged="note"),
    EventKind("paid", ("payee", "ingots"), seats=("payee",), staged="note"),
    EventKind("took", ("relic", "owner"), seats=("owner",), staged="note"),
    EventKind("gave", ("relic", "receiver"), seats=("receiver",), staged="note"),
    EventKind("looked", ("gap",), seats=("gap",)),
    EventKind("saw", ("gap", "relic"), private=True, seats=("gap",)),
    EventKind("took_certificate", ("relic",), staged="note"),
    EventKind("pawned", ("relic", "ingots"), retractable=True, staged="note"),
    EventKind("redeemed", ("relic", "ingots"), retractable=True, staged="note"),
    EventKind("certified", ("relic",), retractable=True, staged="note"),
    EventKind("declined", ("phase",)),
    EventKind("counterfeit_shown", ("relic", "gap"), seats=("gap",), staged="turn"),
    EventKind("cancelled", ("relic",), staged="note"),
    EventKind("exposed", ("relic",), staged="leave"),
    EventKind("scored", ("source", "points")),
    EventKind("finished", ("points", "rank")),
)

# Events of effect kinds added later, each with its kind. New ones are appended.
ADDED_EVENTS: list[tuple[str, EventKind]] = []


def event_kinds_for(effects: Collection[str]) -> tuple[EventKind, ...]:
    """The event kinds of a game whose relics have these effect kinds: added ones up to the last one that it needs."""
    return (*_KINDS, *parts_in_use(ADDED_EVENTS, effects))


EVENT_KINDS = event_kinds_for(EFFECT_NAMES)  # all
EVENT = ids_of(kind.name for kind in EVENT_KINDS)  # `EVENT.SOLD`

# The most events of a game. Each relic causes at most one bid for each ingot in play and one pass of each player. The
# decisions before its auction and the effects after it cause fewer than this many other events.
_OTHERS_PER_RELIC = 40
_PER_GAME = MAX_RELICS * (MAX_INGOTS + MAX_PLAYERS + _OTHERS_PER_RELIC)

# With bots in all seats but one, a step may play the rest of a game and the whole next one.
MAX_EVENTS = 2 * _PER_GAME
