"""Replays: what is saved plays again."""

from pathlib import Path

import numpy as np
import pytest

from tests.lab.replays.saved import WAREHOUSE, played
from w51_env.engine.batch import Batch
from w51_env.engine.errors import GameOverError, IllegalActionError, ReplayError
from w51_env.engine.registry import make_game, registered_games
from w51_lab.replays.recorder import Recorder
from w51_lab.replays.replay import Replay

# ---- what is saved plays again


@pytest.mark.parametrize("game_id", registered_games())
def test_a_loaded_replay_is_the_saved_one_and_leads_to_the_same_state(game_id: str, tmp_path: Path):
    batch = Batch(make_game(game_id), 1, seed=11, autoreset="disabled")
    batch.reset()
    recorder = Recorder(batch)
    while not recorder.replays:
        recorder.step(batch.sample_actions())
    recorder.replays[0].save(tmp_path / "game.json")
    replay = Replay.load(tmp_path / "game.json")
    assert replay == recorder.replays[0]
    *_, (record, _) = replay.play()
    assert record.tobytes() == batch.games[0].tobytes()
    assert replay.final.scores == tuple(batch.final_scores[0])


def test_a_replay_keeps_names_and_metadata_and_reads_well(saved: Path):
    replay = Replay.load(saved)
    assert replay.players == ("player 0", "player 1", "player 2")
    assert replay.metadata == {"table": 7, "event": "Çup"}
    text = saved.read_text("utf-8")
    assert '"game": "warehouse51_v1"' in text
    assert "Çup" in text
    assert f'  "{replay.moves[0].seat} {replay.moves[0].action}",\n' in text  # a move on a line


def test_play_shows_each_state_and_what_happened():
    replay = played()
    batch = Batch(replay.game(), 1, seed=replay.seed, autoreset="disabled", events=True)
    batch.reset()
    positions = list(replay.play())
    assert len(positions) == 1 + len(replay.moves)
    for place, (record, events) in enumerate(positions):
        assert record.tobytes() == batch.games[0].tobytes()
        assert list(events) == list(batch.events(0))
        if place < len(replay.moves):
            batch.step(np.array([replay.game().actions.id(replay.moves[place].action)]))
    assert positions[0][1][0]["event"] == "set_up"
    assert positions[-1][1][-1]["event"] == "finished"


def test_a_replay_can_be_made_from_a_seed_and_actions_and_need_not_be_a_whole_game(tmp_path: Path):
    game = make_game(WAREHOUSE, preset="nano")
    replay = Replay.record(game, 3, [game.actions.id("choose_deck_blue"), game.actions.id("pass")])
    assert [str(move) for move in replay.moves] == ["0 choose_deck_blue", "1 pass"]
    assert not replay.final.over
    replay.save(tmp_path / "opening.json")
    assert Replay.load(tmp_path / "opening.json") == replay


def test_players_of_one_name_have_different_names_of_seats():
    game = make_game(WAREHOUSE, preset="nano")
    replay = Replay.record(game, 3, [], players=("heuristic", "heuristic", "random"))
    assert replay.players == ("heuristic", "heuristic", "random")
    assert replay.names == ("heuristic", "heuristic 2", "random")


def test_recording_an_illegal_action_or_one_after_the_end_is_an_error():
    game = make_game(WAREHOUSE, preset="nano")
    with pytest.raises(IllegalActionError, match="bid_1"):
        Replay.record(game, 3, [game.actions.id("bid_1")])
    replay = played(preset="nano")
    actions = [game.actions.id(move.action) for move in replay.moves]
    with pytest.raises(GameOverError):
        Replay.record(game, replay.seed, [*actions, 0])


@pytest.mark.parametrize("autoreset", ["same_step", "next_step"])
def test_a_recorder_follows_one_game_of_a_batch_with_bots_through_episodes(autoreset: str):
    game = make_game(WAREHOUSE, preset="mini")
    controllers = ["external", "random", "heuristic"]
    batch = Batch(game, 5, seed=1, controllers=controllers, seating="rotate", autoreset=autoreset)
    batch.reset()
    recorder = Recorder(batch, 3)
    scores = []
    while len(recorder.replays) < 4:
        recorder.step(batch.sample_actions())
        if batch.done[3]:
            scores.append(tuple(batch.final_scores[3]))
    assert [replay.final.scores for replay in recorder.replays] == scores
    assert [replay.controllers.index("external") for replay in recorder.replays[:3]] == [0, 1, 2]
    assert len({replay.seed for replay in recorder.replays}) == 4
    for replay in recorder.replays:
        replay.verify()


def test_a_recorder_leaves_out_an_illegal_action_that_ended_the_game():
    game = make_game(WAREHOUSE, preset="nano")
    batch = Batch(game, 1, seed=1, autoreset="disabled", illegal_action="lose")
    batch.reset()
    recorder = Recorder(batch)
    recorder.step(np.array([game.actions.id("choose_deck_red")]))
    recorder.step(np.array([game.actions.id("bid_70")]))
    assert batch.illegal[0]
    assert [str(move) for move in recorder.replays[0].moves] == ["0 choose_deck_red"]
    recorder.replays[0].verify()


def test_a_recorder_refuses_a_game_that_is_under_way():
    batch = Batch(make_game(WAREHOUSE, preset="nano"), 2, seed=1)
    batch.reset()
    batch.step(batch.sample_actions())
    with pytest.raises(ReplayError, match="game 1 is under way"):
        Recorder(batch, 1)


@pytest.mark.parametrize("game_id", registered_games())
def test_a_state_has_no_padding_so_copies_have_the_same_bytes(game_id: str):
    record = make_game(game_id).record
    assert record.itemsize == sum(kind.itemsize for kind, *_ in record.fields.values())


# ---- writing


def test_saving_replaces_a_file_whole_or_not_at_all(saved: Path):
    before = saved.read_text("utf-8")
    good = Replay.load(saved)
    bad = Replay(**{**vars(good), "metadata": {"when": object()}})
    with pytest.raises(ReplayError, match="not plain data"):
        bad.save(saved)
    assert saved.read_text("utf-8") == before
    good.save(saved)
    assert [file.name for file in saved.parent.iterdir()] == [saved.name]
