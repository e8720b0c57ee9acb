"""Behaviour tables of auctions of two lots, and of lots in turn: what all gain is what the scores say."""

from typing import Any

import numpy as np
import pytest

from w51_agents import make_agent
from w51_env import make_game
from w51_env.auctions.state import CENTS
from w51_lab.arena.match_loop import StrictRunner, play
from w51_lab.behaviour import BehaviourRecorder

GAMES = 200


@pytest.mark.parametrize(
    "options",
    [
        {"preset": "units", "num_players": 3},
        {"preset": "units", "auction": "vickrey", "reserve": 3},
        {"preset": "items", "num_players": 3},
        {"preset": "items", "auction": "all_pay"},
        {"preset": "sequence"},
    ],
)
def test_the_surplus_of_all_lots_is_the_sum_of_scores(options: dict[str, Any]):  # L8, L9
    game = make_game("auctions_v0", **options)
    recorder, seated = BehaviourRecorder(game), np.zeros((GAMES, game.num_players), int)
    runner = StrictRunner("random", make_agent("random", game), game)
    seeds = np.arange(GAMES, dtype=np.uint64)
    batch = play(game, [runner], seated, seeds, on_step=lambda batch, actions: recorder.read(batch), events=True)
    tables = recorder.tables(batch, np.arange(GAMES), 0, seated)
    lots, bids = tables["lots"], tables["bids"]
    by_game = np.bincount(lots["game"], lots["surplus"], GAMES)
    scores = batch.final_scores[:, : game.num_players].astype(int).sum(axis=1) * game.options["num_rounds"]
    assert by_game == pytest.approx(scores, abs=game.num_players)  # a mean of rounds is rounded down
    paid = bids["paid"].reshape(-1, game.num_players).sum(axis=1)
    np.testing.assert_array_equal(paid, lots["revenue"])
    assert ((lots["efficiency"] >= 0) & (lots["efficiency"] <= 100)).all()
    assert (lots["efficiency"] == 100).any()
    assert (bids["second_bid"] >= 0).any() == bool(game.rules["two_bids"][0])
    assert abs(lots["surplus"]).max() < 400 * CENTS
