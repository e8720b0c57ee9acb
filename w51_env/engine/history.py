"""Histories: what happened so far in running games, as each seat may know it, as arrays of small integers.

Where a batch keeps history, the log of each game has the events of the whole game. A row of a history is one event as
`COLUMNS` numbers (docs/observations.md#history): 1 + the index of its type; its seat; three fields; whether it was
forced. Seats, and fields that are numbered like seats, are 0 for nobody, 1 for the viewer, 2 for the neighbour on the
viewer's left, and so on. A row of zeros is no event.
"""

from collections.abc import Sequence

import numpy as np

from w51_env.compiler.compile import entry, kernel
from w51_env.engine.events import COLUMNS, EventType

FIELDS = COLUMNS - 3  # the columns a, b and c
CODES = -(2**15)  # of seats in the rows of a log: CODES for nobody, 1 + CODES + seat
_MAX_SEAT_CODE = 63
_LAST_CODE = CODES + _MAX_SEAT_CODE
_EVENT_TYPE = np.dtype([("private", "i1"), ("hides", "i1"), ("secret", "i1", (FIELDS,)), ("is_seat", "i1", (FIELDS,))])
FITS = -1  # no log was too small


def type_table(event_types: Sequence[EventType]) -> np.ndarray:
    """(types,) structured: what compiled code reads of event types, each flag 0 or 1."""
    table = np.zeros(len(event_types), _EVENT_TYPE)
    for row, event_type in zip(table, event_types, strict=True):
        row["private"], row["hides"] = event_type.private, len(event_type.secret) > 0
        row["is_seat"][: len(event_type.fields)] = [field in event_type.seats for field in event_type.fields]
        row["secret"][len(event_type.fields) : len(event_type.fields) + len(event_type.secret)] = 1
    return table


@kernel
def code_new_rows(log, event_types):
    """Code the rows that were added since the last call: the last ones, whose own seat is not coded yet."""
    row = int(log.count) - 1
    while row >= 0 and log.rows[row, 1] > _LAST_CODE:
        code_row(log, row, event_types[log.rows[row, 0]])
        row -= 1


@kernel
def code_row(log, row, event_type):
    """Code the seats of a row, so that they differ from other numbers and all columns are read alike."""
    log.rows[row, 0] += 1  # 0 is no event
    log.rows[row, 1] += CODES + 1
    for field in range(FIELDS):
        if event_type.is_seat[field]:
            log.rows[row, 2 + field] += CODES + 1


@kernel
def write_rows(log, first, stop, viewer, num_players, out, position):
    """Write these rows in relative seats: 0 nobody, 1 the viewer, 2 its left neighbour, ... The loop is vectorised."""
    for row in range(first, stop):
        for column in range(COLUMNS):
            value = np.int16(log.rows[row, column])
            seat = np.int16(value & np.int16(_MAX_SEAT_CODE))
            distance = np.int16(seat - viewer)
            distance = distance if distance > 0 else np.int16(distance + num_players)
            distance = distance if seat > 0 else np.int16(0)
            out[COLUMNS * (position + row - first) + column] = distance if value <= _LAST_CODE else value


@kernel
def clear_secrets(event_types, length, out):
    """Clear what only the seat of an event may know in the events of others."""
    for start in range(0, COLUMNS * length, COLUMNS):
        event_type = event_types[out[start] - 1]
        if event_type.hides and out[start + 1] != 1:
            for field in range(FIELDS):
                if event_type.secret[field]:
                    out[start + 2 + field] = 0


@kernel
def write_known(log, first, stop, event_types, viewer, num_players, out, most):
    """Write the last rows between `first` and `stop` that the viewer may know; returns how many, at most `most`."""
    own = CODES + 1 + viewer
    row = stop
    length, hidden, hides = 0, 0, 0
    while row > first and length < most:
        row -= 1
        event_type = event_types[log.rows[row, 0] - 1]
        unknown = int(event_type.private) & (log.rows[row, 1] != own)
        hidden += unknown
        length += 1 - unknown
        hides |= event_type.hides
    begin, position = row, 0  # of the rows that are not written yet
    if hidden:
        for other in range(row, stop):
            if event_types[log.rows[other, 0] - 1].private and log.rows[other, 1] != own:
                write_rows(log, begin, other, viewer, num_players, out, position)
                position += other - begin
                begin = other + 1
    write_rows(log, begin, stop, viewer, num_players, out, position)
    if hides:
        clear_secrets(event_types, length, out)
    return length


@entry("history")
def write_history(settings, slots, logs, event_types, viewers, out, lengths, final):
    """Write the last rows of each game that its viewer may know, and how many there are.

    `final`: of games that ended in the last call instead. Returns a game whose log was too small, else FITS.
    """
    most = out.shape[1] // COLUMNS
    too_small, players = FITS, np.int16(settings[0].num_players)
    for index in range(logs.shape[0]):
        log, viewer = logs[index], np.int16(viewers[index])
        first, stop = int(log.first), int(log.count)
        if stop > log.rows.shape[0]:
            too_small = index
            continue
        code_new_rows(log, event_types)
        if final and slots[index].count != 0:  # the next game has begun
            first, stop = 0, first
        if viewer < 0 or (final and slots[index].done == 0):
            stop = first
        lengths[index] = write_known(log, first, stop, event_types, viewer, players, out[index], most)
        for unused in range(lengths[index] * COLUMNS, out.shape[1]):
            out[index, unused] = 0
    return too_small


def event_rows(rows: np.ndarray) -> np.ndarray:
    """Rows of a log as they were emitted, whether they were coded since or not."""
    coded = rows[:, 1] <= _LAST_CODE
    rows = np.where(rows <= _LAST_CODE, rows - CODES - 1, rows)
    rows[:, 0] -= coded
    return rows
