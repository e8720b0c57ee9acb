"""Random games for property tests: relic sets with any effects, all options."""

from typing import Any

import pytest
from hypothesis import strategies as st

from tests.env.invariants.fuzz import all_games
from tests.env.warehouse51.relic_files import every_kind, relic, relic_text
from w51_env import warehouse51
from w51_env.engine.errors import OptionError
from w51_env.engine.game import Game
from w51_env.engine.options import REWARDS
from w51_env.warehouse51.effect_kinds import EFFECT_KINDS
from w51_env.warehouse51.payment import PAYMENTS
from w51_env.warehouse51.relics import load_relic_set
from w51_env.warehouse51.rules import CERTIFICATE_OWNERS, CERTIFICATE_TIMINGS, NUM_PLAYERS
from w51_env.warehouse51.state import CATEGORIES, MAX_INGOTS, MAX_RELICS

_SMALL = 6  # most amounts are small, as a printed card's would be


PRESET_GAMES: dict[str, Game] = {
    **dict(all_games()),
    "every effect, 4 players": warehouse51.make(4, relics=every_kind()),
}
every_preset = pytest.mark.parametrize("game", PRESET_GAMES.values(), ids=PRESET_GAMES)


@st.composite
def relic_files(draw: st.DrawFn, max_relics: int = MAX_RELICS) -> str:
    """The text of a relic file of any size, with any categories, values, weapons, counterfeits and effect kinds."""
    kinds = draw(st.lists(st.sampled_from([None, *EFFECT_KINDS]), min_size=1, max_size=max_relics))
    categories = draw(st.lists(st.sampled_from(CATEGORIES), min_size=1, max_size=len(CATEGORIES), unique=True))
    relics: list[dict[str, Any]] = []
    for index, drawn in enumerate(kinds):
        is_second = any(other.get("effect") == "may_match_bid" for other in relics)  # a relic file may have one
        kind = None if drawn is None or (drawn.name == "may_match_bid" and is_second) else drawn
        amount = None
        if kind is not None and kind.amount is not None:
            low, high = kind.amount
            amount = draw(st.one_of(st.integers(low, min(high, _SMALL)), st.integers(low, high)))
        counterfeit, category, value = draw(st.booleans()), draw(st.sampled_from(categories)), draw(st.integers(1, 3))
        marks = {"weapon": draw(st.booleans()), "counterfeit": counterfeit}
        relics.append(relic(f"r{index}", category, value, kind and kind.name, amount, **marks))
    return relic_text(*relics, blank_counterfeits=draw(st.integers(0, 6)))


@st.composite
def options(draw: st.DrawFn, relics: st.SearchStrategy[str] | None = None) -> dict[str, Any]:
    """Any options that are allowed."""
    path = draw(st.one_of(st.just("reconstruction-1"), relic_files()) if relics is None else relics)
    num_players = draw(st.sampled_from(NUM_PLAYERS))
    start_ingots = draw(st.integers(1, MAX_INGOTS // num_players))
    cards = load_relic_set(path).counterfeit_cards // num_players
    payment = draw(st.sampled_from(PAYMENTS))
    return {
        "num_players": num_players,
        "first_player": draw(st.sampled_from(["random", *range(num_players)])),
        "pawn_limit": draw(st.one_of(st.integers(0, 10), st.integers(0, MAX_INGOTS))),
        "certificate_timing": draw(st.sampled_from(CERTIFICATE_TIMINGS)),
        "certificate_belongs_to": draw(st.sampled_from(CERTIFICATE_OWNERS)),
        "start_ingots": start_ingots,
        "reserve": draw(st.integers(0, MAX_INGOTS - num_players * start_ingots)),
        "pawn_loan": draw(st.one_of(st.integers(1, 6), st.integers(1, MAX_INGOTS))),
        "redeem_price": draw(st.one_of(st.integers(0, 10), st.integers(0, MAX_INGOTS))),
        "counterfeits_per_gap": draw(st.integers(0, cards)),
        "relics": path,
        "reward": draw(st.sampled_from(REWARDS)),
        "ask_forced": draw(st.booleans()),
        "payment_to": payment,
        "refund": draw(st.integers(0, 100)) if payment == "others" else 100,
    }


def games(relics: st.SearchStrategy[str] | None = None) -> st.SearchStrategy[Game]:
    """Games with any options."""
    return options(relics).map(game_or_none).filter(bool)


def game_or_none(options: dict[str, Any]) -> Game | None:
    """The game with these options; None if they could bring more points than are counted."""
    try:
        return warehouse51.make(**options)
    except OptionError as error:
        if "points" in str(error):
            return None
        raise
