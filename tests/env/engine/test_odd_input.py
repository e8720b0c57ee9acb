"""Values of odd types: an error of this package with the name and the value, never one of Python or numpy."""

import decimal
import fractions
import json
import pickle
import time
from collections.abc import Callable
from enum import IntEnum, StrEnum

import numpy as np
import pytest

from w51_agents.agent.interface import InvalidActionError, action_array
from w51_agents.language.env import TextEnv
from w51_agents.named.registry import make_agent
from w51_agents.search.search_settings import SearchSettings
from w51_env import make_vec
from w51_env.adapters.gymnasium_vector import LearnerVectorEnv
from w51_env.adapters.pettingzoo_env import TurnBasedEnv
from w51_env.engine.batch import Batch
from w51_env.engine.bots import Bot
from w51_env.engine.errors import OptionError, ReplayError
from w51_env.engine.registry import make_game
from w51_env.pictures.paint import palette_of
from w51_env.views.language import Words
from w51_env.views.view import View
from w51_lab.arena.matches import play_matches
from w51_lab.replays.replay import MAX_BYTES, Replay
from w51_table.play.table import Setup

ODD = (
    *(np.float64(3), np.float32(3), decimal.Decimal(3), fractions.Fraction(3), 3 + 0j, np.complex64(3), float("nan")),
    *(np.array([]), np.array([3, 3]), np.array(3), [], {}, (), [[1], [1, 2]], object(), b"x", 10**30, -1),
    *(np.datetime64("2020"), np.timedelta64(3, "s"), "\0", "a\0b", "\ud800"),
)


@pytest.mark.parametrize("value", [None, 3, b"warehouse51_v1", ["warehouse51_v1"]])
def test_the_id_of_a_game_must_be_a_text(value):
    with pytest.raises(OptionError, match=r"^game: .* the id of a game is needed"):
        make_game(value)


class Level(IntEnum):
    THREE = 3


class Preset(StrEnum):
    DEFAULT = "default"
    WIN = "win"


@pytest.mark.parametrize("three", [np.int8(3), np.uint64(3), Level.THREE], ids=repr)
def test_options_are_plain_data_whatever_they_are_given_as(three):
    given = {"num_players": three, "start_ingots": three, "preset": Preset.DEFAULT, "ask_forced": np.True_}
    game = make_game("warehouse51_v1", **given, reward=Preset.WIN, relics=np.str_("reconstruction-1"))
    assert {type(value) for value in game.options.values()} <= {int, str, bool, type(None)}
    assert game.options == make_game("warehouse51_v1", num_players=3, start_ingots=3, ask_forced=True).options
    assert dict(pickle.loads(pickle.dumps(game)).options) == dict(game.options)


def test_counts_as_small_integers_of_numpy_do_not_overflow():
    few = np.int8(100)
    batch, expected = (make_vec("warehouse51_v1", count, seed=3, threads=count) for count in (few, 100))
    learners = [
        LearnerVectorEnv("warehouse51_v1", count, learner_seat=seat, opponents="heuristic", threads=seat)
        for count, seat in ((few, np.int8(1)), (100, 1))
    ]
    for first, second in ((batch, expected), (each._games.batch for each in learners)):
        assert type(first.num_games) is type(first.threads) is int
        first.reset(seed=np.uint8(7))
        second.reset(seed=7)
        for _ in range(3):
            first.step(first.sample_actions(np.int8(2)))
            second.step(second.sample_actions(2))
        np.testing.assert_array_equal(first.games, second.games)
    assert type(learners[0].num_envs) is int
    heuristic = make_agent("heuristic", batch.game)
    results = [play_matches(batch.game, [("a", heuristic)], count, seed) for count, seed in ((few, few), (100, 100))]
    np.testing.assert_array_equal(results[0].scores, results[1].scores)
    assert SearchSettings(playouts=few).playouts * 100 == 10_000
    cut = TurnBasedEnv("warehouse51_v1", max_cycles=few, num_players=np.int8(4), render_seat=np.int8(1))
    cut.reset(seed=np.uint8(7))
    for _ in range(3):  # 100 times 4 is no number of 8 bits
        cut.step(int(np.flatnonzero(cut.observe(cut.agent_selection)["action_mask"])[0]))
    with pytest.raises(OptionError, match="num_envs"):
        LearnerVectorEnv("warehouse51_v1", np.bool_(True))


def test_a_view_for_a_seat_of_numpy_is_plain_data():
    batch = begun()
    text = TextEnv(batch.game)
    text.reset(seed=1)
    for view in (batch.view(np.uint8(1), np.int8(2)), text.view(np.int8(2))):
        assert View.from_data(json.loads(json.dumps(view.as_data()))).viewer == 2
    setup = Setup(batch.game.id, {}, np.uint8(7), ("random",) * batch.game.num_players)
    assert json.dumps(setup.seed) == "7"


def begun():
    batch = make_vec("warehouse51_v1", 3, seed=1)
    batch.reset()
    return batch


def test_a_memoryview_with_gaps_is_read_as_the_bytes_that_it_shows():
    def with_gaps(saved: bytes) -> memoryview:
        return memoryview(bytes(byte for own in saved for byte in (own, 0)))[::2]

    batch, other = begun(), begun()
    other.step(other.sample_actions())
    batch.load_bytes(0, with_gaps(other.state_bytes(0)))
    assert batch.games[0] == other.games[0]
    batch.restore(with_gaps(other.snapshot()))
    np.testing.assert_array_equal(batch.games, other.games)


def test_a_replay_too_large_to_be_read_is_refused_before_it_is_parsed_and_is_not_written(tmp_path):
    path = tmp_path / "large.json"
    path.write_text('{"moves": [' + '"2 bid_13",' * (MAX_BYTES // 8) + '"2 bid_13"]}')
    begun = time.perf_counter()
    with pytest.raises(ReplayError, match=r"large.json: cannot be read: larger than 4,000,000 bytes"):
        Replay.load(path)
    assert time.perf_counter() - begun < 0.5
    game = make_game("warehouse51_v1")
    for contents, message in (
        ({"metadata": {"long": "x" * MAX_BYTES}}, "at most 4,000,000 are allowed"),
        ({"players": ["\udcff"] * 4}, "players or metadata are not plain data"),
    ):
        with pytest.raises(ReplayError, match=message):
            Replay.record(game, 1, [], **contents).save(tmp_path / "new.json")
    assert [found.name for found in tmp_path.iterdir()] == ["large.json"]


def test_an_agent_answers_with_no_masked_array():
    masked = np.ma.masked_array([0, 0, 0], mask=[False, True, False])
    with pytest.raises(InvalidActionError, match=r"act_batch gave masked_array\(.*, but integers of shape"):
        action_array("own", masked, 3)


@pytest.mark.parametrize("value", ODD, ids=map(str, range(len(ODD))))
def test_no_argument_that_is_a_name_takes_a_value_of_an_odd_type(value):
    game = make_game("warehouse51_v1")
    names: dict[str, Callable[[], object]] = {
        "seating": lambda: Batch(game, 1, seating=value),
        "autoreset": lambda: Batch(game, 1, autoreset=value),
        "illegal_action": lambda: Batch(game, 1, illegal_action=value),
        "controllers": lambda: Batch(game, 1, controllers=[value] * 4),
        "bot": lambda: Bot(game, value),
        "language": lambda: Words(value),
        "theme": lambda: palette_of(value),
    }
    for name, call in names.items():
        with pytest.raises(OptionError, match=f"^{name}: "):
            call()
