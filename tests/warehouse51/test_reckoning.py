"""What the heuristic reckons, as numbers: in their ranges, of the lot on the block, and in line with what it does."""

import numpy as np
import pytest

from tests.properties.generate import PRESET_GAMES
from w51_env import alles_futsch
from w51_env.core.batch import Batch
from w51_env.core.bots import Bot, Reckoner
from w51_env.core.compile import JIT_DISABLED
from w51_env.core.errors import OptionError
from w51_env.core.game import Game
from w51_env.warehouse51.actions import BID, PASS
from w51_env.warehouse51.state import MAX_INGOTS, PHASES

SOME_GAMES = {name: game for name, game in PRESET_GAMES.items() if not JIT_DISABLED or name.startswith("mini")}
every_preset = pytest.mark.parametrize("game", SOME_GAMES.values(), ids=SOME_GAMES)
GAMES, STEPS = (2, 20) if JIT_DISABLED else (128, 120)


def decisions(game: Game) -> tuple[np.ndarray, np.ndarray]:
    """Observations and masks of many decisions, of random players among heuristic ones."""
    batch = Batch(game, GAMES, seed=4, controllers=["external", *["heuristic"] * (game.num_players - 1)])
    batch.reset()
    shown = []
    for step in range(STEPS):
        shown.append((batch.observation.copy(), batch.action_mask.copy()))
        batch.step(batch.sample_actions(step))
    observations, masks = zip(*shown, strict=True)
    return np.concatenate(observations), np.concatenate(masks)


@every_preset
def test_every_number_is_in_the_range_that_is_told(game: Game):
    observations, _ = decisions(game)
    reckoner = Reckoner(game)
    told = reckoner.reckon(observations)
    assert told.shape == (len(observations), reckoner.layout.size)
    assert (told >= reckoner.layout.low).all()
    assert (told <= reckoner.layout.high).all()


@every_preset
def test_of_a_lot_nothing_is_told_where_none_is_up_for_auction(game: Game):
    observations, _ = decisions(game)
    phases = game.layout.read(observations, "phase")
    bidding = phases[:, PHASES.index("open_auction")] | phases[:, PHASES.index("blind_auction")]
    reckoner = Reckoner(game)
    told = reckoner.reckon(observations)
    for name in ("lot_gain", "limit", "wanted", "likely_bids", "limits", "effect"):
        part = reckoner.layout.read(told, name)
        assert not part[bidding == 0].any()
        assert part[bidding == 1].any()


@every_preset
def test_in_the_open_the_heuristic_bids_up_to_its_limit_at_least(game: Game):
    observations, masks = decisions(game)
    bids = masks[:, BID + 1 : BID + MAX_INGOTS + 1]
    open_bids = (game.layout.read(observations, "phase")[:, PHASES.index("open_auction")] == 1) & bids.any(axis=1)
    least = 1 + bids.argmax(axis=1)
    reckoner = Reckoner(game)
    limit = reckoner.layout.read(reckoner.reckon(observations), "limit")[:, 0]
    chosen = Bot(game, "heuristic").choose(observations, masks, np.zeros(len(masks), np.uint64))
    worth_it = open_bids & (least <= limit)
    assert worth_it.any()
    assert not (chosen[worth_it] == PASS).any()
    passed = open_bids & (chosen == PASS)
    assert passed.any()
    assert (least[passed] > limit[passed]).all()


def test_nobody_is_thought_to_pay_more_than_it_has():
    game = SOME_GAMES["mini, 3 players"]
    observations, _ = decisions(game)
    reckoner = Reckoner(game)
    told = reckoner.reckon(observations)
    ingots = game.layout.read(observations, "ingots")
    for name in ("likely_bids", "limits"):
        assert (reckoner.layout.read(told, name) <= ingots).all()
    assert (reckoner.layout.read(told, "limit") <= ingots[:, :1]).all()


def test_a_game_without_a_reckoning_has_none():
    with pytest.raises(OptionError, match="reckoning: alles_futsch_v0 has none"):
        Reckoner(alles_futsch.make(3))
