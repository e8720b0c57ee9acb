"""The folder of a tournament that is damaged, or from a stranger: an error in words, and nothing of it is run."""

import os
import sqlite3
import struct
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from tests.lab.arena.small import edit, finish, same
from w51_agents.agent.interface import AgentError
from w51_env.engine.errors import FileError
from w51_lab.arena.database import JOURNAL, RESULTS
from w51_lab.arena.store import SPEC, Store
from w51_lab.arena.tournament import TournamentResult

REST = ", ".join(["deal", "length", *(f"{name}_{seat}" for name in ("agent", "score", "rank") for seat in range(3))])
CHANGES = {
    "no file of SQLite": b"x" * 10_000,
    "cut off": None,
    "another score": "UPDATE games SET score_0 = score_0 + 1 WHERE id = 1 << 32",
    "a score that is no number": "UPDATE games SET score_0 = 'x' WHERE id = 0",
    "a score that is too large": "UPDATE games SET score_0 = 100000 WHERE id = 0",
    "a score that is another in 16 bits": "UPDATE games SET score_0 = score_0 + 65536",
    "a rank that is another in 8 bits": "UPDATE games SET rank_1 = rank_1 + 256 WHERE id = 0",
    "a fraction of a score": "UPDATE games SET score_0 = score_0 + 0.75 WHERE score_0 >= 0",
    "an agent that is none": "UPDATE games SET agent_0 = -1 WHERE id = 0",
    "a game of a block that is not planned": "INSERT INTO games SELECT id + (1 << 50), {rest} FROM games WHERE id = 0",
    "a score without a value": "UPDATE games SET score_0 = NULL WHERE id = 0",
    "a game less": "DELETE FROM games WHERE id = 0",
    "a game of another block": "UPDATE games SET id = 99 WHERE id = 1 << 32",
    "no games": "DELETE FROM games",
    "a column less": "ALTER TABLE games DROP COLUMN score_0",
    "a table less": "DROP TABLE games",
    "other facts": "UPDATE blocks SET facts = replace(facts, 'errors', 'horrors')",
    "facts that are no JSON": "UPDATE blocks SET facts = '['",
    "facts as bytes": "UPDATE blocks SET facts = x'80'",
    "other tables": "UPDATE blocks SET behaviour = x'80'",
    "another number": "UPDATE blocks SET number = 99 WHERE number = 1",
    "no digest": "UPDATE blocks SET digest = NULL",
}


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_a_changed_file_is_an_error_before_any_game(folder: Path, change: str | bytes | None):
    path = folder / RESULTS
    if isinstance(change, str):
        edit(path, change.replace("{rest}", REST))
    else:
        path.write_bytes(change or path.read_bytes()[:9000])
    with pytest.raises(AgentError, match=r"tournament\.sqlite: (damaged .*if the file is removed|of another tour)"):
        Store.resume(folder).load()


def test_no_damaged_byte_changes_the_results(folder: Path, finished: tuple[Path, TournamentResult]):
    path, found = folder / RESULTS, 0
    whole, store = path.read_bytes(), Store.resume(folder)
    for place in range(0, len(whole), max(1, len(whole) // 60)):
        path.write_bytes(whole[:place] + bytes([whole[place] ^ 255]) + whole[place + 1 :])
        try:
            assert same(finished[1], finish(store.plan, store))
        except AgentError as error:
            assert "tournament.sqlite: damaged" in str(error)  # noqa: PT017 - others are in bytes that are not read
            found += 1
    assert found > 10


def test_a_journal_that_names_a_file_elsewhere_is_refused_and_the_file_stays(folder: Path, tmp_path: Path):
    """SQLite takes it for the journal of several files, plays it back, and deletes it."""
    mine = tmp_path / "mine"
    mine.write_text("mine")
    with closing(sqlite3.connect(folder / RESULTS)) as file:
        file.execute("DELETE FROM games")
        journal = bytearray((folder / JOURNAL).read_bytes())
    magic, name = bytes.fromhex("d9d505f920a163d7"), str(mine).encode()
    lock_page = 2**30 // 4096 + 1
    journal[:8] = magic
    journal += struct.pack(">I", lock_page) + name + struct.pack(">II", len(name), sum(name)) + magic
    (folder / JOURNAL).write_bytes(journal)
    with pytest.raises(FileError, match=r"sqlite-journal: names a file elsewhere"):
        Store.resume(folder)
    assert mine.read_text() == "mine"
    sqlite3.connect(folder / RESULTS).execute("SELECT * FROM games").close()
    assert not mine.exists()  # what the check is for


def link(path: Path) -> None:
    path.unlink(missing_ok=True)
    path.symlink_to("/dev/zero")


def pipe(path: Path) -> None:
    path.unlink(missing_ok=True)
    os.mkfifo(path)


@pytest.mark.parametrize("name", [SPEC, ".lock", RESULTS, JOURNAL, "summary.json"])
@pytest.mark.parametrize("kind", [link, pipe])
def test_links_and_pipes_in_the_folder_are_errors(folder: Path, kind: Callable[[Path], None], name: str):
    """What is written to a link would replace a file elsewhere; to read a pipe may never end."""
    kind(folder / name)
    with pytest.raises(FileError, match=r"is a (link|pipe or a device), but only files and folders are allowed"):
        Store.resume(folder)
