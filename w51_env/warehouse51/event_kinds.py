"""The events of the game: what each number in an event row means. New kinds are appended."""

from collections.abc import Collection

from w51_env.core.events import EventKind
from w51_env.warehouse51.effect_kinds import EFFECT_NAMES, parts_in_use
from w51_env.warehouse51.state import MAX_INGOTS, MAX_PLAYERS, MAX_RELICS

(
    SET_UP,
    REVEALED,
    PASSED,
    BID,
    BID_IN_SECRET,
    BID_SHOWN,
    SOLD,
    UNSOLD,
    SURCHARGED,
    INCOME,
    GAINED,
    PAID,
    TOOK,
    GAVE,
    LOOKED,
    SAW,
    TOOK_CERTIFICATE,
    PAWNED,
    REDEEMED,
    CERTIFIED,
    DECLINED,
    COUNTERFEIT_SHOWN,
    CANCELLED,
    EXPOSED,
    SCORED,
    FINISHED,
) = range(26)

_KINDS = (
    EventKind("set_up", (), "{seat} begins."),
    EventKind("revealed", ("relic",), "{seat} turns over {relic}.", begins_lot=True),
    EventKind("passed", (), "{seat} passes."),
    EventKind("bid", ("ingots",), "{seat} bids {ingots}."),
    EventKind("bid_in_secret", (), "{seat} has chosen a bid."),
    EventKind("bid_shown", ("ingots",), "{seat} opens the hand: {ingots}."),
    EventKind("sold", ("relic", "ingots", "payee"), "{seat} buys {relic} and pays {ingots} to {payee}."),
    EventKind("unsold", ("relic",), "Nobody wants {relic}; it leaves the game."),
    EventKind("surcharged", ("ingots",), "{seat} pays a surcharge of {ingots} to the reserve."),
    EventKind("income", ("ingots",), "{seat} gets {ingots} from the reserve."),
    EventKind("gained", ("ingots",), "{seat} takes {ingots} from the reserve."),
    EventKind("paid", ("payee", "ingots"), "{seat} pays {ingots} to {payee}."),
    EventKind("took", ("relic", "owner"), "{seat} takes {relic} from {owner}."),
    EventKind("gave", ("relic", "receiver"), "{seat} gives {relic} to {receiver}."),
    EventKind("looked", ("gap",), "{seat} looks at {gap}."),
    EventKind("saw", ("gap", "relic"), "{seat} sees in {gap}: {relic} is a counterfeit.", private=True),
    EventKind("took_certificate", ("relic",), "{seat} takes a certificate of authenticity with {relic}."),
    EventKind("pawned", ("relic", "ingots"), "{seat} pawns {relic} for {ingots}."),
    EventKind("redeemed", ("relic", "ingots"), "{seat} redeems {relic} for {ingots}."),
    EventKind("certified", ("relic",), "{seat} puts a certificate on {relic}."),
    EventKind("declined", ("phase",), "{seat} does nothing more ({phase})."),
    EventKind("counterfeit_shown", ("relic", "gap"), "The counterfeit of {relic} is turned over in {gap}."),
    EventKind("cancelled", ("relic",), "{seat} cancels the counterfeit of {relic}."),
    EventKind("exposed", ("relic",), "{relic} of {seat} was a counterfeit and leaves the collection."),
    EventKind("scored", ("source", "points"), "{seat} scores {points} for {source}."),
    EventKind("finished", ("points", "rank"), "{seat} ends with {points} points, rank {rank}."),
)

# Events of effect kinds added later, each with its kind. New ones are appended.
ADDED_EVENTS: list[tuple[str, EventKind]] = []


def event_kinds_for(effects: Collection[str]) -> tuple[EventKind, ...]:
    """The event kinds of a game whose relics have these effect kinds: added ones up to the last one that it needs."""
    return (*_KINDS, *parts_in_use(ADDED_EVENTS, effects))


EVENT_KINDS = event_kinds_for(EFFECT_NAMES)  # all

# The most events of a game. Each relic causes at most one bid for each ingot in play and one pass of each player. The
# decisions before its auction and the effects after it cause fewer than this many other events.
_OTHERS_PER_RELIC = 40
_PER_GAME = MAX_RELICS * (MAX_INGOTS + MAX_PLAYERS + _OTHERS_PER_RELIC)

# With bots in all seats but one, a step may play the rest of a game and the whole next one.
MAX_EVENTS = 2 * _PER_GAME
