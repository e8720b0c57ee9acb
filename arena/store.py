"""The folder of a tournament: its specification and each finished block; a killed tournament is resumed from it."""

import json
import zlib
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any
from zipfile import BadZipFile

import numpy as np

from w51_env import __version__
from w51_env.agents.agent import AgentError, needs_extra, report_os_errors
from w51_env.agents.files import (
    check_writable,
    digest_of,
    hold_folder,
    new_folder,
    remove_unfinished,
    write_atomic,
    write_json,
)
from w51_env.agents.registry import check_code, code_names
from w51_env.agents.terminal import resume_command
from w51_env.arena.behaviour import Part
from w51_env.arena.blocks import BlockResult
from w51_env.arena.plan import Block, Plan, parse_spec
from w51_env.arena.referee import AgentStatistics, Failure
from w51_env.arena.surprise import Candidate
from w51_env.core.behaviour import Table
from w51_env.core.replay import Replay

SPEC, BLOCKS, REPLAYS = "tournament.json", "blocks", "replays"
# What numpy and zipfile raise for a damaged file; RuntimeError: encrypted, or an unknown compression.
_DAMAGED = (OSError, ValueError, KeyError, TypeError, EOFError, RuntimeError, BadZipFile, zlib.error)
_COLUMNS = ("deals", "seats", "scores", "ranks", "lengths")
# Columns of behaviour tables and keys of agent statistics that older versions wrote.
_OLD_COLUMNS = {"share": "wins"}
_OLD_KEYS = {"faults": "failures", "unasked": "skipped", "table": "row"}


class Store:
    """The folder of a tournament.

    Args:
        folder: The folder, made by `begin`.
        plan: The tournament.

    Raises:
        AgentError: pyarrow is missing, or another process uses the folder.
    """

    def __init__(self, folder: Path, plan: Plan):
        _pyarrow()
        self.folder = folder
        self.plan = plan
        hold_folder(folder, "tournament")

    @classmethod
    def begin(cls, parent: Path, name: str, plan: Plan) -> "Store":
        """Make a new folder for a tournament; AgentError if it cannot be made."""
        _pyarrow()
        store = cls(new_folder(parent, name), plan)
        for part in (BLOCKS, REPLAYS):
            (store.folder / part).mkdir()
        kept = {"version": __version__, "spec": plan.spec.model_dump(), "seatings": plan.seatings}
        write_json({**kept, "files": plan.digests(), "deals": plan.deal_facts}, store.folder / SPEC)
        return store

    @classmethod
    def resume(cls, folder: Path, allowed: Collection[str] = (), trust: bool = False) -> "Store":
        """Open the folder of a tournament.

        Args:
            folder: The folder.
            allowed: Names of games and agents of the tournament whose code may be imported.
            trust: Load pickled models, whatever the folder says.

        Raises:
            AgentError: No tournament, damaged, of another version, the file of an agent or the deals have changed, or
                code of others that is not allowed.
        """
        kept = _read_json(folder / SPEC)
        missing = [key for key in ("version", "spec", "seatings", "files", "deals") if key not in kept]
        if missing:
            raise AgentError(f"tournament {folder / SPEC}: damaged: {', '.join(missing)} missing")
        for key in ("spec", "files", "deals"):
            if not isinstance(kept[key], dict):
                kind = type(kept[key]).__name__
                raise AgentError(f"tournament {folder / SPEC}: damaged: {key} is {kind}, but an object is needed")
        if kept["version"] != __version__:
            raise AgentError(f"tournament {folder}: made by w51_env {kept['version']}, but this is {__version__}")
        spec = parse_spec(kept["spec"], f"tournament {folder / SPEC}")
        check_code(spec.game, spec.agents, allowed, f"tournament {folder}")
        store = cls(folder, Plan(spec.model_copy(update={"trust": trust})))
        now = store.plan.deal_facts
        if kept["deals"] != now:
            was = kept["deals"].get("digest")
            raise AgentError(f"tournament {folder}: its deals have the digest {was}, but now it is {now['digest']}")
        for name, digest in store.plan.digests().items():
            if kept["files"].get(name) != digest:
                raise AgentError(f"tournament {folder}: the file of agent {name!r} has changed since")
        check_writable(folder / SPEC)
        for part in (folder, *filter(Path.is_dir, folder.iterdir())):
            remove_unfinished(part)
        return store

    @property
    def resumption(self) -> str:
        """The command line that continues the tournament."""
        spec = self.plan.spec
        return resume_command("evaluate", self.folder, code_names(spec.game, spec.agents), spec.trust)

    # ---- blocks

    def add(self, result: BlockResult) -> BlockResult:
        """Write a block atomically; AgentError if it cannot be written.

        Returns:
            The block, whose behaviour tables are not in memory any more.
        """
        hint = f"; earlier blocks are stored: continue with: {self.resumption}"
        with report_os_errors(f"results {self._path(result.block)}: cannot be written", hint):
            self._write(result)
        return replace(result, behaviour=self._behaviour(self._path(result.block)))

    def _write(self, result: BlockResult) -> None:
        pa, parquet = _pyarrow()
        columns = {name: _column(pa, getattr(result, name)) for name in _COLUMNS}
        facts = {
            "block": asdict(result.block),
            "seconds": result.seconds,
            "statistics": [_statistics_data(statistics) for statistics in result.statistics],
            "replays": [row for row, _ in result.replays],
            "candidates": [asdict(candidate) for candidate in result.candidates],
        }
        text = json.dumps(facts)
        digest = digest_of({name: getattr(result, name) for name in _COLUMNS}, text)
        table = pa.table(columns).replace_schema_metadata({"block": text, "digest": digest})
        for row, replay in result.replays:
            replay.save(replay_path(self.folder, result.block, row))
        path = self._path(result.block)
        if result.behaviour:
            arrays: Any = {
                f"{name}/{column}": array for name, part in result.behaviour.items() for column, array in part.items()
            }
            write_atomic(path.with_suffix(".npz"), lambda path: np.savez_compressed(path, **arrays))
        # Last, so that a block that exists is complete.
        write_atomic(path, lambda path: parquet.write_table(table, path, compression="zstd"))

    def load(self) -> dict[int, BlockResult]:
        """Return the stored blocks, by number.

        Raises:
            AgentError: A block is damaged or belongs to another tournament. If its file is removed, it is played again.
        """
        known = {block.number: block for block in self.plan.blocks}
        found = {}
        for path in sorted((self.folder / BLOCKS).glob("*.parquet")):
            result = self._read(path)
            if known.get(result.block.number) != result.block:
                raise AgentError(
                    f"results {path}: of another tournament; if the file is removed, its games are played again"
                )
            found[result.block.number] = result
        return found

    def _path(self, block: Block) -> Path:
        return self.folder / BLOCKS / f"{block.number:06}.parquet"

    def _read(self, path: Path) -> BlockResult:
        pa, parquet = _pyarrow()
        try:
            table = parquet.read_table(path)
            text = table.schema.metadata[b"block"].decode()
            columns: Any = {name: _array(pa, table[name]) for name in _COLUMNS}
            if digest_of(columns, text) != table.schema.metadata[b"digest"].decode():
                raise ValueError("its digest is wrong")
            facts = json.loads(text)
            statistics = [_statistics_of(data) for data in facts.get("statistics") or facts["conducts"]]
            block = Block(**facts["block"])
            replays = [(row, Replay.load(replay_path(self.folder, block, row))) for row in facts["replays"]]
            behaviour = self._behaviour(path)
            for name in behaviour:
                behaviour[name]  # errors before any game
            candidates = [Candidate.from_data(data) for data in facts.get("candidates", [])]
            rest = {"statistics": statistics, "replays": replays, "behaviour": behaviour, "seconds": facts["seconds"]}
            return BlockResult(block, **columns, **rest, candidates=candidates)
        except AgentError:
            raise
        except (*_DAMAGED, pa.ArrowException) as error:
            raise _damaged(path, error) from None

    def _behaviour(self, path: Path) -> Part:
        return _StoredTables(path) if self.plan.spec.behaviour else {}


class _StoredTables(Part):
    """Behaviour tables of a stored block, each read when it is asked for.

    Args:
        path: The file of the block; the tables are in a file beside it.

    Raises:
        AgentError: The file is damaged.
    """

    def __init__(self, path: Path):
        self._path = path
        self._columns: dict[str, list[str]] = {}
        with self._file() as arrays:
            for key in arrays.files:
                name, column = key.split("/")
                self._columns.setdefault(name, []).append(column)

    def __getitem__(self, name: str) -> Table:
        with self._file() as arrays:
            return {_OLD_COLUMNS.get(key, key): arrays[f"{name}/{key}"] for key in self._columns[name]}

    def __iter__(self) -> Iterator[str]:
        return iter(self._columns)

    def __len__(self) -> int:
        return len(self._columns)

    @contextmanager
    def _file(self) -> Iterator[Any]:
        try:
            with np.load(self._path.with_suffix(".npz"), allow_pickle=False) as arrays:
                yield arrays
        except _DAMAGED as error:
            raise _damaged(self._path, error) from None


def _damaged(path: Path, error: Exception) -> AgentError:
    return AgentError(f"results {path}: damaged ({error}); if the file is removed, its games are played again")


def replay_path(folder: Path, block: Block, row: int) -> Path:
    """Return the path of a replay in the folder of a tournament."""
    return folder / REPLAYS / f"{block.number:06}-{row:05}.json"


def _column(pa: Any, array: np.ndarray) -> Any:
    """A (G,) array as a column, a (G, P) array as a column of lists."""
    if array.ndim == 1:
        return pa.array(array)
    return pa.FixedSizeListArray.from_arrays(pa.array(np.ascontiguousarray(array).reshape(-1)), array.shape[1])


def _array(pa: Any, column: Any) -> np.ndarray:
    whole = column.combine_chunks()
    if pa.types.is_fixed_size_list(whole.type):
        return whole.flatten().to_numpy(zero_copy_only=False).reshape(len(whole), whole.type.list_size)
    return whole.to_numpy(zero_copy_only=False)


def _statistics_data(statistics: AgentStatistics) -> dict[str, Any]:
    data = {**vars(statistics)}
    if statistics.first is not None:
        first = statistics.first
        data["first"] = {**vars(first), "observation": first.observation.tolist(), "mask": first.mask.tolist()}
    return data


def _statistics_of(data: Mapping[str, Any]) -> AgentStatistics:
    found = AgentStatistics(**{_OLD_KEYS.get(key, key): value for key, value in data.items()})
    if data["first"] is not None:
        first = {_OLD_KEYS.get(key, key): value for key, value in data["first"].items()}
        arrays = {name: np.array(first[name], np.int8) for name in ("observation", "mask")}
        found.first = Failure(**{**first, **arrays})
    return found


def _read_json(path: Path) -> dict[str, Any]:
    try:
        data = json.loads(path.read_text("utf-8"))
    except OSError as error:
        raise AgentError(f"tournament {path}: cannot be read: {error.strerror or error}") from None
    except ValueError as error:
        raise AgentError(f"tournament {path}: damaged: {error}") from None
    if not isinstance(data, dict):
        raise AgentError(f"tournament {path}: damaged: {type(data).__name__}, but an object is needed")
    return data


def _pyarrow() -> tuple[Any, Any]:
    with needs_extra("keeping results needs pyarrow, which comes with", "arena"):
        import pyarrow as pa
        from pyarrow import parquet
    return pa, parquet
