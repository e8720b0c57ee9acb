"""What holds in every state of every game: all presets, any options, any relic set."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.env.alles_futsch import generate as of_alles_futsch
from tests.env.auctions import generate as of_auctions
from tests.env.invariants import alles_futsch as alles_futsch_invariants
from tests.env.invariants import auctions as auctions_invariants
from tests.env.invariants import warehouse51 as warehouse51_invariants
from tests.env.invariants.any_game import assert_noticed
from tests.env.invariants.fuzz import INVARIANTS, all_games, fuzz
from tests.env.properties import generate as of_warehouse51
from tests.env.random_policies import random_policies
from w51_env import alles_futsch, warehouse51
from w51_env.engine.batch import Batch
from w51_env.engine.game import Game
from w51_env.warehouse51.actions import PASS
from w51_env.warehouse51.relics import load_relic_set
from w51_env.warehouse51.state import EXPOSED, IN_DECK

MOST = {
    "warehouse51": warehouse51_invariants.most_decisions,
    "alles_futsch": alles_futsch_invariants.most_decisions,
    "auctions": auctions_invariants.most_decisions,
}
PRESETS = {
    **of_warehouse51.PRESET_GAMES,
    **{f"{game}, {name}": made for game in ("alles_futsch", "auctions") for name, made in all_games(game)},
}


@of_alles_futsch.many_games
@pytest.mark.parametrize("name", PRESETS)
def test_no_preset_breaks_an_invariant(name: str):  # S2, S3, T3, P2, E2, G5, A1, A2, A3, A4, A5, L1, L2, L3, L4, L5, L6
    played = fuzz(PRESETS[name], steps=10_000, num_games=64, seed=5, kind=INVARIANTS[PRESETS[name].name])
    assert played.steps >= 10_000
    assert played.games >= 30


@of_alles_futsch.many_games
@settings(max_examples=18)
@given(game=st.one_of(of_warehouse51.games(), of_alles_futsch.games(), of_auctions.games()))
def test_no_options_and_no_relic_set_break_an_invariant_and_every_game_ends(game: Game):
    # A1, A2, A3, A4, A5, L1, L2, L3, L4, L5, L6
    batch = Batch(game, 32, seed=9, autoreset="disabled", events=True)
    batch.reset()
    invariants, players = INVARIANTS[game.name](batch), random_policies(game, 32, 9)
    invariants.check()
    for _ in range(MOST[game.name](game)):
        if (batch.seat < 0).all():
            break
        batch.step(players.choose(batch.action_mask))
        invariants.keep()
        batch.event_rows()  # an error if the log was too small
    invariants.check_kept()
    np.testing.assert_array_equal(batch.games["over"], 1)
    np.testing.assert_array_equal(batch.final_scores, batch.games["scores"][:, : game.num_players])


def test_bids_cannot_be_matched_without_end():  # T2, effect: may_match_bid
    """Whoever may match the standing bid does, else outbids it by one; all give way only when they must."""
    game = warehouse51.make(5)
    batch = Batch(game, 64, seed=4, autoreset="disabled")
    batch.reset()
    batch.games["place"][:, load_relic_set("reconstruction-1").index("mjollnir")] = np.arange(64) % 5
    batch.refresh()
    pass_or_more = np.arange(len(game.actions)) + np.where(np.arange(len(game.actions)) == PASS, 1000, 0)
    for _ in range(MOST["warehouse51"](game)):
        batch.step(np.where(batch.action_mask.any(1), np.where(batch.action_mask, pass_or_more, 2000).argmin(1), -1))
    np.testing.assert_array_equal(batch.games["over"], 1)


@of_alles_futsch.many_games
def test_the_longest_auctions_end_too():  # A2
    """Whoever may raise by 1,000 does: the longest auctions there are."""
    game = alles_futsch.make(5, minimum_bid=0)
    batch = Batch(game, 32, seed=3, autoreset="disabled", keep_final=False)
    batch.reset()
    raise_1 = game.actions.id("raise_1")
    while (batch.seat >= 0).any():
        batch.step(np.where(batch.action_mask[:, raise_1] == 1, raise_1, batch.sample_actions()))
    assert 300 < batch.games["decisions"].max() <= MOST["alles_futsch"](game)


def first(field: str, least: int) -> Callable[[np.void], int]:
    """The first relic whose number in this field is at least this."""
    return lambda state: int(np.flatnonzero(state[field] >= least)[0])


W51_BROKEN = [
    ("ingots", 0, lambda state: state["ingots"][0] + 1, "ingots are conserved"),
    ("reserve", (), -1, "ingots are conserved"),
    ("place", first("place", 0), IN_DECK, "each relic is in one place|decks hold|public memory is true"),
    ("deck", 0, lambda state: state["deck"][1], "decks hold what was not drawn|nothing dealt changes"),
    ("place", first("place", 0), EXPOSED, "counterfeits lie in gaps|each relic is in one place"),
    ("pawned", slice(7), 1, "pawnbroker has six tokens|decks hold|each relic"),
    ("certificate_on", 0, 3, "two certificates at most"),
    (
        "counterfeit_gap",
        lambda state: int(state["counterfeit_gap"].argmin()),
        0,
        "counterfeits lie in gaps|nothing dealt changes",
    ),
    ("secret_bid", 0, 1, "auction adds up"),
    ("price", first("buyer", 0), lambda state: max(state["price"]) + 1, "public memory is true"),
    ("seat", (), lambda state: (state["seat"] + 1) % 4, "who moves can move"),
    ("ranks", 0, 1, "scores and ranks agree"),
]
FUTSCH_BROKEN = [
    ("money", 0, 1200, "money only comes as bonus"),
    ("owned", lambda state: (0, state["lacks"][0]), 1, "objects are on tables that have their row"),
    ("lost", 2, 40, "no object comes from nowhere"),
    ("gone", lambda state: state["deck"][34], 1, "each card is in one place|no object"),
    ("deck", [33, 34], lambda state: state["deck"][[34, 33]], "nothing dealt changes"),
    ("bidding", lambda state: state["seat"], 1, "auction adds up"),
    ("selling", (), 2, "phases have what they need|no object comes from nowhere"),
    ("broke", (), 0, "phases have what they need"),
    ("seat", (), lambda state: (state["seat"] + 1) % 4, "who moves can move"),
]
BROKEN = [
    *((warehouse51.make, 60, *broken) for broken in W51_BROKEN),
    *((alles_futsch.make, 12, *broken) for broken in FUTSCH_BROKEN),
]


@pytest.mark.parametrize(("make", "steps", "field", "index", "value", "name"), BROKEN)
def test_a_broken_state_is_noticed_and_named(
    make: Callable[..., Game], steps: int, field: str, index: Any, value: Any, name: str
):
    game = make(4, first_player=0)
    players = random_policies(game, 8, 2)
    change = (field, index, value)
    assert_noticed(INVARIANTS[game.name], game, steps, lambda batch: players.choose(batch.action_mask), change, name)
