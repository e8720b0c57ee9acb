"""Exact expected payoffs where bidders differ, or two lots are sold at once: each decision against a strategy a seat.

Nothing is sampled, and values are private. What a seat meets are two numbers: the two highest bids of its rivals, or of
two items the highest bid for each; their distribution follows from that of each rival. Of equal bids those rivals rank
below who draw a higher number in [0, 1], and the mean over this number is exact by quadrature (`payoffs.py`).

A strategy is an array (values, decisions) of probabilities. Values and decisions are pairs; of one lot the second is 0.
"""

from collections.abc import Sequence
from itertools import product

import numpy as np

from w51_agents.agent.interface import Agent, AgentError
from w51_agents.exact.auctions.payoffs import TIES, Strategy, UtilityLoss
from w51_agents.exact.exploitability import policy_of
from w51_agents.exact.tree import Policy
from w51_env.auctions.rules import utility
from w51_env.auctions.state import CENTS
from w51_env.auctions.values import chances_of
from w51_env.engine.batch import Batch
from w51_env.engine.game import Game

_MOST = 2000  # decisions of a seat


class ExactProfile:
    """The payoffs of one auction with its options.

    Args:
        game: `auctions_v0` with sealed bids, private values, one round, no budget, and payments to the bank.

    Attributes:
        game: The game with its rules bound.
        values: Of each seat (values, 2) int64, in units.
        chances: Of each seat (values,) float64, the probability of each.
        decisions: (decisions, 2) int64, as in the record: 0 a pass, 1 + the steps of a bid.

    Raises:
        AgentError: Other options, or too many decisions.
    """

    def __init__(self, game: Game):
        options, rules = game.options, game.rules[0]
        wrong = {
            "auction": options["auction"] in ("english", "dutch"),
            "values": options["values"] != "private",
            "num_rounds": options["num_rounds"] > 1,
            "budget": options["budget"] > 0,
            "payee": options["payee"] != "bank",
        }
        for name in (name for name, found in wrong.items() if found):
            raise AgentError(f"{name}: {options[name]!r}, but exact payoffs of a profile are not known for this")
        self.game, self._auction = game, options["auction"]
        self._two = bool(rules["two_bids"])
        self._units = bool(rules["units"])
        self._items = options["items"] > 1
        self._least, self._most = int(rules["lowest"]) + 1, int(rules["highest"]) + 1
        may_pass = options["reserve"] > 0 or options["entry_fee"] > 0
        self.decisions = self._pairs(np.array([*([0] if may_pass else []), *range(self._least, self._most + 1)]))
        if len(self.decisions) > _MOST:
            raise AgentError(f"decisions: {len(self.decisions):,}, but exact payoffs need {_MOST:,} or fewer")
        laws = chances_of(game)[: game.num_players]
        self.values = [self._pairs(law.nonzero()[0]) for law in laws]
        self.chances = [
            law[pairs[:, 0]]
            * (law[pairs[:, 1]] * (1 + (self._units & (pairs[:, 0] != pairs[:, 1]))) if self._two else 1)
            for law, pairs in zip(laws, self.values, strict=True)
        ]

    def _pairs(self, numbers: np.ndarray) -> np.ndarray:
        """(N, 2): all that a seat may have or do; of two units the second is at most the first."""
        if not self._two:
            return np.stack([numbers, np.zeros_like(numbers)], axis=1)
        return np.array([pair for pair in product(numbers, numbers) if self._items or pair[1] <= pair[0]])

    def payoffs(self, seat: int, strategies: Sequence[Strategy]) -> np.ndarray:
        """(values, decisions) float64: what each decision of `seat` earns, if the others play their strategies."""
        rivals = [self.chances[other] @ strategies[other] for other in range(len(strategies)) if other != seat]
        total = np.zeros((len(self.values[seat]), len(self.decisions)))
        for tie, weight in TIES:
            if not self._items:
                total += weight * self._expected(seat, self._met(rivals, [(0, 0, tie), (1, 1, 1 - tie)]))
                continue
            for second, by in TIES:  # equal bids for each item are decided by a lot of their own
                above = [(a, b, abs(a - tie) * abs(b - second)) for a, b in product((0, 1), (0, 1))]
                total += weight * by * self._expected(seat, self._met(rivals, above))
        return total

    def _met(self, rivals: Sequence[np.ndarray], above: Sequence[tuple[int, int, float]]) -> np.ndarray:
        """(codes, codes): the probability of the two numbers that a seat meets.

        The code of a pass is 0; that of a bid, as a decision b, is 2 b if it ranks above an equal one, else 2 b - 1.

        Args:
            rivals: Of each the probabilities of its decisions.
            above: Whether its first, its second bid ranks above equal ones, and how likely this is.
        """
        size = 2 * self._most + 1
        each = []
        for chances in rivals:
            exact = np.zeros((size, size))
            for first, second, weight in above:
                codes = np.maximum(2 * self.decisions - 1 + np.array([first, second]), 0) * (self.decisions > 0)
                np.add.at(exact, (codes[:, 0], codes[:, 1]), weight * chances)
            each.append(exact.cumsum(axis=0).cumsum(axis=1))  # both up to a code
        joint = np.prod(each, axis=0)
        if not self._items:  # no bid above the first number, and at most one rival has bids above the second
            firsts = np.array([at_most[:, -1] for at_most in each])
            others = np.array([np.delete(firsts, number, axis=0).prod(axis=0) for number in range(len(each))])
            joint = np.einsum("rab,rb->ab", np.array(each), others) - (len(each) - 1) * firsts.prod(axis=0)
            codes = np.arange(size)
            joint = joint[codes[:, None], np.minimum(codes[:, None], codes)]
        return np.asarray(np.diff(np.diff(joint, axis=0, prepend=0.0), axis=1, prepend=0.0))

    def _expected(self, seat: int, met: np.ndarray) -> np.ndarray:
        """(values, decisions): the payoffs, if `met` is the distribution of what the seat meets."""
        won, paid = self._results(len(met))
        outcomes, most = int(won.max()) + 1, int(paid.max()) + 1
        places = (np.arange(len(won))[:, None, None] * outcomes + won) * most + paid
        weights = np.broadcast_to(met, won.shape).ravel()
        chances = np.bincount(places.ravel(), weights, len(won) * outcomes * most).reshape(len(won), -1)
        gains = self._worths(seat)[:, :outcomes, None] - np.arange(most)
        averse = int(self.game.rules[0]["risk_aversion"][seat])
        if averse:
            gains = np.where(gains <= 0, gains, utility(gains, self.game.options["max_value"], averse) / CENTS)
        return np.asarray(gains.reshape(len(gains), -1) @ chances.T)

    def _worths(self, seat: int) -> np.ndarray:
        """(values, outcomes): the worth of nothing, the first lot, and both; of items also of the second one."""
        first, second = self.values[seat].T.astype(float)
        if self._items:
            both = (first + second) * (100 + self.game.options["synergy"]) / 100
            return np.stack([np.zeros_like(first), first, second, both], axis=1)
        return np.stack([np.zeros_like(first), first, first + second], axis=1)

    def _results(self, size: int) -> tuple[np.ndarray, np.ndarray]:
        """(decisions, codes, codes) each: which outcome of `_worths`, and what is paid, in units."""
        first, second = self.decisions.T[:, :, None, None]
        high, low = np.arange(size)[:, None], np.arange(size)  # codes of the first and of the second number
        if self._units:
            one, both = low < 2 * first, high < 2 * second  # a seat's second bid is to beat all, its first all but one
            won = one + both.astype(int)
            paid = {
                "discriminatory": one * self._money(first) + both * self._money(second),
                "uniform_price": np.where(
                    both, 2 * self._price(high), one * np.maximum(self._price(low), self._money(second))
                ),
                "vickrey": one * self._price(low) + both * self._price(high),
            }[self._auction]
        else:
            won = (high < 2 * first).astype(int)
            paid = self._paid(first, low if self._auction == "third_price" else high, won)
            if self._items:
                of_second = (low < 2 * second).astype(int)
                won, paid = won + 2 * of_second, paid + self._paid(second, low, of_second)
        paid = paid + self.game.options["entry_fee"] * (first > 0)
        shape = (len(self.decisions), size, size)
        return np.broadcast_to(won, shape), np.broadcast_to(paid, shape)

    def _paid(self, own: np.ndarray, priced: np.ndarray, won: np.ndarray) -> np.ndarray:
        """What is paid for one item: the own bid, or that of a code."""
        if self._auction == "all_pay":
            return self._money(own)
        return won * (self._money(own) if self._auction == "first_price" else self._price(priced))

    def _money(self, bids: np.ndarray) -> np.ndarray:
        """Units of bids as decisions; 0 for a pass."""
        return np.asarray(np.maximum(bids - 1, 0) * self.game.options["bid_step"])

    def _price(self, codes: np.ndarray) -> np.ndarray:
        """Units of the bids of codes, the least bid for lower ones."""
        return self._money(np.maximum((codes + 1) // 2, self._least))

    def best_response(self, seat: int, strategies: Sequence[Strategy]) -> tuple[np.ndarray, Strategy]:
        """(values,) payoffs of the best decisions of `seat` against the others, and the strategy that makes them."""
        payoffs = self.payoffs(seat, strategies)
        best = payoffs.argmax(axis=1)
        return payoffs[np.arange(len(best)), best], np.eye(payoffs.shape[1])[best]

    def losses(self, strategies: Sequence[Strategy]) -> list[UtilityLoss]:
        """Of each seat the value of its strategy among those of the others, and that of a best response to them."""
        found = []
        for seat, (strategy, chances) in enumerate(zip(strategies, self.chances, strict=True)):
            payoffs = self.payoffs(seat, strategies)
            value = float(chances @ (strategy * payoffs).sum(axis=1))
            found.append(UtilityLoss(value, float(chances @ payoffs.max(axis=1))))
        return found

    def strategies_of(self, name: str, agent: Agent) -> list[Strategy]:
        """What an agent without memory does in each seat, as `exact.exploitability.policy_of` asks it."""
        return [self._strategy(seat, policy_of(self.game, name, agent)) for seat in range(self.game.num_players)]

    def _strategy(self, seat: int, policy: Policy) -> Strategy:
        values = self.values[seat]
        first = self._asked(seat, policy, values, None)
        if not self._two:
            return first[:, self.decisions[:, 0]]
        bids = np.unique(self.decisions[:, 0])
        second = {bid: self._asked(seat, policy, values, bid) for bid in bids}
        return np.stack([first[:, one] * second[one][:, two] for one, two in self.decisions], axis=1)

    def _asked(self, seat: int, policy: Policy, values: np.ndarray, bid: int | None) -> np.ndarray:
        """(values, actions): what a seat does at each of its values, first or after its first bid."""
        batch = Batch(self.game, len(values), seed=0, autoreset="disabled", keep_final=False)
        batch.reset()
        batch.games["seat"] = seat
        batch.games["bids"][:, :seat] = batch.games["second_bids"][:, :seat] = self._least
        batch.games["signals"][:, seat], batch.games["second_signals"][:, seat] = values.T
        if bid is not None:
            batch.games["bids"][:, seat] = bid
        batch.refresh()
        return policy(batch.observation, batch.action_mask)

    def solve(self, iterations: int) -> list[Strategy]:
        """An equilibrium on the grid, approximately: each seat's average of best responses (fictitious play)."""
        count = len(self.decisions)
        found = [np.full((len(values), count), 1 / count) for values in self.values]
        for number in range(1, iterations + 1):
            weight = 2 / (number + 1)  # the average weighs later responses more
            best = [self.best_response(seat, found)[1] for seat in range(len(found))]
            found = [(1 - weight) * old + weight * new for old, new in zip(found, best, strict=True)]
        return found
