"""Every game in every library: the libraries' own tests pass, and a game of one's own needs only its folder."""

import warnings
from collections.abc import Callable
from functools import partial
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env

from tests.env.adapters.playing import learner_vec_env
from w51_agents import make_agent
from w51_env import alles_futsch_v1, auctions_v0, make_game, make_vec, register_game, warehouse51_v1
from w51_env.adapters.gymnasium_env import LearnerEnv
from w51_env.adapters.pettingzoo_env import TurnBasedEnv
from w51_env.engine.errors import OptionError
from w51_env.engine.game import PUBLIC
from w51_env.views.text_table import table
from w51_lab.arena.matches import play_matches
from w51_lab.replays.replay import Replay

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # PettingZoo's tests import its own environments, by a name that it deprecates
    from pettingzoo.test import api_test, render_test, seed_test

THIRD = "tests.env.third_game:make"  # not registered, as other tests go through all registered games
# Warnings that PettingZoo spares only environments on a list of names in its own source.
NAMES_LISTED_BY_PETTINGZOO = {
    "Observation is not a NumPy array",
    "Observation space for each agent probably should be gymnasium.spaces.box or gymnasium.spaces.discrete",
    "Action mask numpy array is all zeros (no legal actions).",
}
PETTINGZOO: dict[str, tuple[Callable[..., Any], list[dict[str, Any]]]] = {
    "Warehouse 51": (
        warehouse51_v1.env,
        [{"num_players": 3}, {"preset": "fr"}, {"num_players": 5, "observation_dtype": "int8"}],
    ),
    "Alles Futsch!": (alles_futsch_v1.env, [{"num_players": 2}, {"num_players": 5}]),
    "Auction": (auctions_v0.env, [{}, {"preset": "units"}, {"num_players": 2, "bidders": "5 15/5 25"}]),
    "one_lot": (partial(TurnBasedEnv, THIRD), [{"num_players": 2}]),
    "with history": (partial(TurnBasedEnv, "warehouse51_v1", illegal_action="lose", history=8), [{}]),
}


@pytest.mark.parametrize("name", PETTINGZOO)
def test_pettingzoos_own_tests_pass(name: str, capsys: pytest.CaptureFixture[str]):
    make, variants = PETTINGZOO[name]
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        for options in variants:
            api_test(make(**options), num_cycles=100)
        seed_test(make, num_cycles=100)
        render_test(make)
    assert {str(warning.message) for warning in warned} <= NAMES_LISTED_BY_PETTINGZOO
    assert name in capsys.readouterr().out or name == "with history"


@pytest.mark.parametrize("render_mode", [None, "ansi", "human"])
@pytest.mark.parametrize(
    ("game", "options"),
    [
        ("Warehouse51-v1", {}),
        ("Warehouse51-v1", {"num_players": 5, "observation_dtype": "int8", "learner_seat": "rotate", "events": True}),
        ("Warehouse51-v1", {"history": 8}),
        ("AllesFutsch-v1", {"num_players": 2}),
        ("Auctions-v0", {"opponents": "equilibrium"}),
    ],
)
def test_gymnasiums_checker_passes_without_a_warning(game: str, options: dict[str, Any], render_mode: str | None):
    check_env(gymnasium.make(f"w51_env/{game}", render_mode=render_mode, **options).unwrapped)


@pytest.mark.parametrize(("game_id", "name"), [("alles_futsch_v1", "AllesFutsch-v1"), ("auctions_v0", "Auctions-v0")])
def test_all_ways_in_lead_to_the_same_game(game_id: str, name: str):
    options = {"num_players": 3, "preset": "mini" if game_id == "auctions_v0" else "short"}
    env = TurnBasedEnv(game_id, render_mode="ansi", observation_dtype="int8", **options)
    env.reset(seed=4)
    batch = make_vec(game_id, 1, seed=4, **options)
    batch.reset()
    assert env.state().tobytes() == batch.games[0].tobytes()
    assert env.observe(env.agent_selection)["observation"].tobytes() == batch.observation[0].tobytes()
    assert env.render() == table(batch.view(0, PUBLIC))
    learner = gymnasium.make(f"w51_env/{name}", **options).unwrapped
    assert learner.game.options == batch.game.options
    assert env.action_space("player_0").n == learner.action_space.n == len(batch.game.actions)


# ---- a third game needs only its own folder


def test_the_rules_of_a_third_game_hold_in_a_batch():
    batch = make_vec(THIRD, 2, num_players=3, autoreset="disabled", seed=1)
    batch.reset()
    batch.games["worth"][:, :3] = [[4, 9, 6], [4, 9, 6]]
    for bids in ([2, 0], [5, 3], [5, 3]):
        batch.step(np.array(bids))
    assert batch.games["scores"][:, :3].tolist() == [[0, 4, 0], [0, 6, 0]]
    assert batch.rewards.tolist() == [[-2.0, 4.0, -2.0], [-3.0, 6.0, -3.0]]


def test_gymnasium_and_stable_baselines_take_a_third_game():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it has no spec, as it is made without an id
        check_env(
            LearnerEnv(THIRD, num_players=5, observation_dtype="int8", opponents="shader"), skip_render_check=True
        )
    envs = learner_vec_env(THIRD, 50, opponents=["random", "shader"], seed=0)
    envs.reset()
    assert sum(int(envs.step(envs.action_masks().argmax(axis=1))[2].sum()) for _ in range(10)) == 500


def test_what_a_seat_can_not_know_of_a_third_game_is_redrawn():
    batch = make_vec(THIRD, 2000, seed=1, autoreset="disabled")
    batch.reset()
    batch.step(batch.sample_actions())
    before, worth = batch.observe(1), batch.games["worth"].copy()
    batch.resample_hidden(1, seed=5)
    np.testing.assert_array_equal(batch.observe(1), before)
    np.testing.assert_array_equal(batch.games["worth"][:, 1], worth[:, 1])
    assert np.bincount(batch.games["worth"][:, 0], minlength=10).min() > 150


def test_the_bot_of_a_third_game_beats_random():
    game = make_game(THIRD, num_players=4)
    agents = [(name, make_agent(name, game)) for name in ("shader", "random")]
    shader, _ = play_matches(game, agents, 2000, 0).standings()
    assert shader.low > 0.25


def test_games_of_a_factory_are_kept_and_read_again(tmp_path, monkeypatch):
    monkeypatch.setattr("w51_env.engine.registry._FACTORIES", {})
    register_game("one_lot_v0", THIRD)
    assert make_game("one_lot_v0").id == make_game(THIRD).id == "one_lot_v0"
    replay = Replay.record(make_game(THIRD, num_players=3), 7, [5, 0, 9])
    replay.save(tmp_path / "game.json")
    assert Replay.load(tmp_path / "game.json") == replay
    assert replay.final.over
    for wrong in ("tests.env.third_game:mak", "tests.no_game:make", ":make", "tests.env.third_game:"):
        with pytest.raises(OptionError, match=f"game: '{wrong}' cannot be made"):
            make_game(wrong)
