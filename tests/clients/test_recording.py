"""A recording that is stopped, in whatever way, goes on from the games that it has, and ends as one that was not."""

import os
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from tests.commands import invoke, refused
from w51_agents import make_agent
from w51_env import make_game
from w51_env.engine.errors import FileError
from w51_lab import datasets

GAMES = 12
SLOW = """
import pathlib, time
import numpy as np

class Slow:
    is_slow = True

    def __init__(self, game):
        pass

    def reset(self, seed):
        with open("games.txt", "a") as file:
            file.write("game\\n")

    def act(self, observation, action_mask, info=None):
        time.sleep(0.002)
        return int(np.flatnonzero(action_mask)[0])
"""


ARGUMENTS = ["games", "slow_agent:Slow", "heuristic", "--preset", "mini", "--games", str(GAMES), "--format", "parquet"]
COMMAND = [sys.executable, "-m", "w51_env", "dataset", *ARGUMENTS]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "slow_agent.py").write_text(SLOW, "utf-8")
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(tmp_path), os.environ.get("PYTHONPATH", "")]))
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_games_of_a_slow_agent_survive_a_killed_process(folder: Path):
    from w51_lab.commands.dataset import app

    process = subprocess.Popen(COMMAND)
    parts = folder / "games.parts"
    while process.poll() is None and len(list(parts.glob("[0-9]*.npz"))) < 4:
        time.sleep(0.005)
    process.kill()
    process.wait()
    kept = len(list(parts.glob("[0-9]*.npz")))
    assert 4 <= kept < GAMES
    before = (folder / "games.txt").read_text().count("game")

    refused(invoke(app, *ARGUMENTS, "--seed", "5"), "was begun with other seed")

    subprocess.run(COMMAND, check=True, capture_output=True)
    added = (folder / "games.txt").read_text().count("game") - before
    assert 0 < added <= 4 * (GAMES - kept)  # at most two seats, each with an object that is copied and one that plays
    assert not parts.exists()
    table = pytest.importorskip("pyarrow.parquet").read_table(folder / "games" / datasets.PARQUET)
    assert set(table["game"].to_pylist()) == set(range(GAMES))


def test_a_count_as_a_small_integer_of_numpy_does_not_overflow():
    game, few = make_game("warehouse51_v1"), np.int8(100)
    assert len(datasets.record(game, ["a"], [make_agent("heuristic", game)], few, few, few)) == 100 * game.num_players


def test_a_recording_that_goes_on_ends_as_one_that_was_not_stopped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("w51_lab.datasets.episodes._GAMES", 4)
    game = make_game("warehouse51_v1", preset="mini")
    names = ["random", "heuristic"]

    def recorded(folder: Path) -> list[datasets.Episode]:
        return datasets.record_in_parts(game, names, [make_agent(name, game) for name in names], 10, 3, folder)

    whole = recorded(tmp_path / "whole")
    (datasets.parts_of(tmp_path / "whole") / "4.npz").unlink()
    for one, other in zip(whole, recorded(tmp_path / "whole"), strict=True):
        assert (one.game, one.seat, one.agent) == (other.game, other.seat, other.agent)
        for name in ("observations", "masks", "actions", "rewards"):
            np.testing.assert_array_equal(getattr(one, name), getattr(other, name))
    assert {episode.game for episode in whole} == set(range(10))
    assert len(whole[0].observations) == len(whole[0].masks) == len(whole[0].actions) + 1


def test_a_part_that_is_damaged_or_unpacks_to_more_than_its_games_is_refused_by_name(tmp_path: Path):
    game = make_game("warehouse51_v1", preset="mini")
    agents = [make_agent("random", game)]
    datasets.record_in_parts(game, ["random"], agents, 3, 0, tmp_path / "games")
    part = tmp_path / "games.parts" / "0.npz"
    with np.load(part) as arrays:
        np.savez_compressed(part, **{**arrays, "rewards": np.zeros(30_000_000, np.int8)})
    with pytest.raises(FileError, match=r"0\.npz: damaged \(it unpacks to [\d,]+ bytes, but at most"):
        datasets.record_in_parts(game, ["random"], agents, 3, 0, tmp_path / "games")
    part.write_bytes(part.read_bytes()[:-100])
    with pytest.raises(FileError, match=r"0\.npz: damaged .* delete it"):
        datasets.record_in_parts(game, ["random"], agents, 3, 0, tmp_path / "games")
