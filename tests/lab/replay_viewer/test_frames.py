"""Frames of a replay: each decision of every seat, bots included."""

import hashlib
from itertools import pairwise

import numpy as np
import pytest

from w51_env import make_game
from w51_env.engine.batch import Batch
from w51_lab.replay_viewer.frames import Frame, frames_of
from w51_lab.replays.recorder import Recorder
from w51_lab.replays.replay import Replay

LINE_UPS = [
    ("warehouse51_v1", ["heuristic", "heuristic", "random", "random"]),
    ("warehouse51_v1", ["external", "heuristic", "external", "random"]),
    ("alles_futsch_v1", ["random", "heuristic", "external", "heuristic"]),
]


def recorded(game_id: str, controllers: list[str], seed: int, steps: int = 1000) -> Replay:
    game = make_game(game_id, num_players=len(controllers))
    batch = Batch(game, 1, controllers=controllers, seed=seed, autoreset="disabled", events=True)
    batch.reset()
    recorder = Recorder(batch)
    while batch.seat[0] >= 0 and steps:
        recorder.step(batch.sample_actions())
        steps -= 1
    return recorder.replay()


def digest(frame: Frame) -> str:
    return hashlib.sha256(frame.state.tobytes()).hexdigest()


@pytest.mark.parametrize(("game_id", "controllers"), LINE_UPS)
def test_bots_choose_the_same_actions_again(game_id: str, controllers: list[str]):
    for seed in range(5):
        replay = recorded(game_id, controllers, seed)
        frames = list(frames_of(replay))
        assert digest(frames[-1]) == replay.final.digest
        assert {frame.seat for frame in frames} == {-1, 0, 1, 2, 3}


def test_each_frame_has_the_decision_of_its_seat():
    frames = list(frames_of(recorded(*LINE_UPS[1], seed=2)))
    for frame, after in pairwise(frames):
        assert frame.action is not None
        assert frame.mask[frame.action]
        assert frame.seat == frame.state["seat"]
        assert after.number == frame.number + 1
        assert len(after.events)
    assert frames[-1].action is None
    assert not frames[-1].mask.any()


def test_an_unfinished_replay_ends_at_the_open_decision():
    frames = list(frames_of(recorded(*LINE_UPS[1], seed=2, steps=9)))
    assert frames[-1].action is None
    assert frames[-1].seat >= 0
    assert frames[-1].mask.any()


@pytest.mark.parametrize(("game_id", "controllers"), LINE_UPS[1:])
def test_lots_begin_at_the_events_that_begin_them(game_id: str, controllers: list[str]):
    frames = list(frames_of(recorded(game_id, controllers, seed=1)))
    lots = sum(event["event"] in ("revealed", "selected") for frame in frames for event in frame.events)
    assert lots > 3
    assert lots == sum(bool(frame.lots) for frame in frames)


def test_a_viewer_gets_only_the_events_that_it_may_know():
    for frame in frames_of(recorded(*LINE_UPS[0], seed=3)):
        public = frame.events.known_to("public")
        assert all(event["event"] != "saw" for event in public)
        for seat in range(4):
            assert all(event["seat"] == seat for event in frame.events.known_to(seat) if event["event"] == "saw")


def test_its_determinizer_draws_states_that_the_seat_can_not_tell_apart():
    frame = next(frames_of(recorded(*LINE_UPS[0], seed=3)))
    batch = Batch(frame.game, 8, seed=0, autoreset="disabled")
    batch.load(frame.determinizer().draw(8, seed=1))
    np.testing.assert_array_equal(*np.broadcast_arrays(batch.observation, frame.observation))
    assert len(np.unique(batch.games["deck"], axis=0)) == 8
