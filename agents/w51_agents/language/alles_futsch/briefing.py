"""What a player of Alles Futsch! would note down: past cards, cash now, what actions cost."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from w51_agents.language.briefing import Briefing
from w51_env.alles_futsch.objects import SET_OF
from w51_env.alles_futsch.show.view import card_text
from w51_env.alles_futsch.state import MAX_OWNED, UNIT
from w51_env.views.language import Words
from w51_env.views.view import Data, View

# What became of the objects of a card: their sentences are noted with it.
_OBJECTS = ("took", "sold", "lost", "fined", "bonus", "broke")


@dataclass
class _Card:
    card: list[str]
    buyer: int | None = None
    price: int = 0
    bids: dict[int, int] = field(default_factory=dict)
    first_pass: int | None = None
    done: list[str] = field(default_factory=list)  #   bids and passes in order
    objects: list[str] = field(default_factory=list)
    is_over: bool = False


def briefing(view: View, events: Sequence[Data]) -> Briefing:
    """The notes for a viewer's decision."""
    cards = _cards(view, events)
    running = cards[-1] if cards and not cards[-1].is_over else None
    return Briefing(
        lots=_card_lines(view, [card for card in cards if card.is_over]),
        lot=", ".join(running.done) if running else "",
        now=[] if view.over else _now(view),
        costs={action["id"]: _cost(view, action) for action in view.actions},
    )


def _cards(view: View, events: Sequence[Data]) -> list[_Card]:
    cards: list[_Card] = []
    for event in events:
        kind, seat = event["event"], event["seat"]
        if kind == "selected":
            cards.append(_Card(event["card"]))
        if not cards:
            continue
        card = cards[-1]
        if kind == "bid":
            card.bids[seat] = event["money"]
            card.done.append(f"{_name(view, seat)} {event['money']:,}")
        elif kind == "passed":
            card.first_pass = seat if card.first_pass is None else card.first_pass
            card.done.append(f"{_name(view, seat)} passed")
        elif kind == "bought":
            card.buyer = seat
            card.price = event["money"]
            card.is_over = True
        elif kind == "unsold":
            card.is_over = True
        elif kind in _OBJECTS:
            card.objects.append(event["text"].rstrip("."))
    return cards


def _card_lines(view: View, cards: Sequence[_Card]) -> list[str]:
    if not cards:
        return []
    words = Words(view.language)
    names = " | ".join(f"highest bid of {_name(view, seat)}" for seat in range(view.num_players))
    lines = [f"lot | card | bought by | price, paid to the bank | {names} | passed first | objects"]
    for number, card in enumerate(cards, 1):
        bids = [f"{card.bids[seat]:,}" if seat in card.bids else "-" for seat in range(view.num_players)]
        first = "-" if card.first_pass is None else _name(view, card.first_pass)
        sold = ["nobody", "-"] if card.buyer is None else [_name(view, card.buyer), f"{card.price:,}"]
        cells = [str(number), card_text(words, card.card), *sold, *bids, first, "; ".join(card.objects) or "-"]
        lines.append(" | ".join(cells))
    return lines


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
        buyers = [_name(view, player["seat"]) for player in view.players if _may_buy(view, player, action["type"])]
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


def _name(view: View, seat: int) -> str:
    return str(view.players[seat]["name"])
