"""A results file made to hang, to fill memory or disk, or to break what reads it: refused in words, within seconds.

Its digests fit, as a stranger can write them.
"""

import sqlite3
import struct
import time
import zipfile
from collections.abc import Callable
from contextlib import closing
from io import BytesIO
from pathlib import Path

import numpy as np
import pytest

from tests.commands import invoke, refused
from tests.lab.arena.small import edit, finish, plan_of
from w51_agents.agent.interface import AgentError
from w51_lab.arena import stored_blocks as results_file
from w51_lab.arena.database import RESULTS
from w51_lab.arena.store import Store
from w51_lab.commands.evaluate import app

ENDLESS = "WITH RECURSIVE c(n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM c)"
BLOCK = "n AS number, '{}' AS facts, x'' AS behaviour, '' AS digest"


def circle(table: str) -> Callable[[Path], None]:
    """A table whose pages are ten floors, each page the same 100 times: 10^20 rows in a few pages."""

    def change(path: Path) -> None:
        with closing(sqlite3.connect(path)) as file:
            (size,) = file.execute("PRAGMA page_size").fetchone()
            root = 1
            if table != "sqlite_schema":
                (root,) = file.execute("SELECT rootpage FROM sqlite_schema WHERE name = ?", (table,)).fetchone()
        content = path.read_bytes()
        pages = [content[at : at + size] for at in range(0, len(content), size)]
        start = 100 * (root == 1)
        leaf = bytearray(pages[root - 1])
        if root == 1:  # the file's header is before its first page; so its last floor is one row of nothing
            row = bytes([6, 1, 6, 0, 0, 0, 0, 0])
            leaf = bytearray(size)
            leaf[-len(row) :] = row
            leaf[:10] = struct.pack(">BHHHBH", 13, 0, 1, size - len(row), 0, size - len(row))
        pages.append(bytes(leaf))
        for _ in range(10):
            pages.append(interior(size, len(pages), 0, bytes(size)))
        pages[root - 1] = interior(size, len(pages), start, pages[root - 1])
        header = bytearray(pages[0])
        header[28:32] = struct.pack(">I", len(pages))
        pages[0] = bytes(header)
        path.write_bytes(b"".join(pages))

    return change


def interior(size: int, child: int, start: int, before: bytes) -> bytes:
    """A page of a table whose children are all the same page."""
    page = bytearray(before[:start] + bytes(size - start))
    cell, count = struct.pack(">IB", child, 1), 100
    page[start : start + 12] = struct.pack(">BHHHBI", 5, 0, count, size - len(cell), 0, child)
    page[start + 12 : start + 12 + 2 * count] = struct.pack(">H", size - len(cell)) * count
    page[-len(cell) :] = cell
    return bytes(page)


def statements(*changes: str) -> Callable[[Path], None]:
    return lambda path: edit(path, ";".join(changes))


HOSTILE = {
    "blocks never end": statements("DROP TABLE blocks", f"CREATE VIEW blocks AS {ENDLESS} SELECT {BLOCK} FROM c"),
    "blocks are sorted for ever": statements(
        "DROP TABLE blocks", f"CREATE VIEW blocks AS {ENDLESS} SELECT {BLOCK} FROM c ORDER BY hex(n) DESC"
    ),
    "games never end": statements(
        "DROP TABLE games", f"CREATE VIEW games AS {ENDLESS} SELECT n AS id, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11 FROM c"
    ),
    "a text that a view makes": statements(
        "CREATE TABLE old AS SELECT * FROM blocks",
        "DROP TABLE blocks",
        "CREATE VIEW blocks AS SELECT number, hex(zeroblob(400000000)) AS facts, behaviour, digest FROM old",
    ),
    "a column that is computed": statements(
        "ALTER TABLE blocks ADD COLUMN more TEXT AS (hex(zeroblob(400000000)))",
    ),
    "a trigger": statements("CREATE TRIGGER t AFTER INSERT ON blocks BEGIN DELETE FROM games; END"),
    "an index": statements("CREATE INDEX i ON blocks(hex(behaviour))"),
    "another table": statements("CREATE TABLE more (x)"),
    "a virtual table": statements("CREATE VIRTUAL TABLE more USING fts5(x)"),
    "a specification as a view": statements(
        "DROP TABLE tournament", f"CREATE VIEW tournament AS {ENDLESS} SELECT n AS about FROM c"
    ),
    "two specifications": statements("INSERT INTO tournament SELECT * FROM tournament"),
    "no specification": statements("DELETE FROM tournament"),
    "a schema in a circle": circle("sqlite_schema"),
    "blocks in a circle": circle("blocks"),
    "games in a circle": circle("games"),
    "one page for two tables": statements(
        "PRAGMA writable_schema = ON",
        "UPDATE sqlite_schema SET rootpage = (SELECT rootpage FROM sqlite_schema WHERE name = 'games')",
    ),
}


@pytest.mark.parametrize("change", HOSTILE.values(), ids=HOSTILE)
def test_a_file_that_would_never_end_is_refused_before_it_is_asked(folder: Path, change: Callable[[Path], None]):
    change(folder / RESULTS)
    size, begun = (folder / RESULTS).stat().st_size, time.monotonic()
    assert size < 1_000_000
    refused(invoke(app, "--resume", folder), "tournament.sqlite: damaged (")
    assert time.monotonic() - begun < 5


def rewrite(folder: Path, behaviour: bytes | None = None, facts: Callable[[str], str] = str, columns: str = "") -> None:
    """Change the first block, with the digest that fits."""
    with closing(sqlite3.connect(folder / RESULTS)) as file, file:
        if columns:
            file.execute(f"UPDATE games SET {columns} WHERE id < 1 << 32")
        text, kept = file.execute("SELECT facts, behaviour FROM blocks WHERE number = 0").fetchone()
        rows = np.array(file.execute("SELECT * FROM games WHERE id < 1 << 32 ORDER BY id").fetchall())
        text, kept = facts(text), kept if behaviour is None else behaviour
        digest = results_file._digest(results_file._columns(rows, 3), kept, text)
        file.execute("UPDATE blocks SET facts = ?, behaviour = ?, digest = ? WHERE number = 0", (text, kept, digest))


@pytest.mark.parametrize("columns", ["deal = deal + 1", "agent_0 = agent_1, agent_1 = agent_0", "deal = 1 << 40"])
def test_games_that_are_not_planned_are_refused(folder: Path, columns: str):
    rewrite(folder, columns=columns)
    refused(invoke(app, "--resume", folder), "block 0 has other games than are planned")


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('"statistics":[', '"statistics":[{},'),
        ('"replays":[{"row":0', '"replays":[{"row":99'),
        ('"winner":', '"winner":9'),
        ('"controllers":[', '"controllers":["heuristic",'),
    ],
)
def test_facts_of_other_games_are_refused(folder: Path, old: str, new: str):
    def change(text: str) -> str:
        assert old in text
        return text.replace(old, new)

    rewrite(folder, facts=change)
    refused(invoke(app, "--resume", folder), "tournament.sqlite: damaged (")


def arrays_of(folder: Path) -> dict[str, np.ndarray]:
    with closing(sqlite3.connect(folder / RESULTS)) as file:
        (content,) = file.execute("SELECT behaviour FROM blocks WHERE number = 0").fetchone()
    with np.load(BytesIO(content)) as arrays:
        return dict(arrays)


def packed(arrays: dict[str, np.ndarray]) -> bytes:
    content = BytesIO()
    np.savez_compressed(content, **arrays)
    return content.getvalue()


def lying(content: bytes, size: int) -> bytes:
    """A zip that says that its arrays are smaller than they are."""
    content, at = bytearray(content), 0
    while (at := content.find(b"PK\x01\x02", at + 1)) > 0:
        content[at + 24 : at + 28] = struct.pack("<I", size)
    return bytes(content)


def huge_header(arrays: dict[str, np.ndarray]) -> bytes:
    """An array that says that it has 10^13 numbers."""
    content = BytesIO(packed(arrays))
    out = BytesIO()
    with zipfile.ZipFile(content) as before, zipfile.ZipFile(out, "w") as after:
        for name in before.namelist():
            array = before.read(name)
            array = array.replace(b"'shape': (", b"'shape': (9999999999999") if name == "lots/price.npy" else array
            after.writestr(name, array)
    return out.getvalue()


class Runs:
    """Ends the test when it is unpickled."""

    def __reduce__(self) -> tuple[Callable[[str], object], tuple[str]]:
        return pytest.fail, ("it ran",)


ZEROS = np.zeros(40_000_000, np.int8)
TABLES: dict[str, Callable[[dict[str, np.ndarray]], bytes]] = {
    "a table of 40 MB": lambda arrays: packed({**arrays, "lots/price": ZEROS}),
    "an array of 40 MB that is not asked for": lambda arrays: packed({**arrays, "more": ZEROS}),
    "a table of 40 MB that says it is small": lambda arrays: lying(packed({**arrays, "lots/price": ZEROS}), 900),
    "a header of 10^13 numbers": huge_header,
    "no zip": lambda arrays: b"PK\x03\x04" + bytes(100),
    "cut off": lambda arrays: packed(arrays)[:-50],
    "damaged": lambda arrays: packed(arrays)[:2000] + bytes(200) + packed(arrays)[2200:],
    "a column less": lambda arrays: packed({name: array for name, array in arrays.items() if name != "seats/rank"}),
    "another type": lambda arrays: packed({**arrays, "seats/rank": arrays["seats/rank"].astype(np.float64)}),
    "a row less": lambda arrays: packed({**arrays, "seats/rank": arrays["seats/rank"][:-1]}),
    "an agent that is none": lambda arrays: packed({**arrays, "seats/agent": arrays["seats/agent"] + np.int16(50)}),
    "a game that is none": lambda arrays: packed({**arrays, "seats/game": arrays["seats/game"] + np.int32(2**30)}),
    "a seat that is none": lambda arrays: packed({**arrays, "seats/seat": arrays["seats/seat"] - np.int8(1)}),
    "an object": lambda arrays: packed({**arrays, "seats/rank": np.array([Runs()], object)}),
    "empty": lambda arrays: b"",
}


@pytest.mark.parametrize("change", TABLES.values(), ids=TABLES)
def test_behaviour_tables_are_measured_before_they_are_unpacked_and_fit_their_games(
    folder: Path, change: Callable[[dict[str, np.ndarray]], bytes]
):
    rewrite(folder, behaviour=change(arrays_of(folder)))
    refused(invoke(app, "--resume", folder), "tournament.sqlite: damaged (")


def test_tables_that_would_be_refused_are_not_stored(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(results_file, "_MAX_BEHAVIOUR", 100)
    plan = plan_of("heuristic", "random", games=12, behaviour=True)
    with pytest.raises(AgentError, match=r"behaviour: [\d,]+ bytes for \d+ games, but 100 a game are allowed"):
        finish(plan, Store.begin(tmp_path, "cup", plan))


@pytest.mark.parametrize(
    ("key", "old", "new"),
    [("spec.agents", '"heuristic",\n      "random"', '"random",\n      "heuristic"'),
     ("spec.time_limit", '"time_limit": 60.0', '"time_limit": 5.0'), ("spec.replays", '"replays": 1', '"replays": 0')],
)  # fmt: skip
def test_a_specification_that_was_edited_is_refused_with_its_key(folder: Path, key: str, old: str, new: str):
    path = folder / "tournament.json"
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new))
    refused(invoke(app, "--resume", folder), f"of another tournament, or one that was edited since it began: {key} was")
