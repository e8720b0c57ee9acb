"""How often intervals over seeds hold the true mean, and how often questions judged together are answered by chance."""

import numpy as np
import pytest
from scipy import stats

from experiments.analysis import p_value
from w51_lab.statistics.estimates import holm, over_seeds

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


@pytest.mark.slow
def test_of_many_questions_without_an_answer_one_in_twenty_pages_answers_any():
    random = np.random.default_rng(1)
    pages = random.normal(size=(400, 10, 3))
    answered = [any(holm([p_value({"trainings": tuple(values)}) for values in page])) for page in pages]
    assert 0.02 < np.mean(answered) < 0.08


def test_one_seed_has_a_mean_and_no_interval():
    assert over_seeds([0.5])[0] == 0.5
    assert np.isnan(over_seeds([0.5])[1:]).all()


def test_a_difference_over_trainings_is_judged_by_students_t():
    values = (0.2, 0.5, 0.9, 0.1)
    assert p_value({"trainings": values}) == pytest.approx(stats.ttest_1samp(values, 0).pvalue, rel=1e-3)
    assert holm([0.04, 0.01, float("nan"), 0.03]) == [False, True, False, False]
