"""Files of a block: its games in Parquet, behaviour tables beside them, replays of some games.

A folder may be untrusted. So all that a file holds is compared with what this block of this tournament can
hold, before anything large is read.
"""

import json
import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from zipfile import BadZipFile, ZipFile

import numpy as np
from numpy.lib.npyio import NpzFile
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from w51_agents.agent import AgentError
from w51_agents.system.files import digest_of, write_atomic
from w51_env.engine.errors import needs_extra
from w51_lab.arena.blocks import BlockResult
from w51_lab.arena.plan import Block, Plan
from w51_lab.arena.supervisor import KINDS, AgentStatistics, Count, Number
from w51_lab.arena.surprise import SWING, Candidate
from w51_lab.behaviour import Part, schemas
from w51_lab.behaviour.contract import Table
from w51_lab.behaviour.parts import check_table
from w51_lab.replays.replay import Replay

BLOCKS, REPLAYS = "blocks", "replays"
_MAX_BYTES = 1 << 16  #  of the behaviour tables of a game; a long game has some 10,000
_COLUMNS = {"deals": "i8", "seats": "i2", "scores": "i2", "ranks": "i1", "lengths": "u2"}
_BY_SEAT = ("seats", "scores", "ranks")
# What numpy and zipfile raise for a damaged file; RuntimeError: encrypted, an unknown compression, or nested too deep.
_DAMAGED = (OSError, ValueError, KeyError, TypeError, EOFError, RuntimeError, MemoryError, BadZipFile, zlib.error)


def block_path(folder: Path, block: Block) -> Path:
    """The file of a block in the folder of a tournament."""
    return folder / BLOCKS / f"{block.number:06}.parquet"


def replay_path(folder: Path, block: Block, row: int) -> Path:
    """The path of a replay in the folder of a tournament."""
    return folder / REPLAYS / f"{block.number:06}-{row:05}.json"


def write_block(folder: Path, result: BlockResult) -> None:
    """Write a block atomically; OSError if it cannot be written."""
    pa, parquet = pyarrow()
    columns = {name: _column(pa, getattr(result, name)) for name in _COLUMNS}
    text = facts_text(result)
    digest = digest_of({name: getattr(result, name) for name in _COLUMNS}, text)
    table = pa.table(columns).replace_schema_metadata({"block": text, "digest": digest})
    for row, replay in result.replays:
        replay.save(replay_path(folder, result.block, row))
    path = block_path(folder, result.block)
    if result.behaviour:
        arrays: Any = {
            f"{name}/{column}": array for name, part in result.behaviour.items() for column, array in part.items()
        }
        write_atomic(path.with_suffix(".npz"), lambda path: np.savez_compressed(path, **arrays))
    # Last, so that a block that exists is complete.
    write_atomic(path, lambda path: parquet.write_table(table, path, compression="zstd"))


def read_block(path: Path, plan: Plan) -> BlockResult:
    """The block in a file; its behaviour tables are read when they are asked for.

    Raises:
        AgentError: It is damaged, not of this tournament, or holds what no block of it can hold.
    """
    pa, parquet = pyarrow()
    try:
        with parquet.ParquetFile(path) as file:
            metadata = file.schema_arrow.metadata
            text = metadata[b"block"].decode()
            facts = facts_of(text)
            block = facts.block
            _check_block(block, plan, path)
            seated = plan.seated(block)
            games = seated.shape[0] * seated.shape[1]
            for name, dtype in _COLUMNS.items():
                kind = pa.from_numpy_dtype(np.dtype(dtype))
                kind = pa.list_(kind, plan.game.num_players) if name in _BY_SEAT else kind
                if (stored_type := file.schema_arrow.field(name).type) != kind:
                    raise ValueError(f"{name} is {stored_type}, but {kind} is needed")
            if file.metadata.num_rows != games:
                raise ValueError(f"{file.metadata.num_rows} games, but {games} are needed")
            table = file.read(columns=list(_COLUMNS))
        columns: Any = {name: _array(pa, table[name]) for name in _COLUMNS}
        if digest_of(columns, text) != metadata[b"digest"].decode():
            raise ValueError("its digest is wrong")
        _check_columns(columns, seated, block)
        check_facts(facts, plan, games)
        replays = [(row, Replay.load(replay_path(path.parent.parent, block, row))) for row in facts.replays]
        behaviour = StoredTables(path, plan, block)
        behaviour.check()
        return BlockResult(
            block,
            **columns,
            statistics=facts.statistics,
            replays=replays,
            behaviour=behaviour,
            seconds=facts.seconds,
            candidates=facts.candidates,
        )
    except AgentError:
        raise
    except (*_DAMAGED, pa.ArrowException) as error:
        raise _damaged(path, error) from None


class StoredTables(Part):
    """Behaviour tables of a stored block, each read when it is asked for; none if the tournament keeps none.

    Args:
        path: The file of the block; the tables are in a file beside it.
        plan: The tournament.
        block: The block.

    Raises:
        AgentError: The file is damaged, or holds what no block can hold.
    """

    def __init__(self, path: Path, plan: Plan, block: Block):
        self._path = path
        self._schemas = schemas(plan.game) if plan.spec.behaviour else {}
        self._games = plan.seated(block).shape[0] * plan.seated(block).shape[1]
        self._players, self._agents = plan.game.num_players, len(plan.names)

    def __getitem__(self, name: str) -> Table:
        schema = self._schemas[name]
        with self._file() as arrays:
            stored = [key.removeprefix(f"{name}/") for key in arrays.files if key.startswith(f"{name}/")]
            table = {key: arrays[f"{name}/{key}"] for key in stored}
            check_table(name, schema, table, self._games, self._players, self._agents)
            return table

    def check(self) -> None:
        """Read all tables once; AgentError for the first that is damaged, before any game is played."""
        for name in self:
            self[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._schemas)

    def __len__(self) -> int:
        return len(self._schemas)

    @contextmanager
    def _file(self) -> Iterator[NpzFile]:
        try:
            with self._path.with_suffix(".npz").open("rb") as file:
                with ZipFile(file) as archive:
                    size = sum(member.file_size for member in archive.infolist())
                if size > _MAX_BYTES * (self._games + 1):
                    raise ValueError(f"behaviour tables of {size:,} bytes for {self._games} games")
                file.seek(0)
                with NpzFile(file, allow_pickle=False) as arrays:
                    yield arrays
        except _DAMAGED as error:
            raise _damaged(self._path, error) from None


def _damaged(path: Path, error: Exception) -> AgentError:
    return AgentError(f"results {path}: damaged ({error}); if the file is removed, its games are played again")


def _check_block(block: Block, plan: Plan, path: Path) -> None:
    """AgentError if the plan has no such block; ValueError if the file has the name of another."""
    if not 0 <= block.number < len(plan.blocks) or plan.blocks[block.number] != block:
        raise AgentError(f"results {path}: of another tournament; if the file is removed, its games are played again")
    if path.name != block_path(path, block).name:
        raise ValueError(f"it holds block {block.number}")


def _check_columns(columns: Mapping[str, np.ndarray], seated: np.ndarray, block: Block) -> None:
    """ValueError unless the columns can be those of the games of a block."""
    deals, seatings, players = seated.shape
    ranks = columns["ranks"]
    expected = {"deals": np.repeat(np.arange(block.start, block.stop), seatings), "seats": seated.reshape(-1, players)}
    for name, dtype in _COLUMNS.items():
        if columns[name].dtype != np.dtype(dtype):  # values are missing
            raise ValueError(f"{name} is {columns[name].dtype}, but {np.dtype(dtype)} is needed")
        if name in expected and not np.array_equal(columns[name], expected[name]):
            raise ValueError(f"{name} are not those of the block")
    if (ranks.min(axis=1) != 1).any() or ranks.max() > players:
        raise ValueError(f"ranks {ranks.min()} to {ranks.max()} in {deals * seatings} games of {players}")


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


def pyarrow() -> tuple[Any, Any]:
    """The modules pyarrow and pyarrow.parquet; MissingPackageError if they are not installed."""
    with needs_extra("keeping results needs pyarrow, which comes with", "arena"):
        import pyarrow as pa
        from pyarrow import parquet
    return pa, parquet


class BlockFacts(BaseModel):
    """What is stored of a block beside the columns."""

    model_config = ConfigDict(extra="forbid", strict=True)

    block: Block
    seconds: Number
    statistics: list[AgentStatistics]
    replays: list[Count]
    candidates: list[Candidate] = Field(default_factory=list)


def facts_text(result: BlockResult) -> str:
    """The facts of a block as JSON."""
    facts = BlockFacts(
        block=result.block,
        seconds=result.seconds,
        statistics=result.statistics,
        replays=[row for row, _ in result.replays],
        candidates=result.candidates,
    )
    return json.dumps(facts.model_dump(mode="json"))


def facts_of(text: str) -> BlockFacts:
    """The facts in a file."""
    try:
        return BlockFacts.model_validate_json(text)
    except ValidationError as error:
        first = error.errors(include_input=False)[0]
        raise ValueError(f"{'.'.join(map(str, first['loc']))}: {first['msg']}") from None


def check_facts(facts: BlockFacts, plan: Plan, games: int) -> None:
    """ValueError unless the facts can be those of a block with so many games."""
    sizes = {"observation": plan.game.layout.size, "mask": len(plan.game.actions)}
    if len(facts.statistics) != len(plan.names):
        raise ValueError(f"statistics of {len(facts.statistics)} agents, but there are {len(plan.names)}")
    for statistics in facts.statistics:
        if set(statistics.failures) != set(KINDS):
            raise ValueError(f"failures: {', '.join(statistics.failures)}, but {', '.join(KINDS)} are needed")
        for name, size in sizes.items():
            if statistics.first is not None and (length := len(getattr(statistics.first, name))) not in (0, size):
                raise ValueError(f"first failure: {name} of {length} numbers, but {size} are needed")
    if any(row >= games for row in [*facts.replays, *(candidate.row for candidate in facts.candidates)]):
        raise ValueError(f"a replay of a row that is not one of {games} games")
    if any(
        (candidate.kind == SWING) != (candidate.winner < 0) or candidate.winner >= len(plan.names)
        for candidate in facts.candidates
    ):
        raise ValueError(f"a winner that is not one of {len(plan.names)} agents")
