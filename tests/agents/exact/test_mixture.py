"""Mixtures of strategies: the profile that plays like a drawn one."""

import numpy as np
import pytest

from w51_agents.exact.exploitability import profile_of
from w51_agents.exact.tree import Profile, Tree
from w51_agents.named.registry import make_agent


def drawn(tree: Tree, seed: int) -> Profile:
    """A profile of strategies that are fixed functions of the observation, drawn from a seed."""
    weights = np.random.default_rng(seed).dirichlet(np.ones(len(tree.game.actions)), 997)

    def policy(observations, masks):
        own = (
            weights[observations.astype(np.int64) @ np.arange(1, observations.shape[1] + 1) % 997] * masks
            + 1e-9 * masks
        )
        return own / own.sum(axis=1, keepdims=True)

    return tree.profile(policy)


@pytest.fixture(scope="module")
def profiles(nano: Tree) -> list[Profile]:
    return [drawn(nano, seed) for seed in (1, 2, 3, 4)]


@pytest.mark.parametrize("seat", [0, 2])
def test_a_mixture_of_one_seat_is_worth_the_mean_of_what_it_mixes(nano, profiles, seat):
    base, *others = profiles
    mixed = [nano.combined(seat, other, base) for other in others]
    values = [nano.values(profile) for profile in mixed]
    assert np.ptp(values, axis=0).max() > 0.01
    assert nano.values(nano.mixture(mixed)) == pytest.approx(np.mean(values, axis=0))


def test_a_mixture_of_two_pure_strategies_is_one_profile_that_is_played_at_each_information_state(nano):
    heuristic = profile_of(nano, "heuristic", make_agent("heuristic", nano.game))
    for mixed, alone in zip(nano.mixture([heuristic] * 2), heuristic, strict=True):
        np.testing.assert_array_equal(mixed, alone)
    found = nano.mixture([heuristic, nano.uniform()])
    for level, below, weights in zip(nano.levels, nano.levels[1:], found, strict=False):
        sums = np.bincount(below.parent, weights=weights, minlength=len(level))
        assert sums[level.mover >= 0] == pytest.approx(1.0)
        states = np.stack(
            [level.mover[below.parent], level.information[level.mover[below.parent], below.parent], below.action]
        )
        _, first, inverse = np.unique(states, axis=1, return_index=True, return_inverse=True)
        np.testing.assert_allclose(weights, weights[first][inverse.ravel()], rtol=1e-6)


def test_weights_say_how_often_each_seat_draws_each_strategy(nano, profiles):
    base, *others = profiles
    mixed = [nano.combined(1, other, base) for other in others]
    weights = np.array([[0.2, 0.7, 1.0], [0.5, 0.0, 0.0], [0.3, 0.3, 0.0]])
    values = [nano.values(profile) for profile in mixed]
    assert nano.values(nano.mixture(mixed, weights)) == pytest.approx(weights[:, 1] @ values)
    assert nano.values(nano.mixture(mixed, np.ones((3, 3)))) == pytest.approx(np.mean(values, axis=0))
