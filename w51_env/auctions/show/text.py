"""The table of an auction as lines of text, from a view alone."""

from collections.abc import Mapping, Sequence
from typing import cast

from w51_env.auctions.show.view import AuctionTableView, BidderView
from w51_env.auctions.state import OWN_VALUES
from w51_env.views.language import Paint, Words
from w51_env.views.view import View

_NAME = "auctions"


def table_lines(view: View, words: Words, paint: Paint) -> list[str]:
    """All that the viewer may know, line by line."""
    table = cast(AuctionTableView, view.table)
    lines = [paint("title", words("table.labelled", label=view.title, text=view.headline))]
    lines.append(words(f"{_NAME}.text.round", round=table["round"], num_rounds=table["num_rounds"]))
    if table["price"] is not None:
        lines.append(words(f"{_NAME}.text.clock", price=words.number(table["price"])))
    if table["common"] is not None and table["options"]["values"] != "private":
        lines.append(words(f"{_NAME}.text.common", common=table["common"]))
    return lines + [_seat_line(view, cast(BidderView, player), words, paint) for player in view.players]


def _seat_line(view: View, player: BidderView, words: Words, paint: Paint) -> str:
    parts = numbers_said(view, player, ("signal", "second_signal", "bid", "second_bid", "last_bid", "money"), words)
    if player["decided"] is not None:
        passed = player["decided"] < 0
        parts.append(words(f"{_NAME}.text.{'decided_none' if passed else 'decided'}", number=player["decided"]))
    if player["bidding"]:
        parts.append(words("table.still_in"))
    if player["seat"] == view.viewer:
        parts.append(words("table.you"))
    if player["score"] is not None:
        parts.append(words(f"{_NAME}.text.payoff", number=words.decimal(player["score"]["total"], ".2f")))
        parts.append(words("table.rank", rank=player["score"]["rank"]))
    name = paint("mover" if player["seat"] == view.seat else "name", player["name"])
    return words("table.labelled", label=name, text=", ".join(parts))


def numbers_said(view: View, player: BidderView, names: Sequence[str], words: Words) -> list[str]:
    """What is known of a bidder's numbers, as words; the first one is a value, or where it tells of one a signal."""
    known, values = cast(Mapping[str, int | None], player), view.table["options"]["values"]
    labels = {"signal": "value"} if values in OWN_VALUES else {}
    return [
        words(f"{_NAME}.text.{labels.get(name, name)}", number=words.number(number))
        for name in names
        if (number := known[name]) is not None
    ]
