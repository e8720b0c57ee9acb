"""The rules once more, slow and plain: who may win, what is paid and what it is worth, from what happened."""

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

Bids = Sequence[int | None]  # of each seat; None: a pass


def winners(bids: Bids) -> set[int]:
    """The seats that may win."""
    made = [bid for bid in bids if bid is not None]
    return {seat for seat, bid in enumerate(bids) if made and bid == max(made)}


def price(options: Mapping[str, Any], bids: Bids) -> int:
    """What the winner pays for the lot."""
    made = sorted((bid for bid in bids if bid is not None), reverse=True)
    rank = {"second_price": 1, "english": 1, "third_price": 2}.get(options["auction"], 0)
    return made[rank] if rank < len(made) else int(options["reserve"])


def payments(options: Mapping[str, Any], bids: Bids, winner: int | None) -> list[int]:
    """What each seat pays to the bank or to the others, without entry fees."""
    if options["auction"] == "all_pay":
        return [bid or 0 for bid in bids]
    return [price(options, bids) if seat == winner else 0 for seat in range(len(bids))]


def money(options: Mapping[str, Any], bids: Bids, winner: int | None) -> list[int]:
    """What each seat gets in a round, but for the lot."""
    paid = payments(options, bids, winner)
    got = [-amount - (options["entry_fee"] if bid is not None else 0) for amount, bid in zip(paid, bids, strict=True)]
    if options["payee"] == "losers":
        for payer, amount in enumerate(paid):
            for seat in range(len(bids)):
                got[seat] += amount // (len(bids) - 1) if seat != payer else 0
    return got


def worth(options: Mapping[str, Any], signals: Sequence[int], common: int, seat: int) -> Fraction:
    """What the lot is worth to a seat, in units."""
    if options["values"] == "mineral":
        return Fraction(common)
    if options["values"] == "average":
        return Fraction(sum(signals), len(signals))
    return Fraction(signals[seat])


def utility(options: Mapping[str, Any], gain: float) -> float:
    """The utility of a payoff in units."""
    highest = options["max_value"]
    return gain if gain <= 0 else float(highest * (gain / highest) ** (1 - options["risk_aversion"] / 100))


Sale = tuple[int, int]  # winner, price


def sales(options: Mapping[str, Any], bids: Sequence[Sequence[int]], sold: Sequence[Sale]) -> list[Sale]:
    """The sales of one or two lots, if of equal bids those win that have won; bids are decisions, 0 a pass."""
    units = {"discriminatory", "uniform_price", "vickrey"}
    step, least = options["bid_step"], options["reserve"]

    def units_of(decision: int) -> int:
        return max(least, (decision - 1) * step)

    winners_of = [seat for seat, _ in sold]
    if options["auction"] not in units:
        found = []
        for item in range(options["items"]):
            made = sorted((pair[item] for pair in bids if pair[item]), reverse=True)
            won = [seat for seat in winners_of if made and bids[seat][item] == made[0]]
            rank = {"second_price": 1}.get(options["auction"], 0)
            price_of = units_of(made[rank] if rank < len(made) else 0) if made else 0
            found += [(won[0] if len(won) < 2 or item == 0 else won[-1], price_of)] if made else []
        return found
    every = sorted(((bid, seat) for seat, pair in enumerate(bids) for bid in pair if bid), reverse=True)
    assert len(sold) == min(2, len(every))
    winning = sorted(
        bid for seat in set(winners_of) for bid in sorted(bids[seat], reverse=True)[: winners_of.count(seat)]
    )
    assert winning == sorted(bid for bid, _ in every[:2])  # the highest ones
    found = []
    for seat in sorted(set(winners_of)):
        for number in range(winners_of.count(seat)):
            lost = {other: sorted(pair, reverse=True)[winners_of.count(other) :] for other, pair in enumerate(bids)}
            of_all = sorted((bid for own in lost.values() for bid in own), reverse=True)
            of_others = sorted((bid for other, own in lost.items() if other != seat for bid in own), reverse=True)
            decision = {
                "discriminatory": sorted(bids[seat], reverse=True)[number],
                "uniform_price": (of_all or [0])[0],
                "vickrey": [*of_others, 0, 0][number],
            }[options["auction"]]
            found.append((seat, units_of(decision)))
    return found


def gains(
    options: Mapping[str, Any], values: Sequence[Sequence[int]], bids: Sequence[Sequence[int]], sold: Sequence[Sale]
) -> list[float]:
    """What each seat gains: worth, with the synergy of two items, less payments."""
    got = [-float(options["entry_fee"]) * (pair[0] > 0) for pair in bids]
    if options["auction"] == "all_pay":
        for seat, pair in enumerate(bids):
            got[seat] -= sum((bid - 1) * options["bid_step"] for bid in pair if bid)
    else:
        for seat, price_paid in sold:
            got[seat] -= price_paid
    items = [seat for seat, _ in sold]
    for seat in set(items):
        won = items.count(seat)
        if options["items"] == 2:
            tops = [max(pair[item] for pair in bids) for item in range(2)]
            item = 0 if bids[seat][0] == tops[0] and tops[0] and seat == items[0] else 1
            got[seat] += sum(values[seat]) * (1 + options["synergy"] / 100) if won == 2 else values[seat][item]
        else:
            got[seat] += sum(values[seat][:won])
    return got
