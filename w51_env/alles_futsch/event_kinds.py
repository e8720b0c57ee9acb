"""The events of the game: what each number in an event row means. Money in thousands."""

from w51_env.core.events import EventKind

(
    SET_UP,
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
    TURNED_UP,
    FINISHED,
) = range(14)

EVENT_KINDS = (
    EventKind("set_up", (), "{seat} begins."),
    EventKind("selected", ("card",), "{seat} puts {card} under the hammer."),
    EventKind("passed", (), "{seat} passes."),
    EventKind("bid", ("money",), "{seat} bids {money},000."),
    EventKind("bought", ("card", "money"), "{seat} buys {card} and pays {money},000 to the bank."),
    EventKind("unsold", ("card",), "Nobody wants {card}; it is out."),
    EventKind("took", ("type", "owned"), "{seat} takes a {type}, number {owned}."),
    EventKind("sold", ("type", "buyer", "money"), "{seat} sells a {type} to {buyer} and gets {money},000."),
    EventKind("lost", ("type",), "Nobody can buy {seat}'s {type}; it is lost."),
    EventKind("fined", ("money",), "{seat} pays {money},000 to the bank for one object too many."),
    EventKind("bonus", ("money",), "{seat} gets {money},000 from the bank for three of a kind."),
    EventKind("broke", (), "{seat} can't pay and is broke: the game ends."),
    EventKind("turned_up", ("card",), "{card} is turned up."),
    EventKind("finished", ("money", "objects", "rank"), "{seat} ends with {money},000 and {objects} objects, rank {rank}."),
)

MAX_EVENTS = 120
