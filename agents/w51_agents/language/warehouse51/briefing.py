"""What a player of Warehouse 51 would note down: past lots, points now, known counterfeits, what actions cost."""

from collections.abc import Sequence
from typing import Any, cast

from w51_agents.language.briefing import Briefing, Lot, doing, lot_lines, name_of
from w51_env.views.language import Words
from w51_env.views.view import Data, View
from w51_env.warehouse51.show.payees import payee_name
from w51_env.warehouse51.show.view_parts import RelicView, SeatView, TableView

# Events of effects, whose sentences are noted with their lot. What was pawned, the table shows.
_EFFECTS = ("took", "gave", "looked", "took_certificate", "gained", "paid", "surcharged")


def briefing(view: View, events: Sequence[Data]) -> Briefing:
    """The notes for a viewer's decision."""
    lots = _lots(view, events)

    def cells(lot: Lot) -> list[str]:
        relic = _relic(view, *lot.what)
        auction = ", blind" if relic["weapon"] else ""
        what = f"{relic['name']} ({relic['category']} {relic['value']}{auction})"
        return [what, name_of(view, lot.buyer, "nobody"), "-" if lot.buyer is None else str(lot.price), lot.payee]

    return Briefing(
        lots=lot_lines(view, lots, "relic | bought by | price | paid to", "effects", cells),
        lot=doing(lots),
        now=[] if view.over else [_unseen(view), *_points(view), *_gains(view), *_counterfeits(view)],
        costs={action["id"]: _cost(view, action) for action in view.actions},
    )


def _lots(view: View, events: Sequence[Data]) -> list[Lot]:
    lots: list[Lot] = []
    for event in events:
        kind, seat = event["event"], event["seat"]
        if kind == "revealed":
            lots.append(Lot([event["relic"]]))
        if not lots:
            continue
        lot, name = lots[-1], name_of(view, seat)
        if kind == "bid":
            lot.bids[seat] = str(event["ingots"])
            lot.done.append(f"{name} {event['ingots']}{' (matched)' if event['matches'] else ''}")
        elif kind == "bid_shown":
            lot.bids[seat] = str(event["ingots"])
        elif kind == "bid_in_secret":
            lot.done.append(f"{name} has bid in secret")
        elif kind == "passed":
            lot.passed(seat, name)
        elif kind == "sold":
            payee = event["payee"]
            lot.sold(seat, event["ingots"], payee_name(view, seat, Words()) if payee is None else name_of(view, payee))
        elif kind == "unsold":
            lot.is_over = True
        elif kind in _EFFECTS:
            lot.notes.append(event["text"].rstrip("."))
    return lots


def _unseen(view: View) -> str:
    table = cast(TableView, view.table)
    owned = {one["relic"] for player in cast(list[SeatView], view.players) for one in player["collection"]}
    seen = {*owned, *table["unsold"], *table["exposed"], *([table["lot"]["relic"]] if table["lot"] else [])}
    left = {category: [] for category in table["categories"]}  # type: dict[str, list[str]]
    for relic in table["relics"].values():
        if relic["id"] not in seen:
            left[relic["category"]].append(f"{relic['name']} {relic['value']}")
    texts = [f"{category}: {', '.join(relics) or 'none'}" for category, relics in left.items()]
    return f"Relics not seen yet, with their values: {'; '.join(texts)}"


def _points(view: View) -> list[str]:
    lines = ["Points if the game ended now, without the counterfeits that you know of:"]
    for player in cast(list[SeatView], view.players):
        standing = player["standing"]
        points = ", ".join(f"{source} {count}" for source, count in standing["points"].items() if count) or "none"
        values = ", ".join(f"{category} {value}" for category, value in standing["values"].items())
        line = f"    {player['name']}: {standing['total']} ({points}); total values: {values}"
        if standing["doubtful"]:
            line += f"; counterfeits that you do not know may change {', '.join(standing['doubtful'])}"
        lines.append(line)
    return lines


def _gains(view: View) -> list[str]:
    lot = cast(TableView, view.table)["lot"]
    if lot is None or not lot["running"]:
        return []
    gains = [sum(gain.values()) for gain in lot["gains"]]
    changes = ", ".join(f"{name_of(view, seat)} {gain:+d}" for seat, gain in enumerate(gains))
    return [f"Points that the lot would add now, without its price: {changes}"]


def _counterfeits(view: View) -> list[str]:
    table, players = cast(TableView, view.table), cast(list[SeatView], view.players)
    known = [relic for relic, chance in table["beliefs"].items() if chance == 1]
    unknown = sorted({chance for chance in table["beliefs"].values() if 0 < chance < 1})
    owners = {owned["relic"]: (player, owned) for player in players for owned in player["collection"]}
    texts, own = [], []
    for relic in known:
        name = table["relics"][relic]["name"]
        if table["lot"] is not None and table["lot"]["running"] and table["lot"]["relic"] == relic:
            texts.append(f"{name} (THE LOT)")
        elif relic in owners:
            player, owned = owners[relic]
            note = "owned by you" if player["seat"] == view.viewer else f"owned by {player['name']}"
            texts.append(f"{name} ({note}{', certified' if owned['certified'] else ''})")
            own += [name] if player["seat"] == view.viewer and not owned["certified"] else []
        else:
            gone = relic in table["unsold"] or relic in table["exposed"]
            texts.append(f"{name} ({'out of the game' if gone else 'still in a deck'})")
    lines = [f"Counterfeits that you know of: {', '.join(texts) or 'none'}"]
    if own:
        lines.append(f"YOUR COUNTERFEITS, lost at the end unless certified or cancelled: {', '.join(own)}")
    if unknown:
        chances = ", ".join(f"{chance:.0%}" for chance in unknown)
        lines.append(f"Any other relic that can be a counterfeit is one with probability {chances}")
    return lines


def _cost(view: View, action: Data) -> str:
    table = cast(TableView, view.table)
    kind = action["kind"]
    seat = view.seat
    assert seat is not None
    if kind == "bid" and table["lot"] is not None:
        payee = payee_name(view, seat, Words())
        only = "if it is the highest: others pay nothing" if table["lot"]["auction"] == "blind" else "if you win"
        return f"you pay the bid to {payee} {only}{_surcharge(view, seat)}"
    if kind == "pass":
        return "costs nothing; you are out of this auction"
    if kind == "pawn":
        loan, price = view.table["options"]["pawn_loan"], _redeem_price(view, seat, action["relic"])
        return f"the reserve pays you {loan}; it scores and blesses only once it is redeemed, for {price}"
    if kind == "redeem":
        return f"you pay {_redeem_price(view, seat, action['relic'])} to the reserve"
    if kind == "certify":
        return "uses one of your certificates"
    return "costs nothing" if kind in ("decline", "reveal") else ""


def _working(view: View, seat: int, effect: str) -> list[RelicView]:
    collection = cast(list[SeatView], view.players)[seat]["collection"]
    relics = [(owned, _relic(view, owned["relic"])) for owned in collection]
    return [
        relic
        for owned, relic in relics
        if relic["effect"] == effect and not (owned["pawned"] and relic["alignment"] == "blessed")
    ]


def _surcharge(view: View, seat: int) -> str:
    lifted = _working(view, seat, "lifts_curses")
    more = 0 if lifted else sum(relic["amount"] or 0 for relic in _working(view, seat, "surcharge"))
    return f", and {more} more to the reserve" if more else ""


def _redeem_price(view: View, seat: int, pawned: str) -> int:
    amounts = [relic["amount"] for relic in _working(view, seat, "redeem_price") if relic["id"] != pawned]
    return min([amount for amount in amounts if amount is not None], default=view.table["options"]["redeem_price"])


def _relic(view: View, relic: str) -> Any:
    return view.table["relics"][relic]
