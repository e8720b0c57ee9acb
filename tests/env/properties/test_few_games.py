"""The properties of these folders on few games each: quick without compilation, as mutation of the rules needs it."""

import numpy as np
import pytest

from tests.env.alles_futsch.test_reference import play_both
from tests.env.invariants.fuzz import INVARIANTS, fuzz
from tests.env.properties.test_masks import play_and_compare as compare_masks
from tests.env.properties.test_resample import (
    SIX_RELICS,
    assert_redraws_are_consistent,
    drawn_states,
    six_relics,
    sword_on_the_block,
)
from tests.env.properties.test_scoring import play_and_compare as compare_ends
from tests.env.warehouse51.relic_files import relic_text
from w51_env import alles_futsch, warehouse51
from w51_env.engine.game import Game

WAREHOUSE51 = {
    "mini": warehouse51.make(preset="mini"),
    "3 players": warehouse51.make(3),
    "5 players, hu": warehouse51.make(5, "hu"),
}
NO_BLANK_CARDS = warehouse51.make(5, relics=relic_text(*SIX_RELICS), counterfeits_per_gap=1)
ALLES_FUTSCH = {
    "2 players": alles_futsch.make(2),
    "4 players, short": alles_futsch.make(4, "short"),
    "other rulings": alles_futsch.make(
        3, "short", no_bid_selector="left", no_buyer="taken", deck_exhausted="end", cards="random", minimum_bid=0
    ),
}


def each(games: dict[str, Game]) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("game", games.values(), ids=list(games))


@each(WAREHOUSE51 | ALLES_FUTSCH)
def test_a_few_games_break_no_invariant(game: Game):  # S2, S3, T3, P2, E2, G5, A1, A2, A3, A4, A5
    assert fuzz(game, 150, 3, seed=7, kind=INVARIANTS[game.name]).steps >= 150


@each(WAREHOUSE51)
def test_masks_of_a_few_games_are_exact(game: Game):  # T1, T2, T3, T5, P1, P2, P3, P4, E1, E2, E3
    assert compare_masks(game, num_games=2, seed=8, every=2).total() > 10


@each(WAREHOUSE51 | {"no blank cards": NO_BLANK_CARDS})
def test_a_few_redraws_fit_all_that_the_seats_know(game: Game):  # S3, S4, T5
    assert_redraws_are_consistent(game, num_games=3, seed=3)


def test_a_few_redraws_of_one_state_differ_in_all_that_is_hidden():  # S3, S4, T5
    game = six_relics()
    drawn = drawn_states(game, sword_on_the_block(game), 0, 100, seed=1)
    bids = drawn["secret_bid"][:, :4].T.tolist()
    assert [set(bid) for bid in bids] == [{-1}, {0, 1, 2}, {0, 1, 2, 3}, {-1}]
    assert len(np.unique(drawn["secret_bid"][:, :4], axis=0)) == 3 * 4  # each bid of one with each of the other
    assert len(np.unique(drawn["deck"][:, :6], axis=0)) == 6  # three blue relics in any order
    assert len(np.unique(drawn["counterfeit_gap"][:, :6], axis=0)) == 13


@pytest.mark.parametrize("num_players", [3, 4])
def test_a_few_ends_are_scored_as_the_rules_say(num_players: int):  # E1, E2, E3, E4, G1, G2, G3, G4, G5
    assert len(compare_ends(warehouse51.make(num_players), num_games=8, seed=num_players)) == 8


@each(ALLES_FUTSCH)
def test_a_game_goes_as_in_the_reference(game: Game):  # A1, A2, A3, A4, A5
    assert play_both(game, num_games=1, seed=6)["bid"] > 5
