"""Histories: what happened in running games, as arrays, against a slow reader of events; who may know what."""

import copy
import pickle
from collections.abc import Callable

import numpy as np
import pytest

from tests.env import third_game
from tests.env.history_reader import Reader
from w51_env import alles_futsch, warehouse51
from w51_env.engine.batch import Batch
from w51_env.engine.errors import OptionError
from w51_env.engine.events import COLUMNS
from w51_env.engine.game import PUBLIC, Game
from w51_env.warehouse51.actions import BID
from w51_env.warehouse51.state import BLIND_AUCTION

WHOLE = 600  # rows: more than any game here has
GAMES = {
    "warehouse51 of 3": warehouse51.make(3),
    "warehouse51 of 4, hu": warehouse51.make(4, "hu"),
    "warehouse51 of 5, prices to all": warehouse51.make(5, payment_to="others"),
    "warehouse51 mini": warehouse51.make(preset="mini"),
    "alles_futsch of 2": alles_futsch.make(2),
    "alles_futsch of 4": alles_futsch.make(4),
    "a third game": third_game.make(5),
}
every_game = pytest.mark.parametrize("game", GAMES.values(), ids=GAMES)


def play(batch: Batch, steps: int, seed: int = 0) -> None:
    for step in range(steps):
        batch.step(batch.sample_actions(seed + step))


def secret_bids(batch: Batch, actions: np.ndarray) -> np.ndarray:
    """(N,) what the action bids in secret in Warehouse 51; 0 elsewhere."""
    if batch.game.name != "warehouse51":
        return np.zeros(len(actions), int)
    return np.where(batch.games["phase"] == BLIND_AUCTION, actions - BID, 0)


def compare_with_events(
    game: Game, num_games: int, steps: int, rows: int, viewers_of: Callable[[int], list[int]]
) -> int:
    """Play at random; after each step the histories are those of a slow reader. Returns the number of comparisons."""
    batch = Batch(game, num_games, seed=5, events=True, history=rows)
    batch.reset()
    seats = {viewer for index in range(num_games) for viewer in viewers_of(index)}
    readers = {(index, viewer): Reader(game, viewer) for index in range(num_games) for viewer in viewers_of(index)}
    bids = np.zeros(num_games, int)
    compared = 0
    for step in range(steps):
        for (index, viewer), reader in readers.items():
            reader.add(batch.events(index, viewer), bids[index])
        for viewer in seats:
            written, lengths = batch.history(viewer=viewer)
            for index in range(num_games):
                if (index, viewer) in readers:
                    expected, length = readers[index, viewer].last(rows)
                    assert lengths[index] == length
                    assert written[index].tobytes() == expected.tobytes(), (index, viewer)
                    compared += 1
        actions = batch.sample_actions(step)
        bids = secret_bids(batch, actions)
        batch.step(actions)
    return compared


@every_game
@pytest.mark.parametrize("rows", [7, WHOLE])
def test_histories_are_what_a_reader_of_the_events_that_a_seat_may_know_writes_down(game: Game, rows: int):
    players = game.num_players
    assert compare_with_events(game, 3, 90, rows, lambda index: list(range(players))) == 3 * 90 * players


@pytest.mark.slow
@pytest.mark.parametrize("name", ["warehouse51 of 4, hu", "alles_futsch of 4"])
def test_histories_of_a_million_decisions_are_what_a_reader_of_events_writes_down(name: str):
    game = GAMES[name]
    assert compare_with_events(game, 500, 1000, 64, lambda index: [index % game.num_players]) == 500_000


def test_the_seat_to_move_gets_its_own_history():
    batch = Batch(warehouse51.make(4), 40, seed=3, history=20)
    batch.reset()
    play(batch, 30)
    mine, lengths = (array.copy() for array in batch.history())
    assert lengths.max() == 20
    for seat in range(4):
        rows, _ = batch.history(viewer=seat)
        np.testing.assert_array_equal(rows[batch.seat == seat], mine[batch.seat == seat])
    np.testing.assert_array_equal(batch.history(viewer=batch.seat)[0], mine)
    rows, lengths = batch.history(last=5)
    assert rows.shape == (40, 5, COLUMNS)
    np.testing.assert_array_equal(rows, mine[:, -5:])
    np.testing.assert_array_equal(lengths, 5)


# ---- who may know what


def test_a_redrawn_state_keeps_the_history_of_the_seat_and_of_others_the_public_part():
    batch = Batch(warehouse51.make(4), 30, seed=8, autoreset="disabled", history=WHOLE)
    batch.reset()
    play(batch, 70)
    before = [batch.history(viewer=seat)[0].copy() for seat in range(4)]
    public = []  # the history of a seat that has only seen what all may know
    for index in range(batch.num_games):
        alone = Batch(batch.game, 1, seed=0, autoreset="disabled", history=WHOLE)
        alone.load(batch.games[index : index + 1], past=batch.past(index, PUBLIC))
        public.append(alone.history(viewer=3)[0][0].tobytes())
    assert before[3].tobytes() != b"".join(public)
    batch.resample_hidden(2, seed=1)
    np.testing.assert_array_equal(batch.history(viewer=2)[0], before[2])
    assert [rows.tobytes() for rows in batch.history(viewer=3)[0]] == public
    play(batch, 1)  # and it goes on


# ---- games that end, and states that come from elsewhere


@every_game
@pytest.mark.parametrize("autoreset", ["same_step", "next_step", "disabled"])
def test_a_new_game_begins_with_an_empty_past_and_the_old_one_can_still_be_read(game: Game, autoreset: str):
    batch = Batch(game, 6, seed=2, autoreset=autoreset, history=WHOLE)
    batch.reset()
    begun = batch.history(viewer=0)[1].copy()
    ended = 0
    for step in range(260):
        before, lengths = (array.copy() for array in batch.history(viewer=0))
        batch.step(batch.sample_actions(step))
        rows, now = batch.history(viewer=0)
        final, final_lengths = batch.history(viewer=0, final=True)
        np.testing.assert_array_equal(final_lengths[~batch.done], 0)
        for index in np.flatnonzero(batch.done):
            ended += 1
            assert final_lengths[index] > lengths[index]
            np.testing.assert_array_equal(final[index, : lengths[index]], before[index, : lengths[index]])
            if autoreset == "same_step":
                assert now[index] <= begun.max() + 8
            else:
                np.testing.assert_array_equal(rows[index], final[index])
        if autoreset == "disabled":
            batch.reset(which=batch.done)
            np.testing.assert_array_equal(batch.history(viewer=0)[1][batch.done] <= begun.max() + 8, True)
    assert ended


def test_bots_and_threads_change_no_history():
    game = warehouse51.make(4)
    histories = []
    for threads in (1, 2):
        batch = Batch(game, 300, seed=4, controllers=["external", "heuristic", "random", "external"], seating="rotate",
                      threads=threads, history=50)  # fmt: skip
        batch.reset()
        play(batch, 150)
        histories.append([array.copy() for array in batch.history()])
        batch.close()
    for one, other in zip(*histories, strict=True):
        np.testing.assert_array_equal(one, other)


def test_copies_and_snapshots_have_the_same_history():
    batch = Batch(warehouse51.make(4), 12, seed=6, events=True, history=40)
    batch.reset()
    play(batch, 75)
    rows, lengths = (array.copy() for array in batch.history())
    saved, copies = batch.snapshot(), [copy.deepcopy(batch), pickle.loads(pickle.dumps(batch))]
    play(batch, 75, seed=9)
    later = batch.history()[0].copy()
    batch.restore(saved)
    for one in (batch, *copies):
        np.testing.assert_array_equal(one.history()[0], rows)
        np.testing.assert_array_equal(one.history()[1], lengths)
        play(one, 75, seed=9)
        np.testing.assert_array_equal(one.history()[0], later)
    with pytest.raises(
        OptionError, match=r"snapshot: \d+ bytes that are damaged or of other games; 12 games .* history"
    ):
        batch.restore(Batch(batch.game, 12, seed=0).snapshot() if batch.reset() else saved[:-40] + saved[-39:])


def test_a_saved_state_has_its_past_and_a_loaded_one_gets_the_past_that_is_given():
    game = warehouse51.make(4)
    batch, without = Batch(game, 2, seed=6, autoreset="disabled", history=WHOLE), Batch(game, 1, seed=0)
    batch.reset()
    without.reset()
    play(batch, 40)
    rows = [batch.history(viewer=seat)[0][0].copy() for seat in range(4)]
    saved, state, past = batch.state_bytes(0), batch.clone()[:1], batch.past(0)
    play(batch, 10)
    batch.load_bytes(1, saved)
    np.testing.assert_array_equal(batch.history(viewer=2)[0][1], rows[2])
    np.testing.assert_array_equal(batch.past(1), past)
    Batch(game, 2, seed=0).load_bytes(0, saved)  # a batch without history takes the state alone
    batch.load_bytes(1, without.state_bytes(0))
    assert batch.history(viewer=2)[1][1] == 0

    tree = Batch(game, 3, seed=0, autoreset="disabled", history=WHOLE)
    tree.load(np.repeat(state, 2), past=past)
    for seat in range(4):
        np.testing.assert_array_equal(*np.broadcast_arrays(tree.history(viewer=seat)[0][:2], rows[seat]))
    tree.load(state)
    assert tree.history(viewer=0)[1].tolist() == [0, 0, 0]
    tree.load(state, past=past)
    tree.refresh()  # games that may have been written to
    assert tree.history(viewer=0)[1].tolist() == [0, 0, 0]


def test_determinizations_continue_with_the_history_of_their_seat():
    batch = Batch(warehouse51.make(4), 1, seed=9, autoreset="disabled", history=30)
    batch.reset()
    play(batch, 60)
    seat, rows = int(batch.seat[0]), batch.history()[0][0].copy()
    tree = Batch(batch.game, 5, seed=0, autoreset="disabled", history=30)
    tree.load(batch.determinizer(0).draw(5, seed=2), past=batch.past(0, viewer=seat))
    np.testing.assert_array_equal(*np.broadcast_arrays(tree.history()[0], rows))
    play(tree, 20)
    np.testing.assert_array_less(60, tree.history(last=200, viewer=seat)[1])


# ---- wrong use


def test_what_can_not_be_read_is_an_error():
    game = third_game.make(3)
    batch = Batch(game, 2, seed=0)
    batch.reset()
    with pytest.raises(OptionError, match="history: it is not kept; make the batch with history=64"):
        batch.history()
    with pytest.raises(OptionError, match="history: -1, but an integer from 0 to 16384 is allowed"):
        Batch(game, 2, seed=0, history=-1)
    batch = Batch(game, 2, seed=0, history=8)
    with pytest.raises(Exception, match="reset"):
        batch.history()
    batch.reset()
    for viewer in (3, [0, 5], [0], 1.5, "public"):
        with pytest.raises(OptionError, match=r"viewer: .*, but a seat, 0 to 2, or \(2,\) of them"):
            batch.history(viewer=viewer)
    with pytest.raises(OptionError, match="last: 0, but an integer from 1 to"):
        batch.history(last=0)
    with pytest.raises(OptionError, match="viewer: None, but the history of a game that is over needs a seat"):
        batch.history(final=True)
    with pytest.raises(OptionError, match="the log is off; make the batch with events=True"):
        batch.events(0)
    for past in (np.zeros((2, 5), int), np.full((1, 6), 9), np.zeros((900, 6), int)):
        with pytest.raises(OptionError, match="past: "):
            batch.load(batch.clone(), past=past)


def test_a_game_with_more_events_than_it_says_is_an_error_and_not_a_gap():
    game = copy.copy(third_game.make(3))
    object.__setattr__(game, "max_events", 2)
    batch = Batch(game, 2, seed=0, history=8)
    batch.reset()
    play(batch, 7)
    with pytest.raises(RuntimeError, match="events, but the log holds 2"):
        batch.history()
