"""Texts: events as sentences and the state as a readable summary, for one seat, the public or a privileged viewer."""

from typing import Any

from w51_env.core.events import Event
from w51_env.core.game import Game, Viewer
from w51_env.core.seats import seat_name
from w51_env.warehouse51.event_kinds import EVENT_KINDS
from w51_env.warehouse51.relics import RelicSet, load_relic_set
from w51_env.warehouse51.state import (
    CATEGORIES,
    CERTIFICATES,
    EXPOSED,
    IN_DECK,
    NO_RELIC,
    NOBODY,
    NOT_BID,
    PHASES,
    POINT_SOURCES,
    UNSOLD,
)

_SENTENCES = {kind.name: kind.text for kind in EVENT_KINDS}
_SEAT_FIELDS = ("seat", "payee", "owner", "receiver")
PHASE_WORDS = {
    "reveal": "chooses a deck",
    "open_auction": "may bid (open auction)",
    "blind_auction": "chooses a secret bid (blind auction)",
    "take": "chooses a relic to take",
    "give": "chooses a relic to give",
    "look": "chooses a gap to look at",
    "redeem": "may redeem pawned relics",
    "certify": "may place certificates",
    "cancel": "may cancel a counterfeit",
    "over": "the game is over",
}
DECLINED_WORDS = {"redeem": "redeeming", "certify": "certificates", "cancel": "counterfeits"}
_SOURCE_WORDS = {name: f"the {name} majority" if name in CATEGORIES else name for name in POINT_SOURCES}


def event_text(game: Game, event: Event) -> str:
    """One event as an English sentence."""
    words: dict[str, Any] = dict(event)
    for field in _SEAT_FIELDS:
        if field in words:
            words[field] = seat_name(words[field])
    if "relic" in words:
        words["relic"] = load_relic_set(game.options["relics"]).names[words["relic"]]
    if "gap" in words:
        words["gap"] = gap_name(game, words["gap"])
    if "phase" in words:
        words["phase"] = DECLINED_WORDS[PHASES[words["phase"]]]
    if "source" in words:
        words["source"] = _SOURCE_WORDS[POINT_SOURCES[words["source"]]]
    return _SENTENCES[event["event"]].format(**words)


def gap_name(game: Game, gap: int) -> str:
    """The gap between two neighbours."""
    return f"the gap between {seat_name(gap)} and {seat_name((gap + 1) % game.num_players)}"


def state_text(game: Game, record: Any, viewer: Viewer) -> str:
    """All that `viewer` may know, as lines of text."""
    relic_set = load_relic_set(game.options["relics"])
    lines = [_headline(game, record, relic_set), _public_line(game, record)]
    for seat in range(game.num_players):
        lines.append(_seat_line(game, record, relic_set, seat, viewer))
        lines += [
            f"    {_relic_text(record, relic_set, relic)}"
            for relic in range(len(relic_set))
            if record["place"][relic] == seat
        ]
    for word, place in (("Unsold", UNSOLD), ("Exposed counterfeits", EXPOSED)):
        relics = [relic_set.names[relic] for relic in range(len(relic_set)) if record["place"][relic] == place]
        if relics:
            lines.append(f"{word}: {', '.join(relics)}")
    lines += _counterfeit_lines(game, record, relic_set, viewer)
    if record["over"]:
        lines += _score_lines(game, record)
    return "\n".join(lines)


def _headline(game: Game, record: Any, relic_set: RelicSet) -> str:
    phase = PHASES[record["phase"]]
    if record["over"]:
        return "Warehouse 51: the game is over"
    line = f"Warehouse 51: {seat_name(record['seat'])} {PHASE_WORDS[phase]}"
    if record["lot"] != NO_RELIC:
        line += f"\nLot: {_describe(relic_set, record['lot'])}"
        if phase == "open_auction":
            line += f", standing bid {record['standing_bid']}" + (
                f" by {seat_name(record['leader'])}" if record["leader"] != NOBODY else ""
            )
    return line


def _public_line(game: Game, record: Any) -> str:
    left = [int((game.rules["deck_size"][0] - record["drawn"])[category]) for category in range(len(CATEGORIES))]
    decks = ", ".join(f"{name} {count}" for name, count in zip(CATEGORIES, left, strict=True))
    return f"Decks: {decks} | reserve {record['reserve']} | revealer {seat_name(record['revealer'])}"


def _seat_line(game: Game, record: Any, relic_set: RelicSet, seat: int, viewer: Viewer) -> str:
    notes = []
    if PHASES[record["phase"]] == "open_auction":
        highest = record["highest_bid"][seat][record["lot"]]
        notes += [f"bid {highest}"] if highest else []
        notes.append("still in" if record["bidding"][seat] else "passed")
    if record["secret_bid"][seat] != NOT_BID:
        notes.append(f"bid {record['secret_bid'][seat]} in secret" if viewer in (None, seat) else "has bid in secret")
    tokens = sum(_holds_certificate(game, record, seat, token) for token in range(CERTIFICATES))
    if tokens:
        notes.append("a certificate to place" if tokens == 1 else f"{tokens} certificates to place")
    if seat == viewer:
        notes.append("you")
    line = f"{seat_name(seat)}: {record['ingots'][seat]} ingots"
    return line + (f" ({', '.join(notes)})" if notes else "")


def _holds_certificate(game: Game, record: Any, seat: int, token: int) -> bool:
    giver = record["certificate_from"][token]
    if giver == NO_RELIC or record["certificate_on"][token] != NO_RELIC:
        return False
    return bool(record["place" if game.options["certificate_belongs_to"] == "owner" else "buyer"][giver] == seat)


def _describe(relic_set: RelicSet, relic: int) -> str:
    entry = relic_set.relics[relic]
    kind = "blind auction" if entry.weapon else "open auction"
    effect = f", {entry.alignment}: {entry.effect_text()}" if entry.effect else ""
    return f"{entry.name['en']} ({entry.category} {entry.value}, {kind}{effect})"


def _relic_text(record: Any, relic_set: RelicSet, relic: int) -> str:
    entry = relic_set.relics[relic]
    notes = [entry.effect_text()] if entry.effect else []
    if record["pawned"][relic]:
        notes.append("pawned")
    if any(record["certificate_on"][token] == relic for token in range(CERTIFICATES)):
        notes.append("certified")
    if record["buyer"][relic] != NOBODY:
        notes.append(f"bought by {seat_name(record['buyer'][relic])} for {record['price'][relic]}")
    return f"{entry.category} {entry.value}  {entry.name['en']}" + (f"  [{'; '.join(notes)}]" if notes else "")


def _knows_gap(game: Game, record: Any, viewer: Viewer, gap: int) -> bool:
    if viewer is None or record["shown"]:
        return True
    if isinstance(viewer, str):  # PUBLIC
        return False
    return gap in (viewer, (viewer - 1) % game.num_players) or bool(record["looked"][viewer][gap])


def _counterfeit_lines(game: Game, record: Any, relic_set: RelicSet, viewer: Viewer) -> list[str]:
    lines = []
    for gap in range(game.num_players):
        if _knows_gap(game, record, viewer, gap):
            fakes = [
                relic_set.names[relic] + (" (cancelled)" if record["cancelled"][relic] else "")
                for relic in range(len(relic_set))
                if record["counterfeit_gap"][relic] == gap
            ]
            lines.append(f"Counterfeits in {gap_name(game, gap)}: {', '.join(fakes) or 'none'}")
    for seat in range(game.num_players):
        lines += [
            f"{seat_name(seat)} has looked at {gap_name(game, gap)}"
            for gap in range(game.num_players)
            if record["looked"][seat][gap]
        ]
    if viewer is None:
        order = [
            relic_set.names[relic]
            for relic in record["deck"]
            if relic != NO_RELIC and record["place"][relic] == IN_DECK
        ]
        lines.append(f"Decks from the top: {', '.join(order) or 'empty'}")
    return lines


def _score_lines(game: Game, record: Any) -> list[str]:
    lines = ["Points: " + ", ".join(POINT_SOURCES)]
    for seat in range(game.num_players):
        parts = " + ".join(str(points) for points in record["points"][seat])
        lines.append(f"{seat_name(seat)}: {parts} = {record['scores'][seat]}, rank {record['ranks'][seat]}")
    return lines
