"""The picture of a view of an auction (`pictures.svg`): a row for each bidder, with bids as bars on one scale."""

from pathlib import Path
from typing import cast

from w51_env.auctions.show.text import numbers_said
from w51_env.auctions.show.view import AuctionTableView, BidderView, lot_rules
from w51_env.pictures.paint import PAINT, Palette
from w51_env.pictures.parts import bar, narrow_news, news_lines, paragraph, place_frame, seat_badge
from w51_env.pictures.seating import MARGIN, NARROW, NARROW_WIDTH, WIDE_SIZE
from w51_env.pictures.shapes import BOLD, Piece, Sheet, area, at, circle, drawings_in, rect, text
from w51_env.views.language import words_of
from w51_env.views.view import View

_TOP = 44
_ROW = 78  #   height of a bidder in a narrow picture
_LOT = 152  #  and of the lot there
_LEFT = 14
_ENDS = 30  #  for the numbers at both ends of an axis
_PARCEL = drawings_in(Path(__file__).with_name("drawings.toml"), "lot")["parcel"]  # 64 x 64
_UNSAID = ("finished",)  # events that the rows show


def picture(view: View, palette: Palette, form: str) -> Sheet:
    """The bidders one below the other, in the forms of `pictures.seating`, and the news."""
    if form == NARROW:
        width = NARROW_WIDTH
        blocks = [bar(view, palette, width), *_rows(view, 8, width - 16, _ROW, _LOT, palette)]
        news, end = narrow_news(view, _TOP + _LOT + _ROW * view.num_players, palette, skip=_UNSAID)
        return Sheet(width, round(end), [*blocks, *news])
    width, height = WIDE_SIZE
    low = height - MARGIN - 4 * 19 - 8
    row = int((low - _TOP) / (view.num_players + 1))
    lines = news_lines(view, MARGIN, 0, width - 2 * MARGIN, 4, palette, skip=_UNSAID)
    blocks = [bar(view, palette, width), *_rows(view, MARGIN, width - 2 * MARGIN, row, row, palette)]
    return Sheet(width, height, [*blocks, Piece(0, low, width, height - low, lines)])


def _rows(view: View, x: int, width: int, height: int, first: int, palette: Palette) -> list[Piece]:
    """The lot, `first` high, then a row for each bidder."""
    lot = area("lot", _lot(view, width, first - 8, palette), width, first - 8)
    pieces = [Piece(x, _TOP, width, first - 8, lot)]
    for index, player in enumerate(view.players):
        body = _bidder(view, cast(BidderView, player), width, height - 8, palette)
        part = area(f"seat:{player['seat']}", body, width, height - 8)
        pieces.append(Piece(x, _TOP + first + height * index, width, height - 8, part))
    return pieces


def _lot(view: View, width: int, height: int, palette: Palette) -> str:
    """A parcel, the round, how it is sold, and the price that a clock shows."""
    words, table = words_of(view.language), cast(AuctionTableView, view.table)
    size = min(100, height - 26)
    left, right = _LEFT + size + 14, width - _LEFT
    body = rect(0.5, 0.5, width - 1, height - 1, palette.block, r=10) + at(_LEFT, 8, _PARCEL, size / 64)
    body += text(left, 25, words("auctions.text.round", **table), 17, palette.ink, weight=BOLD)
    rules = [words(f"auctions.rules.auction_{table['auction']}"), *lot_rules(table["options"], words)]
    body += paragraph(left, 46, " ".join(rules), 14.5, palette.ink, right - left, 1 + (height - 62) // 18)[0]
    if table["price"] is not None:
        price = words("auctions.text.clock", price=words.number(table["price"]))
        body += text(right, 25, price, 17, palette.accent, weight=BOLD, anchor="end")
        body += _axis(view, width, height, palette) + _bar(view, table["price"], width, height, PAINT["amber"])
    return body


def _bidder(view: View, player: BidderView, width: int, height: int, palette: Palette) -> str:
    """Name, what is known in words, the bid as a bar, and the signal as a dot on the same scale."""
    words, active = words_of(view.language), player["seat"] == view.seat
    body = place_frame(width, height, palette, active) + seat_badge(22, 19, player["seat"], palette, active)
    body += text(40, 25, player["name"], 17, palette.ink, weight=BOLD, width=width - 54)
    said = numbers_said(view, player, ("signal", "second_signal", "bid", "second_bid", "last_bid"), words)
    if player["bidding"] and view.table["price"] is not None:
        said.append(words("table.still_in"))
    if player["score"] is not None:
        said.append(words("auctions.text.payoff", number=words.decimal(player["score"]["total"], ".2f")))
        said.append(words("table.rank", rank=player["score"]["rank"]))
    body += text(_LEFT, 46, ", ".join(said), 14.5, palette.ink, width=width - 2 * _LEFT)
    body += _axis(view, width, height, palette)
    if player["second_bid"] is not None:
        body += _bar(view, player["second_bid"], width, height, palette.line, 24)
    if player["bid"] is not None:
        body += _bar(view, player["bid"], width, height, palette.accent)
    elif player["last_bid"] is not None:
        body += _bar(view, player["last_bid"], width, height, palette.line)
    for signal, fill in ((player["second_signal"], palette.muted), (player["signal"], palette.ink)):
        if signal is not None:
            body += circle(_ENDS + _length(view, signal, width), height - 12, 5, fill)
    return body


def _axis(view: View, width: int, height: int, palette: Palette) -> str:
    """The scale of bars and dots along the lower edge, with a number at each end."""
    line = rect(_ENDS, height - 13, width - 2 * _ENDS, 2, palette.line)
    least = text(_ENDS - 6, height - 8, "0", 12, palette.muted, anchor="end")
    return line + least + text(width - _ENDS + 5, height - 8, str(_most(view)), 12, palette.muted)


def _bar(view: View, amount: int, width: int, height: int, fill: str, low: int = 16) -> str:
    """An amount as a bar along the lower edge."""
    return rect(_ENDS, height - low, max(2.0, _length(view, amount, width)), 8, fill, r=3)


def _length(view: View, amount: int, width: int) -> float:
    """The length of an amount on the axis."""
    return amount / _most(view) * (width - 2 * _ENDS)


def _most(view: View) -> int:
    """The highest amount of the axis."""
    options = view.table["options"]
    return int(max(options["max_bid"], options["max_value"]))
