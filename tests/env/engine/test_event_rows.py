"""The events of many games at once, and logs that hold whole games."""

from dataclasses import replace

import numpy as np
import pytest

from w51_env import alles_futsch, warehouse51
from w51_env.engine.batch import Batch
from w51_env.engine.buffers import Buffers
from w51_env.engine.errors import OptionError
from w51_env.engine.event_log import EventLog
from w51_env.engine.events import COLUMNS, LAST_CALL
from w51_env.engine.game import Game


def rows_one_by_one(batch: Batch) -> list[tuple[int, ...]]:
    """The same as `event_rows`, from the events as they are shown."""
    names = [kind.name for kind in batch.game.event_types]
    rows = []
    for index in range(batch.num_games):
        for event in batch.events(index):
            kind = batch.game.event_types[names.index(event["event"])]
            fields = [event[field] for field in kind.fields]
            rows.append(
                (index, names.index(kind.name), event["seat"], *fields, *[0] * (3 - len(fields)), int(event["forced"]))
            )
    return rows


@pytest.mark.parametrize("game", [warehouse51.make(3), warehouse51.make(4, "hu"), alles_futsch.make(3)], ids=repr)
def test_rows_of_all_games_are_the_events_of_each(game: Game):
    batch = Batch(game, 5, seed=1, events=True, observe=False)
    batch.reset()
    for step in range(120):
        rows = batch.event_rows()
        assert rows.dtype == np.int32
        assert rows.shape == (len(rows), 1 + COLUMNS)
        assert [tuple(row) for row in rows.tolist()] == rows_one_by_one(batch)
        batch.step(batch.sample_actions(step))


def test_a_call_without_events_has_no_rows():
    batch = Batch(warehouse51.make(3), 2, seed=1, autoreset="disabled", events=True)
    batch.reset()
    batch.reset(which=np.zeros(2, bool))
    assert batch.event_rows().shape == (0, 1 + COLUMNS)


def test_a_log_that_is_off_or_was_too_small_is_an_error_and_not_a_gap():
    batch = Batch(warehouse51.make(3), 1, seed=0)
    batch.reset()
    for read in (batch.event_rows, lambda: batch.events(0)):
        with pytest.raises(OptionError, match="the log is off; make the batch with events=True"):
            read()
    game = replace(warehouse51.make(3), max_events=4)
    log = EventLog(game, buffers := Buffers(game, 3, False, LAST_CALL), True, 0)
    buffers.log["count"] = (4, 0, 4)
    assert (len(log.rows()), len(log.events(0, None))) == (8, 4)
    buffers.log["count"][1] = 5
    for read in (log.rows, lambda: log.events(1, None)):
        with pytest.raises(RuntimeError, match="5 events, but the log holds 4"):
            read()
