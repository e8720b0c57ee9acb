"""Random games for property tests: all options."""

from typing import Any

import pytest
from hypothesis import strategies as st

from w51_env import alles_futsch
from w51_env.alles_futsch.rules import CARDS, DECK_EXHAUSTED, NO_BUYER, NUM_PLAYERS, SELECTORS
from w51_env.alles_futsch.state import MAX_BONUS, MAX_START_MONEY, NUM_CARDS
from w51_env.compiler.compile import JIT_DISABLED
from w51_env.engine.game import Game
from w51_env.engine.options import REWARDS

many_games = pytest.mark.skipif(JIT_DISABLED, reason="more games than plain Python plays in good time")


@st.composite
def options(draw: st.DrawFn) -> dict[str, Any]:
    """Any options that are allowed."""
    num_players = draw(st.sampled_from(NUM_PLAYERS))
    return {
        "num_players": num_players,
        "first_player": draw(st.sampled_from(["random", *range(num_players)])),
        "start_money": draw(st.one_of(st.integers(1, 60), st.integers(1, MAX_START_MONEY), st.just(MAX_START_MONEY))),
        "cards": draw(st.sampled_from(CARDS)),
        "num_cards": draw(st.one_of(st.just(NUM_CARDS), st.integers(1, NUM_CARDS))),
        "minimum_bid": draw(st.one_of(st.sampled_from([0, 1]), st.integers(0, 20))),
        "no_bid_selector": draw(st.sampled_from(SELECTORS)),
        "no_buyer": draw(st.sampled_from(NO_BUYER)),
        "deck_exhausted": draw(st.sampled_from(DECK_EXHAUSTED)),
        "sale_price": draw(st.one_of(st.integers(1, 5), st.integers(1, 40))),
        "fine": draw(st.one_of(st.integers(0, 3), st.integers(0, 40))),
        "bonus": draw(st.integers(0, MAX_BONUS)),
        "reward": draw(st.sampled_from(REWARDS)),
        "ask_forced": draw(st.booleans()),
    }


def games() -> st.SearchStrategy[Game]:
    """Games with any options under which somebody can decide."""
    return options().filter(somebody_decides).map(lambda chosen: alles_futsch.make(**chosen))


def somebody_decides(chosen: dict[str, Any]) -> bool:
    """Whether there is a card to choose, a bid that can be paid, or a question without a choice."""
    return chosen["num_cards"] > 1 or chosen["minimum_bid"] <= chosen["start_money"] or chosen["ask_forced"]
