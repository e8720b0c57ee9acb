"""The folder of a tournament: what was asked for, and each block as it ends, written whole; from it a killed tournament goes on."""

import fcntl
import json
import os
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any
from zipfile import BadZipFile

import numpy as np

from agents.agent import AgentError
from agents.files import check_writable, new_folder, remove_unfinished, write_json, write_whole
from agents.policies.arrays import digest_of
from arena.blocks import Outcome
from arena.plan import Block, Plan, parse_spec
from arena.referee import Conduct, Fault
from w51_env import __version__
from w51_env.core.behaviour import Tables
from w51_env.core.errors import ReplayError
from w51_env.core.replay import Replay

SPEC, BLOCKS, REPLAYS = "tournament.json", "blocks", "replays"
_LOCK = ".lock"
_COLUMNS = ("deals", "seats", "scores", "ranks", "lengths")
# Columns of behaviour tables by their names in older versions.
_OLD_COLUMNS = {"share": "wins"}


class Store:
    """A tournament's folder.

    Args:
        folder: It; made by `begin`.
        plan: The tournament.

    Raises:
        AgentError: pyarrow is missing.
    """

    def __init__(self, folder: Path, plan: Plan):
        _pyarrow()
        self.folder = folder
        self.plan = plan
        _hold(folder)

    @classmethod
    def begin(cls, parent: Path, name: str, plan: Plan) -> "Store":
        """Make a new folder for a tournament; AgentError if that cannot be."""
        _pyarrow()
        store = cls(new_folder(parent, name), plan)
        for part in (BLOCKS, REPLAYS):
            (store.folder / part).mkdir()
        asked = {"spec": plan.spec.model_dump(), "seatings": plan.seatings}
        write_json(
            {"version": __version__, **asked, "files": plan.digests(), "deals": plan.deal_facts}, store.folder / SPEC
        )
        return store

    @classmethod
    def resume(cls, folder: Path) -> "Store":
        """Open the folder of a tournament that was begun.

        Raises:
            AgentError: It is none, or damaged, or of another version, or an agent's file or the deals have changed since.
        """
        kept = _read_json(folder / SPEC)
        missing = [key for key in ("version", "spec", "seatings", "files", "deals") if key not in kept]
        if missing:
            raise AgentError(f"tournament {folder / SPEC}: damaged: it has no {', '.join(missing)}")
        if kept["version"] != __version__:
            raise AgentError(f"tournament {folder}: begun with w51_env {kept['version']}, but this is {__version__}")
        store = cls(folder, Plan(parse_spec(kept["spec"], f"tournament {folder / SPEC}")))
        now = store.plan.deal_facts
        if kept["deals"] != now:
            raise AgentError(
                f"tournament {folder}: its deals have the digest {kept['deals'].get('digest')}, but here it is {now['digest']}"
            )
        for name, digest in store.plan.digests().items():
            if kept["files"].get(name) != digest:
                raise AgentError(f"tournament {folder}: the file of agent {name!r} has changed since it was begun")
        check_writable(folder / SPEC)
        remove_unfinished(folder / BLOCKS)
        return store

    # ---- blocks

    def keep(self, outcome: Outcome) -> None:
        """Write a block, whole or not at all; AgentError if it cannot be written."""
        try:
            self._write(outcome)
        except OSError as error:
            raise AgentError(
                f"results {self._path(outcome.block)}: cannot be written: {error.strerror or error}; "
                f"what was kept before is whole: go on with --resume {self.folder}"
            ) from None

    def _write(self, outcome: Outcome) -> None:
        pa, parquet = _pyarrow()
        columns = {name: _column(pa, getattr(outcome, name)) for name in _COLUMNS}
        facts = {
            "block": asdict(outcome.block),
            "seconds": outcome.seconds,
            "conducts": [_conduct_data(conduct) for conduct in outcome.conducts],
            "replays": [row for row, _ in outcome.replays],
        }
        told = json.dumps(facts)
        digest = digest_of({name: getattr(outcome, name) for name in _COLUMNS}, told)
        table = pa.table(columns).replace_schema_metadata({"block": told, "digest": digest})
        for row, replay in outcome.replays:
            replay.save(replay_path(self.folder, outcome.block, row))
        path = self._path(outcome.block)
        if outcome.behaviour:
            arrays: Any = {
                f"{name}/{column}": array for name, part in outcome.behaviour.items() for column, array in part.items()
            }
            write_whole(path.with_suffix(".npz"), lambda path: np.savez_compressed(path, **arrays))
        # Last, so that a block that is there has all that belongs to it.
        write_whole(path, lambda path: parquet.write_table(table, path, compression="zstd"))

    def kept(self) -> dict[int, Outcome]:
        """The blocks that were written, by number.

        Raises:
            AgentError: One is damaged or belongs to another tournament; it can be removed, and is then played again.
        """
        known = {block.number: block for block in self.plan.blocks}
        found = {}
        for path in sorted((self.folder / BLOCKS).glob("*.parquet")):
            outcome = self._read(path)
            if known.get(outcome.block.number) != outcome.block:
                raise AgentError(
                    f"results {path}: of another tournament; remove the file, and its games are played again"
                )
            found[outcome.block.number] = outcome
        return found

    def _path(self, block: Block) -> Path:
        return self.folder / BLOCKS / f"{block.number:06}.parquet"

    def _read(self, path: Path) -> Outcome:
        pa, parquet = _pyarrow()
        try:
            table = parquet.read_table(path)
            told = table.schema.metadata[b"block"].decode()
            columns = [_array(pa, table[name]) for name in _COLUMNS]
            if digest_of(dict(zip(_COLUMNS, columns, strict=True)), told) != table.schema.metadata[b"digest"].decode():
                raise ValueError("it does not fit its digest")
            facts = json.loads(told)
            conducts = [_conduct_of(data) for data in facts["conducts"]]
            block = Block(**facts["block"])
            replays = [(row, Replay.load(replay_path(self.folder, block, row))) for row in facts["replays"]]
            behaviour = _tables(path.with_suffix(".npz")) if self.plan.spec.behaviour else {}
            deals, seats, scores, ranks, lengths = columns
            return Outcome(block, deals, seats, scores, ranks, lengths, conducts, replays, behaviour, facts["seconds"])
        except (
            OSError,
            ValueError,
            KeyError,
            TypeError,
            EOFError,
            BadZipFile,
            ReplayError,
            pa.ArrowException,
        ) as error:
            raise AgentError(
                f"results {path}: damaged ({error}); remove the file, and its games are played again"
            ) from None


def replay_path(folder: Path, block: Block, row: int) -> Path:
    """Where the replay of a game of a block lies in a tournament's folder."""
    return folder / REPLAYS / f"{block.number:06}-{row:05}.json"


def _hold(folder: Path) -> None:
    """Hold the folder for this process alone, as long as it lives; AgentError if another one has it."""
    try:
        fcntl.lockf(os.open(folder / _LOCK, os.O_CREAT | os.O_RDWR, 0o666), fcntl.LOCK_EX | fcntl.LOCK_NB)
    except (BlockingIOError, PermissionError):
        raise AgentError(f"tournament {folder}: another process is at work on it") from None
    except OSError as error:
        raise AgentError(f"tournament {folder}: cannot be written: {error.strerror or error}") from None


def _tables(path: Path) -> Tables:
    found: Tables = {}
    with np.load(path, allow_pickle=False) as arrays:
        for key in arrays.files:
            name, column = key.split("/")
            found.setdefault(name, {})[_OLD_COLUMNS.get(column, column)] = arrays[key]
    return found


def _column(pa: Any, array: np.ndarray) -> Any:
    """(G,) as a column, (G, P) as one of lists."""
    if array.ndim == 1:
        return pa.array(array)
    return pa.FixedSizeListArray.from_arrays(pa.array(np.ascontiguousarray(array).reshape(-1)), array.shape[1])


def _array(pa: Any, column: Any) -> np.ndarray:
    whole = column.combine_chunks()
    if pa.types.is_fixed_size_list(whole.type):
        return whole.flatten().to_numpy(zero_copy_only=False).reshape(len(whole), whole.type.list_size)
    return whole.to_numpy(zero_copy_only=False)


def _conduct_data(conduct: Conduct) -> dict[str, Any]:
    data = {
        "decisions": conduct.decisions,
        "seconds": conduct.seconds,
        "faults": conduct.faults,
        "unasked": conduct.unasked,
        "first": None,
    }
    if conduct.first is not None:
        first = conduct.first
        data["first"] = {**vars(first), "observation": first.observation.tolist(), "mask": first.mask.tolist()}
    return data


def _conduct_of(data: Mapping[str, Any]) -> Conduct:
    first = data["first"]
    if first is not None:
        first = Fault(
            **{
                **first,
                "observation": np.array(first["observation"], np.int8),
                "mask": np.array(first["mask"], np.int8),
            }
        )
    return Conduct(data["decisions"], data["seconds"], data["faults"], data["unasked"], first)


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
    try:
        import pyarrow as pa
        from pyarrow import parquet
    except ImportError as error:
        raise AgentError(
            f"keeping results needs pyarrow, which comes with: pip install 'w51_env[arena]' ({error})"
        ) from None
    return pa, parquet
