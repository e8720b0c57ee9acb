"""The logs of a run: rows that are written at once, and event files that TensorBoard reads."""

import csv
import errno
import struct
from dataclasses import fields
from pathlib import Path

import pytest
from tensorboardX.proto.event_pb2 import Event, SessionLog
from tensorboardX.record_writer import masked_crc32c

from w51_agents.training.log import Board, Log, RowFile
from w51_agents.training.run_facts import MatchRow
from w51_agents.training.trainer import Update

NAMES = [*Update(0, 0, 0.0, 0.0, 0.0, {"entropy": 0.0, "policy_loss": 0.0}).row()]
COLUMNS = NAMES, [column.name for column in fields(MatchRow)]
GROUPS = {"decisions_per_second": "time", "seconds": "time", "entropy": "train", "policy_loss": "train"}


def update(decisions: int, **changes) -> dict:
    return {**dict.fromkeys(COLUMNS[0], 0.5), "decisions": decisions, "games": 3, **changes}


def match(decisions: int) -> dict:
    return {
        **dict.fromkeys(COLUMNS[1], 0.25),
        "decisions": decisions,
        "players": 4,
        "against": "random",
        "decides": "win",
    }


def records(path: Path) -> list[Event]:
    """What is in an event file, its checksums checked."""
    content, events = path.read_bytes(), []
    while content:
        (size,) = struct.unpack("<Q", content[:8])
        data = content[12 : 12 + size]
        assert struct.unpack("<I", content[8:12]) == (masked_crc32c(content[:8]),)
        assert struct.unpack("<I", content[12 + size : 16 + size]) == (masked_crc32c(data),)
        events.append(Event.FromString(data))
        content = content[16 + size :]
    return events


def shown(folder: Path) -> dict[tuple[int, str], float]:
    """All that TensorBoard shows: a restart takes back what older files say from its step on."""
    numbers: dict[tuple[int, str], float] = {}
    for path in sorted(folder.iterdir()):
        for event in records(path):
            if event.session_log.status == SessionLog.START:
                numbers = {key: value for key, value in numbers.items() if key[0] < event.step}
            for value in event.summary.value:
                assert (event.step, value.tag) not in numbers
                numbers[event.step, value.tag] = value.simple_value
    return numbers


def rows(path: Path) -> list[dict]:
    with path.open() as file:
        return list(csv.DictReader(file))


def test_a_row_is_in_the_file_as_soon_as_it_is_added(tmp_path):
    file = RowFile(tmp_path / "rows.csv", ["a", "b"], [{"a": 1, "b": 0.12345678}])
    file.add({"a": 2, "b": float("nan")})
    assert rows(tmp_path / "rows.csv") == [{"a": "1", "b": "0.123457"}, {"a": "2", "b": ""}]
    file.close()


def test_event_files_contain_the_numbers_of_the_rows(tmp_path):
    log = Log(tmp_path, COLUMNS, [], [])
    log.add_update(update(10, mean_return=float("nan")))
    log.add_update(update(20, entropy=1.5))
    log.add_match(match(20))
    log.close()
    numbers = shown(tmp_path / "tensorboard")
    names = [name for name in COLUMNS[0] if name != "decisions"]
    expected = {
        (int(row["decisions"]), f"{GROUPS.get(name, 'rollout')}/{name}"): float(row[name])
        for row in rows(tmp_path / "progress.csv")
        for name in names
        if row[name]
    }
    assert len(expected) == 2 * len(names) - 1
    assert numbers == {**expected, (20, "win rate/4 players/random"): 0.25}


def test_a_resumed_log_has_no_row_twice_and_none_after_its_state(tmp_path):
    first = Log(tmp_path, COLUMNS, [], [])
    for decisions in (10, 20, 30):
        first.add_update(update(decisions))
        first.add_match(match(decisions))
    first.close()
    second = Log(tmp_path, COLUMNS, [update(10), update(20)], [match(10)])  # the state was written at 20
    second.add_update(update(30, entropy=2.0))
    second.close()
    assert [row["decisions"] for row in rows(tmp_path / "progress.csv")] == ["10", "20", "30"]
    assert [row["decisions"] for row in rows(tmp_path / "strength.csv")] == ["10"]
    assert len(list((tmp_path / "tensorboard").iterdir())) == 2
    entropy = {
        step: value for (step, name), value in shown(tmp_path / "tensorboard").items() if name == "train/entropy"
    }
    assert entropy == {10: 0.5, 20: 0.5, 30: 2.0}


def test_tensorboard_reads_it(tmp_path):
    reader = pytest.importorskip("tensorboard.backend.event_processing.event_file_loader", reason="needs TensorBoard")
    board = Board(tmp_path, None)
    board.add(5, {"training/entropy": 1.25, "training/mean_return": float("nan")})
    board.close()
    (path,) = tmp_path.iterdir()
    found = [
        (event.step, value.tag) for event in reader.EventFileLoader(str(path)).Load() for value in event.summary.value
    ]
    assert found == [(5, "training/entropy")]


def test_flushed_events_are_in_the_file(tmp_path):
    log = Log(tmp_path, COLUMNS, [], [])
    log.add_update(update(10))
    log.flush()
    assert (10, "train/entropy") in shown(tmp_path / "tensorboard")
    log.close()


def test_a_full_disk_raises_at_once(tmp_path):
    """However many rows: nothing waits in a queue for a thread that is no more."""
    log = Log(tmp_path, COLUMNS, [], [])
    file = log._board._file._writer

    class Full:
        def write(self, data):
            raise OSError(errno.ENOSPC, "No space left on device")

        def close(self):
            file.close()

    log._board._file._writer = Full()
    for decisions in range(30):
        with pytest.raises(OSError, match="No space left"):
            log.add_update(update(decisions))
    log.close()
    assert log._progress._file.closed


def test_all_files_are_closed_even_if_one_fails(tmp_path):
    log = Log(tmp_path, COLUMNS, [], [])

    def fail():
        raise OSError(errno.ENOSPC, "No space left on device")

    closing = log._progress.close
    log._board.close, kept = fail, log._board.close
    with pytest.raises(OSError, match="No space left"):
        log.close()
    assert log._progress._file.closed
    assert log._strength._file.closed
    kept()
    closing()
