"""The options in one place: checked, and packed into the record that kernels read."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from w51_env.auctions import state
from w51_env.auctions.values import DISTRIBUTIONS, ONE, chances
from w51_env.engine.errors import OptionError
from w51_env.engine.options import REWARDS as ZERO_SUM
from w51_env.engine.options import check_options, check_range

NUM_PLAYERS = tuple(range(state.MIN_PLAYERS, state.MAX_PLAYERS + 1))
REWARDS = (*ZERO_SUM, "payoff")
PAYOFF = len(ZERO_SUM)
PAYEES = ("bank", "losers")

# Options that no observation shows: an agent is trained for one value of each. New options are appended here.
UNOBSERVED_OPTIONS: tuple[str, ...] = (
    *("distribution", "alpha", "beta", "low_value", "high_chance", "max_value", "max_bid", "bid_step"),
    *("budget", "keep_values", "bidders"),
)

PRESETS: dict[str, dict[str, Any]] = {
    "default": {},
    "coarse": {"max_value": 20, "max_bid": 20},
    "clock": {"auction": "english", "bid_step": 5},
    "repeated": {"num_rounds": 20, "max_value": 20, "max_bid": 20},
    "mini": {"num_players": 2, "max_value": 4, "max_bid": 4},
    "units": {"num_players": 2, "auction": "uniform_price", "max_value": 10, "max_bid": 10},
    "items": {"num_players": 2, "items": 2, "synergy": 50, "max_value": 10, "max_bid": 15},
    "sequence": {"num_rounds": 2, "keep_values": True, "one_each": True, "max_value": 20, "max_bid": 20},
}
CHOICES: dict[str, tuple[Any, ...]] = {
    "num_players": NUM_PLAYERS,
    "auction": state.FORMATS,
    "values": state.VALUES,
    "distribution": DISTRIBUTIONS,
    "payee": PAYEES,
    "keep_values": (False, True),
    "items": (1, 2),
    "one_each": (False, True),
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
    "synergy": (0, 50),
}
_BIDDER = "[0-9]{1,3}( [0-9]{1,3}){1,4}"
FORMS = {"bidders": rf"{_BIDDER}(/{_BIDDER}){{1,5}}"}  # texts that are not listed
_OF_ITEMS = ("first_price", "second_price", "all_pay")
_MOST_FOR_TWO = 150  #  of bids for two lots: what they cost, in hundredths, is within the int16 of scores


class Bidder(NamedTuple):
    """What is known of a seat (L7): its values and their law, its risk aversion."""

    low: int
    high: int
    alpha: int = 1
    beta: int = 1
    risk_aversion: int = 0


@dataclass(frozen=True)
class AuctionOptions:
    """Every option of a game. Values, bids and money in units.

    Attributes:
        num_players: Bidders, 2 to 6.
        auction: The format: "first_price", "second_price", "third_price" (3 bidders or more) and "all_pay" are sealed;
            "english" is a rising clock, "dutch" a falling one (L2, L3). "discriminatory", "uniform_price" and "vickrey"
            sell two equal units (L8).
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
        items: Lots that are sold at the same time, each for its own bids: 1, or 2 with "first_price", "second_price" or
            "all_pay" (L9).
        synergy: What two items are worth more to who gets both, in percent of their sum (L9).
        one_each: Nobody wants a second lot, so whoever has won bids no more. With two units; or in rounds with kept
            values, after which all learn the winner and the price alone (L9).
        bidders: For each seat its least and highest value and, if they differ, alpha and beta of their law (1, 1:
            uniform) and its risk aversion: "0 60/0 100 2 2 50". Private values only; empty: all alike (L7).
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
    items: int = 1
    synergy: int = 0
    one_each: bool = False
    bidders: str = ""
    reward: str = "payoff"
    ask_forced: bool = False

    def __post_init__(self) -> None:
        check_options(self, CHOICES, RANGES)
        bidders = self._differing()
        averse = self.risk_aversion > 0 or any(one.risk_aversion for one in bidders)
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
            (self.keep_values and averse, "keep_values, risk_aversion, bidders", "no risk aversion with kept values"),
            *self._wrong_lots(bidders, averse),
        )
        for found, names, allowed in wrong:
            if found:
                values = ", ".join(repr(getattr(self, name)) for name in names.split(", "))
                raise OptionError(f"{names}: {values}, but allowed are {allowed}")

    def _wrong_lots(self, bidders: Sequence[Bidder], averse: bool) -> tuple[tuple[bool, str, str], ...]:
        """L7 to L9: whether something is wrong, the options, and what is allowed."""
        is_private = self.values == "private"
        plain = not (self.budget or self.entry_fee or averse) and self.num_rounds == 1
        in_turn = self.keep_values and 1 < self.num_rounds <= self.num_players
        return (
            (
                self.items == 2 and self.auction not in _OF_ITEMS,
                "items, auction",
                f"with two items {', '.join(_OF_ITEMS)}",
            ),
            (
                self.one_each and (self.items == 2 or (self.num_rounds > 1 and not in_turn)),
                "one_each, items, keep_values, num_rounds",
                "one item, and in several rounds kept values and at most as many rounds as bidders",
            ),
            (
                self.two_lots and not (plain and is_private and self.payee == "bank"),
                "auction, items, values, payee, budget, entry_fee, risk_aversion, num_rounds",
                "for two lots private values, payments to the bank, one round, no budget, fee or risk aversion",
            ),
            (self.two_lots and self.max_bid > _MOST_FOR_TWO, "max_bid", f"for two lots up to {_MOST_FOR_TWO}"),
            (any(one.low > one.high for one in bidders), "bidders", "a lowest value of at most the highest"),
            (
                len(bidders) > 0 and not (is_private and self.distribution == "uniform"),
                "bidders, values, distribution",
                "bidders with private values, and distributions of their own",
            ),
        )

    @property
    def two_lots(self) -> bool:
        """Whether two lots are sold at once."""
        return self.items == 2 or self.auction in state.UNIT_FORMATS

    def _differing(self) -> list[Bidder]:
        """The bidders, if they differ."""
        if not isinstance(self.bidders, str):
            raise OptionError(f"bidders: {self.bidders!r}, but a text is needed, such as '0 60/0 100 2 2 50'")
        parts = [part.split() for part in self.bidders.split("/")] if self.bidders else []
        numbers = all(number.isdecimal() and len(number) < 4 for part in parts for number in part)
        if len(parts) not in (0, self.num_players) or not numbers or any(not 2 <= len(one) <= 5 for one in parts):
            raise OptionError(
                f"bidders: {self.bidders!r}, but 2 to 5 numbers are needed for each of {self.num_players} bidders "
                f"({', '.join(Bidder._fields)}), such as '0 60/0 100 2 2 50' for two"
            )
        allowed = ((0, self.max_value), (1, self.max_value), *(RANGES[name] for name in Bidder._fields[2:]))
        for seat, one in enumerate(parts):
            for name, number, ends in zip(Bidder._fields, one, allowed, strict=False):
                check_range(f"bidders[{seat}], {name}", int(number), *ends)
        usual = {"risk_aversion": self.risk_aversion}
        return [Bidder(**{**usual, **dict(zip(Bidder._fields, map(int, one), strict=False))}) for one in parts]

    def bidder(self, seat: int) -> Bidder:
        """What is known of a seat, if bidders differ."""
        return self._differing()[seat]

    @property
    def top(self) -> int:
        """The highest value that the distribution gives: a value, a part of one, or a common value."""
        return self.max_value if self.values == "private" else self.max_value // 2


_NUMBERS = (
    *("num_players", "max_value", "max_bid", "bid_step", "reserve", "entry_fee", "budget", "num_rounds"),
    *("keep_values", "ask_forced", "items", "synergy", "one_each"),
)
_GAINS = state.MAX_VALUE + state.MAX_BID + 1  # gains in units, with the share of another seat's payment
RULES = np.dtype(
    [
        *((name, "i8") for name in _NUMBERS),
        *((name, "i8") for name in ("auction", "values", "shared", "reward", "lowest", "highest")),
        *((name, "i8") for name in ("units", "two_bids", "in_turn", "differ")),
        ("risk_aversion", "i8", (state.MAX_PLAYERS,)),
        ("cumulative", "u8", (state.MAX_PLAYERS, state.MAX_VALUE + 1)),  # of each value, as a part of ONE
        ("utility", "i8", (state.MAX_PLAYERS, _GAINS + 1)),  #             of a gain of 0, 1, ... units, in hundredths
        # Steps for each value, -1: a pass; by the lot, or the round of a sequence, and the seat.
        ("equilibrium", "i8", (state.MAX_PLAYERS, state.MAX_PLAYERS, state.MAX_VALUE + 1)),
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
    rules["units"] = options.auction in state.UNIT_FORMATS
    rules["two_bids"] = options.two_lots and not options.one_each
    rules["in_turn"] = options.one_each and options.num_rounds > 1
    rules["differ"] = len(options.bidders) > 0
    for seat in range(state.MAX_PLAYERS):
        risk_aversion = options.risk_aversion
        law = chances(options.distribution, options.top, options.alpha, options.beta,
            min(options.low_value, options.top), options.high_chance)  # fmt: skip
        if options.bidders and seat < options.num_players:
            low, high, alpha, beta, risk_aversion = options.bidder(seat)
            law = np.roll(chances("beta", high - low, alpha, beta, 0, 0), low)
        rules["cumulative"][seat] = np.rint(ONE * np.minimum(np.cumsum(law), 1.0)).astype(np.uint64)
        rules["cumulative"][seat, law.nonzero()[0][-1] :] = ONE
        rules["utility"][seat] = utility(np.arange(_GAINS + 1), options.max_value, risk_aversion)
        rules["risk_aversion"][seat] = risk_aversion
    return packed
