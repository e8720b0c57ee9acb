"""Strategies of a tree played in a batch: information states follow from observations and own actions alone."""

import numpy as np

from w51_agents.agent.interface import Agent
from w51_agents.exact.tree import Profile, Strategy, Tree
from w51_env.engine.batch import Batch
from w51_env.engine.game import NO_ACTION

GAMES = 10_000


def play_against(others: Agent, strategy: Strategy, tree: Tree, seat: int, seed: int) -> np.ndarray:
    """(GAMES, players) rewards when `seat` plays a strategy of the tree and `others` has all other seats."""
    batch = Batch(tree.game, GAMES, seed=seed, autoreset="disabled", keep_final=False)
    batch.reset()
    others.reset(seed)
    state, own = np.zeros(GAMES, np.int64), np.full(GAMES, NO_ACTION)
    rewards = np.zeros((GAMES, tree.game.num_players))
    for depth, level in enumerate(tree.levels):
        above = tree.levels[depth - 1].information[seat][level.parent] if depth else np.zeros(len(level), np.int64)
        moved = tree.levels[depth - 1].mover[level.parent] == seat if depth else np.zeros(len(level), bool)
        history = _history(tree, above, np.where(moved, level.action, NO_ACTION), level.observation[seat])
        histories, node_of = np.unique(history, return_index=True)
        running = np.flatnonzero(batch.seat >= 0)
        seen = np.array([tree.observations[observation.tobytes()] for observation in batch.observe(seat)[running]])
        history = _history(tree, state[running], own[running], seen)
        places = np.searchsorted(histories, history)
        np.testing.assert_array_equal(histories[places], history)
        nodes = node_of[places]
        state[running] = level.information[seat][nodes]
        own[:] = NO_ACTION
        actions = np.full(GAMES, NO_ACTION, np.int64)
        theirs = running[batch.seat[running] != seat]
        if len(theirs):
            actions[theirs] = others.act_batch(batch.observation[theirs], batch.action_mask[theirs])
        mine = batch.seat[running] == seat
        actions[running[mine]] = own[running[mine]] = strategy[depth][nodes[mine]]
        batch.step(actions)
        rewards[batch.done] = batch.rewards[batch.done]
    np.testing.assert_array_less(batch.seat, 0)
    return rewards


def _history(tree: Tree, states: np.ndarray, own: np.ndarray, observations: np.ndarray) -> np.ndarray:
    """One number for the information state before, the own action since then, and the observation now."""
    return (states * (len(tree.game.actions) + 1) + own - NO_ACTION) * len(tree.observations) + observations


def random_strategy(tree: Tree, seat: int, rng: np.random.Generator) -> Strategy:
    """A random pure strategy of a seat, in the format of `Tree.best_response`."""
    strategy = []
    for depth, level in enumerate(tree.levels):
        chosen = np.full(len(level), NO_ACTION, np.int16)
        if (level.mover == seat).any():
            below = tree.levels[depth + 1]
            states = level.information[seat][below.parent]
            order = rng.permutation(np.flatnonzero(level.mover[below.parent] == seat))
            # of each state the last action in the random order
            action_of = dict(zip(states[order].tolist(), below.action[order].tolist(), strict=True))
            mine = level.mover == seat
            chosen[mine] = [action_of[state] for state in level.information[seat][mine].tolist()]
        strategy.append(chosen)
    return strategy


def changed_in_one_state(
    tree: Tree, seat: int, strategy: Strategy, others: Profile, rng: np.random.Generator
) -> Strategy:
    """The strategy with another action in one information state that it reaches, be it shallow or deep."""
    reach = [tree.levels[0].reach]
    for below, weights in zip(tree.levels[1:], tree.pure_profile(seat, strategy, others), strict=True):
        reach.append(reach[-1][below.parent] * weights)
    reached = [(level.mover == seat) & (chance > 0) for level, chance in zip(tree.levels, reach, strict=True)]
    depth = rng.choice([depth for depth, nodes in enumerate(reached) if nodes.any()])
    level, below = tree.levels[depth], tree.levels[depth + 1]
    node = rng.choice(np.flatnonzero(reached[depth]))
    changed = [chosen.copy() for chosen in strategy]
    same_state = level.information[seat] == level.information[seat][node]
    changed[depth][same_state] = rng.choice(below.action[below.parent == node])
    return changed


def assert_near(measured: np.ndarray, exact: float) -> None:
    """Within four standard errors of the mean."""
    assert abs(measured.mean() - exact) < 4 * measured.std() / np.sqrt(len(measured))
