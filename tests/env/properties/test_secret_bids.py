"""Which secret bids exist is written once: what is legal and what a determinization draws come from one kernel."""

import os
import subprocess
import sys
from functools import partial
from pathlib import Path

import numpy as np

from tests.agents.every import each_game
from tests.env.third_game import make as make_third
from w51_env import make_game
from w51_env.engine.batch import Batch
from w51_env.engine.game import Game

ROOT = Path(__file__).resolve().parents[3]
GAMES = [
    make_game("warehouse51_v1", num_players=3),
    make_game("warehouse51_v1", num_players=5, preset="hu"),
    make_game("warehouse51_v1", preset="mini"),
    make_third(num_players=4),
]


def redrawn_bids(game: Game, drawn: np.ndarray, mine: np.ndarray | int) -> np.ndarray:
    """Sealed bids of seats that are not `mine`, and how many of these the engine would not have let the seat make."""
    sealed, asked, found = game.sealed_bids, Batch(game, len(drawn), autoreset="disabled"), np.zeros(2, int)
    assert sealed is not None
    for seat in range(game.num_players):
        states = drawn[(drawn[sealed.field][:, seat] != sealed.not_bid) & (mine != seat) & (drawn["over"] == 0)]
        if len(states):
            actions = sealed.first_action + states[sealed.field][:, seat]
            states[sealed.field][:, seat], states["seat"] = sealed.not_bid, seat
            asked.load(states)
            found += len(states), (asked.action_mask[np.arange(len(states)), actions] == 0).sum()
    return found


def illegal_redrawn_bids(game: Game, num_games: int, steps: int, seed: int) -> np.ndarray:
    """The same of redraws in random games."""
    silent = partial(Batch, game, observe=False)  # plain Python would write observations for most of the time
    source, other = silent(num_games, seed=seed), silent(num_games, autoreset="disabled")
    source.reset()
    found = np.zeros(2, int)
    for step in range(steps):
        source.step(source.sample_actions(step))
        other.load(source.clone())
        other.resample_hidden(source.seat, seed + step)
        found += redrawn_bids(game, other.clone(), source.seat)
    return found


@each_game(GAMES)
def test_every_redrawn_bid_is_a_legal_action_of_its_seat(game: Game):  # T5, T3, effect: bid_cap
    redrawn, illegal = illegal_redrawn_bids(game, num_games=24, steps=80, seed=3)
    assert redrawn > 60
    assert illegal == 0


RESERVE_PRICE = """
import numpy as np
from tests.env.properties.test_secret_bids import illegal_redrawn_bids
from w51_env import warehouse51
from w51_env.engine.batch import Batch
from w51_env.warehouse51 import hidden, legal
from w51_env.warehouse51.actions import BID
from w51_env.warehouse51.ownership import max_bid

def secret_bids(rules, game, seat, actions):
    '''0, or from 3 on.'''
    count = 0
    for ingots in range(max_bid(rules, game, seat) + 1):
        if ingots == 0 or ingots >= 3:
            actions[count] = BID + ingots
            count += 1
    return count

for module in (legal, hidden):  # changed for one of its two users, and then for both
    assert callable(module.secret_bids)
    module.secret_bids = secret_bids
    print(*illegal_redrawn_bids(warehouse51.make(3), num_games=2, steps=60, seed=3))
"""


def test_a_new_minimum_of_secret_bids_holds_for_redrawn_bids_too():
    """The kernel with a reserve price, as plain Python. Changed for one of its two users, the check notices."""
    process = subprocess.run(
        [sys.executable, "-c", RESERVE_PRICE],
        cwd=ROOT, env={**os.environ, "NUMBA_DISABLE_JIT": "1"}, capture_output=True, text=True, timeout=300,
    )  # fmt: skip
    assert process.returncode == 0, process.stderr
    (of_one, illegal), (of_both, none) = (map(int, line.split()) for line in process.stdout.splitlines())
    assert of_one > 10 < of_both
    assert illegal > none == 0
