"""Heuristic features: in their ranges, nothing of a card where there is none, and in line with the heuristic."""

import numpy as np
import pytest

from w51_env import alles_futsch
from w51_env.alles_futsch.actions import PASS
from w51_env.engine.batch import Batch
from w51_env.engine.bots import Bot, HeuristicFeatures


@pytest.mark.parametrize("num_players", [2, 5])
def test_they_are_in_their_ranges_and_the_heuristic_passes_above_its_limit(num_players: int):
    game = alles_futsch.make(num_players)
    features = HeuristicFeatures(game)
    batch = Batch(game, 64, seed=4, controllers=["external", *["heuristic"] * (num_players - 1)])
    batch.reset()
    passed, raised = 0, 0
    for step in range(60):
        numbers = features.compute(batch.observation)
        assert ((numbers >= features.layout.low) & (numbers <= features.layout.high)).all()
        limits = features.layout.read(numbers, "lot_limits")
        is_bid = batch.action_mask[:, PASS] == 1
        has_card = game.layout.read(batch.observation, "card").any(axis=1)
        assert not features.layout.read(numbers, "lot_kept")[~has_card].any()
        chosen = Bot(game, "heuristic").choose(batch.observation, batch.action_mask, np.zeros(64, np.uint64))
        above = is_bid & (batch.games["standing_bid"] > limits[:, 0])
        assert (chosen[above] == PASS).all()
        passed, raised = passed + above.sum(), raised + (is_bid & (chosen != PASS)).sum()
        batch.step(batch.sample_actions(step))
    assert passed > 20
    assert raised > 20
