"""Strategies of a tree played in a batch: information states follow from observations and own actions alone."""

import numpy as np

from w51_agents.agent import Agent
from w51_agents.exact.tree import Strategy, Tree
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
        history = zip(
            above.tolist(),
            np.where(moved, level.action, NO_ACTION).tolist(),
            level.observation[seat].tolist(),
            strict=True,
        )
        state_of = dict(zip(history, level.information[seat].tolist(), strict=True))
        action_of = dict(zip(level.information[seat].tolist(), strategy[depth].tolist(), strict=True))
        running = np.flatnonzero(batch.seat >= 0)
        observations = batch.observe(seat)
        for game in running:
            state[game] = state_of[state[game], own[game], tree.observations[observations[game].tobytes()]]
        own[:] = NO_ACTION
        actions = np.full(GAMES, NO_ACTION, np.int64)
        theirs = running[batch.seat[running] != seat]
        if len(theirs):
            actions[theirs] = others.act_batch(batch.observation[theirs], batch.action_mask[theirs])
        for game in running[batch.seat[running] == seat]:
            actions[game] = own[game] = action_of[state[game]]
        batch.step(actions)
        rewards[batch.done] = batch.rewards[batch.done]
    assert (batch.seat < 0).all()
    return rewards


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


def changed_in_one_state(tree: Tree, seat: int, strategy: Strategy, rng: np.random.Generator) -> Strategy:
    """The strategy with another action in one information state, drawn with the shallow ones as likely as the deep."""
    depth = rng.choice([depth for depth, level in enumerate(tree.levels) if (level.mover == seat).any()])
    level, below = tree.levels[depth], tree.levels[depth + 1]
    node = rng.choice(np.flatnonzero(level.mover == seat))
    changed = [chosen.copy() for chosen in strategy]
    same_state = level.information[seat] == level.information[seat][node]
    changed[depth][same_state] = rng.choice(below.action[below.parent == node])
    return changed


def assert_near(measured: np.ndarray, exact: float) -> None:
    """Within four standard errors of the mean."""
    assert abs(measured.mean() - exact) < 4 * measured.std() / np.sqrt(len(measured))
