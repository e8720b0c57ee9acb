"""The table of Alles Futsch! as lines of text, from a view alone."""

from collections import Counter
from collections.abc import Mapping
from typing import cast

from w51_env.alles_futsch.show.view import CardLotView, CardTableView, PlayerView, card_text, type_texts
from w51_env.views.language import Paint, Words
from w51_env.views.view import View

_NAME = "alles_futsch"


def table_lines(view: View, words: Words, paint: Paint) -> list[str]:
    """All that the viewer may know, line by line."""
    table = cast(CardTableView, view.table)
    lines = [paint("title", words("table.labelled", label=view.title, text=view.headline))]
    lines += [
        words(f"{_NAME}.text.face_up", slot=slot, card=card_text(words, card))
        for slot, card in enumerate(table["face_up"])
        if card is not None
    ]
    if table["lot"] is not None:
        lines += _lot_lines(table["lot"], words)
    deck = words(f"{_NAME}.text.deck", count=table["deck"])
    if table["deck_order"]:
        cards = " ".join(card_text(words, card) for card in table["deck_order"])
        deck += f", {words(f'{_NAME}.text.deck_order', cards=cards)}"
    lines.append(deck)
    if table["lost"]:
        lines.append(words(f"{_NAME}.text.lost", objects=_objects_text(words, table["lost"])))
    return lines + [_seat_line(view, table, cast(PlayerView, player), words, paint) for player in view.players]


def _objects_text(words: Words, objects: Mapping[str, int]) -> str:
    return ", ".join(words(f"{_NAME}.count.{a_type}", count=count) for a_type, count in objects.items())


def _lot_lines(lot: CardLotView, words: Words) -> list[str]:
    card, leader = card_text(words, lot["card"]), words.seat(lot["leader"])
    bid = words.number(lot["standing_bid"])
    if not lot["running"]:
        lines = [words(f"{_NAME}.text.bought", card=card, seat=leader, money=bid)]
    elif lot["leader"] is None:
        lines = [words(f"{_NAME}.text.lot", card=card, bid=words("table.none"))]
    else:
        lines = [words(f"{_NAME}.text.lot", card=card, bid=words(f"{_NAME}.text.bid", money=bid, seat=leader))]
    if lot["to_place"]:
        lines.append(words(f"{_NAME}.text.to_place", objects=_objects_text(words, Counter(lot["to_place"]))))
    if lot["added"]:
        lines.append(words(f"{_NAME}.text.added", money=words.number(lot["added"])))
    if lot["selling"]:
        lines.append(words(f"{_NAME}.text.selling", **type_texts(words, lot["selling"])))
    return lines


def _seat_line(view: View, table: CardTableView, player: PlayerView, words: Words, paint: Paint) -> str:
    owned = ", ".join(f"{table['types'][a_type]} {count}" for a_type, count in player["objects"].items())
    notes = [
        words(key)
        for key, holds in (
            ("table.still_in", player["bidding"]),
            ("table.you", player["seat"] == view.viewer),
            (f"{_NAME}.text.broke", player["broke"]),
        )
        if holds
    ]
    if player["score"] is not None:
        notes.append(words("table.rank", rank=player["score"]["rank"]))
    name = paint("mover" if player["seat"] == view.seat else "name", player["name"])
    text = f"{words.number(player['money'])} | {owned}" + (f" ({', '.join(notes)})" if notes else "")
    return words("table.labelled", label=name, text=text)
