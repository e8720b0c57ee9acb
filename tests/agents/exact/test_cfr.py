"""CFR+ in games whose equilibria are known."""

import numpy as np

from tests.agents.exact.test_exploitability import auction as auction
from w51_agents.exact.cfr import CFRPlus
from w51_agents.exact.exploitability import exploitability_of
from w51_agents.exact.tree import Tree


def test_it_finds_an_equilibrium_of_the_sealed_auction_of_two(auction: Tree):
    solver = CFRPlus(auction)
    gains = []
    for iterations in (10, 40, 50):
        solver.run(iterations)
        gains.append(exploitability_of(auction, solver.average()).gains.max())
    assert solver.iterations == 100
    assert gains[0] > gains[1] > gains[2]
    assert gains[2] < 0.01  # of a lot that is worth 4.5 on average


def test_what_it_finds_is_a_profile_of_information_states(auction: Tree):
    solver = CFRPlus(auction)
    for profile in (solver.average(), solver.current()):  # before the first iteration: uniform
        for found, uniform in zip(profile, auction.uniform(), strict=True):
            np.testing.assert_allclose(found, uniform, rtol=1e-5)
    solver.run(5)
    for profile in (solver.average(), solver.current()):
        for depth, level in enumerate(auction.levels[:-1]):
            below = auction.levels[depth + 1]
            sums = np.bincount(below.parent, weights=profile[depth], minlength=len(level))
            np.testing.assert_allclose(sums[level.mover >= 0], 1.0, rtol=1e-5)
        # the second seat does not know the first one's bid: its bids are the same after each
        second = profile[1].reshape(100, 10, 10)
        np.testing.assert_array_equal(*np.broadcast_arrays(second, second[:, :1]))


def test_the_same_tree_gives_the_same_numbers(auction: Tree):
    first, second = CFRPlus(auction), CFRPlus(auction)
    first.run(3)
    second.run(1)
    second.run(2)
    for mine, yours in zip(first.average(), second.average(), strict=True):
        np.testing.assert_array_equal(mine, yours)


def test_it_comes_within_0_3_points_of_an_equilibrium_of_nano(nano: Tree):
    solver = CFRPlus(nano)
    solver.run(60)
    assert exploitability_of(nano, solver.average()).exploitability < 0.003  # of a win
