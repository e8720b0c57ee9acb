"""The logs of a run: a row for each update and a row for each match, as CSV and for TensorBoard."""

import csv
from collections.abc import Iterable, Mapping, Sequence
from contextlib import ExitStack
from math import isnan
from pathlib import Path
from time import time
from typing import Any

from tensorboardX.proto.event_pb2 import Event, SessionLog
from tensorboardX.proto.summary_pb2 import Summary
from tensorboardX.record_writer import RecordWriter

from w51_agents.system.files import csv_text, write_atomic
from w51_agents.training.run_facts import RESULTS

PROGRESS, STRENGTH, EVENTS = "progress.csv", "strength.csv", "tensorboard"


class RowFile:
    """A CSV file to which rows are added.

    Args:
        path: The file; it is written anew with `rows`.
        columns: Names of the columns.
        rows: The rows so far.
    """

    def __init__(self, path: Path, columns: Iterable[str], rows: Iterable[Mapping[str, Any]]):
        self._columns = list(columns)

        def write(temporary: Path) -> None:
            with temporary.open("w", newline="") as file:
                writer = csv.DictWriter(file, self._columns)
                writer.writeheader()
                writer.writerows(map(rounded, rows))

        write_atomic(path, write)
        self._file = path.open("a", newline="")
        self._writer = csv.DictWriter(self._file, self._columns)

    def add(self, row: Mapping[str, Any]) -> None:
        """Write a row at once, so that it is in the file even if the program is killed."""
        self._writer.writerow(rounded(row))
        self._file.flush()

    def close(self) -> None:
        self._file.close()


class Board:
    """Numbers for TensorBoard.

    Events are written by the calling thread. tensorboardX's `SummaryWriter` has a thread of its own: a full disk ends
    it, its queue fills, and the training blocks for ever.

    Args:
        folder: Folder of event files; one is added.
        start: Step from which events of older files are void; None if there are none.
    """

    def __init__(self, folder: Path, start: int | None):
        folder.mkdir(exist_ok=True)
        number = len(list(folder.iterdir()))
        self._file = RecordWriter(str(folder / f"events.out.tfevents.{int(time())}.{number}"))
        self._write(Event(wall_time=time(), file_version="brain.Event:2"))
        if start is not None:
            self._write(Event(wall_time=time(), step=start, session_log=SessionLog(status=SessionLog.START)))

    def add(self, step: int, values: Mapping[str, float]) -> None:
        """Add numbers of a step, by their names; nan is left out."""
        known = [Summary.Value(tag=name, simple_value=value) for name, value in values.items() if not isnan(value)]
        self._write(Event(wall_time=time(), step=step, summary=Summary(value=known)))

    def flush(self) -> None:
        """Write all buffered events to the disk."""
        self._file.flush()

    def close(self) -> None:
        self._file.close()

    def _write(self, event: Event) -> None:
        self._file.write(event.SerializeToString())


class Log:
    """All logs of a run.

    Args:
        folder: Folder of the run.
        columns: Columns of updates, and of matches; both have `decisions`.
        updates: Rows of updates so far.
        matches: Rows of matches so far.
    """

    def __init__(
        self,
        folder: Path,
        columns: tuple[list[str], list[str]],
        updates: Sequence[Mapping[str, Any]],
        matches: Sequence[Mapping[str, Any]],
    ):
        self._progress = RowFile(folder / PROGRESS, columns[0], updates)
        self._strength = RowFile(folder / STRENGTH, columns[1], matches)
        start = updates[-1]["decisions"] + 1 if updates else None  # a killed run may have later events
        self._board = Board(folder / EVENTS, start)

    def add_update(self, row: Mapping[str, Any]) -> None:
        """Add an update of the trainer; its losses are in `train/`, as with Stable-Baselines3."""
        self._progress.add(row)
        groups = dict.fromkeys(("games", "mean_return", "win_rate", "mean_score"), "rollout")
        groups |= dict.fromkeys(("seconds", "decisions_per_second"), "time")
        values = {f"{groups.get(name, 'train')}/{name}": value for name, value in row.items() if name != "decisions"}
        self._board.add(row["decisions"], values)

    def add_match(self, row: Mapping[str, Any]) -> None:
        """Add a match of the learner."""
        self._strength.add(row)
        result = RESULTS[row["decides"]]
        name = f"{result.replace('_', ' ')}/{row['players']} players/{row['against']}"
        self._board.add(row["decisions"], {name: row[result]})

    def flush(self) -> None:
        """Write all to the disk, so that no file is older than a state that is written next."""
        self._board.flush()

    def close(self) -> None:
        """Close all files, even if one of them fails."""
        with ExitStack() as stack:
            for part in (self._progress, self._strength, self._board):
                stack.callback(part.close)


class NoLog(Log):
    """Of a rank that writes no files."""

    def __init__(self) -> None:
        pass

    def add_update(self, row: Mapping[str, Any]) -> None:
        """Write nothing."""

    def add_match(self, row: Mapping[str, Any]) -> None:
        """Write nothing."""

    def flush(self) -> None:
        """Write nothing."""

    def close(self) -> None:
        """There is nothing to close."""


def rounded(row: Mapping[str, Any]) -> dict[str, Any]:
    """The row with numbers rounded to six decimals, nothing for nan, and texts that spreadsheets do not run."""
    return {name: _cell(value) for name, value in row.items()}


def _cell(value: Any) -> Any:
    if isinstance(value, str):
        return csv_text(value)
    if isinstance(value, float):
        return "" if isnan(value) else round(value, 6)
    return value
