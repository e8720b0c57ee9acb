"""What holds in every state: all presets, any options."""

import pytest
from hypothesis import given, settings

from tests.env.auctions.generate import games
from tests.env.invariants.auctions import AuctionInvariants
from tests.env.invariants.fuzz import all_games, fuzz
from w51_env.compiler.compile import JIT_DISABLED
from w51_env.engine.game import Game

GAMES = dict(all_games("auctions"))


@pytest.mark.skipif(JIT_DISABLED, reason="more games than plain Python plays in good time")
@pytest.mark.parametrize("name", GAMES)
def test_no_preset_breaks_an_invariant(name: str):  # L1, L2, L3, L4, L5, L6
    assert fuzz(GAMES[name], steps=2000, num_games=12, seed=5, kind=AuctionInvariants).games >= 10


@settings(max_examples=12)
@given(game=games())
def test_no_options_break_an_invariant(game: Game):  # L1, L2, L3, L4, L5, L6
    assert fuzz(game, steps=300, num_games=12, seed=9, kind=AuctionInvariants).steps >= 300
