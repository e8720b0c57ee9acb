"""Table statistics: the counts of the observation, against a reader of events."""

import numpy as np
import pytest

from tests.env.alles_futsch.table import Table
from w51_env import make_game
from w51_env.engine.batch import Batch
from w51_env.engine.errors import OptionError
from w51_env.engine.game import Game

IDS = ("alles_futsch_v1", "warehouse51_v1")  # games whose seats bid for one lot after another


def count_events(game: Game, counts: np.ndarray, bid_by: set[int], standing: int, events) -> int:
    """Add the events of one call to (players, 6) counts; returns the standing bid."""
    least = game.options.get("minimum_bid", 1)
    for event in events:
        kind, seat = event["event"], event["seat"]
        amount = event.get("ingots", event.get("money", 0))
        if kind == "set_up":
            counts[:] = 0
        elif kind in ("revealed", "selected"):
            bid_by.clear()
            standing = least - 1
        elif kind == "passed" and not event["forced"]:
            counts[seat, 2] += 1
            counts[seat, 3] += seat not in bid_by
        elif kind == "bid":
            if not event["forced"]:
                above = max(amount - standing - 1, 0)
                total = 100 * counts[seat, 4] + counts[seat, 5] + above
                counts[seat] += (1, above > 0, 0, 0, 0, 0)
                counts[seat, 4:] = total // 100, total % 100
                bid_by.add(seat)
            standing = amount
    return standing


@pytest.mark.parametrize("game_id", IDS)
@pytest.mark.parametrize("players", [3, 5])
def test_the_counts_are_those_of_the_events_and_relative_to_the_seat(game_id: str, players: int):
    game = make_game(game_id, num_players=players, table_statistics=True)
    batch = Batch(game, 4, seed=3, events=True, controllers=["external", *["heuristic"] * (players - 1)])
    batch.reset()
    counts, bid_by, standing = np.zeros((4, players, 6), int), [set() for _ in range(4)], [0] * 4
    for step in range(60):
        for index in range(4):
            standing[index] = count_events(game, counts[index], bid_by[index], standing[index], batch.events(index))
        for seat in range(players):
            shown = game.layout.read(batch.observe(seat), "table_statistics")
            np.testing.assert_array_equal(shown[:, :players], np.roll(counts, -seat, axis=1))
            np.testing.assert_array_equal(shown[:, players:], 0)
        batch.step(batch.sample_actions(step))
    np.testing.assert_array_less(0, counts.sum(axis=(0, 1))[[0, 1, 2, 3, 5]])


@pytest.mark.parametrize("game_id", IDS)
def test_asking_for_forced_decisions_changes_no_count_and_no_event(game_id: str):  # option: ask_forced
    games = [make_game(game_id, num_players=4, table_statistics=True, ask_forced=ask) for ask in (False, True)]
    unasked, asked = (Batch(game, 1, seed=5, events=True, autoreset="disabled") for game in games)
    unasked.reset()
    asked.reset()
    forced, step = 0, 0
    while unasked.seat[0] >= 0:
        expected, told = list(unasked.events(0)), list(asked.events(0))
        while asked.action_mask[0].sum() == 1:
            asked.step(asked.sample_actions())
            told += asked.events(0)
        assert told == expected
        np.testing.assert_array_equal(asked.games["table_statistics"], unasked.games["table_statistics"])
        forced += sum(event["event"] == "passed" and event["forced"] for event in told)
        step += 1
        action = unasked.sample_actions(step)
        unasked.step(action)
        asked.step(action)
    assert forced > 0


@pytest.mark.parametrize("ask", [False, True])
def test_a_bid_in_two_parts_is_a_free_choice_though_its_second_part_is_forced(ask: bool):  # A2, option: ask_forced
    table = Table(3, ask_forced=ask, table_statistics=True).money(21, 30, 30)
    table.play("select_0", "add_20", *(["raise_1"] if ask else []))
    assert table.events("bid") == [{"event": "bid", "seat": 0, "money": 21, "forced": False}]
    assert table["table_statistics"][0, :6].tolist() == [1, 1, 0, 0, 0, 20]


@pytest.mark.parametrize("game_id", IDS)
def test_the_option_changes_nothing_else(game_id: str):
    plain, counting = make_game(game_id), make_game(game_id, table_statistics=True)
    assert make_game(game_id, table_statistics=False).options == plain.options
    assert "table_statistics" not in plain.options
    batches = [Batch(game, 30, seed=4) for game in (plain, counting)]
    for batch in batches:
        batch.reset()
    one, other = batches
    for step in range(80):
        np.testing.assert_array_equal(one.observation, other.observation[:, : plain.layout.size])
        np.testing.assert_array_equal(one.action_mask, other.action_mask)
        np.testing.assert_array_equal(one.rewards, other.rewards)
        actions = one.sample_actions(step)
        one.step(actions)
        other.step(actions)


def test_a_count_stays_at_its_greatest_value_and_states_with_counts_are_checked():
    game = make_game("alles_futsch_v1", table_statistics=True)
    batch = Batch(game, 1, seed=0, autoreset="disabled")
    batch.reset()
    batch.step(np.full(1, game.actions.id("select_0")))
    batch.games["table_statistics"][:, :, :5] = 127
    batch.refresh()
    batch.resample_hidden(0, seed=1)
    copy = Batch(game, 1, seed=0)
    copy.load_bytes(0, batch.state_bytes(0))
    copy.step(np.full(1, game.actions.id("raise_20")))
    np.testing.assert_array_equal(game.layout.read(copy.observe(0), "table_statistics")[0, :4, :5], 127)
    batch.games["table_statistics"][0, 2, 1] = -1
    with pytest.raises(OptionError, match="table_statistics is -1, but 0 to 127 is allowed"):
        batch.refresh()
    with pytest.raises(OptionError, match="table_statistics: 'yes', but True or False is needed"):
        make_game("alles_futsch_v1", table_statistics="yes")
