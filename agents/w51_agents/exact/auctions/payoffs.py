"""Exact expected payoffs of an auction of one round: each bid of each signal against a strategy of all rivals.

Nothing is sampled. Given the common part of the values, the rivals bid independently, so the ranks of their bids follow
from the distribution of one of them. Of equal bids each one wins as often: a bidder wins a tie against those rivals
that draw a higher number in [0, 1], and the mean over this number is exact by Gauss-Legendre quadrature, since what it
averages is a polynomial.

A strategy is an array (signals, decisions) of probabilities. Decision 0 is a pass, decision 1 + k a bid of k steps; at
a clock the highest price that is taken. A clock shows nothing more of rivals with private values, or to two bidders.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from math import comb
from typing import NamedTuple

import numpy as np

from w51_agents.agent.interface import AgentError
from w51_env.auctions.rules import utility
from w51_env.auctions.state import CENTS, UNIT_FORMATS
from w51_env.auctions.values import chances_of
from w51_env.engine.game import Game

Strategy = np.ndarray
_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(3)  # exact up to the fifth power: five rivals
TIES = tuple(zip((_NODES + 1) / 2, _WEIGHTS / 2, strict=True))


@dataclass(frozen=True)
class UtilityLoss:
    """What a strategy loses against copies of itself, in units of value for each round.

    Attributes:
        value: Expected payoff of a seat if all seats play the strategy.
        best: Expected payoff of a best response of one seat.
    """

    value: float
    best: float

    @property
    def loss(self) -> float:
        """`best - value`: 0 in an equilibrium."""
        return self.best - self.value

    @property
    def relative(self) -> float:
        """The loss as a part of `best`; 0 if there is nothing to win."""
        return self.loss / self.best if self.best > 0 else 0.0


class _Rival(NamedTuple):
    """One rival and its rank at a tie, given the common part of the values.

    Attributes:
        strategy: What it plays.
        at_most: (common parts, decisions), the probability that it decides so or below.
        below: (common parts, decisions), the probability that it ranks below.
        tie: Of equal bids those rank below who drew less than this.
    """

    strategy: Strategy
    at_most: np.ndarray
    below: np.ndarray
    tie: float


class ExactAuction:
    """The payoffs of one auction with its options.

    Args:
        game: `auctions_v0` with one round and no budget.

    Attributes:
        game: The game with its rules bound.
        legal: (decisions,) bool, the decisions that the rules allow.
        chances: (signals,) float64, the probability of each signal.

    Raises:
        AgentError: Options for which the payoffs are not known: several rounds, a budget, a clock that shows more than
            its price, or risk aversion where the worth or the income is a sum over rivals.
    """

    def __init__(self, game: Game):
        options = game.options
        self.game = game
        self._auction, self._values = options["auction"], options["values"]
        self._rivals, self._fee = game.num_players - 1, options["entry_fee"]
        self._shared = options["payee"] == "losers"
        self._check()
        rules = game.rules[0]
        self._lowest, decisions = int(rules["lowest"]), int(rules["highest"]) + 2
        self._prices = np.arange(decisions) * options["bid_step"] - options["bid_step"]  # units of each decision
        self.legal = np.arange(decisions) > self._lowest
        self.legal[0] = self._auction in ("english", "dutch") or options["reserve"] > 0 or self._fee > 0
        drawn = chances_of(game)[0]
        self._joint = self._joint_chances(drawn[: options["max_value"] + 1])  # (common parts, signals)
        self.chances = self._joint.sum(axis=0)
        self._if_won = self._method_of_winning()

    def _method_of_winning(self) -> Callable[[_Rival], np.ndarray]:
        """What gives (signals, decisions): what winning adds to the expected payoff."""
        if self._rank and self.game.options["risk_aversion"]:
            return self._won_averse_mineral if self._values == "mineral" else self._won_averse
        if self._values == "average":
            return self._won_average
        if self._values == "mineral":
            return self._won_mineral
        return self._won_at_a_rivals_bid if self._rank else self._won_at_own_bid

    def _check(self) -> None:
        options = self.game.options
        is_sum = self._values == "average" or (self._shared and self._auction == "all_pay")
        wrong = {
            "num_rounds": options["num_rounds"] > 1,
            "bidders": len(options["bidders"]) > 0,  # `profiles.py` knows those of bidders that differ, and of two lots
            "items": options["items"] > 1,
            "budget": options["budget"] > 0,
            "risk_aversion": options["risk_aversion"] > 0 and is_sum,
            "auction": self._auction in UNIT_FORMATS
            or (self._auction == "english" and self._values in ("average", "mineral") and self._rivals > 1),
        }
        for name, found in wrong.items():
            if found:
                raise AgentError(
                    f"{name}: {options[name]!r} with auction={self._auction!r}, values={self._values!r}, "
                    f"{self._rivals + 1} bidders: exact payoffs are not known here"
                )

    def _joint_chances(self, drawn: np.ndarray) -> np.ndarray:
        """(common parts, signals): the probability of both."""
        if self._values == "private":
            return drawn[None]
        size = len(drawn)
        joint = np.zeros((size, size))
        for common, chance in enumerate(drawn):
            if self._values == "mineral" and 2 * common < size:
                joint[common, : 2 * common + 1] = chance / (2 * common + 1)
            elif self._values != "mineral":
                joint[common, common:] = chance * drawn[: size - common]
        return joint[joint.sum(axis=1) > 0]

    @cached_property
    def _commons(self) -> np.ndarray:
        """(common parts,): the common value of each row of the joint chances, if they are of `mineral`."""
        rows = np.flatnonzero(chances_of(self.game)[0])
        return rows[: len(self._joint)]

    def _utility(self, gain: np.ndarray) -> np.ndarray:
        """Utility in units of gains in units, as the rules round it."""
        options = self.game.options
        if not options["risk_aversion"]:  # also of means of gains, which are not whole
            return gain
        cents = utility(gain, options["max_value"], options["risk_aversion"])
        return np.where(gain <= 0, gain, cents / CENTS)

    def payoffs(self, strategy: Strategy) -> np.ndarray:
        """(signals, decisions) float64: the expected payoff of each decision, if all rivals play `strategy`."""
        bids = self._given_common @ strategy  # (common parts, decisions): of one rival
        at_most = np.minimum(np.cumsum(bids, axis=1), 1.0)
        total = self._income(bids)
        for tie, weight in TIES:  # of equal bids those rivals rank below who drew less than `tie`
            below = at_most - (1 - tie) * bids
            below[:, 0] = 0.0  # a pass does not win
            won = self._if_won(_Rival(strategy, at_most, below, tie))
            total = total + weight * (won + self._if_lost(at_most, below, bids))
        return total

    @cached_property
    def _given_common(self) -> np.ndarray:
        """(common parts, signals): the probability of a signal."""
        return np.asarray(self._joint / self._joint.sum(axis=1, keepdims=True))

    @cached_property
    def _given_signal(self) -> np.ndarray:
        """(signals, common parts): the probability of a common part."""
        return np.asarray(self._joint.T / np.maximum(self.chances, 1e-300)[:, None])

    def _won_average(self, rival: _Rival) -> np.ndarray:
        win, of_signal = rival.below**self._rivals, self._given_signal
        below = self._below(rival.strategy, rival.tie, self._signals)
        of_rivals = self._rivals * below * rival.below ** (self._rivals - 1)
        of_worth = of_signal @ of_rivals + self._signals[:, None] * (of_signal @ win)
        lost = self._lost_to_rounding(rival.strategy, rival.tie)
        return np.asarray(of_worth / (self._rivals + 1) - lost - of_signal @ (win * self._paid(rival)))

    def _won_mineral(self, rival: _Rival) -> np.ndarray:
        gain = self._utility(self._commons[:, None] - self._paid(rival))
        return np.asarray(self._given_signal @ (rival.below**self._rivals * gain))

    def _won_at_a_rivals_bid(self, rival: _Rival) -> np.ndarray:
        win, of_signal = rival.below**self._rivals, self._given_signal
        return np.asarray(self._signals[:, None] * (of_signal @ win) - of_signal @ (win * self._paid(rival)))

    def _won_at_own_bid(self, rival: _Rival) -> np.ndarray:
        gain = self._utility(self._signals[:, None] - self._paid(rival))
        return np.asarray((self._given_signal @ rival.below**self._rivals) * gain)

    def _won_averse_mineral(self, rival: _Rival) -> np.ndarray:
        win = self._chances_of(self._price_at_most(rival.at_most, rival.below))
        gain = self._utility(self._commons[:, None, None] - self._prices - self._fees[:, None])
        return np.asarray(self._given_signal @ (win * gain).sum(axis=2))

    def _won_averse(self, rival: _Rival) -> np.ndarray:
        win = self._chances_of(self._price_at_most(rival.at_most, rival.below))
        won = (self._given_signal @ win.reshape(len(win), -1)).reshape(-1, *win.shape[1:])
        gain = self._utility(self._signals[:, None, None] - self._prices - self._fees[:, None])
        return np.asarray((won * gain).sum(axis=2))

    def _paid(self, rival: _Rival) -> np.ndarray:
        """(decisions,) or (common parts, decisions): what a winner pays, expected."""
        if not self._rank:
            return np.asarray(self._prices + self._fees)
        win = rival.below**self._rivals
        prices = self._chances_of(self._price_at_most(rival.at_most, rival.below)) @ self._prices
        return np.where(win > 0, prices / np.maximum(win, 1e-300), 0.0) + self._fees

    def _if_lost(self, at_most: np.ndarray, below: np.ndarray, bids: np.ndarray) -> np.ndarray:
        """(signals, decisions): what losing adds: the fee, the own bid in an all-pay auction, a share of the price."""
        if self._auction == "all_pay" or not self._shared:
            paid = self._fees + np.maximum(self._prices, 0) * (self._auction == "all_pay")
            return np.asarray(self._given_signal @ ((1 - below**self._rivals) * -paid))
        nobody = bids[:, :1] ** self._rivals * (self._prices < 0)
        sold = self._chances_of(self._lost_at_most(at_most, below, below**self._rivals + nobody))
        income = self._utility(np.maximum(self._prices, 0) // self._rivals - self._fees[:, None])
        return np.asarray(self._given_signal @ (sold * income).sum(axis=2))

    @cached_property
    def _fees(self) -> np.ndarray:
        """(decisions,): the entry fee of each."""
        return np.where(self._prices < 0, 0, self._fee)

    @cached_property
    def _signals(self) -> np.ndarray:
        return np.arange(len(self.chances))

    @property
    def _rank(self) -> int:
        """The rank of the bid that the winner pays."""
        return {"second_price": 1, "english": 1, "third_price": 2}.get(self._auction, 0)

    def _below(self, strategy: Strategy, tie: float, weights: np.ndarray) -> np.ndarray:
        """(common parts, decisions): the weight of a rival's signal times whether it ranks below, expected."""
        weighted = (self._given_common * weights) @ strategy
        below = np.cumsum(weighted, axis=1) - (1 - tie) * weighted
        below[:, 0] = 0.0  # a pass does not win
        return np.asarray(below)

    def _lost_to_rounding(self, strategy: Strategy, tie: float) -> np.ndarray | float:
        """(signals, decisions): what a lot that is won is worth less as its mean is rounded down to hundredths."""
        players = self._rivals + 1
        if CENTS % players == 0:
            return 0.0
        left = np.arange(players)  # of the sum of signals, divided by the number of bidders
        one = [self._below(strategy, tie, self._signals % players == rest) for rest in left]
        every = one
        for _ in range(self._rivals - 1):
            every = [sum((one[k] * every[(rest - k) % players] for k in left), np.zeros(1)) for rest in left]
        lost = (CENTS * left % players) / (CENTS * players)
        return sum(
            (lost[(self._signals + rest) % players, None] * (self._given_signal @ every[rest]) for rest in left),
            np.zeros(1),
        )

    def _income(self, bids: np.ndarray) -> np.ndarray:
        """(signals, 1): what rivals pay to a bidder in an all-pay auction whose payments are shared."""
        if not self._shared or self._auction != "all_pay":
            return np.zeros((len(self.chances), 1))
        share = np.maximum(self._prices, 0) // self._rivals
        return np.asarray(self._rivals * self._given_signal @ (bids @ share)[:, None])

    def _price_at_most(self, at_most: np.ndarray, below: np.ndarray) -> np.ndarray:
        """(common parts, decisions, prices): the probability to win at up to each price, which is a bid of rivals."""
        highest = np.minimum(at_most[:, None, :], below[:, :, None])
        of_price = highest**self._rivals
        if self._rank == 2:
            of_price = of_price + self._rivals * highest ** (self._rivals - 1) * (below[:, :, None] - highest)
        return np.asarray(of_price)

    def _lost_at_most(self, at_most: np.ndarray, below: np.ndarray, not_sold: np.ndarray) -> np.ndarray:
        """(common parts, decisions, prices): the probability that a rival wins at up to each price.

        Args:
            at_most: (common parts, decisions), of one rival.
            below: The same without the bids that rank above the own one.
            not_sold: The same, of winning, or of nobody bidding.
        """
        rivals, own = self._rivals, np.arange(below.shape[1])[:, None]
        ranked = sum(comb(rivals, k) * at_most ** (rivals - k) * (1 - at_most) ** k for k in range(self._rank + 1))
        lost = np.asarray(ranked)[:, None, :] - not_sold[:, :, None]
        lower = 0.0
        if self._rank == 2:  # the own bid is the second highest
            lower = rivals * (1 - below)[:, :, None] * at_most[:, None, :] ** (rivals - 1)
        return np.where(own <= own.T, lost, lower)

    def _chances_of(self, cumulative: np.ndarray) -> np.ndarray:
        """Probabilities of prices from cumulative ones; a price below the least bid is the least bid."""
        chances = np.diff(cumulative, axis=2, prepend=0.0)
        least = self._lowest + 1
        chances[:, :, least] += chances[:, :, :least].sum(axis=2)
        chances[:, :, :least] = 0.0
        return chances

    def best_response(self, strategy: Strategy) -> tuple[np.ndarray, Strategy]:
        """(signals,) payoffs of the best decisions against `strategy`, and the strategy that makes them."""
        payoffs = np.where(self.legal, self.payoffs(strategy), -np.inf)
        best = payoffs.argmax(axis=1)
        return payoffs[np.arange(len(best)), best], np.eye(payoffs.shape[1])[best]

    def utility_loss(self, strategy: Strategy) -> UtilityLoss:
        """The value of a strategy among copies of itself, and of a best response to them."""
        payoffs = self.payoffs(strategy)
        best = np.where(self.legal, payoffs, -np.inf).max(axis=1)
        return UtilityLoss(float(self.chances @ (strategy * payoffs).sum(axis=1)), float(self.chances @ best))

    def against(self, strategy: Strategy, rivals: Strategy) -> float:
        """The expected payoff of one seat that plays `strategy` while all rivals play another one."""
        return float(self.chances @ (strategy * self.payoffs(rivals)).sum(axis=1))

    def pure(self, steps: np.ndarray) -> Strategy:
        """The strategy that bids these steps for each signal; -1 is a pass."""
        return np.eye(len(self._prices))[1 + np.asarray(steps)[: len(self.chances)]]
