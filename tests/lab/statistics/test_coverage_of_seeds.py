"""How often intervals over seeds hold the true mean."""

import numpy as np
import pytest

from w51_lab.statistics.estimates import over_seeds

DRAWS = 4000
DRAWN = {
    "normal": lambda random, size: random.normal(size=size),
    "win rates of trainings": lambda random, size: random.beta(20, 60, size) - 0.25,
    "differences of two trainings": lambda random, size: random.gamma(4, 1, size) - random.gamma(4, 1, size),
}


@pytest.mark.slow
@pytest.mark.parametrize("seeds", [3, 5, 10])
@pytest.mark.parametrize("drawn", DRAWN)
def test_the_interval_over_seeds_holds_the_true_mean_as_often_as_it_says(drawn, seeds):
    found = [over_seeds(values) for values in DRAWN[drawn](np.random.default_rng(seeds), (DRAWS, seeds))]
    assert 0.93 < np.mean([interval.low <= 0 <= interval.high for interval in found]) < 0.97


def test_one_seed_has_a_mean_and_no_interval():
    assert over_seeds([0.5])[0] == 0.5
    np.testing.assert_array_equal(over_seeds([0.5])[1:], np.nan)
