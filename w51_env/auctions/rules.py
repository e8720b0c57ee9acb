"""The options in one place: checked, and packed into the record that kernels read."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from w51_env.auctions import state
from w51_env.auctions.values import DISTRIBUTIONS, ONE, chances
from w51_env.engine.errors import OptionError
from w51_env.engine.options import REWARDS as ZERO_SUM
from w51_env.engine.options import check_options

NUM_PLAYERS = tuple(range(state.MIN_PLAYERS, state.MAX_PLAYERS + 1))
REWARDS = (*ZERO_SUM, "payoff")
PAYOFF = len(ZERO_SUM)
PAYEES = ("bank", "losers")

# Options that no observation shows: an agent is trained for one value of each. New options are appended here.
UNOBSERVED_OPTIONS: tuple[str, ...] = (
    *("distribution", "alpha", "beta", "low_value", "high_chance", "max_value", "max_bid", "bid_step"),
    *("budget", "keep_values"),
)

PRESETS: dict[str, dict[str, Any]] = {
    "default": {},
    "coarse": {"max_value": 20, "max_bid": 20},
    "clock": {"auction": "english", "bid_step": 5},
    "repeated": {"num_rounds": 20, "max_value": 20, "max_bid": 20},
    "mini": {"num_players": 2, "max_value": 4, "max_bid": 4},
}
CHOICES: dict[str, tuple[Any, ...]] = {
    "num_players": NUM_PLAYERS,
    "auction": state.FORMATS,
    "values": state.VALUES,
    "distribution": DISTRIBUTIONS,
    "payee": PAYEES,
    "keep_values": (False, True),
    "reward": REWARDS,
}
RANGES = {
    "max_value": (2, state.MAX_VALUE),
    "max_bid": (1, state.MAX_BID),
    "bid_step": (1, state.MAX_BID),
    "alpha": (1, 9),
    "beta": (1, 9),
    "low_value": (0, state.MAX_VALUE),
    "high_chance": (1, 99),
    "reserve": (0, state.MAX_VALUE),
    "entry_fee": (0, state.MAX_FEE),
    "risk_aversion": (0, 90),
    "budget": (0, state.MAX_BUDGET),
    "num_rounds": (1, state.MAX_ROUNDS),
}


@dataclass(frozen=True)
class AuctionOptions:
    """Every option of a game. Values, bids and money in units.

    Attributes:
        num_players: Bidders, 2 to 6.
        auction: The format: "first_price", "second_price", "third_price" (3 bidders or more) and "all_pay" are sealed;
            "english" is a rising clock, "dutch" a falling one (L2, L3).
        values: What the lot is worth (L1). "private": to each bidder their own value. "affiliated": the same, as the
            sum of a common and an own part. "average": to all the mean of the signals, each such a sum. "mineral": to
            all a common value, of which a signal is uniform from 0 to twice the value.
        distribution: The law of values, or of the parts or the common value: "uniform", "beta" or "two_point" (L1).
        alpha: Of "beta", 1 to 9.
        beta: Of "beta", 1 to 9.
        low_value: The lower value of "two_point"; the higher one is the highest.
        high_chance: The probability of the higher value of "two_point", percent.
        max_value: The highest value or signal; parts and common values go up to half of it (L1).
        max_bid: The highest bid (L2).
        bid_step: Bids are multiples of it (L2).
        reserve: The least bid that wins, a multiple of `bid_step` (L2).
        entry_fee: What each bidder who bids at all pays to the bank; not with "dutch" (L5).
        payee: Who gets a payment: the "bank", or the other bidders in equal parts ("losers"; L5).
        risk_aversion: 100 times r of the utility x ** (1 - r) of a gain of x whole units, straight between them; 0:
            risk-neutral (L6).
        budget: Money of each bidder for all rounds; 0: no limit (L5).
        num_rounds: Auctions in a game (L6).
        keep_values: Keep the values of the first round in all rounds (L6).
        reward: "payoff": the mean payoff of a round as a part of `max_value`; or the zero-sum "win", "rank", "margin".
        ask_forced: Leave decisions with a single legal action to the agent, too.
    """

    num_players: int = 3
    auction: str = "first_price"
    values: str = "private"
    distribution: str = "uniform"
    alpha: int = 2
    beta: int = 2
    low_value: int = 0
    high_chance: int = 50
    max_value: int = 100
    max_bid: int = 100
    bid_step: int = 1
    reserve: int = 0
    entry_fee: int = 0
    payee: str = "bank"
    risk_aversion: int = 0
    budget: int = 0
    num_rounds: int = 1
    keep_values: bool = False
    reward: str = "payoff"
    ask_forced: bool = False

    def __post_init__(self) -> None:
        check_options(self, CHOICES, RANGES)
        steps, rest = divmod(self.max_bid, self.bid_step)
        wrong = (
            (rest > 0 or not 1 <= steps <= state.MAX_STEPS, "max_bid, bid_step", f"1 to {state.MAX_STEPS} whole steps"),
            (self.reserve % self.bid_step > 0, "reserve, bid_step", "a reserve of whole steps"),
            (self.reserve > self.max_bid, "reserve, max_bid", "a reserve of at most max_bid"),
            (self.low_value > self.max_value, "low_value, max_value", "a low_value of at most max_value"),
            (self.auction == "third_price" and self.num_players < 3, "auction, num_players", "3 bidders or more"),
            (self.auction == "dutch" and self.entry_fee > 0, "auction, entry_fee", "no fee at a falling clock"),
            (
                0 < self.budget < self.reserve + self.entry_fee + self.bid_step,
                "budget, reserve, entry_fee, bid_step",
                "0, or a budget that pays for the second lowest bid",
            ),
            (self.keep_values and self.risk_aversion > 0, "keep_values, risk_aversion", "one of the two"),
        )
        for found, names, allowed in wrong:
            if found:
                values = ", ".join(repr(getattr(self, name)) for name in names.split(", "))
                raise OptionError(f"{names}: {values}, but allowed are {allowed}")

    @property
    def top(self) -> int:
        """The highest value that the distribution gives: a value, a part of one, or a common value."""
        return self.max_value if self.values == "private" else self.max_value // 2


_NUMBERS = (
    *("num_players", "max_value", "max_bid", "bid_step", "reserve", "entry_fee", "budget", "num_rounds"),
    *("keep_values", "ask_forced", "risk_aversion"),
)
_GAINS = state.MAX_VALUE + state.MAX_BID + 1  # gains in units, with the share of another seat's payment
RULES = np.dtype(
    [
        *((name, "i8") for name in _NUMBERS),
        *((name, "i8") for name in ("auction", "values", "shared", "reward", "lowest", "highest")),
        ("cumulative", "u8", (state.MAX_VALUE + 1,)),  #  of each value, as a part of ONE
        ("utility", "i8", (_GAINS + 1,)),  #              of a gain of 0, 1, ... units, in hundredths
        ("equilibrium", "i8", (state.MAX_VALUE + 1,)),  # steps of the bid for each signal, -1: a pass
    ]
)


def utility(gain: np.ndarray, max_value: int, risk_aversion: int) -> np.ndarray:
    """L6: the utility of gains in whole units, in hundredths; the highest value has its own amount as utility."""
    share = np.maximum(gain, 0) / max_value
    return np.rint(state.CENTS * max_value * share ** (1 - risk_aversion / 100)).astype(np.int64)


def pack(options: AuctionOptions) -> np.ndarray:
    """(1,) RULES: the options as kernels read them; `equilibrium` is for the caller to fill."""
    packed = np.zeros(1, RULES)
    rules = packed[0]
    for name in _NUMBERS:
        rules[name] = getattr(options, name)
    rules["auction"] = state.FORMATS.index(options.auction)
    rules["values"] = state.VALUES.index(options.values)
    rules["shared"] = options.payee == "losers"
    rules["reward"] = REWARDS.index(options.reward)
    rules["lowest"] = options.reserve // options.bid_step
    rules["highest"] = options.max_bid // options.bid_step
    probability = chances(
        options.distribution, options.top, options.alpha, options.beta, min(options.low_value, options.top),
        options.high_chance,
    )  # fmt: skip
    rules["cumulative"] = np.rint(ONE * np.minimum(np.cumsum(probability), 1.0)).astype(np.uint64)
    rules["cumulative"][options.top :] = ONE
    rules["utility"] = utility(np.arange(_GAINS + 1), options.max_value, options.risk_aversion)
    return packed
