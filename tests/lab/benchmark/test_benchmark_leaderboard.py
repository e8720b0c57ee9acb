"""The leaderboard of the benchmark: places, means over runs, and the committed entries."""

import json
import subprocess
from pathlib import Path

import pytest
import typer

from benchmarks import entries
from benchmarks.entries import command, known
from w51_lab.arena.store import read_object
from w51_lab.benchmark.entry import MAX_BYTES, read_entry
from w51_lab.benchmark.leaderboard import interval_of, places_of
from w51_lab.benchmark.protocol import EXACT, TRACKS
from w51_lab.benchmark.track_figures import Figure, over_runs
from w51_lab.benchmark.verify import verify


def test_the_place_of_an_entry_is_open_where_intervals_overlap():
    strengths = [
        Figure(mean=low, low=low, high=high) for low, high in ((1.5, 1.7), (1.4, 1.6), (1.3, 1.45), (0.2, 0.3))
    ]
    assert places_of(strengths) == ["1 to 2", "1 to 3", "2 to 3", "4"]


def test_the_interval_over_seeds_is_not_narrower_than_that_over_the_deals_which_they_share():
    alike = [Figure(mean=1.0, low=0.9, high=1.2)] * 5
    assert dict(interval_of(alike)) == pytest.approx(dict(alike[0]))
    seeds = [Figure(mean=1.0 + step, low=0.9 + step, high=1.1 + step) for step in (-0.3, -0.1, 0.0, 0.1, 0.3)]
    only_seeds = over_runs([value.mean for value in seeds])
    found = interval_of(seeds)
    assert 0.6 <= found.low < only_seeds.low < 1 < only_seeds.high < found.high <= 1.4


@pytest.mark.parametrize(
    "tracks", [["alles-futsch-2"], pytest.param(["warehouse51-3", "held-out"], marks=pytest.mark.slow)]
)
def test_a_part_of_a_committed_entry_ends_the_same_here(tracks):
    verify(read_entry(known()["heuristic"]), 0.005, tracks)


def test_the_command_of_a_committed_entry_plays_its_agent_in_its_tracks():
    entry = read_object(known()["pretrained"], "entry", MAX_BYTES)
    _, _, _, _, agent, *options = command(entry, workers=1)
    tracks = [options[index + 1] for index, option in enumerate(options) if option == "--track"]
    assert (agent, tracks) == ("pretrained", [*TRACKS, EXACT])


@pytest.fixture
def board(tmp_path, monkeypatch):
    """A leaderboard of three entries, of which one is of an earlier version; the text of each file."""
    leaderboard = tmp_path / "leaderboard"
    for name, value in (("ROOT", tmp_path), ("LEADERBOARD", leaderboard), ("EARLIER", leaderboard / "earlier")):
        monkeypatch.setattr(entries, name, value)
    run = {"agent": "random", "tracks": {"auctions": {}}, "refused": {}, "exact": {}}
    entries.EARLIER.mkdir(parents=True)
    for path in (leaderboard / "a.json", leaderboard / "b.json", entries.EARLIER / "c.json"):
        path.write_text(json.dumps({"name": path.stem, "about": {}, "runs": [run]}), "utf-8")
    return lambda: {str(path.relative_to(leaderboard)): path.read_text("utf-8") for path in leaderboard.rglob("*.json")}


@pytest.mark.parametrize("status", [130, -15])
def test_entries_are_replaced_together_and_a_stop_loses_none(board, monkeypatch, status):
    before, played = board(), []
    stops = {"b"}

    def benchmark(command, cwd):
        name = command[command.index("--name") + 1]
        assert board() == before, "an entry was replaced before the last one was played"
        if name in stops:
            return subprocess.CompletedProcess(command, status)
        played.append(name)
        Path(command[command.index("--folder") + 1], "entry.json").write_text(f"new {name}", "utf-8")
        return subprocess.CompletedProcess(command, 0)

    monkeypatch.setattr(entries.subprocess, "run", benchmark)
    with pytest.raises(typer.Exit):
        entries.main([], 1)
    assert board() == before
    stops.clear()
    entries.main([], 1)
    assert sorted(played) == ["a", "b", "c"]
    assert board() == {f"{name}.json": f"new {name}" for name in "abc"}


def test_an_entry_whose_agent_is_refused_keeps_its_file(board, monkeypatch):
    before = board()
    monkeypatch.setattr(entries.subprocess, "run", lambda command, cwd: subprocess.CompletedProcess(command, 2))
    with pytest.raises(typer.Exit):
        entries.main([], 1)
    assert board() == before
