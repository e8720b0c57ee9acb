"""What a page shows of knowledge: beliefs, what an agent would do if its seat knew more, and the values of a game."""

import json
import re
from dataclasses import replace

import numpy as np
import pytest

pytest.importorskip("starlette", reason="needs the extra 'play'")

from tests.table.play.games import InProcessPool, recorded
from w51_agents.language.score_table import lot_lines
from w51_env.engine.batch import Batch
from w51_env.engine.game import ALL, PUBLIC
from w51_env.views.language import Words
from w51_lab.replay_viewer.frames import Frame, frames_of
from w51_table.play.agent_pool import frame_question
from w51_table.play.coach import Coach
from w51_table.play.playback import Playback
from w51_table.web.messages import hint_data, standings
from w51_table.web.thoughts import alternatives, beliefs_data, thoughts_data

WORDS = Words("en", ("Ann", "Bob", "Cleo"))


@pytest.fixture(scope="module")
def frames() -> list[Frame]:
    return [frame for frame in frames_of(recorded(num_players=3)) if frame.seat >= 0]


def redrawn(frame: Frame, seat: int) -> Frame:
    """The frame in a state that this seat cannot tell from its own."""
    batch = Batch(frame.game, 1, autoreset="disabled", keep_final=False)
    batch.load(np.array([frame.state], frame.game.record))
    batch.resample_hidden(seat, seed=frame.number)
    return frame.in_state(batch.games[0].copy())


def test_what_a_seat_believes_and_the_points_are_the_same_in_all_states_that_it_cannot_tell_apart(frames):
    for frame in frames[::14]:
        for seat in range(3):
            other = redrawn(frame, seat)
            assert beliefs_data(other, seat, WORDS) == beliefs_data(frame, seat, WORDS)
            told = standings(frame.view(seat, WORDS))  # in the list of tables
            assert standings(other.view(seat, WORDS)) == told
            assert len(told) == 3
        assert beliefs_data(redrawn(frame, 0), PUBLIC, WORDS) == beliefs_data(frame, PUBLIC, WORDS)


def test_what_the_seat_to_move_might_know_is_made_from_what_it_knows(frames):
    differ = 0
    for frame in frames[::3]:
        other = redrawn(frame, frame.seat)
        found, again = alternatives(frame, WORDS), alternatives(other, WORDS)
        assert [text for text, _ in found] == [text for text, _ in again]
        for (_, changed), (_, changed_again) in zip(found, again, strict=True):
            np.testing.assert_array_equal(changed.observation, changed_again.observation)
            assert not np.array_equal(changed.observation, frame.observation)
            lot = changed.view(frame.seat).table["lot"]["relic"]
            beliefs = [one.view(frame.seat).table["beliefs"][lot] for one in (frame, changed)]
            assert beliefs.count(1) == 1
            batch = Batch(frame.game, 1, autoreset="disabled")
            batch.load(np.array([changed.state], frame.game.record))  # a state that a game can be in
            np.testing.assert_array_equal(batch.action_mask[0], frame.mask)
            differ += 1
    assert differ > 5


@pytest.mark.parametrize("agent", ["pretrained", "search:playouts=50"])
def test_reports_are_the_same_in_all_states_that_the_seat_cannot_tell_apart(frames, agent):
    playback, pool = Playback.of_replay(recorded(num_players=3)), InProcessPool()
    for frame in frames[::30]:
        told = []
        for one in (frame, redrawn(frame, frame.seat)):
            answer = pool.ask(frame_question(one, agent, playback.game_id, playback.seed)).result()
            told.append(thoughts_data(answer.explanation, replace(one, action=None), WORDS))
        assert told[0] == told[1]


def test_the_hint_is_the_same_in_all_states_that_the_seat_cannot_tell_apart(frames):
    coach = Coach()
    for frame in frames[65::40]:  # of an open and of a blind auction
        found, again = (
            hint_data(coach.advise(one, 5), one.view(frame.seat, WORDS), frame.number)
            for one in (frame, redrawn(frame, frame.seat))
        )
        assert found == again
        assert found["agent"] == "coach"
        assert frame.mask[found["action"]]
        assert re.match(r"It won \d+% ± \d+% of \d+ games", found["reasons"][0])
        assert not {*found["reasons"]} & {*lot_lines(frame.view(frame.seat, WORDS))}  # the page shows them anyway


def test_beliefs_agree_with_the_share_of_determinizations(frames):
    frame = frames[10]
    states = frame.determinizer().draw(4000, seed=1)
    share = (states["counterfeit_gap"] >= 0).mean(axis=0)
    rows = beliefs_data(frame, frame.seat, WORDS)["rows"]
    names = [relic["name"] for relic in frame.view(frame.seat).table["relics"].values()]
    for name, (chance,) in rows:
        assert share[names.index(name)] == pytest.approx(chance, abs=0.035)


def test_everybody_sees_what_each_seat_believes_beside_the_truth(frames):
    data = beliefs_data(frames[10], ALL, WORDS)
    assert data["names"] == ["Ann", "Bob", "Cleo", "Truth"]
    assert {chances[-1] for _, chances in data["rows"]} == {0.0, 1.0}
    for _, chances in data["rows"]:
        assert chances[-1] == 1 or 1 not in chances  # nobody knows a counterfeit that is none


def test_a_page_gets_beliefs_of_a_replay(client, tmp_path):
    recorded(num_players=3).save(tmp_path / "r.json")
    name = client.post("/api/replays", content=(tmp_path / "r.json").read_bytes()).json()["replay"]
    frames = list(frames_of(recorded(num_players=3)))
    step = next(frame.number for frame in frames if frame.seat >= 0 and alternatives(frame, WORDS))
    path = f"/api/replays/{name}/{step}/beliefs"
    whole = client.get(f"{path}?agent=heuristic").json()
    assert whole["alternatives"][0]["title"].startswith("heuristic bot: ")
    seat = frames[step].seat
    assert client.get(f"{path}?viewer={seat}").json()["alternatives"]
    of_another = client.get(f"{path}?viewer={(seat + 1) % 3}").json()
    assert of_another["alternatives"] == []
    assert json.dumps(of_another["names"]) == json.dumps([["Ann", "Bob", "Cleo"][(seat + 1) % 3]])
    assert client.get(f"{path}?viewer=9").status_code == 400


def test_a_game_without_hidden_cards_has_no_beliefs(client, tmp_path):
    recorded("alles_futsch_v1", num_players=3).save(tmp_path / "r.json")
    name = client.post("/api/replays", content=(tmp_path / "r.json").read_bytes()).json()["replay"]
    assert client.get(f"/api/replays/{name}").json()["beliefs"] is False
    assert client.get(f"/api/replays/{name}/3/beliefs").json() == {"names": [], "rows": [], "alternatives": []}
