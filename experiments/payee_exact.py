"""The exact part of experiments/payee.py: one lot with a secret that two neighbours share, and the mini game `nano`."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from w51_agents.exact.cfr import CFRPlus
from w51_agents.exact.exploitability import exploitability_of
from w51_agents.exact.tree import build_tree
from w51_env import make_game
from w51_env.engine.batch import Batch

SEATS, WORTH, MOST = 3, 8, 10  #  bidders, points of a genuine lot (an ingot is a point), and the highest bid
FAKE = 0.25  #  chance of a counterfeit; its card is in each of the three gaps equally often
NOTHING, LEFT, RIGHT = range(3)  #  what a seat knows: no card, or one in the gap to its left or right
_SALES_IN_NANO = 3


def shares(payment: str, refund: float = 1.0) -> np.ndarray:
    """(seats, seats): the part of a price that the winner (row) pays to each seat; the rest goes to the bank."""
    if payment == "others":
        return refund * (1 - np.eye(SEATS)) / (SEATS - 1)
    step = {"left": 1, "right": -1, "bank": None}[payment]
    return np.zeros((SEATS, SEATS)) if step is None else np.roll(np.eye(SEATS), step, axis=1)


class OneLot:
    """One sealed bid each for a lot that may be a counterfeit, and the highest pays its bid; ties are drawn.

    Gap g lies between seats g and g + 1, which both see its card, so a seat that sees one knows who else does.

    Args:
        paid: As `shares`.
        is_relative: Whether a seat wants to be ahead of the others' mean, as in a game that one wins, or points.

    Attributes:
        strategies: (seats, 3, bids) probabilities of each bid by what the seat knows.
    """

    def __init__(self, paid: np.ndarray, is_relative: bool):
        bids = np.stack(np.meshgrid(*[np.arange(MOST + 1)] * SEATS, indexing="ij"), -1)
        self.price = bids.max(-1)
        wins = (bids == self.price[..., None]) & (self.price[..., None] > 0)
        self.wins = wins / np.maximum(1, wins.sum(-1, keepdims=True))
        self.chance = np.array([1 - FAKE, *[FAKE / SEATS] * SEATS])
        self.known = np.zeros((1 + SEATS, SEATS), int)
        for gap in range(SEATS):
            self.known[1 + gap, gap], self.known[1 + gap, (gap + 1) % SEATS] = LEFT, RIGHT
        moved = self.wins @ (paid - np.eye(SEATS)) * self.price[..., None]
        worth = np.array([WORTH, *[0] * SEATS])
        self.gains = moved + worth[:, None, None, None, None] * self.wins
        self.payoffs = self.gains - (_of_others(self.gains) if is_relative else 0)
        self.strategies = np.full((SEATS, 3, MOST + 1), 1 / (MOST + 1))

    def solve(self, iterations: int, seed: int | None) -> None:
        """CFR+ from equal bids, or from the regrets that a seed draws."""
        regrets = np.zeros_like(self.strategies)
        if seed is not None:
            regrets += np.random.default_rng(seed).exponential(WORTH, regrets.shape)
        total = np.zeros_like(regrets)
        now = _in_proportion(regrets)
        for iteration in range(1, iterations + 1):
            for seat in range(SEATS):
                values = self._values(seat, now)
                regrets[seat] = np.maximum(0, regrets[seat] + values - (values * now[seat]).sum(-1, keepdims=True))
                now[seat] = _in_proportion(regrets[seat])
            total += iteration**2 * now
        self.strategies = _in_proportion(total)

    def gap(self) -> float:
        """The most that a seat gains by a best response, in points."""
        values = [self._values(seat, self.strategies) for seat in range(SEATS)]
        return max(float((v.max(-1) - (v * s).sum(-1)).sum()) for v, s in zip(values, self.strategies, strict=True))

    def outcome(self) -> dict[str, float]:
        """What the strategies lead to: `price` of a sold lot, parts sold, and points of a seat by what it knows."""
        odds = np.stack([self._odds(state, self.strategies) for state in range(1 + SEATS)])  # (states, bids ** seats)
        sold = (self.wins.sum(-1) * odds).sum(axis=(1, 2, 3))
        gains = (self.gains * odds[..., None]).sum(axis=(1, 2, 3))  # (states, seats)
        knows = self.known != NOTHING
        weights = self.chance[:, None] * np.ones(SEATS)
        unknowing = (self.wins * odds[..., None]).sum(axis=(1, 2, 3))[~knows & (np.arange(1 + SEATS) > 0)[:, None]]
        return {
            "price": float((self.chance * (self.price * odds).sum(axis=(1, 2, 3))).sum() / (self.chance @ sold)),
            "efficiency": float(sold[0]),
            "fooled": float(unknowing.mean()),
            "score": float((weights * gains).sum() / SEATS),
            "score_knowing": float(gains[knows].mean()),
            "score_of_the_third": float(gains[1:][~knows[1:]].mean()),
            "gap": self.gap(),
        }

    def _odds(self, state: int, strategies: np.ndarray) -> np.ndarray:
        a, b, c = (strategies[seat, self.known[state, seat]] for seat in range(SEATS))
        return np.asarray(np.einsum("i,j,k->ijk", a, b, c))

    def _values(self, seat: int, strategies: np.ndarray) -> np.ndarray:
        """(3, bids): the payoff of each bid for each thing known, times the chance to know it."""
        values, free = np.zeros((3, MOST + 1)), strategies.copy()
        free[seat] = 1.0
        for state, chance in enumerate(self.chance):
            odds = self._odds(state, free)
            others = tuple(axis for axis in range(SEATS) if axis != seat)
            values[self.known[state, seat]] += chance * (self.payoffs[state, ..., seat] * odds).sum(axis=others)
        return values


def _of_others(gains: np.ndarray) -> np.ndarray:
    return np.asarray((gains.sum(-1, keepdims=True) - gains) / (SEATS - 1))


def _in_proportion(weights: np.ndarray) -> np.ndarray:
    total = weights.sum(-1, keepdims=True)
    return np.where(total > 0, weights / np.where(total > 0, total, 1), 1 / weights.shape[-1])


def nano(options: Mapping[str, Any], iterations: int, starts: int) -> list[dict[str, Any]]:
    """What CFR+ finds in `nano` from several starts: price, lots sold, points, wins of each seat, and its gap."""
    # No loan is ever affordable: with a bank the reserve would fill until some seat could pawn.
    game = make_game("warehouse51_v1", **{"preset": "nano", "reward": "win", "pawn_loan": 10, **options})
    tree, sales = build_tree(game), build_tree(game, payoff=_sales)
    found = []
    for start in range(starts):
        solver = CFRPlus(tree)
        if start:
            solver.begin_anywhere(start)
        solver.run(iterations)
        profile = solver.average()
        paid, sold, score = sales.values(profile)
        exploited = exploitability_of(tree, profile)
        found.append(
            {
                "price": paid / sold,
                "sold": sold / _SALES_IN_NANO,
                "score": score,
                "wins": exploited.values.tolist(),
                "gap": exploited.gains.tolist(),
            }
        )
    return found


def _sales(batch: Batch) -> np.ndarray:
    """(N, 3): ingots paid for all lots, number of lots sold, and the mean score, in the places of three payoffs."""
    states = batch.games
    sold = states["buyer"] >= 0
    return np.stack([(states["price"] * sold).sum(1), sold.sum(1), batch.final_scores.mean(1)], axis=1).astype(float)
