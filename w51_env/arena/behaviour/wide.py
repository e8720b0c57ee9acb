"""One wide table, for those who do not join: `python -m w51_env.arena.behaviour runs/cup/behaviour`.

A row for each seat at each lot: what the seat knew, held, bid and could have won (`stakes`), the lot with its buyer,
price and end (`lots`), and the seat's result (`seats`).
"""

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from w51_env.agents.agent import AgentError
from w51_env.core.errors import needs_extra, report_os_errors
from w51_env.system.files import write_atomic

if TYPE_CHECKING:
    import pyarrow as pa

NAME = "wide"
_OF_LOTS = {"seat": "buyer", "agent": "buyer_agent", "worth": "buyer_worth"}  # others that clash: lot_<name>
_OF_SEATS = ("score", "rank", "wins", "decisions")


def wide_table(folder: Path) -> "pa.Table":
    """The wide table of the Parquet files that `write_behaviour` wrote into a folder.

    Raises:
        AgentError: A table is missing: the game has no table `stakes`, or the files are of an older version.
        FileError: A file cannot be read.
        MissingPackageError: pyarrow is missing.
    """
    with needs_extra("behaviour: Parquet needs pyarrow", "arena"):
        from pyarrow import parquet
    names = ("stakes", "lots", "seats")
    if missing := [name for name in names if not (folder / f"{name}.parquet").is_file()]:
        raise AgentError(f"behaviour {folder}: no {missing[0]}.parquet, but {', '.join(names)} are needed")
    with report_os_errors(f"behaviour {folder}: cannot be read"):
        stakes, lots, seats = (parquet.read_table(folder / f"{name}.parquet") for name in names)
    games = np.unique(seats["game"].to_numpy(), return_counts=True)[1]
    players = int(games[0])
    if (games != players).any() or len(stakes) != players * len(lots):
        raise AgentError(f"behaviour {folder}: the tables are not of the same games")
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
    from w51_env.arena.behaviour.writing import write_csv, write_parquet

    table = wide_table(folder)
    with report_os_errors(f"behaviour {folder}: cannot be written"):
        stored = write_atomic(folder / f"{NAME}.parquet", partial(write_parquet, iter([table])))
        return [stored, write_atomic(folder / f"{NAME}.csv", partial(write_csv, stored))]
