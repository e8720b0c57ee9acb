"""The adapters carry the second game as they carry the first."""

import warnings

import gymnasium
import pytest
from gymnasium.utils.env_checker import check_env

from w51_env import alles_futsch_v1, make_vec
from w51_env.engine.game import PUBLIC
from w51_env.views.text_table import table

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # PettingZoo's tests import its own environments, by a name that it deprecates
    from pettingzoo.test import api_test, render_test, seed_test


@pytest.mark.filterwarnings("ignore:.*(not a NumPy array|probably should be|all zeros)")  # see test_pettingzoo_env
def test_pettingzoos_own_tests_pass(capsys):
    for num_players in (2, 5):
        api_test(alles_futsch_v1.env(num_players=num_players), num_cycles=100)
    seed_test(lambda: alles_futsch_v1.env(num_players=3, observation_dtype="int8"), num_cycles=100)
    render_test(lambda render_mode: alles_futsch_v1.env(num_players=3, render_mode=render_mode))
    capsys.readouterr()


def test_all_ways_in_lead_to_the_same_game():
    env = alles_futsch_v1.env(num_players=3, preset="short", render_mode="ansi", observation_dtype="int8")
    env.reset(seed=4)
    batch = make_vec("alles_futsch_v1", 1, seed=4, num_players=3, preset="short")
    batch.reset()
    assert env.unwrapped.state().tobytes() == batch.games[0].tobytes()
    assert env.observe(env.agent_selection)["observation"].tobytes() == batch.observation[0].tobytes()
    assert env.render() == table(batch.view(0, PUBLIC))
    learner = gymnasium.make("w51_env/AllesFutsch-v1", num_players=3, preset="short").unwrapped
    assert learner.game.options == batch.game.options
    assert env.action_space("player_0").n == learner.action_space.n == 125


def test_events_reach_the_infos_and_make_sentences():
    env = alles_futsch_v1.raw_env(num_players=2, first_player=0, events=True)
    env.reset(seed=2)
    env.step(0)
    env.step(env.game.actions.id("raise_5"))
    sentences = [env.game.event_text(event) for event in env.infos["player_1"]["events"]]
    assert sentences[0] == "Player 0 begins."
    assert sentences[-1] == "Player 0 bids 5,000."


def test_gymnasiums_checker_passes():
    for options in (
        {"num_players": 2},
        {"num_players": 5, "observation_dtype": "int8", "learner_seat": "rotate", "events": True},
    ):
        check_env(gymnasium.make("w51_env/AllesFutsch-v1", render_mode="ansi", **options).unwrapped)
