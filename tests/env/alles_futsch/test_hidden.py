"""Only the order of the cards that are not turned up is hidden: no seat sees it, all see everything else."""

from collections import defaultdict

import numpy as np
import pytest
from hypothesis import given, settings

from tests.env.alles_futsch.generate import games, many_games
from tests.env.alles_futsch.table import Table, card_index
from tests.env.properties.knowledge import changed
from tests.env.properties.test_leaks import batch_of, random_states
from tests.env.random_policies import random_policies
from w51_env import alles_futsch
from w51_env.alles_futsch.state import GAME, NUM_CARDS
from w51_env.engine.batch import Batch
from w51_env.engine.game import Game

HIDDEN = ("stream", "deck")
NOT_SEEN = {
    "stream": "random numbers",
    "decisions": "a count for replays and policies",
    "scores": "the money",
    "over": "the phase",
}


# ---- what nobody sees


@many_games
def test_a_decision_shows_nothing_of_the_deck_until_a_card_is_turned_up():  # A1
    game = alles_futsch.make(3)
    states = random_states(game, 300, seed=5, most_steps=50)
    true, other = (batch_of(game, one, events=True) for one in (states, changed(game, states, 0, seed=6)))
    actions = random_policies(game, 300, 1).choose(true.action_mask)
    true.step(actions)
    other.step(actions)
    quiet = 0
    for index in range(300):
        events = list(true.events(index, viewer=0))
        if all(event["event"] != "turned_up" for event in events):
            assert events == list(other.events(index, viewer=0))
            assert true.observation[index].tobytes() == other.observation[index].tobytes()
            quiet += 1
    assert quiet > 100


# ---- what everyone sees


@pytest.fixture
def table() -> Table:
    """In the middle of an auction, with something in every field."""
    table = Table(5, seed=4).cards("vase vase clock").play("select_2", "raise_4", "raise_3", "pass")
    return table.give(0, clock=2).give(3, vase=4).change(lost=[0, 1, 0, 0, 2])


# Two values of each field; the one that is not there already is tried.
VALUES = {
    "phase": (2, 3),
    "seat": (0, 1),
    "selector": (3, 4),
    "leader": (3, 4),
    "broke": (2, -1),
    "selling": (1, -1),
    "card": (9, 10),
    "next_card": (6, 7),
    "standing_bid": (9, 19),
    "added": (40, 60),
    "money": (150, 350),
    "ranks": (1, 2),
    "bidding": (0, 1),
    "lacks": (4, 3),
    "owned": (1, 5),
    "face_up": (33, -1),
    "to_place": (2, 1),
    "gone": (1, 2),
    "lost": (3, 4),
}


def test_every_field_of_the_state_is_seen_or_has_a_reason_why_not():
    assert {*VALUES, *NOT_SEEN, "deck"} == set(GAME.names)


@pytest.mark.parametrize("field", VALUES)
def test_every_seat_sees_a_change_of_any_other_field(table: Table, field: str):  # the reverse of the leak test
    before = [table.observe(seat) for seat in range(5)]
    states = table.batch.games
    true = states.copy()
    for index in np.ndindex(*GAME[field].shape):
        states[:] = true
        place = states[field][0:1] if not index else states[field][0]
        place[index or 0] = next(value for value in VALUES[field] if value != place[index or 0])
        for seat in range(5):
            assert (table.observe(seat) != before[seat]).any(), f"seat {seat} does not see {field}{list(index)}"


@pytest.mark.parametrize("field", [*NOT_SEEN, "deck"])
def test_what_is_not_seen_is_hidden_or_follows_from_something_else(table: Table, field: str):  # A1
    before = [table.observe(seat) for seat in range(5)]
    table.state[field] = table.state[field][::-1].copy() if GAME[field].shape else 1
    np.testing.assert_array_equal([table.observe(seat) for seat in range(5)], before)


@many_games
def test_states_that_look_alike_to_a_seat_differ_only_in_what_is_hidden():  # reverse of the leak test
    game = alles_futsch.make(preset="mini", num_cards=6)
    batch = Batch(game, 3000, seed=7, autoreset="disabled")
    batch.reset()
    batch.games[:] = changed(game, np.repeat(batch.games[:1], 3000), 0, seed=8)  # one deal, so that states collide
    batch.refresh()
    collisions = 0
    for _ in range(12):
        known = batch.games.copy()
        for name in (*HIDDEN, *NOT_SEEN):
            known[name] = 0
        for seat in range(2):
            alike = defaultdict(list)
            for state, seen in zip(known, batch.observe(seat), strict=True):
                alike[seen.tobytes()].append(state.tobytes())
            for group in alike.values():
                assert len(set(group)) == 1
                collisions += len(group) - 1
        batch.step(batch.sample_actions())
    assert collisions > 100


# ---- determinization


@many_games
@settings(max_examples=25)
@given(game=games())
def test_a_redrawn_state_fits_all_that_is_known(game: Game):  # A1
    states = random_states(game, 20, seed=8, most_steps=30)
    batch = batch_of(game, states)
    seen = [batch.observe(seat).tobytes() for seat in range(game.num_players)]
    batch.resample_hidden(0, seed=9)
    assert [batch.observe(seat).tobytes() for seat in range(game.num_players)] == seen
    for state, redrawn in zip(states, batch.games, strict=True):
        up = state["next_card"]
        assert redrawn["deck"][:up].tolist() == state["deck"][:up].tolist()
        if game.options["cards"] == "multisets":
            assert sorted(redrawn["deck"].tolist()) == list(range(NUM_CARDS))
        assert all(redrawn[name].tobytes() == state[name].tobytes() for name in GAME.names if name not in HIDDEN)


def redraw(table: Table, count: int, seed: int) -> np.ndarray:
    """(count, NUM_CARDS) decks redrawn from the same state."""
    batch = Batch(table.game, count, seed=0, autoreset="disabled", observe=False)
    batch.reset()
    batch.games[:] = table.state
    batch.resample_hidden(1, seed)
    return batch.games["deck"].copy()


@many_games
def test_every_unseen_card_is_equally_likely_in_every_place_of_the_deck():  # A1
    table = Table(2, num_cards=6)
    decks = redraw(table, 30_000, seed=1)
    unseen = np.setdiff1d(np.arange(NUM_CARDS), table["face_up"])
    for place in (5, 20, 34):  # the one card of the deck, and cards set aside
        counts = np.bincount(decks[:, place], minlength=NUM_CARDS)
        assert counts[table["face_up"]].tolist() == [0] * 5
        np.testing.assert_array_less(np.abs(counts[unseen] - 1000), 5 * 31.1)  # 1000 each, and the standard deviation


@many_games
def test_random_cards_are_redrawn_as_they_were_drawn():  # A1, option: cards
    decks = redraw(Table(2, cards="random"), 30_000, seed=3)
    for name, share in (("vase vase vase", 1 / 125), ("vase vase clock", 3 / 125), ("vase clock jewel", 6 / 125)):
        expected = 30_000 * share
        for place in (5, 34):
            assert abs((decks[:, place] == card_index(name)).sum() - expected) < 5 * (expected * (1 - share)) ** 0.5
