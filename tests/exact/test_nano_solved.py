"""Nano solved by brute force, and the same numbers measured by playing it in a batch.

The tree gives exact values. The measurements use nothing of the tree but a strategy, looked up by what the seat has seen and
done; a wrong tree, a wrong batch, or an observation that leaks or lacks something shows as a difference.
"""

from functools import partial

import numpy as np
import pytest

from tests.exact.game_tree import Tree
from w51_env.core.batch import Batch
from w51_env.core.loops import NO_ACTION

GAMES = 40_000


def choose_as(strategy: list[np.ndarray], tree: Tree, seat: int, seed: int) -> np.ndarray:
    """(GAMES, players) rewards when `seat` plays a strategy of the tree and the others play at random.

    The seat's information state is followed from its observations and its own actions alone.
    """
    batch = Batch(tree.game, GAMES, seed=seed, autoreset="disabled", keep_final=False)
    batch.reset()
    state, own = np.zeros(GAMES, np.int64), np.full(GAMES, NO_ACTION)
    rewards = np.zeros((GAMES, tree.game.num_players))
    for depth, level in enumerate(tree.levels):
        above = tree.levels[depth - 1].information[seat][level.parent] if depth else np.zeros(len(level), np.int64)
        moved = tree.levels[depth - 1].mover[level.parent] == seat if depth else np.zeros(len(level), bool)
        history = zip(above.tolist(), np.where(moved, level.action, NO_ACTION).tolist(), level.observation[seat].tolist(), strict=True)
        state_of = dict(zip(history, level.information[seat].tolist(), strict=True))
        action_of = dict(zip(level.information[seat].tolist(), strategy[depth].tolist(), strict=True))
        running = np.flatnonzero(batch.seat >= 0)
        seen = batch.observe(seat)
        for game in running:
            state[game] = state_of[state[game], own[game], tree.observations[seen[game].tobytes()]]
        own[:] = NO_ACTION
        actions = batch.sample_actions()
        for game in running[batch.seat[running] == seat]:
            actions[game] = own[game] = action_of[state[game]]
        batch.step(actions)
        rewards[batch.done] = batch.rewards[batch.done]
    assert (batch.seat < 0).all()
    return rewards


def assert_near(measured: np.ndarray, exact: float) -> None:
    """Within four standard errors of the mean."""
    assert abs(measured.mean() - exact) < 4 * measured.std() / np.sqrt(len(measured))


def test_values_of_uniform_play_sum_to_zero_and_are_what_random_games_measure(nano: Tree):
    exact = nano.values()
    assert exact.sum() == pytest.approx(0)
    batch = Batch(nano.game, 5 * GAMES, seed=21, autoreset="disabled", keep_final=False)
    batch.reset()
    rewards = np.zeros((batch.num_games, 3))
    while (batch.seat >= 0).any():
        batch.step(batch.sample_actions())
        rewards[batch.done] = batch.rewards[batch.done]
    for seat in range(3):
        assert_near(rewards[:, seat], exact[seat])


@pytest.mark.parametrize("seat", range(3))
def test_the_best_response_to_uniform_play_earns_its_exact_value_from_observations_alone(nano: Tree, seat: int):
    value, strategy = nano.best_response(seat)
    assert nano.values(seat, strategy)[seat] == pytest.approx(value)
    assert_near(choose_as(strategy, nano, seat, seed=30 + seat)[:, seat], value)


@pytest.mark.parametrize("seat", range(3))
def test_no_strategy_does_better_than_the_best_response_but_one_that_sees_all(nano: Tree, seat: int):
    value, strategy = nano.best_response(seat)
    rng = np.random.default_rng(seat)
    assert nano.values()[seat] < value
    assert max(nano.values(seat, nano.random_strategy(seat, rng))[seat] for _ in range(10)) < value
    improved = partial(_changed_in_one_state, nano, seat, strategy)
    assert max(nano.values(seat, improved(rng))[seat] for _ in range(20)) <= value + 1e-12
    assert nano.best_response(seat, sees_all=True)[0] > value  # hidden counterfeits and bids are worth knowing


def _changed_in_one_state(tree: Tree, seat: int, strategy: list[np.ndarray], rng: np.random.Generator) -> list[np.ndarray]:
    """The strategy with another action in one information state, drawn with the shallow ones as likely as the deep."""
    depth = rng.choice([depth for depth, level in enumerate(tree.levels) if (level.mover == seat).any()])
    level, below = tree.levels[depth], tree.levels[depth + 1]
    node = rng.choice(np.flatnonzero(level.mover == seat))
    changed = [chosen.copy() for chosen in strategy]
    same_state = level.information[seat] == level.information[seat][node]
    changed[depth][same_state] = rng.choice(below.action[below.parent == node])
    return changed
