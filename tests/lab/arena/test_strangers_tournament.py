"""The folder of a tournament from a stranger: values that no tournament writes are errors, before they are used."""

import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("pyarrow", reason="needs the extra 'arena'")

import pyarrow as pa
from pyarrow import parquet

from tests.lab.arena.small import plan_of
from w51_agents.agent import AgentError
from w51_agents.system.files import digest_of
from w51_env.engine.errors import FileError
from w51_lab.arena.block_files import _COLUMNS, BLOCKS, REPLAYS, _array, _column
from w51_lab.arena.store import SPEC, Store
from w51_lab.arena.tournament import run
from w51_lab.arena.workers import InProcessExecutor

Change = Callable[[dict[str, Any]], object]


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a finished tournament."""
    parent = tmp_path_factory.mktemp("cups")
    plan = plan_of("heuristic", "random", games=12, replays=1, behaviour=True, surprising=1)
    store = Store.begin(parent, "cup", plan)
    run(plan, InProcessExecutor(plan), store)
    return store.folder


@pytest.fixture
def folder(finished: Path, tmp_path: Path) -> Path:
    """A copy of it."""
    return shutil.copytree(finished, tmp_path / "cup")


def of_first(change: Callable[[dict[str, Any]], object]) -> Change:
    return lambda facts: change(facts["statistics"][0])


def failure(**changes: object) -> Change:
    whole = {"kind": "errors", "message": "", "row": 0, "seat": 0, "observation": [], "mask": [], "traceback": ""}
    return of_first(lambda own: own.update(first={**whole, **changes}))


def candidate(**changes: object) -> Change:
    return lambda facts: facts["candidates"][0].update(changes)


FACTS: dict[str, Change] = {
    "no statistics": lambda facts: facts.update(statistics=None),
    "statistics of one agent": lambda facts: facts.update(statistics=facts["statistics"][:1]),
    "decisions as text": of_first(lambda own: own.update(decisions="7")),
    "fewer decisions than none": of_first(lambda own: own.update(decisions=-1)),
    "failures without kinds": of_first(lambda own: own.update(failures={})),
    "failures as text": of_first(lambda own: own["failures"].update(errors="x")),
    "usage as a list": of_first(lambda own: own.update(usage=[1])),
    "usage as text": of_first(lambda own: own.update(usage={"cost": "x"})),
    "an unknown kind of failure": failure(kind="worse"),
    "a failure without a text": failure(message={}),
    "a failure with a short observation": failure(observation=[1]),
    "a failure with a large observation": failure(observation=[1000] * 5),
    "seconds as text": lambda facts: facts.update(seconds="x"),
    "seconds that are no number": lambda facts: facts.update(seconds=float("nan")),
    "a replay elsewhere": lambda facts: facts.update(replays=["../../x"]),
    "a replay of no row": lambda facts: facts.update(replays=[10**9]),
    "an unknown candidate": lambda facts: facts.update(candidates=[{"x": 1}]),
    "a candidate of no row": candidate(row=10**9),
    "a candidate of no agent": candidate(winner=77),
    "a candidate of no size": candidate(size=float("inf")),
    "a block that is a list": lambda facts: facts.update(block=[]),
    "another block": lambda facts: facts["block"].update(number=10**9),
    "the block before": lambda facts: facts["block"].update(number=0, start=0, stop=1),
    "nested data": lambda facts: facts.update(block={"number": [[[[]]]]}),
}


def rewrite(path: Path, facts: Change = lambda facts: None, columns: Change = lambda columns: None) -> None:
    """Change a block, with a digest that fits."""
    table = parquet.read_table(path)
    data = json.loads(table.schema.metadata[b"block"].decode())
    arrays = {name: _array(pa, table[name]) for name in _COLUMNS}
    facts(data)
    columns(arrays)
    text = json.dumps(data)
    changed = pa.table({name: _column(pa, array) for name, array in arrays.items()})
    metadata = {"block": text, "digest": digest_of(arrays, text)}
    parquet.write_table(changed.replace_schema_metadata(metadata), path)


def block_of(folder: Path, number: int = 0) -> Path:
    return folder / BLOCKS / f"{number:06}.parquet"


@pytest.mark.parametrize("change", FACTS.values(), ids=FACTS)
def test_facts_that_no_block_has_are_errors(folder: Path, change: Change):
    rewrite(block_of(folder, 1 if change is FACTS["the block before"] else 0), facts=change)
    with pytest.raises(AgentError, match=r"if the file is removed, its games are played again"):
        Store.resume(folder).load()


COLUMNS: dict[str, Change] = {
    "agents that there are not": lambda columns: columns.update(seats=columns["seats"] * 0 + 77),
    "agents below the first": lambda columns: columns.update(seats=columns["seats"] * 0 - 1),
    "other deals": lambda columns: columns.update(deals=columns["deals"] + 1000),
    "scores that are no numbers": lambda columns: columns.update(scores=columns["scores"] * np.nan),
    "larger scores": lambda columns: columns.update(scores=columns["scores"].astype(np.int64)),
    "scores without seats": lambda columns: columns.update(scores=columns["scores"][:, 0].copy()),
    "fewer games": lambda columns: columns.update({name: array[:1].copy() for name, array in columns.items()}),
    "more games": lambda columns: columns.update({name: np.repeat(array, 9, 0) for name, array in columns.items()}),
    "no winner": lambda columns: columns.update(ranks=columns["ranks"] * 0 + 2),
    "rank 0": lambda columns: columns.update(ranks=columns["ranks"] * 0),
    "rank 9": lambda columns: columns["ranks"].__setitem__((0, 0), 9),
}


@pytest.mark.parametrize("change", COLUMNS.values(), ids=COLUMNS)
def test_games_that_no_block_has_are_errors(folder: Path, change: Change):
    def changed(columns: dict[str, np.ndarray]) -> None:
        columns.update({name: array.copy() for name, array in columns.items()})
        change(columns)

    rewrite(block_of(folder), columns=changed)
    with pytest.raises(AgentError, match=r"damaged .*; if the file is removed"):
        Store.resume(folder).load()


def filled(name: str, value: int) -> Change:
    return lambda arrays: arrays[name].__setitem__(slice(None), value)


TABLES: dict[str, Change] = {
    "agents that there are not": filled("lots/agent", 99),
    "words that there are not": filled("lots/category", 100),
    "games that there are not": filled("seats/game", 2**30),
    "games below the first": filled("seats/game", -5),
    "lots below the first": filled("money/lot", -1),
    "seats that there are not": filled("seats/seat", 100),
    "no price": lambda arrays: arrays.pop("lots/price"),
    "another table in place of one": lambda arrays: arrays.update({"lots/other": arrays.pop("lots/price")}),
    "a shorter column": lambda arrays: arrays.update({"lots/price": arrays["lots/price"][:3]}),
    "prices as text": lambda arrays: arrays.update({"lots/price": arrays["lots/price"].astype(str)}),
    "prices in two columns": lambda arrays: arrays.update({"lots/price": np.zeros((len(arrays["lots/price"]), 2))}),
    "objects": lambda arrays: arrays.update({"lots/price": arrays["lots/price"].astype(object)}),
    "more than fits into memory": lambda arrays: arrays.update({"lots/price": np.zeros(2**26, np.int8)}),
}


@pytest.mark.parametrize("change", TABLES.values(), ids=TABLES)
def test_behaviour_tables_that_no_block_has_are_errors(folder: Path, change: Change):
    path = block_of(folder).with_suffix(".npz")
    with np.load(path) as stored:
        arrays = {name: stored[name] for name in stored.files}
    change(arrays)
    np.savez_compressed(path, **arrays)
    with pytest.raises(AgentError, match=r"damaged .*; if the file is removed"):
        Store.resume(folder).load()


@pytest.mark.parametrize(
    "changes",
    [
        {"games": 10**12},
        {"agents": ["random"] * 2000, "format": "pairs"},
        {"agents": [["random"]]},
        {"memory_limit": float("inf")},
    ],
    ids=lambda changes: next(iter(changes)),
)
def test_a_specification_that_would_not_fit_into_memory_is_an_error(folder: Path, changes: dict[str, Any]):
    data = json.loads((folder / SPEC).read_text())
    data["spec"] |= changes
    (folder / SPEC).write_text(json.dumps(data))
    with pytest.raises(AgentError, match=rf"tournament\.json: {next(iter(changes))}"):
        Store.resume(folder)


@pytest.mark.parametrize(
    "text",
    ["[" * 200_000, '{"a":' * 100_000, " " * 20_000_000, '{"version":' + "9" * 5000 + "}"],
    ids=["nested lists", "nested objects", "large", "a large number"],
)
def test_a_strange_specification_is_an_error_in_words(folder: Path, text: str):
    (folder / SPEC).write_text(text)
    with pytest.raises(AgentError, match=r"tournament\.json: damaged"):
        Store.resume(folder)


def link(path: Path) -> None:
    path.unlink(missing_ok=True)
    path.symlink_to("/dev/zero")


def pipe(path: Path) -> None:
    path.unlink(missing_ok=True)
    os.mkfifo(path)


@pytest.mark.parametrize("name", [SPEC, ".lock", f"{BLOCKS}/000000.npz", f"{REPLAYS}/000000-00000.json"])
@pytest.mark.parametrize("kind", [link, pipe])
def test_links_and_pipes_in_the_folder_are_errors(folder: Path, kind: Callable[[Path], None], name: str):
    kind(folder / name)
    with pytest.raises(FileError, match=r"is a (link|pipe or a device), but only files and folders are allowed"):
        Store.resume(folder)


def test_a_link_in_the_folder_lets_nothing_be_written_elsewhere(folder: Path, tmp_path: Path):
    mine = tmp_path / "mine"
    mine.write_text("mine")
    (folder / "summary.json").symlink_to(mine)
    with pytest.raises(FileError, match=r"summary\.json: is a link"):
        Store.resume(folder)
    assert mine.read_text() == "mine"
