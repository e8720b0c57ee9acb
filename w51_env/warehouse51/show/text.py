"""The table of Warehouse 51 as lines of text, from a view alone."""

from typing import Any, cast

from w51_env.views.language import Paint, Words
from w51_env.views.view import View
from w51_env.warehouse51.show.view_parts import GapView, OwnedView, RelicView, SeatView, TableView

_NAME = "warehouse51"


def table_lines(view: View, words: Words, paint: Paint) -> list[str]:
    """All that the viewer may know, line by line."""
    table = cast(TableView, view.table)
    players = cast(list[SeatView], view.players)
    title = words("table.labelled", label=view.title, text=view.headline)
    lines = [
        paint("title", title),
        *(_score_lines(players, words) if view.over else ()),
        *_lot_lines(table, words, paint),
    ]
    lines.append(_public_line(table, words, paint))
    for player in players:
        lines.append(_seat_line(view, player, words, paint))
        lines += [
            f"    {_owned_text(table['relics'][owned['relic']], owned, player['seat'], words, paint)}"
            for owned in player["collection"]
        ]
    for key in ("unsold", "exposed"):
        relics = table[key]
        if relics:
            lines.append(words(f"{_NAME}.text.{key}", relics=_names(table, relics)))
    lines += _counterfeit_lines(view, table, words)
    if table["deck_order"] is not None:
        order = [relic for relics in table["deck_order"].values() for relic in relics]
        lines.append(words(f"{_NAME}.text.deck_order", relics=_names(table, order) or words(f"{_NAME}.text.empty")))
    return lines


def _names(table: TableView, relics: list[str]) -> str:
    return ", ".join(table["relics"][relic]["name"] for relic in relics)


def _category(words: Words, category: str) -> str:
    return words(f"{_NAME}.category.{category}")


def _lot_lines(table: TableView, words: Words, paint: Paint) -> list[str]:
    lot = table["lot"]
    if lot is None:
        return []
    relic = table["relics"][lot["relic"]]
    notes = [f"{_category(words, relic['category'])} {relic['value']}", words(f"{_NAME}.text.{lot['auction']}_auction")]
    if relic["effect"]:
        alignment = words(f"{_NAME}.alignment.{relic['alignment']}")
        notes.append(words("table.labelled", label=alignment, text=relic["effect_text"]))
    name = paint(relic["category"], relic["name"])
    line = words(f"{_NAME}.text.lot", relic=f"{name} ({', '.join(notes)})")
    if lot["running"] and lot["auction"] == "open":
        leader = lot["leader"]
        bid = "no_bid" if leader is None else "standing_bid"
        line += f", {words(f'{_NAME}.text.{bid}', ingots=lot['standing_bid'], seat=words.seat(leader))}"
    return [line]


def _public_line(table: TableView, words: Words, paint: Paint) -> str:
    decks = ", ".join(paint(name, f"{_category(words, name)} {count}") for name, count in table["decks"].items())
    seat = words.seat(table["revealer"])
    return words(f"{_NAME}.text.public", decks=decks, ingots=table["reserve"], seat=seat)


def _seat_line(view: View, player: SeatView, words: Words, paint: Paint) -> str:
    notes = []
    if player["bidding"] is not None:
        notes += [words(f"{_NAME}.text.bid", ingots=player["bid"])] if player["bid"] else []
        notes.append(words("table.still_in" if player["bidding"] else "table.passed"))
    if player["has_bid"]:
        secret = player["secret_bid"]
        known = secret is not None
        notes.append(words(f"{_NAME}.text.secret_bid", ingots=secret) if known else words(f"{_NAME}.text.has_bid"))
    if player["certificates"]:
        notes.append(words(f"{_NAME}.text.certificates", count=player["certificates"]))
    if player["seat"] == view.viewer:
        notes.append(words("table.you"))
    name = paint("mover" if player["seat"] == view.seat else "name", player["name"])
    line = words(f"{_NAME}.text.seat", seat=name, ingots=player["ingots"])
    return line + (f" ({', '.join(notes)})" if notes else "")


def _owned_text(relic: RelicView, owned: OwnedView, seat: int, words: Words, paint: Paint) -> str:
    notes = [paint(relic["alignment"], relic["effect_text"])] if relic["effect"] else []
    notes += [words(f"{_NAME}.text.{key}") for key in ("pawned", "certified") if owned[key]]
    if owned["buyer"] == seat and owned["price"]:  # else it is not known: nothing is sold for 0 (T6)
        notes.append(words(f"{_NAME}.text.bought_for", ingots=owned["price"]))
    elif owned["buyer"] is not None and owned["price"]:
        notes.append(words(f"{_NAME}.text.bought", seat=words.seat(owned["buyer"]), ingots=owned["price"]))
    text = f"{_category(words, relic['category'])} {relic['value']}  {relic['name']}"
    return paint(relic["category"], text) + (f"  [{'; '.join(notes)}]" if notes else "")


def _counterfeit_lines(view: View, table: TableView, words: Words) -> list[str]:
    lines = []
    for gap in table["gaps"]:
        if gap["known"]:
            cards = [
                table["relics"][relic]["name"]
                + (f" ({words(f'{_NAME}.text.cancelled')})" if relic in gap["cancelled"] else "")
                for relic in gap["relics"]
            ]
            relics = ", ".join(cards) or words("table.none")
            lines.append(words(f"{_NAME}.text.counterfeits", gap=_gap_text(gap, words), relics=relics))
    for seat in range(view.num_players):
        lines += [
            words(f"{_NAME}.text.looked", seat=words.seat(seat), gap=_gap_text(gap, words))
            for gap in table["gaps"]
            if seat in gap["looked"]
        ]
    return lines


def _gap_text(gap: GapView, words: Words) -> str:
    seat, other = map(words.seat, gap["seats"])
    return words(f"{_NAME}.gap", seat=seat, other=other)


def _score_lines(players: list[SeatView], words: Words) -> list[str]:
    scores: list[Any] = [player["score"] for player in players]
    sources = ", ".join(words(f"{_NAME}.points.{source}") for source in scores[0]["points"])
    lines = [words(f"{_NAME}.text.points", sources=sources)]
    for player, score in zip(players, scores, strict=True):
        points = " + ".join(map(str, score["points"].values()))
        rank = words("table.rank", rank=score["rank"])
        lines.append(words("table.labelled", label=player["name"], text=f"{points} = {score['total']}, {rank}"))
    return lines
