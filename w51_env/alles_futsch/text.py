"""Events as sentences and the state as a readable text. Only the order of the deck is hidden, from all seats alike."""

from typing import Any

from w51_env.alles_futsch.event_kinds import EVENT_KINDS
from w51_env.alles_futsch.state import BID, CARDS, FACE_UP, NO_CARD, NO_TYPE, NOBODY, NUM_TYPES, PHASES, TYPES
from w51_env.core.events import Event
from w51_env.core.game import Game, Viewer
from w51_env.core.seats import seat_name

_SENTENCES = {kind.name: kind.text for kind in EVENT_KINDS}
_PHASE_WORDS = {
    "select": "selects a card",
    "bid": "may bid",
    "place": "places an object",
    "sell": "chooses a buyer",
}


def event_text(game: Game, event: Event) -> str:
    """One event as an English sentence."""
    words: dict[str, Any] = dict(event)
    for field in ("seat", "buyer"):
        if field in words:
            words[field] = seat_name(words[field])
    if "money" in words:
        words["money"] = money_text(words["money"])
    if "card" in words:
        words["card"] = f"the card {card_text(words['card'])}"
    if "type" in words:
        words["type"] = TYPES[words["type"]]
    sentence = _SENTENCES[event["event"]].format(**words)
    return sentence[0].upper() + sentence[1:]


def money_text(thousands: int) -> str:
    """`12,000` for 12."""
    return f"{1000 * int(thousands):,}"


def card_text(card: int) -> str:
    """`[vase, vase, clock]`."""
    return f"[{', '.join(TYPES[kind] for kind in CARDS[card])}]"


def state_text(game: Game, record: Any, viewer: Viewer) -> str:
    """The whole state as lines; the order of the deck only if `viewer` is None."""
    lines = [_headline(record)]
    lines += [
        f"Face up {slot}: {card_text(record['face_up'][slot])}"
        for slot in range(FACE_UP)
        if record["face_up"][slot] != NO_CARD
    ]
    lines += _card_lines(record)
    order = record["deck"][record["next_card"] : game.options["num_cards"]]
    lines.append(
        f"Deck: {len(order)} cards"
        + (f", from the top: {' '.join(map(card_text, order))}" if viewer is None and len(order) else "")
    )
    if record["lost"].any():
        lines.append(f"Lost: {_objects_text(record['lost'])}")
    lines += [_seat_line(record, seat, viewer) for seat in range(game.num_players)]
    return "\n".join(lines)


def _headline(record: Any) -> str:
    if record["over"]:
        return "Alles Futsch!: the game is over"
    return f"Alles Futsch!: {seat_name(record['seat'])} {_PHASE_WORDS[PHASES[record['phase']]]}"


def _card_lines(record: Any) -> list[str]:
    if record["card"] == NO_CARD:
        return []
    if record["phase"] == BID:
        bid = (
            "none"
            if record["leader"] == NOBODY
            else f"{money_text(record['standing_bid'])} by {seat_name(record['leader'])}"
        )
        lines = [f"For auction: {card_text(record['card'])}, standing bid {bid}"]
    else:
        buyer, price = seat_name(record["leader"]), money_text(record["standing_bid"])
        lines = [f"Bought: {card_text(record['card'])} by {buyer} for {price}"]
    if record["to_place"].any():
        lines.append(f"To place: {_objects_text(record['to_place'])}")
    if record["added"]:
        lines.append(f"The seat to move raises by {money_text(record['added'])} and ...")
    if record["selling"] != NO_TYPE:
        lines.append(f"To sell: a {TYPES[record['selling']]}")
    return lines


def _objects_text(objects: Any) -> str:
    return ", ".join(f"{objects[kind]} {TYPES[kind]}" for kind in range(NUM_TYPES) if objects[kind])


def _seat_line(record: Any, seat: int, viewer: Viewer) -> str:
    owned = [
        f"{TYPES[kind]} {record['owned'][seat][kind]}" for kind in range(NUM_TYPES) if kind != record["lacks"][seat]
    ]
    notes = [
        word
        for word, holds in (
            ("still in", record["bidding"][seat]),
            ("you", seat == viewer),
            ("broke", seat == record["broke"]),
            (f"rank {record['ranks'][seat]}", record["over"]),
        )
        if holds
    ]
    return f"{seat_name(seat)}: {money_text(record['money'][seat])} | {', '.join(owned)}" + (
        f" ({', '.join(notes)})" if notes else ""
    )
