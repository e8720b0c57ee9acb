"""Words: events as sentences and the state as a readable table. Nothing but the deck is hidden, from everyone alike."""

from typing import Any

from w51_env.alles_futsch.event_kinds import EVENT_KINDS
from w51_env.alles_futsch.state import FACE_UP, NO_CARD, NO_TYPE, NOBODY, NUM_CARDS, NUM_TYPES, PHASES, TYPES
from w51_env.core.events import Event
from w51_env.core.game import Game

_SENTENCES = {kind.name: kind.text for kind in EVENT_KINDS}
_PHASE_WORDS = {
    "select": "selects a card",
    "bid": "may bid",
    "place": "places an object",
    "sell": "chooses who must buy",
}


def seat_name(seat: int) -> str:
    """`Player 1` for seat 1."""
    return "Nobody" if seat == NOBODY else f"Player {seat}"


def event_text(game: Game, event: Event) -> str:
    """One event as an English sentence. Cards are named by their place in the deck: what they show is in the state."""
    words: dict[str, Any] = dict(event)
    for field in ("seat", "buyer"):
        if field in words:
            words[field] = seat_name(words[field])
    if "card" in words:
        words["card"] = f"card {words['card']}"
    if "type" in words:
        words["type"] = TYPES[words["type"]]
    return _SENTENCES[event["event"]].format(**words)


def card_text(record: Any, card: int) -> str:
    """The objects of a card."""
    return f"card {card}: " + ", ".join(TYPES[kind] for kind in sorted(record["cards"][card]))


def state_text(game: Game, record: Any, viewer: int | str | None) -> str:
    """All on the table; the deck too, if `viewer` is None."""
    if record["over"]:
        lines = ["Alles Futsch!: the game is over"]
    else:
        phase = PHASES[record["phase"]]
        lines = [f"Alles Futsch!: {seat_name(record['seat'])} {_PHASE_WORDS[phase]}"]
    lines += [
        f"Face up {place}: {card_text(record, record['face_up'][place])}" for place in range(FACE_UP) if record["face_up"][place] != NO_CARD
    ]
    if record["card"] != NO_CARD:
        lines.append(f"Under the hammer: {card_text(record, record['card'])}, standing bid {_bid_text(record)}")
    left = [f"{record['to_place'][kind]} {TYPES[kind]}" for kind in range(NUM_TYPES) if record["to_place"][kind]]
    if left:
        lines.append(f"To place: {', '.join(left)}")
    if record["selling"] != NO_TYPE:
        lines.append(f"To sell: {TYPES[record['selling']]}")
    lines.append(f"Deck: {NUM_CARDS - record['next_card']} cards")
    lines += [_seat_line(record, seat, viewer) for seat in range(game.num_players)]
    if viewer is None:
        lines += [f"Next: {card_text(record, card)}" for card in range(record["next_card"], NUM_CARDS)]
    if record["over"]:
        lines += [f"{seat_name(seat)}: {record['scores'][seat]},000, rank {record['ranks'][seat]}" for seat in range(game.num_players)]
    return "\n".join(lines)


def _bid_text(record: Any) -> str:
    if record["leader"] == NOBODY:
        return "none"
    return f"{record['standing_bid']},000 by {seat_name(record['leader'])}"


def _seat_line(record: Any, seat: int, viewer: int | str | None) -> str:
    owned = [f"{TYPES[kind]} {record['owned'][seat][kind]}" for kind in range(NUM_TYPES) if kind != record["lacks"][seat]]
    notes = [
        word
        for word, holds in (("still in", record["bidding"][seat]), ("you", seat == viewer), ("broke", seat == record["broke"]))
        if holds
    ]
    return f"{seat_name(seat)}: {record['money'][seat]},000 | {', '.join(owned)}" + (f" ({', '.join(notes)})" if notes else "")
