"""Advantages over a seat's own decisions: hand-computed, and equal to single-player estimation seat by seat."""

from types import SimpleNamespace

import numpy as np
import pytest

from w51_agents.training.objective import estimate_advantages


def rollout_of(*arrays):
    return SimpleNamespace(**dict(zip(("values", "rewards", "seats", "dones"), arrays, strict=True)))


def test_a_game_of_two_by_hand():
    """Seats 0, 1, 0 decide; the last move pays +1 and -1; then a new game begins, in which nothing ends."""
    values = np.array([[0.5], [0.2], [0.4], [0.1]], np.float32)
    rewards = np.zeros((4, 1, 2), np.float32)
    rewards[2, 0] = [1.0, -1.0]
    seats = np.array([[0], [1], [0], [1]])
    dones = np.array([[False], [False], [True], [False]])
    advantages, valid = estimate_advantages(rollout_of(values, rewards, seats, dones), gamma=0.9, gae_lambda=0.5)
    last = 1.0 - 0.4  # seat 0 is paid for its last decision
    first = (0.0 + 0.9 * 0.4 - 0.5) + 0.9 * 0.5 * last
    other = -1.0 - 0.2  # seat 1 is paid for its only one, though seat 0 moved last
    assert advantages[:, 0].tolist() == pytest.approx([first, other, last, 0.0])
    assert valid[:, 0].tolist() == [True, True, True, False]


def test_each_seat_is_estimated_as_if_it_played_alone():
    generator = np.random.default_rng(0)
    steps, games, players, gamma, gae_lambda = 60, 7, 3, 0.97, 0.9
    values = generator.normal(size=(steps, games)).astype(np.float32)
    seats = generator.integers(0, players, (steps, games))
    dones = generator.random((steps, games)) < 0.1
    rewards = (generator.normal(size=(steps, games, players)) * dones[..., None]).astype(np.float32)
    advantages, valid = estimate_advantages(rollout_of(values, rewards, seats, dones), gamma, gae_lambda)
    for game in range(games):
        for seat in range(players):
            own = np.flatnonzero(seats[:, game] == seat)
            for index in range(len(own)):
                expected = alone(
                    own[index:], values[:, game], rewards[:, game, seat], dones[:, game], gamma, gae_lambda
                )
                assert valid[own[index], game] == (expected is not None)
                if expected is not None:
                    assert advantages[own[index], game] == pytest.approx(expected, abs=1e-4)


def alone(own, values, rewards, dones, gamma, gae_lambda):
    """The advantage of the first of a seat's decisions `own`; None if what follows is not valid."""
    stop = own[1] if len(own) > 1 else len(values)
    over = np.flatnonzero(dones[own[0] : stop])
    if len(over):
        return rewards[own[0] : own[0] + over[0] + 1].sum() - values[own[0]]
    if len(own) == 1:
        return None
    rest = alone(own[1:], values, rewards, dones, gamma, gae_lambda)
    return (
        rewards[own[0] : stop].sum()
        + gamma * values[own[1]]
        - values[own[0]]
        + gamma * gae_lambda * (0.0 if rest is None else rest)
    )
