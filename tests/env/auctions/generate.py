"""Options of auctions for property tests."""

from typing import Any

from hypothesis import strategies as st

from w51_env import auctions
from w51_env.auctions.rules import CHOICES
from w51_env.engine.game import Game


@st.composite
def options(draw: st.DrawFn) -> dict[str, Any]:
    """Any options that are allowed, with few steps and rounds, so that games are short."""
    num_players = draw(st.integers(2, 6))
    formats = [name for name in CHOICES["auction"] if num_players > 2 or name != "third_price"]
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


def games() -> st.SearchStrategy[Game]:
    """Games with any options."""
    return options().map(lambda chosen: auctions.make(**chosen))
