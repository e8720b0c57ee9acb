"""Ends of games of Alles Futsch!, solved: as the engine plays them, and where the answer is known."""

import numpy as np
import pytest

from experiments.futsch_ends import KNOWN, lost, sale, solved, worth
from tests.env.alles_futsch.table import Table
from w51_env import make_game
from w51_env.alles_futsch.state import PLACE, SELECT
from w51_env.engine.batch import Batch


def test_a_sale_moves_what_the_engine_moves():
    batch, bought, compared = Batch(make_game("alles_futsch_v1", num_players=2), 64, seed=3), {}, 0
    batch.reset()
    for step in range(400):
        before = batch.games.copy()
        batch.step(batch.sample_actions(seed=step))
        for index, (old, new) in enumerate(zip(before, batch.games, strict=True)):
            if new["phase"] == PLACE and old["phase"] not in (PLACE, PLACE + 1):
                bought[index] = new.copy()
            elif new["phase"] == SELECT and new["decisions"] > old["decisions"] and index in bought:
                then = bought.pop(index)
                buyer = int(then["leader"])
                own, other = (tuple(map(int, then["owned"][seat])) for seat in (buyer, 1 - buyer))
                found = sale(int(then["card"]), own, other, int(then["lacks"][buyer]), int(then["lacks"][1 - buyer]))
                money = then["money"][[buyer, 1 - buyer]] + [found.gain, -found.loss]
                assert (new["money"][[buyer, 1 - buyer]] == money).all()
                assert (new["owned"][buyer] == found.own).all()
                assert (new["owned"][1 - buyer] == found.others).all()
                compared += 1
            elif new["decisions"] < old["decisions"]:
                bought.pop(index, None)  # another game
    assert compared > 100


def chances(table: Table) -> dict[int, tuple[float, float]]:
    return {action: (low, high) for action, (low, high) in worth(table.state).items()}


def test_who_can_break_the_other_wins_if_it_can_outbid_it():
    others = ["vase vase vase", "clock clock clock", "jewel jewel jewel", "vase vase clock"]
    cards = ["painting painting painting", *others]  # player 0 has no row for paintings
    found = chances(Table(2).cards(*cards).money(50, 50))
    assert found[0] == (1, 1)  # 50 is not overbid, and 60 can't be paid
    assert chances(Table(2).cards(*cards).money(50, 51))[0][0] < 1  # player 1 may buy it for 51
    bids = chances(Table(2).cards(*cards).money(50, 50).play("select_0"))
    assert bids[50] == (1, 1)
    assert bids[0][1] <= 1
    assert chances(Table(2).cards(*cards).money(50, 60).play("select_0"))[50][0] < 1


@pytest.mark.slow
def test_in_solved_decisions_the_heuristic_loses_less_than_random_players():
    found = solved(30, seed=1)
    assert found.looked_at > len(found.states) > 50
    for each in found.chances:
        lows, highs = np.array(list(each.values())).T
        assert highs.max() - lows.max() <= KNOWN
    of_random, of_heuristic = (lost(found, name) for name in ("random", "heuristic"))
    assert of_random["least"] > of_heuristic["least"]
    assert 0 <= of_heuristic["least"] <= of_heuristic["most"]
