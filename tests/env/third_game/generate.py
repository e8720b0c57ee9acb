"""Options of the third game for property tests."""

from typing import Any

from hypothesis import strategies as st

from tests.env.third_game import MAX_PLAYERS
from w51_env.engine.options import REWARDS


def options() -> st.SearchStrategy[dict[str, Any]]:
    """Any options that are allowed."""
    return st.fixed_dictionaries({"num_players": st.integers(2, MAX_PLAYERS), "reward": st.sampled_from(REWARDS)})
