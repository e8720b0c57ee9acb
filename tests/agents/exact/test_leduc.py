"""Leduc poker as a game of this package: the same figures as in the literature, and nothing leaks."""

import numpy as np
import pytest

from w51_agents.exact.cfr import CFRPlus
from w51_agents.exact.exploitability import exploitability_of
from w51_agents.exact.tree import build_tree
from w51_env import make_game
from w51_env.engine.batch import Batch
from w51_env.engine.determinization import Determinizer

GAME = "experiments.leduc_game:make"


def test_exploitability_and_value_are_those_of_the_literature():
    tree = build_tree(make_game(GAME), payoff=lambda batch: batch.rewards / 2)  # a margin is both seats' chips
    assert [tree.information_states(seat) for seat in range(2)] == [144, 144]  # of ranks; 468 of single cards
    assert exploitability_of(tree, tree.uniform()).nash_conv == pytest.approx(4.747222, abs=1e-6)
    solver = CFRPlus(tree)
    solver.run(300)
    assert tree.values(solver.average()) == pytest.approx([-0.0856, 0.0856], abs=2e-4)


def test_a_determinization_keeps_what_the_seat_sees_and_deals_no_rank_three_times():
    game = make_game(GAME)
    batch = Batch(game, 200, seed=1, autoreset="disabled")
    batch.reset()
    dealt = set()
    while (running := np.flatnonzero(batch.seat >= 0)).size:
        for index in running[:20]:
            seat = int(batch.seat[index])
            states = Determinizer(game, batch.games[index], seat).draw(8, seed=int(index))
            redrawn = Batch(game, 8, autoreset="disabled")
            redrawn.load(states)
            np.testing.assert_array_equal(*np.broadcast_arrays(redrawn.observe(seat), batch.observe(seat)[index]))
            for cards in states["cards"]:
                assert max(np.bincount(cards)) <= 2
                dealt.add((*batch.games[index]["cards"].tolist(), *cards.tolist()))
        batch.step(batch.sample_actions())
    assert any(cards[:3] != cards[3:] for cards in dealt)
    np.testing.assert_array_equal(batch.games["scores"].sum(1), 0)
