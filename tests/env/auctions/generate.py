"""Options of auctions for property tests."""

from typing import Any

from hypothesis import strategies as st

from w51_env import auctions
from w51_env.auctions.rules import CHOICES
from w51_env.auctions.state import UNIT_FORMATS
from w51_env.engine.game import Game


@st.composite
def options(draw: st.DrawFn) -> dict[str, Any]:
    """Any options that are allowed, with few steps and rounds, so that games are short."""
    num_players = draw(st.integers(2, 6))
    known = [name for name in CHOICES["auction"] if name not in UNIT_FORMATS]
    formats = [name for name in known if num_players > 2 or name != "third_price"]
    auction, step = draw(st.sampled_from(formats)), draw(st.integers(1, 9))
    max_bid = step * draw(st.integers(1, 9))
    reserve, fee = step * draw(st.integers(0, max_bid // step // 2)), draw(st.integers(0, 9)) * (auction != "dutch")
    max_value = draw(st.one_of(st.just(100), st.integers(2, 100)))
    keep_values = draw(st.booleans())
    least = reserve + fee + step
    return {
        "num_players": num_players,
        "auction": auction,
        "values": draw(st.sampled_from(CHOICES["values"])),
        "distribution": draw(st.sampled_from(CHOICES["distribution"])),
        "alpha": draw(st.integers(1, 9)),
        "beta": draw(st.integers(1, 9)),
        "low_value": draw(st.integers(0, max_value)),
        "high_chance": draw(st.integers(1, 99)),
        "max_value": max_value,
        "max_bid": max_bid,
        "bid_step": step,
        "reserve": min(reserve, 100 // step * step),
        "entry_fee": fee,
        "payee": draw(st.sampled_from(CHOICES["payee"])),
        "risk_aversion": 0 if keep_values else draw(st.integers(0, 90)),
        "budget": draw(st.sampled_from([0, least, 3 * least, 1000])),
        "num_rounds": draw(st.integers(1, 3)),
        "keep_values": keep_values,
        "reward": draw(st.sampled_from(CHOICES["reward"])),
        "ask_forced": draw(st.booleans()),
    }


@st.composite
def options_of_lots(draw: st.DrawFn) -> dict[str, Any]:
    """Any options with two lots, one lot each, or bidders that differ."""
    num_players, step = draw(st.integers(2, 6)), draw(st.integers(1, 3))
    kind = draw(st.sampled_from(["units", "items", "turns", "differ"]))
    sealed = ["first_price", "second_price", "all_pay"]
    max_value = draw(st.sampled_from([3, 20, 100]))
    of_kind: dict[str, Any] = {
        "units": {"auction": draw(st.sampled_from(UNIT_FORMATS)), "one_each": draw(st.booleans())},
        "items": {"auction": draw(st.sampled_from(sealed)), "items": 2, "synergy": draw(st.integers(0, 50))},
        "turns": {
            "auction": draw(st.sampled_from([*sealed, "english", "dutch"])),
            "one_each": True,
            "keep_values": True,
            "num_rounds": draw(st.integers(2, num_players)) if num_players > 2 else 2,
        },
        "differ": {"auction": draw(st.sampled_from(sealed)), "entry_fee": draw(st.integers(0, 3))},
    }[kind]
    risk = st.integers(0, 90) if kind == "differ" else st.just(0)
    law = st.tuples(st.integers(0, max_value), st.integers(1, max_value), st.integers(1, 9), st.integers(1, 9), risk)
    bidders = st.lists(
        law.map(lambda one: " ".join(map(str, (*sorted(one[:2]), *one[2:])))),
        min_size=num_players,
        max_size=num_players,
    ).map("/".join)
    return {
        "num_players": num_players,
        "max_value": max_value,
        "max_bid": 6 * step,
        "bid_step": step,
        "items": 1,
        "synergy": 0,
        "reserve": step * draw(st.integers(0, 1)),
        "bidders": draw(bidders) if kind == "differ" or draw(st.booleans()) else "",
        "reward": draw(st.sampled_from(CHOICES["reward"])),
        "ask_forced": draw(st.booleans()),
        **of_kind,
    }


def games() -> st.SearchStrategy[Game]:
    """Games with any options."""
    return st.one_of(options(), options_of_lots()).map(lambda chosen: auctions.make(**chosen))
