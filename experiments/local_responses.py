"""What learning from a search leads to, in a game that is solved: `python -m experiments.local_responses`.

A search with unlimited playouts takes, at each decision, the action that is best if all seats, its own too, play on as
before: a local best response. Here it is computed exactly in the mini game `nano`, and so is what follows from
learning it again and again, by several rules. After each number of rounds the policy's exploitability is printed: what
a best response wins above the equal share, and what a local one does, which is what `response:AGENT` measures.
"""

from collections.abc import Callable
from functools import partial
from typing import Annotated, Any

import numpy as np
import typer

from experiments import lab
from w51_agents.exact.cfr import CFRPlus
from w51_agents.exact.exploitability import exploitability_of, profile_of
from w51_agents.exact.tree import Profile, Tree, build_tree
from w51_agents.named.registry import make_agent
from w51_env import make_game

ROUNDS = (0, 1, 2, 4, 8, 16, 32, 64, 128)
_LEAST = 1e-6  #  of a probability, so that its logarithm is finite
_AVERAGE_RATE = 0.05

# Of each level the probability of each action in its information state.
Shares = list[np.ndarray]


class Iteration(CFRPlus):
    """A policy that changes round by round: the shares of actions in the information states of all seats.

    Args:
        tree: The game.
        profile: The first policy.

    Attributes:
        shares: The policy.
        magnet: A moving average of the policies.
    """

    def __init__(self, tree: Tree, profile: Profile):
        super().__init__(tree)
        self.shares = self._of_profile(profile)
        self.magnet = [share.copy() for share in self.shares]
        self._generator = np.random.default_rng(1)
        self._count(self.shares)

    def _of_profile(self, profile: Profile) -> Shares:
        return [
            np.bincount(level.action, weights=played) / np.bincount(level.action)
            for level, played in zip(self._levels, profile, strict=True)
        ]

    def profile(self, shares: Shares | None = None) -> Profile:
        """The policy, or another one, as a profile of the tree."""
        shares = self.shares if shares is None else shares
        return [share[level.action] for level, share in zip(self._levels, shares, strict=True)]

    def values(self) -> Shares:
        """What each action is worth to its seat, if all play on by the policy."""
        reaches = [self._reaches(seat, self.shares)[0] for seat in range(self.tree.game.num_players)]
        below, worth = self.tree.levels[-1].payoffs, []
        for depth in range(len(self._levels) - 1, -1, -1):
            level, everyone = self._levels[depth], np.arange(len(self._levels[depth].parent))
            reach = np.stack([one[depth] for one in reaches], 1)
            weight = reach[level.parent, level.seat]
            total = np.bincount(level.action, weights=weight * below[everyone, level.seat], minlength=len(level.state))
            chance = np.bincount(level.action, weights=weight, minlength=len(level.state))
            worth.append(np.where(chance > 0, total / np.where(chance > 0, chance, 1.0), 0.0))
            played, above = self.shares[depth][level.action], self.tree.levels[depth].payoffs.copy()
            for seat in range(self.tree.game.num_players):
                above[:, seat] += np.bincount(level.parent, weights=played * below[:, seat], minlength=len(above))
            below = above
        return worth[::-1]

    def response(self) -> Shares:
        """The local best response."""
        chosen = []
        for level, worth in zip(self._levels, self.values(), strict=True):
            best = np.full(len(level.node), -np.inf)
            np.maximum.at(best, level.state, worth)
            is_best = worth >= best[level.state] - 1e-12
            chosen.append(is_best / np.bincount(level.state, weights=is_best)[level.state])
        return chosen

    def step(self, rate: float) -> None:
        """A part of the way to the response, at each information state: imitation of a search."""
        self.shares = [
            (1 - rate) * share + rate * best for share, best in zip(self.shares, self.response(), strict=True)
        ]

    def fictitious_play(self) -> None:
        """The mean of all responses to the means before, each drawn for a whole game."""
        self._count(self.response())
        self.shares = self._of_profile(self.average())

    def mirror_descent(self, rate: float, pull: float = 0.0, magnet: str = "uniform", noise: float = 0.0) -> None:
        """A step: probabilities times e to the worth of the action, and a pull to a magnet (Sokota et al., 2022).

        Args:
            rate: What the worth is multiplied by.
            pull: The weight of the magnet.
            magnet: `uniform`, or the moving `average` of the policies.
            noise: Standard deviation of the worth, as if it were estimated from playouts.
        """
        new = []
        for level, share, worth, average in zip(self._levels, self.shares, self.values(), self.magnet, strict=True):
            to = average if magnet == "average" else 1.0 / np.bincount(level.state)[level.state]
            found = worth + noise * self._generator.standard_normal(len(worth))
            logits = (np.log(share + _LEAST) + rate * found + rate * pull * np.log(to + _LEAST)) / (1 + rate * pull)
            highest = np.full(len(level.node), -np.inf)
            np.maximum.at(highest, level.state, logits)
            weights = np.exp(logits - highest[level.state])
            new.append(weights / np.bincount(level.state, weights=weights)[level.state])
        self.shares = new
        self.magnet = [
            (1 - _AVERAGE_RATE) * old + _AVERAGE_RATE * share for old, share in zip(self.magnet, new, strict=True)
        ]

    def _count(self, shares: Shares) -> None:
        """Add a policy to the mean, weighted by its own reach."""
        for seat in range(self.tree.game.num_players):
            own_reach = self._reaches(seat, shares)[1]
            for depth, level in enumerate(self._levels):
                weight = own_reach[depth][level.node][level.state]
                level.chosen += np.where(level.mover == seat, weight * shares[depth], 0.0)


RULES: dict[str, Callable[[Iteration], None]] = {
    "the response itself": lambda iteration: iteration.step(1.0),
    "a tenth of the way to it": lambda iteration: iteration.step(0.1),
    "fictitious play: the mean of all responses": lambda iteration: iteration.fictitious_play(),
    **{f"by worth, rate {rate}": partial(Iteration.mirror_descent, rate=rate) for rate in (64, 16, 4, 1)},
    **{f"rate {rate}, worth ± 0.1": partial(Iteration.mirror_descent, rate=rate, noise=0.1) for rate in (64, 16, 4, 1)},
    "rate 4, pull 0.02 to uniform play": partial(Iteration.mirror_descent, rate=4, pull=0.02),
    "rate 4, pull 0.2 to an average": partial(Iteration.mirror_descent, rate=4, pull=0.2, magnet="average"),
}


def main(
    agent: Annotated[str, typer.Argument(help="The first policy.")] = "pretrained-v2",
    rules: Annotated[list[str] | None, typer.Option("--rule", help="Rules; none: all.")] = None,
    data: lab.DataFile = lab.RESULTS / "local_responses.json",
) -> None:
    """Iterate by each rule, print."""
    tree = build_tree(make_game("warehouse51_v1", preset="nano", reward="win"))
    first = profile_of(tree, agent, make_agent(agent, tree.game))

    def measure(rule: str) -> dict[str, Any]:
        iteration, curve = Iteration(tree, first), []
        for number in range(ROUNDS[-1] + 1):
            if number:
                RULES[rule](iteration)
            if number in ROUNDS:
                curve.append(exploitabilities(iteration))
        return {"rounds": ROUNDS, "exploitability": [one for one, _ in curve], "local": [one for _, one in curve]}

    cells = ({"rule": rule} for rule in rules or RULES)
    results = lab.measured(data, {"agent": agent}, cells, measure)
    for cell in results["cells"]:
        print(cell["rule"], *(f"{100 * one:.1f} ({100 * two:.1f})" for one, two in zip(
            cell["exploitability"], cell["local"], strict=True)))  # fmt: skip


def exploitabilities(iteration: Iteration) -> tuple[float, float]:
    """What a best response to the policy wins above the policy itself, and what a local one does; means over seats."""
    tree, profile = iteration.tree, iteration.profile()
    local, values = iteration.profile(iteration.response()), tree.values(profile)
    gains = [tree.values(tree.combined(seat, local, profile))[seat] - values[seat] for seat in range(len(values))]
    return exploitability_of(tree, profile).exploitability, float(np.mean(gains))


if __name__ == "__main__":
    typer.run(main)
