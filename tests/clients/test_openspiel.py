"""OpenSpiel's own tests and algorithms, unmodified, on all games."""

from typing import Any

import numpy as np
import pytest

from tests.clients.openspiel_games import GAMES, TINY, every_game, game_of, random_state, strings_and_nodes
from tests.clients.record import client
from w51_agents.exact.tree import build_tree
from w51_env import make_game
from w51_env.engine.batch import Batch
from w51_env.engine.errors import IllegalActionError, OptionError
from w51_env.engine.victory import wins_of

pytest.importorskip("pyspiel", reason="open-spiel is not installed")
from w51_env.adapters import openspiel

LIBRARY = "open-spiel"


@client(LIBRARY, "`random_sim_test`")
@every_game
def test_random_sim_test_passes(name: str):
    import pyspiel

    pyspiel.random_sim_test(game_of(name), num_sims=2, serialize=True, verbose=False)


@pytest.mark.parametrize(("name", "utility", "total"), [("auctions", "GENERAL_SUM", None), ("nano", "ZERO_SUM", 0.0)])
def test_a_game_says_whether_its_rewards_sum_to_zero(name: str, utility: str, total: float | None):
    import pyspiel

    game = game_of(name)
    assert game.get_type().utility == getattr(pyspiel.GameType.Utility, utility)
    assert game.utility_sum() == total
    assert pyspiel.load_game(str(game)).get_type().utility == game.get_type().utility
    margin = openspiel.make(game.game_id, reward="margin")
    assert (margin.get_type().utility, margin.utility_sum()) == (pyspiel.GameType.Utility.ZERO_SUM, 0.0)


def test_returns_of_an_auction_are_its_payoffs():
    game = game_of("auctions")
    for seed in range(10):
        state = random_state(game, seed)
        while not state.is_terminal():
            state.apply_action(state.legal_actions()[-1])
        scores = game.simulator.record(state._at.position)["scores"][: game.num_players()]
        assert state.returns() == (scores / 10_000).tolist()


@client(LIBRARY, "`GamesSimTest.sim_game` of its tests: cloning, serialization, pickling")
@every_game
def test_the_simulation_of_its_own_tests_passes(name: str):
    from open_spiel.python.tests.games_sim_test import GamesSimTest

    GamesSimTest().sim_game(game_of(name))


@client(LIBRARY, "`EnforceAPIOnFullTreeBase` and `EnforceAPIOnPartialTreeBase` of its `api_test`")
def test_its_api_tests_pass_on_a_whole_tree(monkeypatch: pytest.MonkeyPatch):
    from open_spiel.integration_tests import api_test

    options = {**TINY, "counterfeits_per_gap": 0}
    tree = build_tree(make_game("warehouse51_v1", **options))
    over = sum(int((level.mover < 0).sum()) for level in tree.levels)
    states = sum(tree.information_states(seat) for seat in range(3))
    monkeypatch.setitem(api_test.TOTAL_NUM_STATES, "tiny", (1, tree.nodes() - over, over))
    monkeypatch.setitem(api_test.PERFECT_RECALL_NUM_STATES, "tiny", states)
    game = openspiel.make("warehouse51_v1", **options)
    run_case(api_test.EnforceAPIOnFullTreeBase, game, "tiny")
    run_case(api_test.EnforceAPIOnPartialTreeBase, game, "tiny")


@client(LIBRARY, "`EnforceAPIOnFullTreeBase` and `EnforceAPIOnPartialTreeBase` of its `api_test`")
@pytest.mark.parametrize("name", ["default", "alles_futsch"])
def test_its_api_tests_pass_on_large_games(name: str):
    from open_spiel.integration_tests import api_test

    game_id, options = GAMES[name]
    run_case(api_test.EnforceAPIOnPartialTreeBase, openspiel.make(game_id, **options), name)


def run_case(base: type, game: Any, name: str) -> None:
    """Run all tests of one of OpenSpiel's test cases on a game."""
    import unittest

    case = type(f"{base.__name__} of {name}", (base,), {"game": game, "game_name": name})
    result = unittest.TestResult()
    unittest.defaultTestLoader.loadTestsFromTestCase(case).run(result)
    assert result.testsRun >= 5
    assert not result.errors + result.failures, "\n".join(text for _, text in result.errors + result.failures)


# ---- algorithms


def float64_payoffs(batch: Batch) -> np.ndarray:
    """The rewards `win` without rounding to float32."""
    return wins_of(batch.games["ranks"][:, : batch.game.num_players]) - 1 / batch.game.num_players


def assert_cfr_agrees(options: dict[str, Any], iterations: int, cached: bool = False) -> None:
    """CFR's average policy and uniform play have the values and the NashConv that the exact solver gives them.

    With `cached`, OpenSpiel computes them on its copy of the tree, which asks each state of ours once.
    """
    import pyspiel

    game = openspiel.make("warehouse51_v1", **options)
    tree = build_tree(make_game("warehouse51_v1", **options), payoff=float64_payoffs)
    copy = pyspiel.convert_to_cached_tree(game)
    on = copy if cached else game
    solver = pyspiel.CFRSolver(copy)
    for _ in range(iterations):
        solver.evaluate_and_update_policy()
    average = solver.tabular_average_policy()
    table = {key: dict(choices) for key, choices in average.policy_table().items()}
    strings = strings_and_nodes(game, tree)
    for policy, profile in (
        (pyspiel.UniformRandomPolicy(on), tree.uniform()),
        (
            average,
            [
                np.array(
                    [
                        table[level[parent]][action]
                        for parent, action in zip(
                            below.parent.tolist(), game.own_ids(below.action.tolist()), strict=True
                        )
                    ]
                )
                for level, below in zip(strings, tree.levels[1:], strict=False)
            ],
        ),
    ):
        best = [tree.best_response(seat, profile)[0] for seat in range(3)]
        assert pyspiel.nash_conv(on, policy) == pytest.approx(sum(best) - tree.values(profile).sum(), abs=1e-9)
        values = pyspiel.expected_returns(on.new_initial_state(), policy, -1, True, 0.0)
        assert values == pytest.approx(tree.values(profile).tolist(), abs=1e-9)


@client(LIBRARY, "CFR, NashConv and expected returns agree with `w51_agents.exact` to 1e-9")
def test_cfr_and_exploitability_agree_with_the_exact_solution():
    assert_cfr_agrees({**TINY, "counterfeits_per_gap": 0}, iterations=20)


@pytest.mark.slow
@client(LIBRARY, "CFR, NashConv and expected returns agree with `w51_agents.exact` to 1e-9")
def test_cfr_and_exploitability_agree_with_the_exact_solution_of_nano():
    assert_cfr_agrees({"preset": "nano"}, iterations=10, cached=True)


@client(LIBRARY, "external-sampling MCCFR, in C++ and Python")
def test_external_sampling_mccfr_lowers_exploitability():
    import pyspiel
    from open_spiel.python.algorithms import external_sampling_mccfr

    game = openspiel.make("warehouse51_v1", **TINY, counterfeits_per_gap=0)
    before = pyspiel.nash_conv(game, pyspiel.UniformRandomPolicy(game))
    solver = pyspiel.ExternalSamplingMCCFRSolver(game, seed=1)
    for _ in range(300):
        solver.run_iteration()
    assert pyspiel.nash_conv(game, solver.average_policy(), True) < before / 2
    np.random.seed(1)  # noqa: NPY002 - the solver draws from there
    python_solver = external_sampling_mccfr.ExternalSamplingSolver(game, external_sampling_mccfr.AverageType.SIMPLE)
    for _ in range(5):
        python_solver.iteration()


@client(LIBRARY, "IS-MCTS, with states resampled from the information state")
@pytest.mark.parametrize("name", ["default", "alles_futsch"])
def test_is_mcts_plays_legal_actions(name: str):
    from open_spiel.python.algorithms import ismcts, mcts

    game = game_of(name)
    evaluator = mcts.RandomRolloutEvaluator(1, np.random.RandomState(1))
    bot = ismcts.ISMCTSBot(game, evaluator, uct_c=1.0, max_simulations=8, random_state=np.random.RandomState(2))
    for seed in range(3):
        state = random_state(game, seed)
        assert bot.step(state) in state.legal_actions()


@client(LIBRARY, "alpha-rank of a meta-game of its bots")
def test_alpha_rank_ranks_policies_that_play_the_game():
    import pyspiel
    from open_spiel.python.egt import alpharank

    game = openspiel.make("warehouse51_v1", **TINY, counterfeits_per_gap=0)
    solver = pyspiel.CFRSolver(pyspiel.convert_to_cached_tree(game))
    for _ in range(5):
        solver.evaluate_and_update_policy()
    policies = [pyspiel.UniformRandomPolicy(game), solver.tabular_average_policy()]
    payoffs = [np.zeros((2, 2, 2)) for _ in range(3)]
    for index in np.ndindex(2, 2, 2):
        values = pyspiel.expected_returns(game.new_initial_state(), [policies[i] for i in index], -1, True, 0.0)
        for seat in range(3):
            payoffs[seat][index] = values[seat]
    ranked = alpharank.compute(payoffs, alpha=10)
    assert ranked[2].sum() == pytest.approx(1.0)
    assert ranked[2].argmax() == 7  # all three play the solver's policy


# ---- bad input


def test_bad_input_is_refused_with_what_is_allowed():
    import pyspiel

    with pytest.raises(OptionError, match="preset: 'tiny' is unknown; allowed are default"):
        openspiel.make("warehouse51_v1", preset="tiny")
    with pytest.raises(OptionError, match="game: 'chess' is unknown"):
        openspiel.make("chess")
    with pytest.raises(OptionError, match="chance: 'maybe', but allowed are 'auto', 'explicit', 'seed'"):
        openspiel.make("warehouse51_v1", chance="maybe")
    with pytest.raises(OptionError, match="has more than 10,000, too many to list"):
        openspiel.make("warehouse51_v1", chance="explicit")
    with pytest.raises(OptionError, match="alles_futsch_v1 has no deal_probability"):
        openspiel.make("alles_futsch_v1", chance="explicit")
    with pytest.raises(OptionError, match="options: 'pawn_limit', but name:value;name:value is needed"):
        pyspiel.load_game("warehouse51_v1(options=pawn_limit)")
    game = game_of("nano")
    state = random_state(game, 1, most=2)
    with pytest.raises(IllegalActionError, match=r"action 8 \(bid_6\) is not legal for seat 0; legal are 0 \(choose_d"):
        state.apply_action(8)
    with pytest.raises(IllegalActionError, match=r"action 184 \(ids go from 0 to 8\) is not legal"):
        state.apply_action(184)
    with pytest.raises(OptionError, match="compact: 1, but True or False is needed"):
        openspiel.make("warehouse51_v1", preset="nano", compact=1)
    with pytest.raises(OptionError, match="compact: 'maybe', but allowed are 'auto', 'yes', 'no'"):
        pyspiel.load_game("warehouse51_v1(compact=maybe)")
    state.apply_action(state.legal_actions()[0])
    with pytest.raises(OptionError, match="history: -2, but an integer from -1 to 1048576 is allowed"):
        openspiel.make("warehouse51_v1", history=-2)
    with pytest.raises(OptionError, match="observer: parameters"):
        game.make_py_observer(None, {"size": 3})
