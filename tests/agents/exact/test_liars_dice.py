"""Liar's Dice as a game of this package: what OpenSpiel computes, and published PPO plays it."""

import pytest

from experiments.published_ppo import GAMES, PublishedPPO
from w51_agents.exact.exploitability import exploitability_of
from w51_agents.exact.tree import build_tree
from w51_env import make_game


@pytest.mark.slow
def test_uniform_play_has_the_nash_conv_of_openspiel_and_a_learner_has_less():
    pyspiel = pytest.importorskip("pyspiel", reason="needs OpenSpiel")
    theirs = pyspiel.load_game("liars_dice")
    tree = build_tree(make_game(GAMES["Liar's Dice"]), payoff=lambda batch: batch.rewards / 2)
    assert [tree.information_states(seat) for seat in range(2)] == [6 * 1024] * 2  # those with a choice
    uniform = exploitability_of(tree, tree.uniform()).nash_conv
    assert uniform == pytest.approx(pyspiel.nash_conv(theirs, pyspiel.UniformRandomPolicy(theirs)))
    learner = PublishedPPO("Liar's Dice", 1, 4096)
    while learner.decisions < 4096:
        learner.update()
    assert exploitability_of(tree, tree.profile(learner.policy)).nash_conv < uniform
