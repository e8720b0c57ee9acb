"""Actions and events of Warehouse 51 in words, with their parts as plain data."""

from w51_env.engine.events import Event
from w51_env.engine.game import Game
from w51_env.views.language import Words
from w51_env.views.view import Data, ViewContext
from w51_env.warehouse51 import actions
from w51_env.warehouse51.relics import load_relic_set
from w51_env.warehouse51.show.payees import payee_text
from w51_env.warehouse51.show.state_values import seat_or_none
from w51_env.warehouse51.state import BLIND_AUCTION, CATEGORIES, OPEN_AUCTION, PHASES, POINT_SOURCES

NAME = "warehouse51"  # of the tables in the language files
_PRICED = {"pawn": "pawn_label", "redeem": "redeem_label"}
_SEAT_FIELDS = ("payee", "owner", "receiver")
_TIE = "blind_tie"  # no event type: a sale to another than the first of the highest bidders
# The kind of effect that causes an event, and whose ingots end if less than its amount is paid.
_CAUSES = {
    "surcharged": ("surcharge", "seat"),
    "income": ("income", "reserve"),
    "gained": ("gain_ingots", "reserve"),
    "paid": ("pay_each_other", "seat"),
    "took": ("take_relic", None),
    "gave": ("give_relic", None),
    "looked": ("look_at_counterfeits", None),
    "cancelled": ("cancels_counterfeit", None),
    _TIE: ("wins_blind_ties", None),
}


def gap_text(game: Game, words: Words, gap: int) -> str:
    """The gap between two neighbours, in words."""
    return words(f"{NAME}.gap", seat=words.seat(gap), other=words.seat((gap + 1) % game.num_players))


def _relic_name(game: Game, words: Words, index: int) -> tuple[str, str]:
    """(id, name) of a relic."""
    relic = load_relic_set(game.options["relics"]).relics[index]
    return relic.id, relic.name_in(words.language)


_RELIC_ACTIONS = (
    (actions.CHOOSE_RELIC, ""),
    (actions.CERTIFY_RELIC, "certify"),
    (actions.REDEEM_RELIC, "redeem"),
    (actions.PAWN, "pawn"),
)


def describe_action(context: ViewContext, action: int) -> Data:
    """Kind, text and parts of an action of the seat to move: `category`, `ingots`, `relic` or `gap`.

    What choosing a deck, a gap, a number or a relic means depends on the phase, and so do kind and text.
    """
    game, record, words = context.game, context.record, context.words
    phase = PHASES[record["phase"]]
    if action >= actions.FIRST_ADDED:
        return {"kind": "other", "text": game.actions[action].text}
    if action >= actions.CHOOSE_GAP:
        gap = (int(record["seat"]) + action - actions.CHOOSE_GAP) % game.num_players
        return {"kind": phase, "gap": gap, "text": words(f"{NAME}.action.{phase}", gap=gap_text(game, words, gap))}
    for first, kind in _RELIC_ACTIONS:
        if action >= first:
            relic, name = _relic_name(game, words, action - first)
            kind = kind or phase
            data = {"kind": kind, "relic": relic, "text": words(f"{NAME}.action.{kind}", relic=name)}
            return data | ({"label": _priced(context, kind, action - first, name)} if kind in _PRICED else {})
    if action == actions.DECLINE:
        return {"kind": "decline", "text": words(f"{NAME}.action.decline")}
    if action == actions.PASS and phase == "open_auction":
        return {"kind": "pass", "text": words(f"{NAME}.action.pass")}
    if action >= actions.PASS:
        kind = "bid" if record["phase"] in (OPEN_AUCTION, BLIND_AUCTION) else phase
        return {
            "kind": kind,
            "ingots": action - actions.BID,
            "text": words(f"{NAME}.action.{kind}", ingots=action - actions.BID),
        }
    category = CATEGORIES[action - actions.CHOOSE_DECK]
    text = words(f"{NAME}.action.{phase}", category=words(f"{NAME}.category.{category}"))
    return {"kind": phase, "category": category, "text": text}


def _priced(context: ViewContext, kind: str, pawned: int, name: str) -> str:
    """P1, E1: what pawning a relic brings, or what redeeming it costs, as the seat's other relics are now."""
    options, record = context.game.options, context.record
    works = (record["place"] == record["seat"]) & (record["pawned"] == 0)
    prices = [
        relic.amount
        for index, relic in enumerate(load_relic_set(options["relics"]).relics)
        if relic.effect == "redeem_price" and relic.amount is not None and index != pawned and works[index]
    ]
    price = min(prices, default=options["redeem_price"])
    loan = {"loan": options["pawn_loan"]} if kind == "pawn" else {}
    return context.words(f"{NAME}.action.{_PRICED[kind]}", relic=name, price=price, **loan)


def describe_event(game: Game, words: Words, event: Event) -> Data:
    """The fields of an event with names for numbers, and its sentence."""
    data: Data = {key: value for key, value in event.items() if key not in ("event", "seat", "forced")}
    texts: Data = {**data, "seat": words.seat(event["seat"])}
    for field in _SEAT_FIELDS:
        if field in data:
            data[field] = seat_or_none(data[field])
            texts[field] = payee_text(game, words, data[field])
    if "relic" in data:
        data["relic"], texts["relic"] = _relic_name(game, words, data["relic"])
    if "gap" in data:
        texts["gap"] = gap_text(game, words, data["gap"])
    if "phase" in data:
        data["phase"] = PHASES[data["phase"]]
        texts["phase"] = words(f"{NAME}.declined.{data['phase']}")
    if "source" in data:
        data["source"] = POINT_SOURCES[data["source"]]
        texts["source"] = words(f"{NAME}.source.{data['source']}")
    key = "text.matched" if data.get("matches") else f"event.{event['event']}"
    return {**data, "text": with_cause(game, words, event, words(f"{NAME}.{key}", **texts))}


def name_tie_breakers(game: Game, words: Words, news: list[Data]) -> None:
    """T5: add the relic that decides a tie of blind bids to the sentence of the sale."""
    hands: list[Data] = []
    for event in news:
        if event["event"] == "bid_shown":
            hands.append(event)
        elif event["event"] == "sold":
            first = next((hand["seat"] for hand in hands if hand["ingots"] == event["ingots"]), event["seat"])
            if event["seat"] != first:
                event["text"] = with_cause(game, words, {**event, "event": _TIE}, event["text"])
            hands = []


def with_cause(game: Game, words: Words, event: Data, text: str) -> str:
    """The sentence of an event with its cause, as `Ida gets 1 from the reserve (Cornucopia)`.

    The sentence stays as it is where several relics of the game could be the cause.
    """
    if event["event"] not in _CAUSES:
        return text
    effect, payer = _CAUSES[event["event"]]
    relics = [relic for relic in load_relic_set(game.options["relics"]).relics if relic.effect == effect]
    if len(relics) != 1:
        return text
    cause = relics[0].name_in(words.language)
    if payer and event["ingots"] < (relics[0].amount or 0):
        cause += f"; {words(f'warehouse51.text.empty_{payer}')}"
    return f"{text.removesuffix('.')} ({cause})."
