"""Nothing hidden leaks: signals of others and secret bids change nothing that a seat is given."""

import numpy as np
import pytest

from tests.env.chi_square import p_value
from w51_env import auctions
from w51_env.auctions.values import chances_of
from w51_env.engine.batch import Batch
from w51_env.engine.game import PUBLIC


def test_private_events_reach_their_seat_alone():  # L1, L2
    batch = Batch(auctions.make(3), 1, seed=1, autoreset="disabled", events=True)
    batch.reset()
    assert [event["signal"] for event in batch.events(0, 1) if event["event"] == "signal"] == [
        batch.games[0]["signals"][1]
    ]
    batch.step([batch.game.actions.id("bid_40")])
    assert [event["event"] for event in batch.events(0, 0)] == ["sealed"]
    assert list(batch.events(0, 1)) == list(batch.events(0, PUBLIC)) == []


@pytest.mark.parametrize("values", ["affiliated", "average", "mineral"])
def test_redrawn_signals_are_as_likely_as_the_own_signal_lets_expect(values: str):  # L1
    game = auctions.make(2, values=values, max_value=20, max_bid=20)
    dealt = Batch(game, 60_000, seed=1, observe=False)
    dealt.reset()
    signals = dealt.games["signals"].astype(int)
    beside = signals[signals[:, 0] == 14, 1]
    redrawn = Batch(game, len(beside), seed=2, observe=False)
    redrawn.games[:] = dealt.games[signals[:, 0] == 14]
    redrawn.games["signals"][:, 1] = 0
    redrawn.refresh()
    redrawn.resample_hidden(np.zeros(len(beside), np.int8), 3)
    drawn = redrawn.games["signals"][:, 1].astype(int)
    np.testing.assert_array_equal(redrawn.games["signals"][:, 0], 14)
    assert drawn.mean() == pytest.approx(beside.mean(), abs=0.4)
    assert drawn.std() == pytest.approx(beside.std(), abs=0.4)


@pytest.mark.parametrize("values", ["affiliated", "average", "mineral"])
def test_the_redrawn_common_part_has_the_chances_that_bayes_gives(values: str):  # L1
    game = auctions.make(2, values=values, max_value=20, max_bid=20, distribution="beta", alpha=1, beta=3)
    batch = Batch(game, 20_000, seed=1, observe=False)
    batch.reset()
    batch.games["signals"][:, 0] = 14
    batch.games["common"] = 8  # any that the signal allows
    batch.games["signals"][:, 1] = 8
    batch.refresh()
    batch.resample_hidden(np.zeros(20_000, np.int8), 3)
    drawn = chances_of(game)[0, :11]
    of_signal = [1 / (2 * c + 1) if 2 * c >= 14 else 0.0 for c in range(11)]
    if values != "mineral":
        of_signal = [drawn[14 - c] if 14 - c <= 10 else 0.0 for c in range(11)]
    chances = drawn * of_signal
    possible = chances > 0
    found = np.bincount(batch.games["common"], minlength=11)
    assert found[~possible].sum() == 0
    assert p_value(found[possible], 20_000 * chances[possible] / chances.sum()) > 1e-4
