"""Nothing hidden leaks: signals of others and secret bids change nothing that a seat is given."""

import numpy as np
import pytest
from hypothesis import given, settings

from tests.env.auctions.generate import games
from w51_env import auctions
from w51_env.auctions.state import NOT_BID
from w51_env.engine.batch import Batch
from w51_env.engine.game import PUBLIC, Game
from w51_env.views.text_table import table


def random_batch(game: Game, num_games: int, seed: int, steps: int, *, events: bool = False) -> Batch:
    batch = Batch(game, num_games, seed=seed, autoreset="disabled", events=events)
    batch.reset()
    for _ in range(steps):
        batch.step(batch.sample_actions())
    return batch


def with_other_secrets(batch: Batch, seat: int, seed: int) -> Batch:
    """The same games with other signals, common parts, secret bids, lots and random numbers to come, made by hand."""
    generator, states = np.random.default_rng(seed), batch.clone()
    highest = int(batch.game.rules["max_value"][0])
    running = states["over"] == 0
    for other in range(batch.game.num_players):
        if other != seat:
            drawn = generator.integers(0, highest + 1, len(states))
            states["signals"][:, other] = np.where(running, drawn, states["signals"][:, other])
            secret = running & (states["bids"][:, other] != NOT_BID)
            states["bids"][secret, other] = generator.integers(0, 2, secret.sum())
    states["common"] = np.where(running, generator.integers(0, highest + 1, len(states)), states["common"])
    states["lot"] = np.where(running, generator.integers(0, 2, len(states)), states["lot"])
    states["stream"] = generator.integers(0, 2**63, len(states)).astype(np.uint64)
    changed = Batch(batch.game, len(states), seed=0, autoreset="disabled")
    changed.games[:] = states
    changed.refresh()
    return changed


@settings(max_examples=8)
@given(game=games())
def test_no_seat_sees_signals_or_secret_bids_of_others(game: Game):  # L1, L2
    for steps in (0, 1, 7):
        batch = random_batch(game, 8, seed=2, steps=steps)
        for seat in range(game.num_players):
            other = with_other_secrets(batch, seat, seed=steps)
            assert (batch.observe(seat) == other.observe(seat)).all()
            mine = batch.seat == seat
            assert (batch.action_mask[mine] == other.action_mask[mine]).all()
            for viewer in (seat, PUBLIC):
                assert batch.view(0, viewer) == other.view(0, viewer)
                assert table(batch.view(0, viewer)) == table(other.view(0, viewer))


def test_private_events_reach_their_seat_alone():  # L1, L2
    batch = random_batch(auctions.make(3), 1, seed=1, steps=0, events=True)
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
    assert (redrawn.games["signals"][:, 0] == 14).all()
    assert drawn.mean() == pytest.approx(beside.mean(), abs=0.4)
    assert drawn.std() == pytest.approx(beside.std(), abs=0.4)
