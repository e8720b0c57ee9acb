"""What a viewer may know of Alles Futsch!, as plain data with its words (`views.view`). Only the order of the deck is
hidden, from all seats alike. Money is in full, as on the notes: 12000.
"""

from typing import Any, TypedDict

from w51_env.alles_futsch.actions import ADD, BASE, PASS, PLACE_TYPE, RAISE, SELECT_CARD, SELL_TO
from w51_env.alles_futsch.state import BID, CARDS, NO_CARD, NO_TYPE, NUM_TYPES, PHASES, TYPES, UNIT
from w51_env.engine.events import Event
from w51_env.engine.game import ALL, Game
from w51_env.views.language import Words
from w51_env.views.presentation import final_score
from w51_env.views.view import Data, ViewContext, ViewFunctions

_NAME = "alles_futsch"

CardView = list[str]  # the types of the three objects on a card


class PlayerView(TypedDict):
    """One player."""

    seat: int
    name: str
    money: int
    objects: dict[str, int]  # number of each type that the player's table has a row for
    lacks: str  #              the type that it has no row for
    bidding: bool  #           still in the auction
    broke: bool  #             could not pay
    score: Data | None  #      at the end: total (money), rank, objects


class CardLotView(TypedDict):
    """The card for auction, or bought and being placed."""

    card: CardView
    running: bool  #          False once it is bought
    standing_bid: int  #      0 before the first; the price once it is bought
    leader: int | None  #     who made the standing bid, or bought the card
    added: int  #             first part of the raise that the seat to move is making
    to_place: list[str]  #    objects that the buyer has not placed yet
    selling: str | None  #    the object being sold


class CardTableView(TypedDict):
    """All but the players."""

    types: dict[str, str]  #               every type of object with its word
    face_up: list[CardView | None]  #      the row of cards; None: an empty place
    lot: CardLotView | None
    deck: int  #                           cards not turned up yet
    selector: int  #                       seat that selects, or selected, the card for auction
    gone: list[CardView]  #                cards that were bought or left the game unsold
    lost: dict[str, int]  #                objects lost because nobody could buy them
    options: Data  #                       the options of the game but the reward
    deck_order: list[CardView] | None  #   from the top; privileged: only for the viewer `all`


def card_view(card: int) -> CardView:
    """The types on a card."""
    return [TYPES[a_type] for a_type in CARDS[card].tolist()]


def _counts(numbers: Any) -> dict[str, int]:
    return {TYPES[a_type]: count for a_type, count in enumerate(numbers.tolist()) if count}


def show(context: ViewContext) -> tuple[str, str, list[Data], Data]:
    """Phase, headline, players (`PlayerView`) and table (`CardTableView`)."""
    record, words = context.record, context.words
    phase = "over" if record["over"] else PHASES[record["phase"]]
    headline = words(f"{_NAME}.phase.{phase}", seat=words.seat(int(record["seat"])))
    players: list[Any] = [_player(context, seat) for seat in range(context.game.num_players)]
    return phase, headline, players, dict(_table(context))


def _player(context: ViewContext, seat: int) -> PlayerView:
    record = context.record
    lacks = int(record["lacks"][seat])
    owned = record["owned"][seat].tolist()
    score = final_score(record, seat)
    return PlayerView(
        seat=seat,
        name=context.words.seat(seat),
        money=UNIT * int(record["money"][seat]),
        objects={TYPES[a_type]: owned[a_type] for a_type in range(NUM_TYPES) if a_type != lacks},
        lacks=TYPES[lacks],
        bidding=bool(record["bidding"][seat]),
        broke=seat == int(record["broke"]),
        score=score and {**score, "total": UNIT * score["total"], "objects": sum(owned)},
    )


def _table(context: ViewContext) -> CardTableView:
    game, record = context.game, context.record
    deck = record["deck"][record["next_card"] : game.options["num_cards"]].tolist()
    return CardTableView(
        types={a_type: context.words(f"{_NAME}.type.{a_type}") for a_type in TYPES},
        face_up=[None if card == NO_CARD else card_view(card) for card in record["face_up"].tolist()],
        lot=_lot(record),
        deck=len(deck),
        selector=int(record["selector"]),
        gone=[card_view(card) for card, count in enumerate(record["gone"].tolist()) for _ in range(count)],
        lost=_counts(record["lost"]),
        options={name: value for name, value in game.options.items() if name != "reward"},
        deck_order=[card_view(card) for card in deck] if context.viewer == ALL else None,
    )


def _lot(record: Any) -> CardLotView | None:
    if record["card"] == NO_CARD:
        return None
    leader = int(record["leader"])
    return CardLotView(
        card=card_view(record["card"]),
        running=int(record["phase"]) == BID,
        standing_bid=UNIT * int(record["standing_bid"]) if leader >= 0 else 0,
        leader=leader if leader >= 0 else None,
        added=UNIT * int(record["added"]),
        to_place=[TYPES[a_type] for a_type, count in enumerate(record["to_place"].tolist()) for _ in range(count)],
        selling=None if record["selling"] == NO_TYPE else TYPES[record["selling"]],
    )


def card_text(words: Words, card: CardView) -> str:
    """`[vase, vase, clock]`."""
    return f"[{', '.join(words(f'{_NAME}.type.{a_type}') for a_type in card)}]"


def type_texts(words: Words, a_type: str) -> dict[str, str]:
    """The placeholders of a type of object: its word, and the word as the object of a sentence (`a_type`)."""
    return {"type": words(f"{_NAME}.type.{a_type}"), "a_type": words(f"{_NAME}.a_type.{a_type}")}


def describe_action(context: ViewContext, action: int) -> Data:
    """Kind, text and parts of an action of the seat to move: `card`, `money` (the bid), `type` or `buyer`.

    The first part of a high bid has `money`, which the bid will exceed, and `up_to`: the highest bid that it leads to.
    """
    record, words = context.record, context.words
    bid = int(record["standing_bid"]) + int(record["added"])
    data: Data
    texts: Data
    if action > SELL_TO:
        buyer = (int(record["seat"]) + action - SELL_TO) % context.game.num_players
        data, texts = {"kind": "sell", "buyer": buyer}, {"buyer": words.seat(buyer)}
    elif action >= PLACE_TYPE:
        data = {"kind": "place", "type": TYPES[action - PLACE_TYPE]}
        texts = type_texts(words, data["type"])
    elif action > RAISE:
        first = action > ADD
        raised = BASE * (action - ADD) if first else action - RAISE
        data = {"kind": "add" if first else "bid", "money": UNIT * (bid + raised)}
        if first:
            data["up_to"] = UNIT * min(bid + raised + BASE, int(record["money"][record["seat"]]))
        texts = {"money": words.number(data["money"])}
    elif action == PASS:
        data, texts = {"kind": "pass"}, {}
    else:
        card = card_view(record["face_up"][action - SELECT_CARD])
        data, texts = {"kind": "select", "slot": action - SELECT_CARD, "card": card}, {"card": card_text(words, card)}
    return {**data, "text": words(f"{_NAME}.action.{data['kind']}", **texts)}


def describe_event(game: Game, words: Words, event: Event) -> Data:
    """The fields of an event with names for numbers, and its sentence."""
    data: Data = {key: value for key, value in event.items() if key not in ("event", "seat", "forced")}
    texts: Data = {**data, "seat": words.seat(event["seat"])}
    if "buyer" in data:
        texts["buyer"] = words.seat(data["buyer"])
    if "money" in data:
        data["money"] *= UNIT
        texts["money"] = words.number(data["money"])
    if "card" in data:
        data["card"] = card_view(data["card"])
        texts["card"] = card_text(words, data["card"])
    if "type" in data:
        data["type"] = TYPES[data["type"]]
        texts.update(type_texts(words, data["type"]))
    return {**data, "text": words(f"{_NAME}.event.{event['event']}", **texts)}


VIEW = ViewFunctions(show, describe_action, describe_event)
