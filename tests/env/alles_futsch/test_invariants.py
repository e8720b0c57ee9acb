"""What holds in every state: all presets, any options."""

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given, settings

from tests.env.alles_futsch.generate import games, many_games, random_policies
from tests.env.invariants.alles_futsch import AllesFutschInvariants, most_decisions
from tests.env.invariants.any_game import assert_noticed
from tests.env.invariants.fuzz import all_games, fuzz
from w51_env import alles_futsch
from w51_env.engine.batch import Batch
from w51_env.engine.game import Game

GAMES = dict(all_games("alles_futsch"))


@many_games
@pytest.mark.parametrize("name", GAMES)
def test_no_preset_breaks_an_invariant(name: str):  # A1, A2, A3, A4, A5
    played = fuzz(GAMES[name], steps=40_000, num_games=256, seed=5, kind=AllesFutschInvariants)
    assert played.steps >= 40_000
    assert played.games >= 100


@many_games
@settings(max_examples=8)
@given(game=games())
def test_no_options_break_an_invariant_and_every_game_ends(game: Game):  # A1, A2, A3, A4, A5
    batch = Batch(game, 60, seed=9, autoreset="disabled")
    batch.reset()
    invariants = AllesFutschInvariants(batch)
    invariants.check()
    policies = random_policies(60, len(game.actions), 9)
    for _ in range(most_decisions(game)):
        if (batch.seat < 0).all():
            break
        batch.step(policies.choose(batch.action_mask))
        invariants.check()
    assert (batch.seat < 0).all()


@many_games
def test_the_longest_auctions_end_too():  # A2
    """Whoever may raise by 1,000 does: the longest auctions there are."""
    game = alles_futsch.make(5, minimum_bid=0)
    batch = Batch(game, 32, seed=3, autoreset="disabled", keep_final=False)
    batch.reset()
    raise_1 = game.actions.id("raise_1")
    while (batch.seat >= 0).any():
        batch.step(np.where(batch.action_mask[:, raise_1] == 1, raise_1, batch.sample_actions()))
    assert 300 < batch.games["decisions"].max() <= most_decisions(game)


def break_money(state: np.void) -> None:
    state["money"][0] += 1000


def break_row(state: np.void) -> None:
    state["owned"][0, state["lacks"][0]] = 1


def break_objects(state: np.void) -> None:
    state["lost"][2] += 40


def break_card(state: np.void) -> None:
    state["gone"][state["deck"][34]] += 1


def break_deck(state: np.void) -> None:
    state["deck"][[33, 34]] = state["deck"][[34, 33]]


def break_auction(state: np.void) -> None:
    state["bidding"][state["seat"]] ^= 1


def break_phase(state: np.void) -> None:
    state["selling"] = 2


def break_broke(state: np.void) -> None:
    state["broke"] = 0


def break_turn(state: np.void) -> None:
    state["seat"] = (state["seat"] + 1) % 4


@pytest.mark.parametrize(
    ("change", "name"),
    [
        (break_money, "money only comes as bonus"),
        (break_row, "objects are on tables that have their row"),
        (break_objects, "no object comes from nowhere"),
        (break_card, "each card is in one place|no object"),
        (break_deck, "nothing dealt changes"),
        (break_auction, "auction adds up"),
        (break_phase, "phases have what they need|no object comes from nowhere"),
        (break_broke, "phases have what they need"),
        (break_turn, "who moves can move"),
    ],
)
def test_a_broken_state_is_noticed_and_named(change: Callable[[np.void], None], name: str):
    game = alles_futsch.make(4, first_player=0)
    assert_noticed(AllesFutschInvariants, game, 12, Batch.sample_actions, change, name)
