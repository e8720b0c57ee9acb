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
