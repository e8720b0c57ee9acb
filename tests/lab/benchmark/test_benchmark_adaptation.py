"""The figure of adaptation of the benchmark: gains in the halves of the lots, from the behaviour tables."""

import numpy as np
import pytest

from w51_lab.benchmark.adaptation import HALVES, add_lots, gains_of
from w51_lab.benchmark.track_figures import figures

AGENT, OTHER = 0, 1


def lots_of(*rows: tuple[int, int, int, int, int]) -> dict[str, np.ndarray]:
    """A table of lots of one line-up and deal: (game, lot, agent, price, worth) of each."""
    names = ("game", "lot", "agent", "price", "worth")
    table = dict(zip(names, np.array(rows, np.int16).T, strict=True))
    return {**table, "lineup": np.zeros(len(rows), np.int32), "deal": np.full(len(rows), 7)}


def halves(*rows: tuple[int, int, int, int, int], players: int = 2) -> np.ndarray:
    found = np.zeros((players - 1, 1, *HALVES), np.int64)
    add_lots(found, lots_of(*rows), np.array([7]))
    return found


def test_the_middle_lot_is_in_the_first_half_and_an_unsold_one_in_none():
    first = [(0, 1, AGENT, 2, 6), (0, 2, OTHER, 3, 5), (0, 3, -1, -1, 0)]
    found = halves(*first, (1, 1, OTHER, 1, 1), (1, 2, AGENT, 4, 9))
    assert found[0, 0].tolist() == [[[6, 2], [6, 4]], [[9, 4], [0, 0]]]


def test_a_surcharge_is_a_part_of_the_price():
    table = {**lots_of((0, 1, AGENT, 2, 6)), "surcharge": np.array([3], np.int8)}
    found = np.zeros((1, 1, *HALVES), np.int64)
    add_lots(found, table, np.array([7]))
    assert found[0, 0, 0, AGENT].tolist() == [6, 5]


def test_who_buys_all_at_the_mean_price_gains_nothing_by_buying_late():
    late = halves((0, 1, OTHER, 2, 6), (0, 2, AGENT, 10, 20))
    assert gains_of(late).tolist() == [[0.0, 0.0]]


def test_a_gain_is_worth_above_what_the_money_buys_in_the_same_half():
    # First half: 6 for 2 and 2 for 2, so 2 points an ingot; the agent gains 2, the other loses 2; for one of two games.
    bargain = halves((0, 1, AGENT, 2, 6), (0, 2, OTHER, 2, 2), (0, 3, OTHER, 1, 1), (0, 4, AGENT, 5, 5))
    assert gains_of(bargain).tolist() == [[2.0, 0.0]]


def test_gains_of_copies_are_zero_on_the_mean_and_those_of_two_sides_are_opposite():
    random = np.random.default_rng(1)
    found = random.integers(0, 50, (3, 40, *HALVES))
    swapped = np.flip(np.flip(found, axis=0), axis=3)  # the opponent in the place of the agent
    assert gains_of(swapped).mean(axis=0) == pytest.approx(-gains_of(found).mean(axis=0))
    both = found + swapped
    assert gains_of(both).mean(axis=0) == pytest.approx([0.0, 0.0])


def test_random_players_teach_nothing_so_they_do_not_count():
    cells = np.zeros((1, 2, 11), np.int32)
    cells[:, :, 3:] = np.reshape(halves((0, 1, AGENT, 2, 6), (0, 2, OTHER, 2, 2), (0, 3, OTHER, 1, 1)), 8)
    assert figures([("random", 2, cells)]).adaptation is None
    found = figures([("random", 2, cells), ("heuristic", 2, cells)])
    gained = found.members["heuristic"]
    assert found.adaptation.mean == gained.second.mean - gained.first.mean == -2.0
