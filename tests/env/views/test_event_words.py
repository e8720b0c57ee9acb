"""The words of every event are true of the state before and after it: events alone lead from one state to the next."""

from collections import Counter
from typing import Any

import numpy as np
import pytest

from tests.env.views.ledgers import LEDGERS
from tests.env.warehouse51.relic_files import every_kind
from w51_env import make_game
from w51_env.engine.batch import Batch
from w51_env.engine.game import Game
from w51_env.views.language import Words

GAMES = 30
OPTIONS: dict[str, list[dict[str, Any]]] = {
    "warehouse51_v1": [
        {"num_players": 4},
        {
            "num_players": 3,
            "payment_to": "others",
            "refund": 50,
            "certificate_timing": "anytime",
            "relics": every_kind(),
        },
        {"num_players": 5, "payment_to": "bank", "pawn_limit": 10, "certificate_belongs_to": "owner", "preset": "hu"},
    ],
    "alles_futsch_v1": [
        {"num_players": 4},
        {"num_players": 2, "bonus": 20},
        {"num_players": 2, "no_buyer": "taken", "minimum_bid": 0, "start_money": 30, "bonus": 0},
    ],
    "auctions_v0": [
        {
            "num_players": 3,
            "num_rounds": 3,
            "max_value": 9,
            "max_bid": 9,
            "reserve": 2,
            "auction": name,
            "values": values,
        }
        for name in ("first_price", "second_price", "third_price", "all_pay", "english", "dutch")
        for values in ("private", "average")
    ]
    + [{"preset": "sequence", "num_players": 3}],
}


def played_and_told(game: Game) -> Counter[str]:
    """Play games at random; how often each event was told. AssertionError for one that is not true."""
    batch = Batch(game, GAMES, seed=1, events=True, autoreset="disabled")
    batch.reset()
    told: Counter[str] = Counter()
    ledgers = [LEDGERS[game.name](game, record) for record in batch.games]
    for index, ledger in enumerate(ledgers):
        ledger.begin(batch.events(index))
    step = 0
    while (batch.seat >= 0).any():
        step += 1
        batch.step(chosen(batch, step))
        for index, ledger in enumerate(ledgers):
            for event in batch.events(index):
                ledger.read(event)
                assert_said(game, event, ledger.now)
                told[event["event"]] += 1
            ledger.check(batch.games[index])
    return told


def chosen(batch: Batch, step: int) -> np.ndarray:
    """Random actions, but low bids and passes more often, so that games last."""
    actions = batch.sample_actions(step)
    lowest = np.where(batch.action_mask.any(axis=1), batch.action_mask.argmax(axis=1), -1)
    return np.where((np.arange(GAMES) + step) % 3 > 0, actions, lowest) if step % 2 else actions


def assert_said(game: Game, event: dict[str, Any], record: np.void) -> None:
    """The sentence has the numbers of the event, and of an end of money only where there is none left."""
    words, text = Words(), game.event_text(event)
    data = game.presentation.events_data(game, [event])[0]
    amounts = [data[name] for name in ("ingots", "money", "points", "price") if name in data]
    assert all(words.number(amount) in text for amount in amounts), (event, text)
    if game.name == "warehouse51":
        assert (words("warehouse51.text.empty_reserve") in text) <= (record["reserve"] == 0), text
        assert (words("warehouse51.text.empty_seat") in text) <= (record["ingots"][event["seat"]] == 0), text


@pytest.mark.parametrize("game_id", OPTIONS)
def test_every_event_is_true_of_the_state_before_and_after_it(game_id: str):
    told: Counter[str] = Counter()
    for options in OPTIONS[game_id]:
        game = make_game(game_id, **options)
        told += played_and_told(game)
    assert {kind.name for kind in game.event_types} - set(told) <= {"set_up", "got_table"}  # before the first state
