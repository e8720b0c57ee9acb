"""The folder of a tournament: stored block by block, read and resumed; other, full and older folders."""

import json
import resource
import signal
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest

from tests.commands import invoke, refused
from tests.lab.arena.small import CHEAT, DRAWN, finish, plan_of, same, stored_blocks
from w51_agents import AgentError
from w51_agents.system import files
from w51_agents.system.files import release_folder
from w51_env.engine.errors import FileError
from w51_lab.arena.database import RESULTS
from w51_lab.arena.store import SPEC, Store
from w51_lab.arena.tournament import run
from w51_lab.arena.workers import InProcessExecutor
from w51_lab.commands.evaluate import app


class Idle(InProcessExecutor):
    """Must not play anything."""

    def results(self, blocks):
        assert not list(blocks)
        return iter(())


def resume(folder: Path) -> Store:
    return Store.resume(folder, [CHEAT, DRAWN])


PLAY = """
import sys
from pathlib import Path
from tests.lab.arena.small import finish, plan_of
from w51_lab.arena.store import Store
folder = Path(sys.argv[1])
if not (folder / "tournament.json").exists():
    Store.begin(folder.parent, folder.name, plan_of("heuristic", "random", games=900))
else:
    store = Store.resume(folder)
    finish(store.plan, store)
"""


@pytest.mark.slow
def test_a_process_that_is_killed_while_it_writes_leaves_whole_blocks(tmp_path):
    """kill -9 at several moments, each time after a few more blocks."""
    line = [sys.executable, "-c", PLAY, str(tmp_path / "cup")]
    subprocess.run(line, check=True)
    kills = 0
    while (before := stored_blocks(tmp_path / "cup")) < 250:
        with subprocess.Popen(line) as process:
            while process.poll() is None and stored_blocks(tmp_path / "cup") < before + 30:
                pass
            kills += process.poll() is None
            process.send_signal(signal.SIGKILL)
        assert process.returncode in (0, -signal.SIGKILL)
    assert kills > 3
    store = Store.resume(tmp_path / "cup")
    assert same(finish(store.plan, store), finish(store.plan))


def test_what_is_kept_is_what_was_played(tmp_path):
    store = Store.begin(tmp_path, "one", plan_of(CHEAT, "random", games=12, replays=4, behaviour=True))
    played = finish(store.plan, store)
    read = run(store.plan, Idle(store.plan), resume(store.folder))
    assert same(played, read)
    first, second = played.behaviour, read.behaviour
    assert not any(isinstance(part, dict) for part in first)  # not in memory
    for ours, theirs in zip(first, second, strict=True):
        for name in ours:
            mine, read_back = ours[name], theirs[name]  # each is read from its file
            for column in mine:
                np.testing.assert_array_equal(mine[column], read_back[column])
    assert [result.replays for result in played.results] == [result.replays for result in read.results]
    assert sum(len(result.replays) for result in read.results) == 4
    assert played.statistics[0].failures == read.statistics[0].failures
    assert played.statistics[0].failures["illegal"] > 0
    np.testing.assert_array_equal(played.statistics[0].first.observation, read.statistics[0].first.observation)


def test_each_game_is_a_row_that_any_reader_of_sqlite_finds(tmp_path):
    store = Store.begin(tmp_path, "one", plan_of("heuristic", "random", games=12))
    games = finish(store.plan, store).games
    with closing(sqlite3.connect(store.results)) as file:
        rows = file.execute("SELECT deal, length, agent_0, score_0, rank_2 FROM games ORDER BY id").fetchall()
    columns = games.deals, games.lengths, games.seats[:, 0], games.scores[:, 0], games.ranks[:, 2]
    assert rows == list(zip(*(column.tolist() for column in columns), strict=True))


def test_temporary_files_of_a_killed_process_are_removed(tmp_path):
    store = Store.begin(tmp_path, "one", plan_of("heuristic", "random", games=12))
    (store.folder / "replays").mkdir()
    left = [store.folder / part / f"{files._UNFINISHED}x.pdf" for part in ("", "replays")]
    for path in left:
        path.touch()
    Store.resume(store.folder)
    assert not any(path.exists() for path in left)


def test_results_of_another_tournament_are_not_mixed_in(tmp_path):
    folders = []
    for games in (12, 40):
        store = Store.begin(tmp_path, "cup", plan_of("heuristic", "random", games=games))
        finish(store.plan, store)
        folders.append(store.folder)
        del store  # its file is closed
    (folders[0] / RESULTS).write_bytes((folders[1] / RESULTS).read_bytes())
    with pytest.raises(AgentError, match="of another tournament"):
        Store.resume(folders[0]).load()


@pytest.mark.parametrize(
    ("key", "value", "message"),
    [
        ("version", "0.0.0", "made by w51_env 0.0.0"),
        ("deals", {"name": "seed 0", "count": 20, "digest": "0"}, "its deals have the digest 0, but now it is"),
        ("deals", [1], r"damaged: deals: \[1\]"),
        ("files", None, "damaged: files: None"),
        ("secret", "x", "damaged: secret: 'x'"),
        ("spec", {"agents": ["heuristc"]}, "heuristc"),
        ("spec", {"agents": ["random"], "game": "chess_v0"}, "chess_v0"),
        ("spec", {"agents": ["random"], "gmes": 7}, "gmes"),
        ("spec", {"agents": ["random"], "games": 10**12}, r"tournament\.json: games"),
    ],
)
def test_a_folder_that_cannot_be_resumed_is_an_error(tmp_path, key: str, value, message: str):
    store = Store.begin(tmp_path, "one", plan_of("heuristic", "random"))
    kept = json.loads((store.folder / SPEC).read_text())
    (store.folder / SPEC).write_text(json.dumps({**kept, key: value}))
    with pytest.raises(AgentError if key != "spec" else Exception, match=message):
        resume(store.folder)


def test_a_missing_or_damaged_tournament_is_named(tmp_path):
    with pytest.raises(FileError, match=r"tournament .*nowhere: there is no such folder"):
        resume(tmp_path / "nowhere")
    (tmp_path / "link").symlink_to(tmp_path)  # any folder may contain one
    with pytest.raises(FileError, match=r"is not the folder of a tournament: it has no tournament\.json"):
        resume(tmp_path)
    (tmp_path / "link").unlink()
    for text in ("{", "[]", "{}", "[" * 200_000, " " * 20_000_000):
        (tmp_path / SPEC).write_text(text)
        with pytest.raises(AgentError, match="damaged"):
            resume(tmp_path)


def test_a_tournament_of_an_older_version_is_an_error_that_says_what_to_do(tmp_path):
    store = Store.begin(tmp_path, "one", plan_of("heuristic", "random"))
    store.results.unlink()
    (store.folder / "blocks").mkdir()
    with pytest.raises(AgentError, match=r"results in blocks/: resume it with that version, or play it again"):
        resume(store.folder)


HOLD = """
import sys
from pathlib import Path
from w51_agents.system.files import hold_folder
hold_folder(Path(sys.argv[1]), "tournament")
print("held", flush=True)
input()
"""


def test_a_folder_is_for_one_process_at_a_time(tmp_path):
    folder = Store.begin(tmp_path, "one", plan_of("heuristic", "random")).folder
    release_folder(folder)
    line = [sys.executable, "-c", HOLD, str(folder)]
    with subprocess.Popen(line, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as other:
        assert other.stdout.readline() == "held\n"
        refused(invoke(app, "--resume", folder), "another process uses it")
        other.communicate("\n")
    resume(folder)


def test_a_folder_that_cannot_be_filled_is_an_error_before_any_game(tmp_path, monkeypatch):
    (tmp_path / "one").mkdir()
    monkeypatch.setattr("w51_lab.arena.store.new_folder", lambda parent, name, *_: parent / name)
    (tmp_path / "one" / RESULTS).mkdir()
    with pytest.raises(FileError, match=r"output .*one: cannot be made: unable to open database file"):
        Store.begin(tmp_path, "one", plan_of("heuristic", "random"))


def test_a_full_disk_is_an_error_and_stored_blocks_stay(tmp_path):
    store = Store.begin(tmp_path, "one", plan_of("heuristic", "random", games=12))

    before = resource.getrlimit(resource.RLIMIT_FSIZE)

    def fill_disk(games, stored):
        resource.setrlimit(resource.RLIMIT_FSIZE, (store.results.stat().st_size, before[1]))

    try:
        with pytest.raises(FileError, match=r"sqlite: cannot be written: .*(full|disk I/O error); .* --resume"):
            run(store.plan, InProcessExecutor(store.plan), store, fill_disk)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert 0 < stored_blocks(store.folder) < len(store.plan.blocks)
    assert len(finish(store.plan, resume(store.folder)).games.seats) == 12
