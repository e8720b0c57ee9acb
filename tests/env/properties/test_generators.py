"""The generators of property tests draw every option of their games, and a failing property test ends soon."""

import dataclasses
import time
from collections import defaultdict
from typing import Any

import numpy as np
import pytest
from hypothesis import Phase, find, given, settings
from hypothesis import strategies as st
from hypothesis.internal.conjecture import engine

import tests.env.alles_futsch.generate
import tests.env.auctions.generate
import tests.env.properties.generate
import tests.env.third_game.generate
import w51_env.alles_futsch.rules
import w51_env.auctions.rules
import w51_env.warehouse51.rules
from w51_env.engine.batch import Batch
from w51_env.engine.registry import make_game, registered_games

THIRD_GAME = "tests.env.third_game:make"
OPTIONS: dict[str, tuple[st.SearchStrategy[dict[str, Any]], type]] = {
    "warehouse51_v1": (tests.env.properties.generate.options(), w51_env.warehouse51.rules.Warehouse51Options),
    "alles_futsch_v1": (tests.env.alles_futsch.generate.options(), w51_env.alles_futsch.rules.AllesFutschOptions),
    "auctions_v0": (
        tests.env.auctions.generate.options() | tests.env.auctions.generate.options_of_lots(),
        w51_env.auctions.rules.AuctionOptions,
    ),
    THIRD_GAME: (tests.env.third_game.generate.options(), tests.env.third_game.Options),
}


def test_every_game_has_a_generator():
    assert set(OPTIONS) == {*registered_games(), THIRD_GAME}


@pytest.mark.parametrize("game", OPTIONS)
def test_the_generator_of_a_game_draws_every_option_and_more_than_one_value_of_each(game: str):
    drawn: dict[str, set[Any]] = defaultdict(set)
    strategy, kind = OPTIONS[game]

    @settings(max_examples=60, phases=[Phase.generate])
    @given(options=strategy)
    def draw(options: dict[str, Any]) -> None:
        for name, value in options.items():
            drawn[name].add(value)

    draw()
    assert set(drawn) == {field.name for field in dataclasses.fields(kind)}
    assert [name for name, values in drawn.items() if len(values) < 2] == []


@settings(max_examples=20)
@given(options=OPTIONS[THIRD_GAME][0])
def test_the_third_game_ends_and_stays_in_its_layout_with_any_options(options: dict[str, Any]):
    game = make_game(THIRD_GAME, **options)
    batch = Batch(game, 20, seed=1, autoreset="disabled")
    batch.reset()
    for _ in range(game.num_players):
        batch.step(batch.sample_actions())
        seen = np.stack([batch.observe(seat) for seat in range(game.num_players)])
        np.testing.assert_array_equal((seen >= game.layout.low) & (seen <= game.layout.high), True)
    np.testing.assert_array_less(batch.seat, 0)


def test_a_failing_property_test_is_shrunk_for_a_limited_time(monkeypatch: pytest.MonkeyPatch):
    assert engine.MAX_SHRINKING_SECONDS == 20
    monkeypatch.setattr(engine, "MAX_SHRINKING_SECONDS", 0.2)

    def fails_slowly(numbers: list[int]) -> bool:
        time.sleep(0.02)
        return len(numbers) > 3 and sum(numbers) > 10_000

    began = time.perf_counter()
    find(st.lists(st.integers(0, 10**9), min_size=20, max_size=40), fails_slowly)
    assert time.perf_counter() - began < 3
