"""What holds in every state of every game: all presets, any options, any relic set."""

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given, settings

from tests.env.invariants.any_game import assert_noticed
from tests.env.invariants.fuzz import fuzz
from tests.env.invariants.warehouse51 import Warehouse51Invariants, most_decisions
from tests.env.properties.generate import every_preset, games, random_policies
from w51_env import warehouse51
from w51_env.engine.batch import Batch
from w51_env.engine.game import Game
from w51_env.warehouse51.actions import PASS
from w51_env.warehouse51.relics import load_relic_set
from w51_env.warehouse51.state import EXPOSED, IN_DECK, NO_RELIC


def play_to_the_end(game: Game, num_games: int, seed: int) -> Batch:
    """Play all games of a batch to their ends, checking every invariant and every event log at each step."""
    batch = Batch(game, num_games, seed=seed, autoreset="disabled", events=True)
    batch.reset()
    invariants = Warehouse51Invariants(batch)
    invariants.check()
    policies = random_policies(game, num_games, seed)
    for _ in range(most_decisions(game)):
        if (batch.seat < 0).all():
            return batch
        batch.step(policies.choose(batch.action_mask))
        invariants.check()
        for index in range(num_games):
            batch.events(index)  # an error if the log was too small
    raise AssertionError(f"a game of {game.options} did not end")


@every_preset
def test_no_preset_breaks_an_invariant(game: Game):  # S2, S3, T3, P2, E2, G5
    played = fuzz(game, steps=20_000, num_games=128, seed=5)
    assert played.steps >= 20_000
    assert played.games >= 30


@settings(max_examples=10)
@given(game=games())
def test_no_options_and_no_relic_set_break_an_invariant_and_every_game_ends(game: Game):
    batch = play_to_the_end(game, 32, seed=9)
    assert batch.done.any() or (batch.games["over"] == 1).all()
    assert (batch.final_scores == batch.games["scores"][:, : game.num_players]).all()


def test_bids_cannot_be_matched_without_end():  # T2, effect: may_match_bid
    """Whoever may match the standing bid does, else outbids it by one; all give way only when they must."""
    game = warehouse51.make(5)
    batch = Batch(game, 64, seed=4, autoreset="disabled")
    batch.reset()
    batch.games["place"][:, load_relic_set("reconstruction-1").index("mjollnir")] = np.arange(64) % 5
    batch.refresh()
    pass_or_more = np.arange(len(game.actions)) + np.where(np.arange(len(game.actions)) == PASS, 1000, 0)
    for _ in range(most_decisions(game)):
        batch.step(np.where(batch.action_mask.any(1), np.where(batch.action_mask, pass_or_more, 2000).argmin(1), -1))
    assert (batch.games["over"] == 1).all()


def break_ingots(state: np.void) -> None:
    state["ingots"][0] += 1


def break_reserve(state: np.void) -> None:
    state["ingots"][0] += state["reserve"] + 1
    state["reserve"] = -1


def break_place(state: np.void) -> None:
    drawn = np.flatnonzero(state["place"] >= 0)[0]
    state["place"][drawn] = IN_DECK


def break_deck(state: np.void) -> None:
    state["deck"][0] = state["deck"][1]


def break_exposure(state: np.void) -> None:
    state["place"][np.flatnonzero(state["place"] >= 0)[0]] = EXPOSED


def break_pawned(state: np.void) -> None:
    state["pawned"][:7] = 1
    state["place"][:7] = 0


def break_certificate(state: np.void) -> None:
    state["certificate_on"][0] = 3
    state["certificate_from"][0] = NO_RELIC


def break_counterfeits(state: np.void) -> None:
    state["counterfeit_gap"][np.flatnonzero(state["counterfeit_gap"] < 0)[0]] = 0


def break_auction(state: np.void) -> None:
    state["secret_bid"][0] = 1


def break_memory(state: np.void) -> None:
    state["price"][np.flatnonzero(state["buyer"] >= 0)[0]] += 1


def break_turn(state: np.void) -> None:
    state["seat"] = (state["seat"] + 1) % 4


def break_ranks(state: np.void) -> None:
    state["ranks"][0] = 1


@pytest.mark.parametrize(
    ("change", "name"),
    [
        (break_ingots, "ingots are conserved"),
        (break_reserve, "ingots are conserved"),
        (break_place, "each relic is in one place|decks hold what was not drawn|public memory is true"),
        (break_deck, "decks hold what was not drawn|nothing dealt changes"),
        (break_exposure, "counterfeits lie in gaps|each relic is in one place"),
        (break_pawned, "pawnbroker has six tokens|decks hold|each relic"),
        (break_certificate, "two certificates at most"),
        (break_counterfeits, "counterfeits lie in gaps|nothing dealt changes"),
        (break_auction, "auction adds up"),
        (break_memory, "public memory is true"),
        (break_turn, "who moves can move"),
        (break_ranks, "scores and ranks agree"),
    ],
)
def test_a_broken_state_is_noticed_and_named(change: Callable[[np.void], None], name: str):
    game = warehouse51.make(4, first_player=0)
    policies = random_policies(game, 8, 2)
    assert_noticed(Warehouse51Invariants, game, 60, lambda batch: policies.choose(batch.action_mask), change, name)
