"""Behaviour tables as files: Parquet, with the meaning of each column, CSV, and one wide table in place of joins."""

import json
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from w51_agents.agent.interface import AgentError
from w51_agents.system.errors import needs_extra, report_os_errors
from w51_agents.system.files import csv_table, csv_text, write_atomic, write_text
from w51_env import __version__
from w51_env.engine.game import Game
from w51_lab.behaviour.contract import MISSING, Column, Table, TableSchema
from w51_lab.behaviour.parts import Parts, chunks, first_games
from w51_lab.behaviour.recorder import schemas

if TYPE_CHECKING:
    import pyarrow as pa

_ROWS_A_BYTE = 8  #  of a file that is read; tables of this package have less than one
_ROWS = 1 << 17  #  of a row group of Parquet, which is held in memory
NAME = "wide"
CODEBOOK = ("table", "column", "type", "unit", "nullable", "meaning", "texts")
_OF_LOTS = {"seat": "buyer", "agent": "buyer_agent", "worth": "buyer_worth"}  # others that clash: lot_<name>
_OF_SEATS = ("score", "rank", "wins", "decisions")


def write_behaviour(game: Game, agents: Sequence[str], parts: Parts, folder: Path) -> list[Path]:
    """Write each table as `<table>.parquet` and `<table>.csv`, and `codebook.csv`; returns the paths.

    The parts are read one after the other, for each table, so they may be larger than the memory.

    Words and agents are written by name, missing values as null, or as nothing in the CSV. The Parquet files have a
    `description` in the metadata of the table and of each column, and the game, its options and the version in that of
    the table.

    Args:
        game: The game that was played.
        agents: The agents' names, as the tables number them.
        parts: Tables of a `BehaviourRecorder`, of one match after the other, one at least, all with the same tables;
            `game` counts on from part to part.
        folder: The folder; it is created if there is none.

    Raises:
        FileError: The files can't be written.
        MissingPackageError: pyarrow is missing.
    """
    return write_tables(game, agents, schemas(game, "events" in parts[0]), parts, folder)


def write_tables(
    game: Game,
    agents: Sequence[str],
    described: Mapping[str, TableSchema],
    parts: Parts,
    folder: Path,
    with_csv: bool = True,
) -> list[Path]:
    """Write the tables of these schemas from parts that have them, and `codebook.csv`; else as `write_behaviour`."""
    with needs_extra("behaviour: Parquet needs pyarrow", "arena"):
        import pyarrow.csv
        import pyarrow.parquet  # noqa: F401 - loaded before any file is made
    first = first_games(parts)
    paths = []
    with report_os_errors(f"behaviour {folder}: cannot be written"):
        folder.mkdir(parents=True, exist_ok=True)
        for name, schema in described.items():
            tables = (arrow_table(game, agents, schema, chunk) for chunk in chunks(parts, first, name, _ROWS))
            paths.append(stored := write_atomic(folder / f"{name}.parquet", partial(write_parquet, tables)))
            if with_csv:
                paths.append(write_atomic(folder / f"{name}.csv", partial(write_csv, stored)))
        paths.append(write_text(csv_table(CODEBOOK, _codebook(described)), folder / "codebook.csv"))
    return paths


def _codebook(described: Mapping[str, TableSchema]) -> Iterator[tuple[str, ...]]:
    """A row of `codebook.csv` for each column of each table."""
    for name, schema in described.items():
        for column in schema.columns:
            kind = "agent" if column.agent_of else "text" if column.labels is not None else column.dtype
            texts = "; ".join(column.labels or ())
            yield name, column.name, kind, column.unit, "yes" if column.nullable else "", column.meaning, texts


def write_parquet(tables: Iterator["pa.Table"], path: Path) -> None:
    """Write tables of one schema, each as a row group."""
    from pyarrow import parquet

    first = next(tables)
    with parquet.ParquetWriter(path, first.schema) as file:
        for table in chain([first], tables):
            file.write_table(table)


def write_csv(stored: Path, path: Path) -> None:
    """Write a Parquet file as CSV, one row group after the other."""
    from pyarrow import csv, parquet

    with parquet.ParquetFile(stored) as source:
        groups = (_with_labels(source.read_row_group(group)) for group in range(source.num_row_groups))
        first = next(groups, None) or _with_labels(source.schema_arrow.empty_table())
        with csv.CSVWriter(path, first.schema) as file:
            for table in chain([first], groups):
                file.write_table(table)


def arrow_table(game: Game, agents: Sequence[str], schema: TableSchema, table: Table) -> "pa.Table":
    """An Arrow table, with labels, and agents by name."""
    import pyarrow as pa

    arrays = [_arrow_array(column, table[column.name], agents) for column in schema.columns]
    fields = [
        pa.field(
            column.name,
            array.type,
            nullable=column.nullable,
            metadata={"description": column.meaning, **({"unit": column.unit} if column.unit else {})},
        )
        for column, array in zip(schema.columns, arrays, strict=True)
    ]
    facts = {
        "description": f"A row for {schema.rows}.",
        "game": game.id,
        "options": json.dumps(dict(game.options)),
        "w51_env": __version__,
    }
    return pa.Table.from_arrays(arrays, schema=pa.schema(fields, facts))


def _arrow_array(column: Column, values: np.ndarray, agents: Sequence[str]) -> "pa.Array":
    import pyarrow as pa

    mask = values == MISSING if column.nullable else None
    labels = agents if column.agent_of is not None else column.labels
    if labels is None:
        return pa.array(values, mask=mask)
    return pa.DictionaryArray.from_arrays(pa.array(values, pa.int32(), mask=mask), pa.array(list(labels), pa.string()))


def _with_labels(table: "pa.Table") -> "pa.Table":
    """The table with labels as plain strings, as CSV needs them."""
    import pyarrow as pa

    for index, field in enumerate(table.schema):
        if pa.types.is_dictionary(field.type):
            chunks = [
                pa.DictionaryArray.from_arrays(chunk.indices, pa.array(map(csv_text, chunk.dictionary.to_pylist())))
                for chunk in table.column(index).chunks
            ]
            column = pa.chunked_array(chunks, pa.dictionary(pa.int32(), pa.string())).cast(pa.string())
            table = table.set_column(index, field.name, column)
    return table


def wide_table(folder: Path) -> "pa.Table":
    """The wide table of the Parquet files that `write_behaviour` wrote into a folder.

    Raises:
        AgentError: A table is missing: the game has no table `stakes`, or the files are of an older version.
        FileError: A file cannot be read.
        MissingPackageError: pyarrow is missing.
    """
    with needs_extra("behaviour: Parquet needs pyarrow", "arena"):
        import pyarrow.parquet  # noqa: F401 - else `_read` would need it
    names = ("stakes", "lots", "seats")
    if missing := [name for name in names if not (folder / f"{name}.parquet").is_file()]:
        raise AgentError(f"behaviour {folder}: no {missing[0]}.parquet, but {', '.join(names)} are needed")
    with report_os_errors(f"behaviour {folder}: cannot be read"):
        stakes, lots, seats = (_read(folder / f"{name}.parquet") for name in names)
    try:
        return _joined(stakes, lots, seats)
    except (LookupError, TypeError, ValueError) as error:  # pyarrow's errors are of these
        raise AgentError(f"behaviour {folder}: damaged, or not written by this package: {error}") from None


def _read(path: Path) -> "pa.Table":
    """A table that may be a stranger's. A few bytes of Parquet can say a value, also a long text, a billion times.

    Raises:
        AgentError: It is damaged, has more rows than a table in so many bytes, or texts that are not written once each.
    """
    from pyarrow import parquet, types

    try:
        with parquet.ParquetFile(path) as file:
            if (rows := file.metadata.num_rows) > (most := _ROWS_A_BYTE * path.stat().st_size):
                raise AgentError(f"behaviour {path}: {rows:,} rows, but at most {most:,} are read from so small a file")
            plain = (types.is_integer, types.is_floating, types.is_boolean, types.is_dictionary)
            for field in file.schema_arrow:
                if not any(check(field.type) for check in plain):
                    raise AgentError(f"behaviour {path}: {field.name!a:.80} has the type {field.type!s:.80}")
            return file.read()
    except (ValueError, TypeError) as error:
        raise error if isinstance(error, AgentError) else AgentError(f"behaviour {path}: damaged: {error}") from None


def _joined(stakes: "pa.Table", lots: "pa.Table", seats: "pa.Table") -> "pa.Table":
    players = int(seats["seat"].to_numpy().max()) + 1
    # Tables are in order: a row of `lots` for each `players` rows of `stakes`, `players` rows of `seats` for each game.
    of_lots = lots.take(np.arange(len(stakes)) // players)
    of_seats = seats.take(stakes["game"].to_numpy() * players + stakes["seat"].to_numpy())
    wide = stakes
    for field in lots.schema:
        if field.name not in ("deal", "lineup", "game", "lot") and not _same(stakes, of_lots, field.name):
            name = field.name if field.name not in stakes.column_names else f"lot_{field.name}"
            wide = wide.append_column(field.with_name(_OF_LOTS.get(field.name, name)), of_lots[field.name])
    for name in _OF_SEATS:
        wide = wide.append_column(seats.schema.field(name), of_seats[name])
    return wide


def _same(stakes: "pa.Table", of_lots: "pa.Table", name: str) -> bool:
    """Whether `stakes` has this column with the same meaning, as the relic."""
    if name not in stakes.column_names or name in _OF_LOTS:
        return False
    return bool(stakes[name].combine_chunks().equals(of_lots[name].combine_chunks()))


def write_wide(folder: Path) -> list[Path]:
    """Write `wide.parquet` and `wide.csv` beside the tables of a folder; the paths. Errors as for `wide_table`."""
    table = wide_table(folder)
    with report_os_errors(f"behaviour {folder}: cannot be written"):
        stored = write_atomic(folder / f"{NAME}.parquet", partial(write_parquet, iter([table])))
        return [stored, write_atomic(folder / f"{NAME}.csv", partial(write_csv, stored))]
