"""An agent of others that holds several seats of a table: no process of it meets two of them."""

from collections import defaultdict
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest

from tests.commands import invoke
from tests.lab.arena.pooling import note
from w51_agents.agent.interface import SingleAgent
from w51_agents.named.opponents import OpponentTable
from w51_env import make_game
from w51_lab.commands.dataset import app
from w51_lab.replay_viewer.frames import Frame
from w51_table.play.agent_pool import AgentPool, next_question
from w51_table.play.playback import Performance, Playback
from w51_table.play.table import PERSON, Setup, Table

HERE = "tests.table.play.test_seats_apart:Gossip"
OPTIONS = {"num_players": 4}
_memory: list[str] = []


class Gossip(SingleAgent):
    """Keeps what it sees in a variable of its module, and notes for each decision all that its process has."""

    stateless = True  # says it

    def __init__(self, game):
        self.seen: list[str] = []

    def act(self, observation, action_mask, info=None) -> int:
        self.seen.append(observation.tobytes().hex())
        _memory.append(self.seen[-1])
        note("process", " ".join(_memory))
        note(f"object-{id(self)}", self.seen[-1])
        return int(np.flatnonzero(action_mask)[-1])


@pytest.fixture
def notes(tmp_path, monkeypatch) -> Path:
    monkeypatch.setenv("POOLING", str(tmp_path))
    return tmp_path


def check_apart(notes: Path, frames: list[Frame], least: int) -> None:
    """No process has seen what two seats of these frames see."""
    seats = defaultdict(set)
    for frame in frames:
        seats[frame.observation.tobytes().hex()].add(frame.seat)
    lines = (notes / "process").read_text().splitlines()
    assert len(lines) >= least
    for line in lines:
        assert len(set().union(*(seats[observation] for observation in line.split()))) == 1


@pytest.mark.slow
def test_no_process_of_a_pool_meets_two_seats_of_a_table(notes):
    table, frames = Table(Setup("warehouse51_v1", OPTIONS, 5, (PERSON, HERE, HERE, HERE))), []
    pool = AgentPool()
    try:
        for _ in range(30):
            frames.append(table.frame())
            explain = len(frames) % 2 == 0
            answer = pool.ask(next_question(table, HERE, explain=explain)).result(120)
            assert answer.failure is None
            assert (answer.explanation is not None) == explain
            table.play(answer.action)
    finally:
        pool.close()
    assert len({frame.seat for frame in frames}) == 4
    check_apart(notes, frames, 30)


@pytest.mark.slow
def test_no_process_of_a_playback_meets_two_seats_of_a_game(notes):
    table = Table(Setup("warehouse51_v1", OPTIONS, 5, (HERE,) * 4))
    with closing(AgentPool()) as pool:
        performance = Performance(Playback.of_table(table), pool, table)
        for _ in range(20):
            performance.advance()
    check_apart(notes, performance.playback.frames[:20], 20)
    assert not _memory  # not in this process either


def test_opponents_of_a_learner_that_a_name_makes_have_a_seat_each():
    game = make_game("warehouse51_v1", **OPTIONS)
    table = OpponentTable(game, [HERE] * 3, "int8")
    assert table.controllers.tolist() == [-1, -2, -3, -4]
    assert len(set(map(id, table.agents))) == 3
    assert OpponentTable(game, ["heuristic"] * 3, "int8").controllers.tolist() == [-1, 1, 1, 1]


def test_agents_of_a_dataset_have_an_object_for_each_game_and_seat(notes):
    pytest.importorskip("pyarrow", reason="needs the extra 'arena'")
    invoke(app, notes / "data", HERE, "random", "--games", 2, "--players", 4, "--format", "parquet")
    assert len(list(notes.glob("object-*"))) == 4
