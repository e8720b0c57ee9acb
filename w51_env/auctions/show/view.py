"""What a viewer may know of an auction, as plain data with its words (`views.view`): of what is hidden, its own.

Values, bids and money are in units, payoffs too, with two decimals.
"""

from collections.abc import Mapping
from typing import Any, TypedDict

from w51_env.auctions.actions import BID
from w51_env.auctions.state import CENTS, NOT_BID, PASSED, UNIT_FORMATS
from w51_env.engine.events import Event
from w51_env.engine.game import ALL, Game
from w51_env.views.language import Words
from w51_env.views.presentation import final_score
from w51_env.views.view import Data, ViewContext, ViewFunctions

_NAME = "auctions"
_CENTS = ("worth", "payoff")  # fields of events in hundredths
_WITHOUT = {"sealed": "sealed_none", "shown": "shown_none", "sold": "sold_none"}  # a pass; the worth is not known yet


class BidderView(TypedDict):
    """One bidder."""

    seat: int
    name: str
    signal: int | None  #      its value or its signal; None: hidden from the viewer
    second_signal: int | None  # what a second lot is worth to it
    bidding: bool  #           in the auction
    decided: int | None  #     its secret bid, -1 a pass; None: none, or hidden from the viewer
    bid: int | None  #         its highest bid of this round that all know
    second_bid: int | None  #  its bid for a second lot that all know
    last_bid: int | None  #    that of the round before; with one lot each the price, at the winner
    wins: int
    money: int | None  #       left of the budget; None: there is none
    score: Data | None  #      at the end: total (mean payoff of a round), rank


class AuctionTableView(TypedDict):
    """All but the bidders."""

    auction: str  #            the format
    round: int  #              number of the running round, from 1
    num_rounds: int
    price: int | None  #       on the clock; None: the bids are sealed
    common: int | None  #      the part of all signals, or the common value; privileged: only for the viewer `all`
    last_winner: int | None
    options: Data  #           the options of the game but the reward


def show(context: ViewContext) -> tuple[str, str, list[Data], Data]:
    """Phase, headline, players (`BidderView`) and table (`AuctionTableView`)."""
    record, words = context.record, context.words
    phase = "over" if record["over"] else "clock" if _has_clock(context.game) else "bid"
    headline = words(f"{_NAME}.phase.{phase}", seat=words.seat(int(record["seat"])))
    players: list[Any] = [_bidder(context, seat) for seat in range(context.game.num_players)]
    return phase, headline, players, dict(_table(context))


def lot_rules(options: Mapping[str, Any], words: Words) -> list[str]:
    """The rules of two lots, of one for each bidder, and of bidders that differ, where they are in force."""
    in_turn = options["one_each"] and options["num_rounds"] > 1
    in_force = {
        "two_units": options["auction"] in UNIT_FORMATS and not options["one_each"],
        "items": options["items"] > 1,
        "one_each": options["one_each"],
        "in_turn": in_turn,
        "bidders": bool(options["bidders"]),
    }
    ranges = ", ".join("-".join(one.split()[:2]) for one in options["bidders"].split("/"))
    return [
        words(f"{_NAME}.rules.{name}", synergy=options["synergy"], ranges=ranges)
        for name, yes in in_force.items()
        if yes
    ]


def _bidder(context: ViewContext, seat: int) -> BidderView:
    game, record = context.game, context.record
    is_known = context.viewer in (seat, ALL)
    decided = int(record["bids"][seat])
    score = final_score(record, seat)
    return BidderView(
        seat=seat,
        name=context.words.seat(seat),
        signal=int(record["signals"][seat]) if is_known else None,
        second_signal=int(record["second_signals"][seat]) if is_known and game.rules["two_bids"][0] else None,
        bidding=bool(record["bidding"][seat]),
        decided=_units(game, decided) if is_known and decided != NOT_BID else None,
        bid=_units(game, int(record["shown"][seat])) if record["shown"][seat] else None,
        second_bid=_units(game, int(record["second_shown"][seat])) if record["second_shown"][seat] else None,
        last_bid=_units(game, int(record["last"][seat])) if record["last"][seat] else None,
        wins=int(record["wins"][seat]),
        money=int(record["money"][seat]) if game.options["budget"] else None,
        score=score and {**score, "total": score["total"] / CENTS},
    )


def _table(context: ViewContext) -> AuctionTableView:
    game, record = context.game, context.record
    winner = int(record["last_winner"])
    return AuctionTableView(
        auction=game.options["auction"],
        round=min(int(record["round"]) + 1, game.options["num_rounds"]),
        num_rounds=game.options["num_rounds"],
        price=_units(game, int(record["clock"]) + BID) if _has_clock(game) else None,
        common=int(record["common"]) if context.viewer == ALL else None,
        last_winner=winner if winner >= 0 else None,
        options={name: value for name, value in game.options.items() if name != "reward"},
    )


def _has_clock(game: Game) -> bool:
    return game.options["auction"] in ("english", "dutch")


def _units(game: Game, decision: int) -> int:
    """Units of a decision; -1 for a pass."""
    return -1 if decision == PASSED else (decision - BID) * int(game.options["bid_step"])


def describe_action(context: ViewContext, action: int) -> Data:
    """Kind, text and parts of an action of the seat to move: `money`, the bid or the price of the clock."""
    game, words = context.game, context.words
    kind = "bid" if not _has_clock(game) else {"english": "stay", "dutch": "claim"}[game.options["auction"]]
    if action == PASSED:
        return {"kind": "pass", "text": words(f"{_NAME}.action.{'wait' if kind == 'claim' else 'pass'}")}
    money = _units(game, action)
    return {"kind": kind, "money": money, "text": words(f"{_NAME}.action.{kind}", money=words.number(money))}


def describe_event(game: Game, words: Words, event: Event) -> Data:
    """The fields of an event, payoffs in units, and its sentence."""
    data: Data = {key: value for key, value in event.items() if key not in ("event", "seat", "forced")}
    kind = event["event"]
    if data.get("bid") == -1 or data.get("worth") == -1:
        kind = _WITHOUT[kind]
    for name in _CENTS:
        if name in data:
            data[name] = None if kind == "sold_none" else data[name] / CENTS
    texts = {
        name: words.decimal(value, ".2f") if name in _CENTS else value
        for name, value in data.items()
        if value is not None
    }
    return {**data, "text": words(f"{_NAME}.event.{kind}", **texts, seat=words.seat(event["seat"]))}


VIEW = ViewFunctions(show, describe_action, describe_event)
