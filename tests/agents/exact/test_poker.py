"""Exact best responses and CFR+ in Kuhn and Leduc poker, where the literature has figures."""

import pytest

pytest.importorskip("pyspiel", reason="needs the extra 'games'")
import pyspiel

from tests.agents.exact.poker import poker_tree
from w51_agents.exact.cfr import CFRPlus
from w51_agents.exact.exploitability import exploitability_of

# Value of the first player: Kuhn, A simplified two-person poker, 1950; Leduc: Southey and others, Bayes' bluff, 2005,
# as OpenSpiel's tests have it. NashConv of uniformly random play: Lanctot and others, OpenSpiel, 2019.
KUHN = ("kuhn_poker", 6, -1 / 18, 11 / 12)
LEDUC = ("leduc_poker", 468, -0.0856, 4.747222)


@pytest.mark.parametrize(("name", "states", "value", "uniform"), [KUHN, LEDUC])
def test_cfr_plus_finds_the_value_of_the_literature(name: str, states: int, value: float, uniform: float):
    tree = poker_tree(name)
    assert [tree.information_states(seat) for seat in range(2)] == [states, states]
    random = exploitability_of(tree, tree.uniform())
    assert random.nash_conv == pytest.approx(uniform, abs=1e-6)
    game = pyspiel.load_game(name)
    assert random.nash_conv == pytest.approx(pyspiel.nash_conv(game, pyspiel.UniformRandomPolicy(game)))
    solver, gaps = CFRPlus(tree), []
    for iterations in (50, 250):
        solver.run(iterations)
        gaps.append(exploitability_of(tree, solver.average()).nash_conv)
    assert gaps[1] < gaps[0] / 4
    assert gaps[1] < 0.004  # chips
    assert tree.values(solver.average()) == pytest.approx([value, -value], abs=2e-4)
