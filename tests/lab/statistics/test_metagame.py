"""The game of choosing an agent: payoffs, Nash averaging of known games, alpha-rank."""

import sys

import numpy as np
import pytest

from tests.lab.statistics.made import made, played
from w51_agents.agent.interface import AgentError
from w51_env.engine.errors import MissingPackageError
from w51_lab.statistics.metagame import alpha_rank, nash_average, nash_intervals, payoff_table

CIRCLE = np.array([[0, 1, -1], [-1, 0, 1], [1, -1, 0]]) * 0.1  # rock, scissors, paper


def with_copies(table: np.ndarray, agents: list[int]) -> np.ndarray:
    return table[np.ix_(agents, agents)]


def test_payoffs_are_differences_of_wins_over_the_games_that_both_sat_in():
    seats = np.array([[0, 1, 1], [1, 2, 2], [0, 1, 1], [1, 2, 2]])
    scores = np.array([[9, 3, 6], [7, 5, 6], [1, 8, 2], [4, 4, 1]], np.int16)
    table = payoff_table(played(seats, scores, np.array([0, 0, 1, 1]), np.array([0, 1, 0, 1])))
    assert table[0, 1] == pytest.approx((1 - 0.5) / 2)  # 1 - 0, then 0 - 1 / 2
    assert table[1, 2] == pytest.approx((1 + 0.25) / 2)  # 1 - 0, then 1 / 2 - 1 / 4
    assert np.isnan(table[0, 2])
    assert table[1, 0] == -table[0, 1]


def beside_a_circle(loss: float) -> np.ndarray:
    """A circle, and one that loses so much to each of it."""
    table = np.pad(CIRCLE, (0, 1), constant_values=loss)
    table[3] = [-loss, -loss, -loss, 0]
    return table


KNOWN = {  # payoffs, weights, skills
    "a circle is played equally": (CIRCLE, [1 / 3] * 3, [0] * 3),
    # Who wins 2, 3 and 1 of the next: each has the weight of what the other two play for.
    "a circle of unequal stakes": (np.array([[0, 2, -1], [-2, 0, 3], [1, -3, 0]]), [3 / 6, 1 / 6, 2 / 6], [0] * 3),
    "copies share the weight of one": (with_copies(CIRCLE, [0, 1, 2, 2]), [1 / 3, 1 / 3, 1 / 6, 1 / 6], [0] * 4),
    "who beats all has all": (np.array([[0, 0.1, 0.2], [-0.1, 0, 0.1], [-0.2, -0.1, 0]]), [1, 0, 0], [0, -0.1, -0.2]),
    "who loses to a circle has none": (beside_a_circle(0.05), [1 / 3, 1 / 3, 1 / 3, 0], [0, 0, 0, -0.05]),
    "who beats a circle by a hair has all": (beside_a_circle(-0.001), [0, 0, 0, 1], [-0.001] * 3 + [0]),
    "equals share all": (np.zeros((3, 3)), [1 / 3] * 3, [0] * 3),
    "one alone": (np.zeros((1, 1)), [1], [0]),
}


@pytest.mark.parametrize(("table", "weights", "skills"), KNOWN.values(), ids=KNOWN)
def test_known_games_have_their_weights_and_what_each_agent_loses(table, weights, skills):
    found = nash_average(table)
    assert found.weights == pytest.approx(weights, abs=1e-3)
    assert found.skills == pytest.approx(skills, abs=2e-4)


@pytest.mark.parametrize("seed", range(12))
def test_of_any_game_it_is_an_equilibrium_and_none_found_has_more_entropy(seed: int):
    """No equilibrium towards a corner of the set, found by linear programs, has a higher entropy."""
    from scipy.optimize import linprog

    generator = np.random.default_rng(seed)
    agents = int(generator.integers(2, 9))
    table = generator.integers(-2, 3, (agents, agents)).astype(float)
    table -= table.T
    weights, skills = nash_average(table)
    assert skills.max() < 1e-4
    for _ in range(10):
        corner = linprog(
            generator.normal(size=agents),
            A_ub=-table.T,
            b_ub=np.zeros(agents),
            A_eq=np.ones((1, agents)),
            b_eq=[1],
            bounds=(0, 1),
        ).x
        for part in (0.02, 0.2, 1.0):
            assert entropy((1 - part) * weights + part * np.maximum(corner, 0)) < entropy(weights) + 1e-3


def entropy(weights: np.ndarray) -> float:
    known = weights[weights > 0]
    return float(-(known * np.log(known)).sum())


@pytest.mark.parametrize("table", [np.ones((2, 2)), np.zeros((2, 3)), np.array([[0, np.nan], [np.nan, 0]])])
def test_a_table_that_is_no_zero_sum_game_is_an_error(table: np.ndarray):
    with pytest.raises(AgentError, match="Nash averaging needs a square antisymmetric table"):
        nash_average(table)


def test_nash_averaging_of_games_finds_the_stronger():
    games = made([0, 2, 4], 100)
    assert nash_intervals(games)[2] == (1.0, 1.0, 1.0)
    equal = nash_intervals(made([1, 1, 1], 100))  # which one the chance of deals prefers says nothing
    assert all(low < 0.1 and high > 0.5 for _, low, high in equal)
    weights, skills = nash_average(payoff_table(games))
    assert weights == pytest.approx([0, 0, 1], abs=1e-3)
    assert skills[0] < skills[1] < -0.05


def test_alpha_rank_of_known_games():
    """Who beats all has all, a circle is shared equally (as in the paper), copies of one third of it take turns."""
    pytest.importorskip("open_spiel", reason="needs the extra 'games'")
    assert alpha_rank(np.array([[0, 0.1, 0.2], [-0.1, 0, 0.1], [-0.2, -0.1, 0]])) == pytest.approx([1, 0, 0], abs=1e-4)
    assert alpha_rank(CIRCLE) == pytest.approx([1 / 3] * 3, abs=1e-4)
    assert alpha_rank(np.zeros((1, 1))) == [1.0]
    assert alpha_rank(with_copies(CIRCLE, [0, 1, 2, 2])) == pytest.approx([0.2, 0.4, 0.2, 0.2], abs=1e-4)


def test_alpha_rank_of_a_table_with_gaps_is_an_error():
    pytest.importorskip("open_spiel", reason="needs the extra 'games'")
    with pytest.raises(AgentError, match="alpha-rank needs all payoffs"):
        alpha_rank(np.array([[0, np.nan], [np.nan, 0]]))


def test_without_openspiel_the_extra_is_named(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setitem(sys.modules, "open_spiel.python.egt.alpharank", None)
    with pytest.raises(MissingPackageError, match=r"needs OpenSpiel: pip install 'w51_env\[games\]'"):
        alpha_rank(CIRCLE)


def test_the_equilibrium_of_clear_results_is_found_also_if_numpy_raises_for_underflow():
    table = np.subtract.outer(np.arange(5.0), np.arange(5.0)) * 1000
    with np.errstate(all="raise"):
        assert nash_average(table).weights.tolist() == nash_average(table / 1000).weights.tolist() == [0, 0, 0, 0, 1]
