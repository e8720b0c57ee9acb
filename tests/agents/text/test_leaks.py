"""No leak: two games that differ in what a seat cannot know, and went on alike, give the seat the same words and data.

At a moment of a game, all that a seat cannot know is changed by other means than the engine's own redraw. The game is
then played again from the changed deal. Everything that the seat was given on the way must be the same: prompts and
information states; tests/table/play/test_leaks.py goes on with what other packages give.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import pytest

from tests.env.properties.knowledge import change_all
from tests.env.random_policies import random_policies
from w51_agents.language.env import TextEnv
from w51_env import make_game
from w51_env.engine.batch import Batch
from w51_env.engine.game import Game
from w51_env.warehouse51.actions import BID
from w51_env.warehouse51.state import MAX_INGOTS

SEEDS = 3
GAMES = {
    "warehouse51, 3 players": make_game("warehouse51_v1", num_players=3),
    "warehouse51, 5 players": make_game("warehouse51_v1", num_players=5),
    "alles_futsch": make_game("alles_futsch_v1", num_players=3),
}


class Story(NamedTuple):
    """A deal, as a record, and the actions since."""

    deal: np.ndarray
    actions: list[int]


def two_stories(game: Game, seed: int, seat: int) -> tuple[Story, Story]:
    """A random game up to some moment, and another one that the seat cannot tell from it."""
    batch = Batch(game, 1, seed=seed, autoreset="disabled")
    batch.reset(seed=seed)
    deal, policies, draw = batch.clone(), random_policies(game, 1, seed), np.random.default_rng(seed)
    actions: list[int] = []
    bids: dict[int, tuple[int, np.ndarray]] = {}  # of each seat: number of its last decision, and its mask
    for number in range(draw.integers(5, 120)):
        bids[int(batch.seat[0])] = number, batch.action_mask[0].copy()
        action = policies.choose(batch.action_mask)
        actions.append(int(action[0]))
        batch.step(action)
        if batch.done[0]:
            break
    true = batch.clone()
    changed, other_actions = true.copy(), list(actions)
    change_all(game, changed[0], seat, draw)
    if "secret_bid" in true.dtype.names:
        for other in np.flatnonzero(changed["secret_bid"][0] != true["secret_bid"][0]).tolist():
            number, mask = bids[other]
            legal = np.flatnonzero(mask[BID : BID + MAX_INGOTS + 1])
            other_actions[number] = BID + int(draw.choice(legal))
        changed["secret_bid"] = true["secret_bid"]
    # What was changed is where the deal put it: cards in decks and gaps, the stream of random numbers.
    first, before, after = (record.view(np.uint8) for record in (deal, true, changed))
    other_deal = np.where(before == after, first, after).view(deal.dtype)
    return Story(deal, actions), Story(other_deal, other_actions)


# ---- what a seat is given in the course of a story


def prompts(game: Game, story: Story, seat: int) -> list[str]:
    """Every prompt of the seat, and one at the end of the story."""
    env, given = TextEnv(game), []
    env.reset(seed=0)
    env._batch.load(story.deal)
    for action in story.actions:
        if env.seat == seat:
            given.append(env.prompt())
        env.step(game.actions[action].name)
    return [*given, env.prompt(seat)]


def information_states(game: Game, story: Story, seat: int) -> list[object]:
    """The strings after each action, and the tensors at the end of the story."""
    pytest.importorskip("pyspiel", reason="needs the extra 'games'")
    from w51_env.adapters import openspiel
    from w51_env.adapters.openspiel_state import _Point

    spiel = openspiel.make(game.id, num_players=game.num_players, chance="seed", history=1000)
    state, given = spiel.new_initial_state(), []
    for byte in (0, 0, 0, 0):
        state.apply_action(byte)
    root = spiel.simulator.position(story.deal)
    state._at = _Point((0, 0, 0, 0), root, root)
    for action in story.actions:
        state.apply_action(action)
        given += [state.information_state_string(seat), state.observation_string(seat)]
    return [*given, state.information_state_tensor(seat), state.observation_tensor(seat)]


def assert_no_leak(name: str, given: Callable) -> None:
    """Whether a seat is given the same in two games that it cannot tell from each other, and another seat is not."""
    game, differ = GAMES[name], 0
    needed = 0 if name == "alles_futsch" else 2  # where nobody knows what is hidden
    for seed in range(SEEDS):
        seat = seed % game.num_players
        true, other = two_stories(game, seed, seat)
        assert given(game, true, seat) == given(game, other, seat)
        if differ < needed:
            another = (seat + 1) % game.num_players
            differ += given(game, true, another) != given(game, other, another)
    assert differ == needed


@pytest.mark.parametrize("given", [prompts, information_states])
@pytest.mark.parametrize("name", GAMES)
def test_nothing_hidden_is_in_what_a_seat_is_given(name: str, given: Callable):  # S3, S4, T5, A1
    assert_no_leak(name, given)


def test_other_secret_bids_are_among_the_changes():  # T5
    game = GAMES["warehouse51, 3 players"]
    stories = [two_stories(game, seed, seed % 3) for seed in range(120)]
    assert sum(true.actions != other.actions for true, other in stories) >= 3
