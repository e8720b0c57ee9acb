"""Files that a version wrote are read by later ones, and mean the same."""

import json
from pathlib import Path

import pytest

import w51_env
from tests.lab.versions.make import ENTRY, FOLDER, NETWORKS, REPLAYS, SCORES, scores_of
from w51_lab.benchmark.entry import read_entry
from w51_lab.replays.replay import Replay

VERSIONS = sorted(path for path in FOLDER.iterdir() if (path / SCORES).exists())


def test_the_present_version_has_kept_its_files():
    assert w51_env.__version__ in {path.name for path in VERSIONS}


@pytest.mark.parametrize("folder", VERSIONS, ids=lambda path: path.name)
@pytest.mark.parametrize("game", REPLAYS)
def test_a_replay_of_a_version_is_played_to_the_same_end(folder: Path, game: str):
    assert Replay.load(folder / f"{game}.json").final.over


@pytest.mark.parametrize("folder", VERSIONS, ids=lambda path: path.name)
@pytest.mark.parametrize("network", NETWORKS)
def test_a_checkpoint_of_a_version_plays_the_same_games(folder: Path, network: str):
    expected = json.loads((folder / SCORES).read_text("utf-8"))
    assert scores_of(folder / f"{network}.safetensors") == expected[network]


@pytest.mark.parametrize("folder", VERSIONS, ids=lambda path: path.name)
def test_an_entry_of_a_version_is_read(folder: Path):
    assert [run.agent for run in read_entry(folder / ENTRY).runs] == ["heuristic"]
