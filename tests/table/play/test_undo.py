"""Decisions that are taken back: at a table, in its file, and by a message of a page."""

import numpy as np
import pytest

from w51_table.play.game_log import GameLog
from w51_table.play.table import PERSON, Setup, Table

PEOPLE = (PERSON,) * 3


def played(game: str, seed: int, decisions: int) -> Table:
    table = Table(Setup(game, {"num_players": 3}, seed, PEOPLE))
    generator = np.random.default_rng(seed)
    while table.decision < decisions and not table.over:
        table.play(int(generator.choice(np.flatnonzero(table.action_mask))))
    return table


@pytest.mark.parametrize("game", ["warehouse51_v1", "alles_futsch_v1"])
def test_a_decision_can_be_taken_back_only_if_it_has_shown_nothing_hidden(game):
    table = played(game, 4, 0)
    generator = np.random.default_rng(4)
    taken_back = 0
    while not table.over and table.decision < 80:
        seat, before = table.seat, table.record
        table.play(int(generator.choice(np.flatnonzero(table.action_mask))))
        kinds = [event["event"] for event in table.events(None, table.decision - 1)]
        count = table.retractable(seat)
        assert not any(table.retractable(other) for other in range(3) if other != seat)
        assert not {"revealed", "selected", "sold", "bought", "bid_shown", "saw", "turned_up"} & set(kinds) or not count
        if count == 1:
            action = table.actions[-1]
            table.undo(count)
            assert table.record.tobytes() == before.tobytes()
            table.play(action)
            taken_back += 1
    assert taken_back > 10


def test_both_parts_of_a_bid_are_taken_back_together():
    table = played("alles_futsch_v1", 1, 1)
    add = next(
        action for action in np.flatnonzero(table.action_mask) if table.game.actions[action].name.startswith("add")
    )
    seat = table.seat
    table.play(int(add))
    assert table.retractable(seat) == 0  # it is not a bid yet
    table.play(int(np.flatnonzero(table.action_mask)[0]))
    assert table.retractable(seat) == 2
    table.undo(2)
    assert (table.decision, table.seat) == (1, seat)


def test_a_file_with_decisions_taken_back_is_the_table_without_them(tmp_path):
    table = played("warehouse51_v1", 3, 0)
    path = tmp_path / "game.table"
    game_log = GameLog.create(path, table)
    while not (table.decision and (count := table.retractable(table.moves()[-1].seat))):
        game_log.play(table, int(np.flatnonzero(table.action_mask)[-1]))
    before = table.decision
    game_log.undo(table, count)
    assert table.decision == before - count
    game_log.play(table, int(np.flatnonzero(table.action_mask)[0]))
    game_log.close()
    again, read = GameLog.open(path)
    again.close()
    assert read.actions == table.actions
    assert read.record.tobytes() == table.record.tobytes()
