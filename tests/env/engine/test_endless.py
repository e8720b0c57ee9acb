"""Games that come to no decision: options that allow none are refused by name, and no call runs for ever."""

import dataclasses

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.env.alles_futsch.generate import games as alles_futsch_games
from tests.env.properties.generate import games as warehouse51_games
from tests.env.third_game import legal_actions, make, move, observe, resample_hidden, set_up
from w51_env import make_game, make_vec
from w51_env.adapters.opponents import make_games
from w51_env.compiler.compile import JIT_DISABLED, kernel
from w51_env.engine.batch import Batch
from w51_env.engine.errors import GameOverError, OptionError
from w51_env.engine.game import Game, Kernels
from w51_env.engine.slots import MAX_EPISODES, MAX_IN_A_ROW

NO_CHOICE = {"num_players": 2, "num_cards": 1, "start_money": 1, "minimum_bid": 20}
# Player 0 selects one of two cards; all else is forced, because nobody can pay a bid.
ONE_CHOICE = {**NO_CHOICE, "num_cards": 2, "first_player": 0}

compiled = pytest.mark.skipif(JIT_DISABLED, reason="thousands of episodes")


def of_third_game(name: str, **kernels) -> Game:
    """The sealed-bid auction with other rules, and a name of its own, by which compiled code is kept."""
    game = make(num_players=2)
    parts = {"set_up": set_up, "move": move, "legal_actions": legal_actions, "observe": observe}
    return dataclasses.replace(
        game,
        name=name,
        kernels=Kernels(**{**parts, "choose": choose_one, "resample_hidden": resample_hidden, **kernels}),
    )


@kernel
def choose_one(bot, rules, observation, legal, count, bits):
    return 1


@kernel
def one_bid(rules, game, legal):
    legal.actions[0] = 0
    return 0 if game.over else 1


@kernel
def nothing_moves(rules, game, action, log, forced):
    game.seat = 0


def test_options_under_which_nobody_can_decide_are_refused_by_name():
    with pytest.raises(OptionError, match="minimum_bid, start_money, num_cards: 20, 1 and 1, so nobody ever has a cho"):
        make_game("alles_futsch_v1", **NO_CHOICE)


@pytest.mark.parametrize("change", [{"minimum_bid": 1}, {"start_money": 20}, {"num_cards": 2}, {"ask_forced": True}])
def test_with_one_of_these_options_changed_somebody_decides(change: dict):
    batch = make_vec("alles_futsch_v1", 8, seed=1, **{**NO_CHOICE, **change})
    batch.reset()
    np.testing.assert_array_equal(batch.seat >= 0, True)
    assert not batch.skipped.any()


@settings(max_examples=40)
@given(game=st.one_of(warehouse51_games(), alles_futsch_games()))
def test_every_game_of_any_options_that_are_taken_has_a_decision(game: Game):
    batch = Batch(game, 4, seed=1)
    batch.reset()
    np.testing.assert_array_equal(batch.seat >= 0, True)
    assert not batch.skipped.any()


def refuses_all_but_a_new_beginning(batch: Batch) -> None:
    for call in (batch.clone, batch.snapshot, batch.sample_actions, lambda: batch.step(np.zeros(batch.num_games, int))):
        with pytest.raises(GameOverError, match="came to no decision; call reset, load or restore first"):
            call()


@compiled
@pytest.mark.parametrize("threads", [1, 2])
def test_a_seat_that_is_never_asked_is_an_error_with_the_controllers(threads: int):
    game = make_game("alles_futsch_v1", **ONE_CHOICE)
    batch = Batch(game, 200, seed=1, controllers=["random", "external"], threads=threads)
    message = f"game 0: {MAX_EPISODES} episodes in a row ended without a decision of an external seat with controllers"
    for _ in range(2):
        with pytest.raises(OptionError, match=f"{message} random, external; .*minimum_bid=20"):
            batch.reset()
        refuses_all_but_a_new_beginning(batch)
    batch.first_controllers[:] = [-1, 0]
    batch.reset(seed=1)
    batch.step(batch.sample_actions())
    batch.close()


@compiled
def test_a_step_that_leads_to_no_other_decision_is_an_error_too():
    batch = Batch(make_game("alles_futsch_v1", **ONE_CHOICE), 3, seed=1, controllers=["external", "random"])
    batch.reset()
    states = batch.clone()
    batch.controllers[1] = [0, -1]  # privileged: the seats of the game that runs
    with pytest.raises(OptionError, match=r"game 1: .* with controllers random, external"):
        batch.step(batch.sample_actions())
    refuses_all_but_a_new_beginning(batch)
    batch.load(states[:2])
    assert batch.seat.tolist() == [0, 0, -1]


@compiled
def test_a_game_of_others_in_which_nobody_decides_is_an_error():
    with pytest.raises(
        OptionError, match=rf"game 0: {MAX_EPISODES} episodes .* external, external; Game\('no_choice_v0'"
    ):
        Batch(of_third_game("no_choice", legal_actions=one_bid), 4, seed=1).reset()


@compiled
def test_a_game_of_others_that_never_ends_is_an_error():
    forced = Batch(of_third_game("forced", legal_actions=one_bid, move=nothing_moves), 4, seed=1)
    bots = Batch(of_third_game("bots_only", move=nothing_moves), 4, seed=1, controllers=["shader", "external"])
    for batch in (forced, bots):
        with pytest.raises(OptionError, match=f"game 0: {MAX_IN_A_ROW} decisions in a row were forced or made by bots"):
            batch.reset()
        refuses_all_but_a_new_beginning(batch)


class First:
    """An opponent that takes the first legal action."""

    def reset(self, seed: int) -> None:
        pass

    def act_batch(self, observations, action_masks, infos=None) -> np.ndarray:
        return action_masks.argmax(axis=1)


@pytest.mark.parametrize("autoreset", ["same_step", "next_step"])
def test_a_learner_that_agents_never_let_decide_is_an_error(autoreset: str, monkeypatch):
    monkeypatch.setattr("w51_agents.named.opponents.MAX_EPISODES", 50)
    game = make_game("alles_futsch_v1", **ONE_CHOICE)
    learner = make_games(game, 3, First(), observation_dtype="int8", learner_seat=1, autoreset=autoreset)
    with pytest.raises(OptionError, match="game 0: 50 episodes in a row ended without a decision of the learner"):
        learner.reset()


def test_an_episode_without_a_decision_of_the_caller_is_in_no_log():
    game = make_game("alles_futsch_v1", **ONE_CHOICE)
    batch = Batch(game, 1, seed=1, controllers=["external", "random"], seating="rotate", events=True)
    batch.reset()
    for _ in range(3):
        batch.step(batch.sample_actions())
        names = [event["event"] for event in batch.events(0)]
        assert names.count("set_up") == 1
        assert names.index("set_up") > names.index("finished")
    assert batch.skipped[0] == 3
