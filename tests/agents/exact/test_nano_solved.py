"""Nano solved by brute force, and the same numbers measured by playing it in a batch.

The tree gives exact values. The measurements use nothing of the tree but a strategy, looked up by what the seat has
seen and done; a wrong tree, a wrong batch, or an observation that leaks or lacks something shows as a difference.
"""

import numpy as np
import pytest

from tests.agents.exact.playing import GAMES, assert_near, changed_in_one_state, play_against, random_strategy
from w51_agents.agent.bots import BotAgent
from w51_agents.exact.exploitability import profile_of
from w51_agents.exact.tree import Profile, Tree
from w51_env.engine.batch import Batch

BOTS = ("random", "heuristic")


@pytest.fixture(scope="module")
def profiles(nano: Tree) -> dict[str, Profile]:
    return {name: profile_of(nano, name, BotAgent(nano.game, name)) for name in BOTS}


@pytest.mark.parametrize("name", BOTS)
def test_values_of_an_agent_sum_to_zero_and_are_what_games_of_its_copies_measure(
    nano: Tree, profiles: dict[str, Profile], name: str
):
    exact = nano.values(profiles[name])
    assert exact.sum() == pytest.approx(0)
    batch = Batch(
        nano.game, 5 * GAMES, seed=21, controllers=[name] * 3, autoreset="disabled", observe=False, keep_final=False
    )
    batch.reset()
    for seat in range(3):
        assert_near(batch.rewards[:, seat], exact[seat])


def test_the_random_player_plays_uniformly(nano: Tree, profiles: dict[str, Profile]):
    for found, uniform in zip(profiles["random"], nano.uniform(), strict=True):
        np.testing.assert_allclose(found, uniform, rtol=1e-5)


@pytest.mark.parametrize("others", BOTS)  # who have all other seats
@pytest.mark.parametrize("seat", range(3))
def test_a_best_response_earns_its_exact_value_from_observations_alone(
    nano: Tree, profiles: dict[str, Profile], others: str, seat: int
):
    value, strategy = nano.best_response(seat, profiles[others])
    assert nano.values(nano.pure_profile(seat, strategy, profiles[others]))[seat] == pytest.approx(value)
    agent = BotAgent(nano.game, others)
    assert_near(play_against(agent, strategy, nano, seat, seed=30 + seat)[:, seat], value)


@pytest.mark.parametrize("others", BOTS)
@pytest.mark.parametrize("seat", range(3))
def test_no_strategy_does_better_than_a_best_response_but_one_that_sees_all(
    nano: Tree, profiles: dict[str, Profile], others: str, seat: int
):
    profile = profiles[others]
    value, strategy = nano.best_response(seat, profile)
    rng = np.random.default_rng(seat)

    def worth(other: list[np.ndarray]) -> float:
        return nano.values(nano.pure_profile(seat, other, profile))[seat]

    assert nano.values(profile)[seat] < value
    assert max(worth(random_strategy(nano, seat, rng)) for _ in range(3)) < value
    assert max(worth(changed_in_one_state(nano, seat, strategy, profile, rng)) for _ in range(16)) <= value + 1e-12
    assert nano.best_response(seat, profile, sees_all=True)[0] > value  # hidden counterfeits and bids are worth knowing
