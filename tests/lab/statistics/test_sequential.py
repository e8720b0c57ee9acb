"""Sequential test: power, false alarms at any number of looks, and decisions that stay."""

import math

import numpy as np
import pytest

from tests.lab.statistics.made import made
from w51_agents.agent.interface import AgentError
from w51_lab.statistics.sequential import (
    LOOK_EVERY,
    deals_needed,
    deals_to_plan,
    line_height,
    pair_differences,
    sequential_test,
    sequential_tests,
    valid_intervals,
)


def differences(mean: float, deals: int, seed: int) -> np.ndarray:
    """As two good agents bring them: none in half of the deals, else quarters."""
    generator = np.random.default_rng(seed)
    moved = generator.random(deals) < 0.5
    up = generator.random(deals) < 0.5 + mean / 0.375
    return moved * np.where(up, 1, -1) * generator.choice([0.25, 0.5], deals)


def test_equal_agents_are_called_different_in_at_most_5_of_100_matches():
    called = [sequential_test(differences(0.0, 1000, seed), 1000).better != 0 for seed in range(1000)]
    assert 0.015 < np.mean(called) < 0.055


def test_a_true_difference_of_2_points_is_found_and_a_larger_one_sooner():
    found = [sequential_test(differences(0.02, 4000, seed), 4000) for seed in range(200)]
    assert np.mean([result.better == 1 for result in found]) > 0.97
    assert np.mean([result.at or 4000 for result in found]) < 2600
    larger = [sequential_test(differences(0.1, 4000, seed), 4000) for seed in range(50)]
    assert all(result.better == 1 and result.at < 800 for result in larger)


def test_intervals_hold_the_truth_at_all_looks_at_once():
    missed = 0
    for seed in range(200):
        drawn = differences(0.05, 600, seed)
        at_looks = [sequential_test(drawn[:deals], 600) for deals in range(LOOK_EVERY, 601, LOOK_EVERY)]
        missed += any(not result.low <= 0.05 <= result.high for result in at_looks)
    assert missed / 200 < 0.055


def test_a_decision_does_not_depend_on_the_number_of_looks():
    drawn = differences(0.05, 2000, 1)
    last = sequential_test(drawn, 2000)
    assert last.at is not None
    for deals in range(0, 2001, 7):
        result = sequential_test(drawn[:deals], 2000)
        assert result == last if deals >= last.at else result.better == 0


def test_the_interval_excludes_zero_exactly_where_the_difference_is_decided():
    for seed in range(60):
        result = sequential_test(differences(0.03, 1000, seed), 1000)
        assert result.better == (1 if result.low > 0 else -1 if result.high < 0 else 0)
        assert (result.at is not None) == (result.better != 0)


def test_the_other_way_round_the_other_is_better():
    drawn = differences(0.1, 1000, 1)
    one, other = sequential_test(drawn, 1000), sequential_test(-drawn, 1000)
    assert (one.better, one.at) == (-other.better, other.at) == (1, one.at)
    assert (one.low, one.high) == pytest.approx((-other.high, -other.low))


@pytest.mark.parametrize("deals", [0, 1, LOOK_EVERY - 1])
def test_before_the_first_look_the_difference_is_undecided(deals: int):
    assert sequential_test(np.ones(deals), 1000) == (sequential_test(np.zeros(0), 1000))
    assert sequential_test(np.ones(deals), 1000).high == 1.0


def test_one_deal_decides_nothing_even_if_only_one_was_planned():
    assert sequential_test(np.ones(1), 1).better == 0


def test_few_deals_that_all_agree_are_enough_for_a_huge_difference_only():
    assert sequential_test(np.ones(30), 30).better == 1
    assert sequential_test(np.full(30, 0.05), 30).better == 0


def test_a_last_look_is_at_the_planned_deal():
    drawn = np.tile([0.25, -0.125, 0.25, 0.0], 10)
    assert sequential_test(drawn, 40).at == 40
    assert sequential_test(drawn[:39], 40).at is None


def test_more_deals_than_planned_are_an_error():
    with pytest.raises(AgentError, match="30 deals, but at most the 20 planned ones are allowed"):
        sequential_test(np.zeros(30), 20)


def test_any_of_six_pairs_of_equal_agents_is_called_different_in_at_most_5_of_100_matches():
    called = 0
    for seed in range(200):
        pairs, drawn = pair_differences(made([0.0] * 4, 200, seed=seed))
        called += any(result.better for result in sequential_tests(drawn, 200))
    assert len(pairs) == 6
    assert called / 200 < 0.055


def test_after_clear_pairs_are_decided_the_last_is_tested_as_if_alone():
    clear, close = differences(0.3, 2000, 1), differences(0.03, 2000, 12)
    alone = sequential_test(close, 2000)
    together = sequential_tests(np.stack([clear, close], axis=1), 2000)
    assert together[0].at < together[1].at
    assert together[1] == alone


def test_lines_are_crossed_as_often_as_they_should():
    """A random walk of 2,000 steps crosses a little less often than Brownian motion, which moves between steps."""
    walks = np.cumsum(np.random.default_rng(1).normal(size=(4000, 2000)), axis=1) / math.sqrt(2000)
    lines = 1 + np.arange(1, 2001) / 4000
    for chance in (0.05, 0.2):
        crossed = float((np.abs(walks) > line_height(chance) * lines).any(axis=1).mean())
        assert 0.85 * chance - 0.006 < crossed < chance + 0.006
    assert 1.5 * line_height(0.05) == pytest.approx(2.393, abs=0.001)


def test_scores_are_tested_without_knowing_how_large_they_can_be():
    """Equals with skewed payoffs are called different in at most 5 % of matches, in any unit; better ones are found."""
    drawn = np.random.default_rng(3).exponential(size=(400, 300, 2))
    equal = (drawn[:, :, 0] - drawn[:, :, 1]).T
    for unit in (0.01, 100.0):
        called = [bool(test.better) for test in sequential_tests(unit * equal, 300, None)]
        alone = [bool(sequential_tests(unit * equal[:, [row]], 300, None)[0].better) for row in range(0, 400, 4)]
        assert not any(called)
        assert sum(alone) <= 10
        assert sequential_tests(unit * (equal[:, :1] + 1), 300, None)[0].better == 1
    assert sequential_tests(np.zeros((300, 1)), 300, None)[0].better == 0


def test_intervals_at_which_a_tournament_stops_for_their_width_hold_the_truth():
    width, planned = 0.04, deals_to_plan(0.04, float(differences(0.05, 10**5, 0).std()), 1)
    held, stopped = 0, []
    for seed in range(120):
        drawn = differences(0.05, planned, seed)[:, None]
        looks = range(LOOK_EVERY, planned + 1, LOOK_EVERY)
        found = ((at, valid_intervals(drawn[:at], planned)[0]) for at in looks)
        at, last = next((one for one in found if one[1].high - one[1].low <= width), (planned, None))
        last = last or valid_intervals(drawn, planned)[0]
        held += last.low <= 0.05 <= last.high
        stopped.append(at)
    assert held / 120 > 0.95
    assert 0.8 < np.mean(stopped) / planned <= 1


def test_the_deals_that_a_width_needs_are_told_from_the_width_so_far():
    drawn = differences(0.05, 4000, 3)[:, None]
    widths = {at: one.high - one.low for at in (500, 2000) for one in valid_intervals(drawn[:at], 4000)}
    assert deals_needed(widths[2000], widths[500], 500, 4000) == pytest.approx(2000, rel=0.15)
    assert deals_needed(0.001, widths[500], 500, 4000) == 4000
