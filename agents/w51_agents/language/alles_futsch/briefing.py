"""What a player of Alles Futsch! would note down: past cards, cash now, what actions cost."""

from collections.abc import Sequence

from w51_agents.language.briefing import Briefing, Lot, doing, lot_lines, name_of
from w51_env.alles_futsch.objects import SET_OF
from w51_env.alles_futsch.show.view import card_text
from w51_env.alles_futsch.state import MAX_OWNED, UNIT
from w51_env.views.language import Words
from w51_env.views.view import Data, View

# What became of the objects of a card: their sentences are noted with it.
_OBJECTS = ("took", "sold", "lost", "fined", "bonus", "broke")


def briefing(view: View, events: Sequence[Data]) -> Briefing:
    """The notes for a viewer's decision."""
    cards, words = _cards(view, events), Words(view.language)

    def cells(card: Lot) -> list[str]:
        price = "-" if card.buyer is None else f"{card.price:,}"
        return [card_text(words, card.what), name_of(view, card.buyer, "nobody"), price]

    return Briefing(
        lots=lot_lines(view, cards, "card | bought by | price, paid to the bank", "objects", cells),
        lot=doing(cards),
        now=[] if view.over else _now(view),
        costs={action["id"]: _cost(view, action) for action in view.actions},
    )


def _cards(view: View, events: Sequence[Data]) -> list[Lot]:
    cards: list[Lot] = []
    for event in events:
        kind, seat = event["event"], event["seat"]
        if kind == "selected":
            cards.append(Lot(event["card"]))
        if not cards:
            continue
        card, name = cards[-1], name_of(view, seat)
        if kind == "bid":
            card.bids[seat] = f"{event['money']:,}"
            card.done.append(f"{name} {event['money']:,}")
        elif kind == "passed":
            card.passed(seat, name)
        elif kind == "bought":
            card.sold(seat, event["money"])
        elif kind == "unsold":
            card.is_over = True
        elif kind in _OBJECTS:
            card.notes.append(event["text"].rstrip("."))
    return cards


def _now(view: View) -> list[str]:
    ranked = sorted(view.players, key=lambda player: (player["money"], sum(player["objects"].values())), reverse=True)
    cash = ", ".join(f"{player['name']} {player['money']:,}" for player in ranked)
    return [f"If the game ended now, the most cash wins: {cash}"]


def _cost(view: View, action: Data) -> str:
    kind, options = action["kind"], view.table["options"]
    if kind == "add":
        return f"first of two steps: then raise_M, up to {action['up_to']:,}"
    if kind == "bid":
        return "you pay the bid to the bank if you win"
    if kind == "pass":
        return "costs nothing; you are out of this auction"
    if kind == "select":
        return "costs nothing; its auction begins with you"
    if kind == "place" and view.seat is not None:
        owned = view.players[view.seat]["objects"].get(action["type"])
        if owned is not None and owned < SET_OF:
            bonus = f"; the bank pays you {UNIT * options['bonus']:,}" if owned == SET_OF - 1 else ""
            return f"you keep it, your number {owned + 1}{bonus}"
        buyers = [player["name"] for player in view.players if _may_buy(view, player, action["type"])]
        price = f"{UNIT * options['sale_price']:,}"
        return f"you must sell it for {price}, to {' or '.join(buyers)}" if buyers else "nobody can buy it"
    if kind == "sell":
        player, selling = view.players[action["buyer"]], view.table["lot"]["selling"]
        owned = player["objects"].get(selling, 0) + 1
        then = f"they pay you {UNIT * options['sale_price']:,} (they have {player['money']:,})"
        if owned == SET_OF:
            return f"{then}, and the bank pays them {UNIT * options['bonus']:,} for their third"
        return (
            f"{then}, and {UNIT * options['fine']:,} to the bank for their number {owned}" if owned > SET_OF else then
        )
    return ""


def _may_buy(view: View, player: Data, kind: str) -> bool:
    return player["seat"] != view.seat and player["objects"].get(kind, MAX_OWNED) < MAX_OWNED
