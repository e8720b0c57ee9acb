"""The leaderboard of the benchmark: places, means over runs, and the committed entries."""

import json
import subprocess
from pathlib import Path

import numpy as np
import pytest
import typer

from benchmarks import entries
from benchmarks.entries import known
from w51_lab.benchmark import protocol
from w51_lab.benchmark.entry import read_entry
from w51_lab.benchmark.places import interval_of, places_of
from w51_lab.benchmark.track_figures import NUM_COLUMNS, WHOLE, Against, Figure, figures, over_runs
from w51_lab.benchmark.verify import verify

TRACK = "alles-futsch-2"


def against(wins: np.ndarray, opponent: str = "other", *, is_own: bool = False) -> Against:
    """Games of two players: the agent's wins in each deal, of two."""
    cells = np.zeros((1, len(wins), NUM_COLUMNS), np.int32)
    cells[0, :, 0] = WHOLE * wins
    return Against(opponent, cells, is_own, best=1.5)


def test_paired_tests_on_the_same_deals_decide_places_and_games_with_oneself_do_not_count():
    luck = np.random.default_rng(1).integers(0, 2, 60)  # a deal is good for all
    good, bad = luck + (np.arange(60) % 4 == 0), luck
    me, even = against(2 + 0 * luck, "me", is_own=True), against(1 + 0 * luck, "me")
    assert places_of([[[against(good), even]], [[against(bad), even]], [[against(bad), me]]]) == [
        "1",
        "2 to 3",
        "2 to 3",
    ]
    overlap = [figures([against(wins)]).strength for wins in (good, bad)]
    assert overlap[0].low < overlap[1].high  # which intervals of each alone do not tell apart
    assert figures([against(bad), me]).strength == overlap[1]
    beaten, level = against(luck, "me"), against(np.tile([0, 2], 30), "me")  # by the opponent that is an entry, too
    assert places_of([[[against(bad), me]], [[against(bad), beaten]]]) == ["1", "2"]
    assert places_of([[[against(bad), me]], [[against(bad), level]]]) == ["1 to 2"] * 2
    seeds = [[against(good)], [against(bad)], [against(bad[::-1].copy())]]
    assert places_of([seeds, [[against(bad)]]]) == ["1 to 2"] * 2  # of three seeds one was better


@pytest.mark.slow
def test_any_place_among_equals_is_decided_in_one_case_of_twenty():
    random = np.random.default_rng(5)

    def entry(name: str) -> list[list[Against]]:
        return [[against(random.binomial(2, 0.5, 24), opponent, is_own=opponent == name) for opponent in "abcd"]]

    decided = [set(places_of([entry(name) for name in "abcdefghi"])) != {"1 to 9"} for _ in range(300)]
    assert np.mean(decided) < 0.09


def test_the_interval_over_seeds_is_not_narrower_than_that_over_the_deals_which_they_share():
    alike = [Figure(mean=1.0, low=0.9, high=1.2)] * 5
    assert dict(interval_of(alike)) == pytest.approx(dict(alike[0]))
    seeds = [Figure(mean=1.0 + step, low=0.9 + step, high=1.1 + step) for step in (-0.3, -0.1, 0.0, 0.1, 0.3)]
    only_seeds = over_runs([value.mean for value in seeds])
    found = interval_of(seeds)
    assert 0.6 <= found.low < only_seeds.low < 1 < only_seeds.high < found.high <= 1.4


def test_the_best_known_rates_are_the_unit_of_strength_in_every_entry(tmp_path, monkeypatch):
    path = tmp_path / "heuristic.json"
    path.write_bytes(known()["heuristic"].read_bytes())
    monkeypatch.setattr(entries, "LEADERBOARD", tmp_path)
    monkeypatch.setattr(entries, "BEST_FILE", tmp_path / "best_known.txt")
    monkeypatch.setattr(protocol, "BEST_KNOWN", {})
    entries.main(freeze=True)
    best = json.loads((tmp_path / "best_known.txt").read_text("utf-8"))[TRACK]
    members = read_entry(path).runs[0].tracks[TRACK].figures.members
    assert best == {name: [figures.rate.mean, "heuristic"] for name, figures in members.items()}
    assert all(figures.standing.mean == pytest.approx(1, abs=1e-3) for figures in members.values())


@pytest.mark.parametrize("tracks", [[TRACK], pytest.param(["warehouse51-3", "held-out"], marks=pytest.mark.slow)])
def test_a_part_of_a_committed_entry_ends_the_same_here(tracks):
    verify(read_entry(known()["heuristic"]), 0.005, tracks)


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
