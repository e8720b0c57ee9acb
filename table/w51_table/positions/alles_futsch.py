"""Positions of Alles Futsch! as all seats see them: only the order of the deck is hidden. Money is in thousands; a card
is named by its objects, as `vase+vase+clock`.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np

from w51_env.alles_futsch import state
from w51_env.alles_futsch.show.view import card_text, card_view
from w51_env.engine.batch import Batch
from w51_env.engine.errors import OptionError
from w51_env.engine.game import Game
from w51_env.views.language import Words
from w51_env.views.view import Data
from w51_table.positions.position import Fields, PositionError, PositionFormat, Reveal

KEYS = (
    *("money", "lacks", "objects", "face_up", "gone", "lost", "selector", "card", "bid", "leader", "passed", "to_move"),
    *("phase", "to_place", "selling", "added"),
)
_EMPTY = "empty"  # a place of the row without a card
_TYPE = {name: kind for kind, name in enumerate(state.TYPES)}
_IDS = ["+".join(card_view(card)) for card in range(state.NUM_CARDS)]
_CARD = {name: card for card, name in enumerate(_IDS)}


def read(game: Game, data: Mapping[str, object], seat: int, words: Words) -> np.ndarray:
    """(1,) structured: a state in which all seats see this; see `PositionFormat.read`."""
    fields, states = Fields(data, game.num_players), np.zeros(1, game.record)
    record: Any = states[0]
    _read_players(game, fields, record, words)
    _read_cards(game, fields, record, words)
    phases = {name: phase for phase, name in enumerate(state.PHASES[: state.OVER])}
    usual = state.SELECT if record["card"] == state.NO_CARD else state.BID
    record["phase"] = fields.id("phase", phases) if "phase" in fields else usual
    record["selector"] = fields.seat("selector", 0)
    record["seat"] = fields.seat("to_move", int(record["selector"]))
    record["leader"] = fields.seat("leader", state.NOBODY)
    if record["phase"] != state.SELECT:
        no_bid = game.options["minimum_bid"] - 1
        record["standing_bid"] = fields.number("bid", no_bid, state.MAX_MONEY)
        if (record["standing_bid"] > no_bid) != (record["leader"] != state.NOBODY):
            raise PositionError(words("alles_futsch.position.no_leader", bid=int(record["standing_bid"])), "leader")
    if record["phase"] == state.BID:
        record["bidding"][: game.num_players] = 1
        record["bidding"][fields.seats("passed")] = 0
        record["added"] = fields.number("added", 0, state.MAX_MONEY)
        if not record["bidding"][record["seat"]]:
            seat_name = words.seat(int(record["seat"]))
            raise PositionError(words("alles_futsch.position.has_passed", seat=seat_name), "to_move")
    for kind in fields.ids("to_place", _TYPE):
        record["to_place"][kind] += 1
    record["selling"] = fields.id("selling", _TYPE) if "selling" in fields else state.NO_TYPE
    return states


def _read_players(game: Game, fields: Fields, record: Any, words: Words) -> None:
    """A1: the money, the objects and the table of each seat."""
    record["money"][: game.num_players] = fields.numbers("money", game.options["start_money"], state.MAX_MONEY)
    lacks = fields.ids("lacks", _TYPE)
    if not len({*lacks}) == len(lacks) == game.num_players:
        raise PositionError(words("alles_futsch.position.lacks_twice"), "lacks")
    record["lacks"] = [*lacks, *(kind for kind in range(state.NUM_TYPES) if kind not in lacks)]
    record["broke"] = state.NOBODY
    for seat, objects in enumerate(fields.for_seats("objects")):
        for name, count in Fields({"objects": objects}, game.num_players).items("objects"):
            owned = fields.within(f"objects[{seat}].{name}", count, state.MAX_OWNED)
            record["owned"][seat, fields.id("objects", _TYPE, name)] = owned


def _read_cards(game: Game, fields: Fields, record: Any, words: Words) -> None:
    """A1, A2: the row, the card for auction, those that are gone, and any order of the others."""
    named = {**_CARD, _EMPTY: state.NO_CARD}
    places = [*fields.ids("face_up", named), *[state.NO_CARD] * state.FACE_UP][: state.FACE_UP]
    record["face_up"] = places
    row = [card for card in places if card != state.NO_CARD]
    record["card"] = fields.id("card", _CARD) if "card" in fields else state.NO_CARD
    gone = fields.ids("gone", _CARD)
    np.add.at(record["gone"], gone, 1)
    for name, count in fields.items("lost"):
        lost = fields.within(f"lost.{name}", count, state.OBJECTS_PER_CARD * state.NUM_CARDS)
        record["lost"][fields.id("lost", _TYPE, name)] = lost
    seen = [*gone, *row, *([] if record["card"] == state.NO_CARD else [int(record["card"])])]
    twice = sorted({card for card in seen if seen.count(card) > 1})
    if twice and game.options["cards"] != "random":
        text = words("alles_futsch.position.card_twice", card=card_text(words, card_view(twice[0])))
        raise PositionError(text, "face_up")
    if len(seen) > (most := game.options["num_cards"]):
        raise PositionError(words("alles_futsch.position.too_many_cards", count=len(seen), most=most), "face_up")
    rest = [card for card in range(state.NUM_CARDS) if card not in seen]
    record["deck"] = [*seen, *rest, *range(state.NUM_CARDS)][: state.NUM_CARDS]
    record["next_card"] = len(seen)


def write(game: Game, record: Any, seat: int) -> Data:
    """The position that a seat sees; see `PositionFormat.write`. Fields with their default are left out."""
    if record["over"]:
        raise OptionError("position: the game is over")
    seats = range(game.num_players)
    running = record["phase"] != state.SELECT
    found: Data = {
        "money": record["money"][: game.num_players].tolist(),
        "lacks": [state.TYPES[kind] for kind in record["lacks"][: game.num_players].tolist()],
        "objects": [_counts(record["owned"][other]) for other in seats],
        "face_up": [_EMPTY if card == state.NO_CARD else _IDS[card] for card in record["face_up"].tolist()],
        "gone": [_IDS[card] for card, count in enumerate(record["gone"].tolist()) for _ in range(count)],
        "lost": _counts(record["lost"]),
        "selector": int(record["selector"]),
        "to_move": int(record["seat"]),
        "phase": state.PHASES[record["phase"]],
        "to_place": [state.TYPES[kind] for kind, count in enumerate(record["to_place"].tolist()) for _ in range(count)],
        "selling": None if record["selling"] == state.NO_TYPE else state.TYPES[record["selling"]],
        "card": _IDS[record["card"]] if running else None,
    }
    if running and record["leader"] != state.NOBODY:
        found |= {"bid": int(record["standing_bid"]), "leader": int(record["leader"])}
    if record["phase"] == state.BID:
        found |= {"passed": [other for other in seats if not record["bidding"][other]], "added": int(record["added"])}
    return {
        name: value for name, value in found.items() if value not in (None, [], {}) and (name, value) != ("added", 0)
    }


def _counts(numbers: Any) -> dict[str, int]:
    return {state.TYPES[kind]: count for kind, count in enumerate(numbers.tolist()) if count}


def reveal(game: Game, record: Any, action: int, seat: int) -> Reveal | None:
    """A6: the card that is turned up once the card for auction is settled; see `PositionFormat.reveal`."""
    turned = int(record["next_card"])
    if record["phase"] == state.SELECT or turned >= game.options["num_cards"]:
        return None
    batch = Batch(game, 1, autoreset="disabled", observe=False)
    batch.load(np.array([record], game.record))
    batch.step(np.array([action]))
    if batch.games[0]["next_card"] == turned:
        return None
    seen = [] if game.options["cards"] == "random" else record["deck"][:turned].tolist()
    return Reveal("card", tuple(name for name, card in _CARD.items() if card not in seen), 1, 1)


def arrange(game: Game, record: Any, action: int, seat: int, shown: list[str]) -> None:
    """Put the card that is turned up on top of the deck; see `PositionFormat.arrange`."""
    deck = record["deck"]
    turned = int(record["next_card"])
    card = _CARD[shown[0]]
    at = deck.tolist().index(card, turned) if card in deck[turned:] else turned
    deck[at], deck[turned] = deck[turned], card


def names(game: Game, words: Words) -> dict[str, str]:
    """The objects of each card, by its id."""
    return {name: card_text(words, card_view(card)) for name, card in _CARD.items()}


POSITIONS = PositionFormat(KEYS, read, write, reveal, arrange, names)
