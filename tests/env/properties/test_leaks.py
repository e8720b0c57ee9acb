"""No leak: change all that a seat can't know, and everything the seat is given stays the same bytes."""

from collections import Counter
from collections.abc import Callable
from functools import cache

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.env.alles_futsch import generate as of_alles_futsch
from tests.env.auctions import generate as of_auctions
from tests.env.properties.generate import PRESET_GAMES, every_preset, games
from tests.env.properties.knowledge import CHANGES, changed
from tests.env.random_policies import random_policies
from tests.env.warehouse51.table import Table
from w51_env.engine.batch import Batch
from w51_env.engine.game import PUBLIC, Game
from w51_env.views.view import View
from w51_env.warehouse51.actions import BID, PASS
from w51_env.warehouse51.state import BLIND_AUCTION, MAX_INGOTS

# Events by which what was hidden becomes known to the seat that sees them.
SHOWING = {"revealed", "bid_shown", "counterfeit_shown", "saw", "exposed"}


def random_states(game: Game, num_games: int, seed: int, most_steps: int = 90) -> np.ndarray:
    """(num_games,) states, each after a random number of random decisions."""
    batch = Batch(game, num_games, seed=seed, autoreset="disabled")
    batch.reset()
    policies = random_policies(game, num_games, seed)
    stop = np.random.default_rng(seed).integers(0, most_steps, num_games)
    states = batch.clone()
    for step in range(most_steps):
        keep = (stop == step) | (batch.seat >= 0)  # a game that ends early is kept as it ended
        states[keep & (stop >= step)] = batch.games[keep & (stop >= step)]
        if (batch.seat < 0).all():
            break
        batch.step(policies.choose(batch.action_mask))
    return states


def batch_of(game: Game, states: np.ndarray, events: bool = False) -> Batch:
    """A batch in these states."""
    batch = Batch(game, len(states), seed=0, autoreset="disabled", events=events)
    batch.reset()
    batch.games[:] = states
    batch.refresh()
    return batch


def assert_same_for(
    seat: int, one: Batch, other: Batch, which: np.ndarray, means: str, with_views: int, views: Callable[..., View]
) -> None:
    """The seat is given the same in both batches, in the games `which`: observation, mask, turn, rewards, and in the
    first `with_views` of them the view, with its news; so is the public. `views` gives those of the first batch.
    """
    game = one.game
    differs = one.observe(seat)[which] != other.observe(seat)[which]
    parts = [part.name for part in game.layout.values() if differs[:, part.slice].any()]
    assert not parts, f"{means}: seat {seat} of {game.options} sees a difference in {parts}"
    assert one.seat[which].tobytes() == other.seat[which].tobytes(), means
    mine = which[one.seat[which] == seat]
    assert one.action_mask[mine].tobytes() == other.action_mask[mine].tobytes(), means
    assert one.observation[mine].tobytes() == other.observation[mine].tobytes(), means
    assert one.rewards[which].tobytes() == other.rewards[which].tobytes(), means
    for index in which[:with_views]:
        for viewer in (seat, PUBLIC):
            assert views(index, viewer) == other.view(index, viewer), means


def assert_nothing_hidden_is_seen(game: Game, num_games: int, seed: int, with_views: int) -> int:
    """Compare each seat's view before and after each change; returns how many hidden facts were changed."""
    states = random_states(game, num_games, seed)
    everything = np.arange(num_games)
    true = batch_of(game, states)
    views = cache(true.view)
    changed = 0
    for seat in range(game.num_players):
        other = batch_of(game, states)
        other.resample_hidden(seat, seed)
        changed += int((other.games != states).sum())
        assert_same_for(seat, true, other, everything, "resample_hidden", with_views, views)
        for change in CHANGES[game.name]:
            generator = np.random.default_rng(seed)
            other.games[:] = states
            for state in other.games:
                change(game, state, seat, generator)
            other.refresh()
            changed += int((other.games != states).sum())
            assert_same_for(seat, true, other, everything, change.__name__, with_views, views)
    return changed


@every_preset
def test_no_seat_sees_what_it_cannot_know(game: Game):  # S3, S4, T5
    assert assert_nothing_hidden_is_seen(game, num_games=12, seed=7, with_views=3) > 30


@settings(max_examples=18)
@given(game=st.one_of(games(), of_alles_futsch.games(), of_auctions.games()), seed=st.integers(0, 1000))
def test_no_relic_set_and_no_options_show_a_seat_what_it_cannot_know(game: Game, seed: int):  # A1, L1, L2
    assert_nothing_hidden_is_seen(game, num_games=16, seed=seed, with_views=2)


def bid_differently_in_secret(batch: Batch, seat: int, actions: np.ndarray) -> np.ndarray:
    """(N,) the same actions, but where another seat than this bids in secret (T5): another bid."""
    bids = batch.action_mask[:, PASS : BID + MAX_INGOTS + 1]
    changed = actions.copy()
    for index in np.flatnonzero((batch.games["phase"] == BLIND_AUCTION) & (batch.seat != seat)):
        others = PASS + np.flatnonzero(bids[index])
        others = others[others != actions[index]]
        if PASS <= actions[index] <= BID + MAX_INGOTS and len(others):
            changed[index] = others[index % len(others)]
    return changed


@pytest.mark.parametrize("name", ["default, 3 players", "fr, 4 players", "de, 5 players", "hu, 4 players"])
def test_games_that_differ_in_secret_go_on_alike_for_a_seat(name: str):  # T5, effect: look_at_counterfeits
    """Until something is shown, events, observation, mask, text and rewards of the next step are the same to a seat."""
    game, num_games = PRESET_GAMES[name], 120
    states = random_states(game, num_games, seed=3)
    kinds: Counter[str] = Counter()
    other_bids = 0
    for seat in range(game.num_players):
        true, other = (batch_of(game, one, events=True) for one in (states, changed(game, states, seat, seat)))
        actions = random_policies(game, num_games, seat).choose(true.action_mask)
        secretly = bid_differently_in_secret(true, seat, actions)
        true.step(actions)
        other.step(secretly)
        quiet = []
        for index in range(num_games):
            seen, seen_there = list(true.events(index, viewer=seat)), list(other.events(index, viewer=seat))
            if SHOWING.isdisjoint(event["event"] for event in seen + seen_there):
                assert seen == seen_there
                quiet.append(index)
                kinds.update(event["event"] for event in seen)
        assert_same_for(seat, true, other, np.array(quiet), "a step", 8, true.view)
        other_bids += int((actions != secretly)[quiet].sum())
    assert other_bids >= 20
    for kind in ("bid_in_secret", "bid", "passed", "sold"):
        assert kinds[kind] >= 20, f"{kind}: only {kinds[kind]} events"


def test_only_the_seat_that_looks_sees_the_cards_of_the_gap():  # effect: look_at_counterfeits, S4
    events = {}
    for fake in ("holy_grail", "excalibur"):
        table = Table(num_players=5).decks("oracle_bones", "sharur", "mjollnir").counterfeits(**{fake: 3})
        table.play("choose_deck_red", "bid_1", "pass", "pass", "pass", "pass", "choose_gap_2")  # seat 1 looks at gap 3
        events[fake] = [list(table.batch.events(0, viewer=seat)) for seat in range(5)]
    for seat in (0, 2, 3, 4):
        assert events["holy_grail"][seat] == events["excalibur"][seat]
        assert [event["gap"] for event in events["holy_grail"][seat] if event["event"] == "looked"] == [3]
    assert [event["relic"] for event in events["holy_grail"][1] if event["event"] == "saw"] == [
        table.relics.index("holy_grail")
    ]
    assert [event["relic"] for event in events["excalibur"][1] if event["event"] == "saw"] == [
        table.relics.index("excalibur")
    ]
