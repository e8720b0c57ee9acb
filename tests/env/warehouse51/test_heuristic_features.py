"""Heuristic features: in their ranges, zero for the lot where there is none, and in line with the heuristic."""

from functools import cache

import numpy as np
import pytest

from tests.env.properties.generate import PRESET_GAMES
from w51_env import auctions
from w51_env.compiler.compile import JIT_DISABLED
from w51_env.engine.batch import Batch
from w51_env.engine.bots import Bot, HeuristicFeatures
from w51_env.engine.errors import OptionError
from w51_env.engine.game import Game
from w51_env.warehouse51.actions import BID, PASS
from w51_env.warehouse51.state import MAX_INGOTS, PHASES

SOME_GAMES = {name: game for name, game in PRESET_GAMES.items() if not JIT_DISABLED or name.startswith("mini")}
every_preset = pytest.mark.parametrize("game", SOME_GAMES.values(), ids=SOME_GAMES)
GAMES, STEPS = (2, 20) if JIT_DISABLED else (128, 120)


@cache
def decisions(game: Game) -> tuple[np.ndarray, np.ndarray]:
    """Observations and masks of many decisions, of random players among heuristic ones."""
    batch = Batch(game, GAMES, seed=4, controllers=["external", *["heuristic"] * (game.num_players - 1)])
    batch.reset()
    steps = []
    for step in range(STEPS):
        steps.append((batch.observation.copy(), batch.action_mask.copy()))
        batch.step(batch.sample_actions(step))
    observations, masks = zip(*steps, strict=True)
    return np.concatenate(observations), np.concatenate(masks)


@every_preset
def test_every_number_is_in_the_range_of_its_slice(game: Game):
    observations, _ = decisions(game)
    features = HeuristicFeatures(game)
    numbers = features.compute(observations)
    assert numbers.shape == (len(observations), features.layout.size)
    np.testing.assert_array_equal(numbers >= features.layout.low, True)
    np.testing.assert_array_equal(numbers <= features.layout.high, True)


@every_preset
def test_features_of_the_lot_are_zero_where_there_is_no_auction(game: Game):
    observations, _ = decisions(game)
    phases = game.layout.read(observations, "phase")
    bidding = phases[:, PHASES.index("open_auction")] | phases[:, PHASES.index("blind_auction")]
    features = HeuristicFeatures(game)
    numbers = features.compute(observations)
    for name in ("lot_points", "own_limit", "lot_points_of_others", "likely_bids", "limits_of_others", "effect_points"):
        part = features.layout.read(numbers, name)
        assert not part[bidding == 0].any()
        assert part[bidding == 1].any()


@every_preset
def test_the_heuristic_bids_up_to_its_limit_in_an_open_auction(game: Game):
    observations, masks = decisions(game)
    bids = masks[:, BID + 1 : BID + MAX_INGOTS + 1]
    open_bids = (game.layout.read(observations, "phase")[:, PHASES.index("open_auction")] == 1) & bids.any(axis=1)
    least = 1 + bids.argmax(axis=1)
    features = HeuristicFeatures(game)
    limit = features.layout.read(features.compute(observations), "own_limit")[:, 0]
    chosen = Bot(game, "heuristic").choose(observations, masks, np.zeros(len(masks), np.uint64))
    worth_it = open_bids & (least <= limit)
    assert worth_it.any()
    assert not (chosen[worth_it] == PASS).any()
    passed = open_bids & (chosen == PASS)
    assert passed.any()
    np.testing.assert_array_less(limit[passed], least[passed])


def test_no_seat_is_expected_to_pay_more_than_it_holds():
    game = SOME_GAMES["mini, 3 players"]
    observations, _ = decisions(game)
    features = HeuristicFeatures(game)
    numbers = features.compute(observations)
    ingots = game.layout.read(observations, "ingots")
    for name in ("likely_bids", "limits_of_others"):
        np.testing.assert_array_equal(features.layout.read(numbers, name) <= ingots, True)
    np.testing.assert_array_equal(features.layout.read(numbers, "own_limit") <= ingots[:, :1], True)


def test_a_game_without_heuristic_features_is_refused_by_name():
    with pytest.raises(OptionError, match="heuristic features: auctions_v0 has none"):
        HeuristicFeatures(auctions.make(3))
