"""OpenSpiel's algorithms on mini games with compact tables: their figures, and a warning where they are none."""

import random
import warnings
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.clients.openspiel_games import GAMES, TINY, random_state
from tests.clients.record import client
from w51_agents.exact.tree import build_tree
from w51_env import make_game
from w51_env.engine.errors import OptionError

pytest.importorskip("pyspiel", reason="open-spiel is not installed")
from w51_env.adapters import openspiel
from w51_env.adapters.openspiel_compact import compact_tables

LIBRARY = "open-spiel"
SMALLEST = {**TINY, "counterfeits_per_gap": 0}  # 7,332 nodes
UNIFORM = 1.1236979166666667  # NashConv of uniform play, as w51_agents.exact computes it


def both() -> tuple[Any, Any]:
    return tuple(openspiel.make("warehouse51_v1", **SMALLEST, compact=compact) for compact in (True, False))


# ---- the tables


@pytest.mark.parametrize(
    ("name", "compact", "actions"),
    [
        ("nano", True, 9),
        pytest.param("mini", True, 24, marks=pytest.mark.slow),
        ("default", False, 185),
        ("alles_futsch mini", True, 18),
    ],
)
def test_mini_games_have_compact_tables_unless_told_otherwise(name: str, compact: bool, actions: int):
    game_id, options = GAMES[name]
    options = {**options, "chance": "seed"}  # it lists no deals
    game, full = openspiel.make(game_id, **options), openspiel.make(game_id, **options, compact=False)
    assert game.num_distinct_actions() == actions
    assert (game.compact is not None) is compact
    assert str(openspiel.pyspiel.load_game(str(full))) == str(full)
    if compact:
        assert full.num_distinct_actions() > 100
        assert game.information_state_tensor_size() < full.information_state_tensor_size() / 1.2


@client(LIBRARY, "a compact mini game is the full one with other numbers of actions")
@pytest.mark.parametrize("name", ["nano", "mini", "alles_futsch mini"])
def test_a_compact_game_is_the_full_one_with_other_numbers(name: str):
    game_id, options = GAMES[name]
    compact, full = (openspiel.make(game_id, **options, compact=kind) for kind in (True, False))
    draw = random.Random(1)
    for _ in range(10):
        one, other = compact.new_initial_state(), full.new_initial_state()
        while not one.is_terminal():
            if one.is_chance_node():
                action = mine = draw.randrange(len(one.chance_outcomes()))
            else:
                names = [[state.action_to_string(move) for move in state.legal_actions()] for state in (one, other)]
                assert names[0] == names[1]
                choice = draw.randrange(len(names[0]))
                mine, action = one.legal_actions()[choice], other.legal_actions()[choice]
                assert one.information_state_string() == other.information_state_string()
                seen, all_seen = (np.array(state.observation_tensor()) for state in (one, other))
                players = full.num_players()
                np.testing.assert_array_equal(seen[players:], all_seen[players:][compact.compact.positions])
            one.apply_action(mine)
            other.apply_action(action)
        assert one.returns() == other.returns()
        assert str(one) == str(other)


@pytest.mark.slow
def test_the_tables_of_nano_have_all_that_its_tree_has():
    game = make_game("warehouse51_v1", preset="nano")
    used = {action for level in build_tree(game).levels[1:] for action in np.unique(level.action).tolist()}
    assert used == set(compact_tables(game).actions)


@client(LIBRARY, "information state tensors of a compact mini game")
def test_tensors_of_a_compact_game_tell_all_information_states_apart():
    game = openspiel.make("warehouse51_v1", preset="mini")
    states = [random_state(game, seed, most=12) for seed in range(150)]
    strings = [state.information_state_string() for state in states]
    tensors = [np.array(state.information_state_tensor()).tobytes() for state in states]
    assert len(set(strings)) == len(set(tensors)) == len(set(zip(strings, tensors, strict=True)))


def test_what_the_drawn_games_never_had_is_an_error_that_says_what_to_do():
    game = make_game("warehouse51_v1", preset="nano")
    tables = compact_tables(game)
    with pytest.raises(OptionError, match=r"compact: action 20 \(bid_16\) is legal, but .* compact=False"):
        tables.id_of(game, 20)
    seen = tables.constant.copy()
    other = next(at for at in range(len(seen)) if at not in set(tables.positions.tolist()))
    seen[other] += 1
    with pytest.raises(OptionError, match=r"compact: the observation has .* make the game with compact=False"):
        tables.check(game, seen)


@client(LIBRARY, "NashConv of a compact mini game is that of the full one")
def test_nash_conv_of_the_same_policy_is_the_same_on_the_compact_and_the_full_game():
    import pyspiel

    compact, full = both()
    draw = np.random.default_rng(1)
    tables: list[dict] = [{}, {}]
    waiting = [compact.new_initial_state()]
    while waiting:
        state = waiting.pop()
        if not state.is_chance_node() and (key := state.information_state_string()) not in tables[0]:
            weights = draw.dirichlet(np.ones(len(state.legal_actions()))).tolist()
            tables[0][key] = list(zip(state.legal_actions(), weights, strict=True))
            own = [compact.action_of(action) for action in state.legal_actions()]
            tables[1][key] = list(zip(own, weights, strict=True))
        waiting += [child for action in state.legal_actions() if not (child := state.child(action)).is_terminal()]
    values = [pyspiel.nash_conv(game, pyspiel.TabularPolicy(table)) for game, table in zip(both(), tables, strict=True)]
    assert values[0] == pytest.approx(values[1], abs=1e-12)
    assert pyspiel.nash_conv(full, pyspiel.UniformRandomPolicy(full)) == pytest.approx(UNIFORM)


# ---- a policy that is none


@client(LIBRARY, "a policy without a mask: a warning before NashConv")
def test_probabilities_of_illegal_actions_are_taken_away_with_a_warning():
    from w51_agents.exact.openspiel_policy import legal_policy, nash_conv

    game = openspiel.make("warehouse51_v1", **SMALLEST)
    with pytest.warns(UserWarning, match=r"add up to 0.2 to 0.4, and not to 1"):
        table = legal_policy(game, lambda state: dict.fromkeys(state.legal_actions(), 0.1))
    assert nash_conv(game, table) == pytest.approx(UNIFORM)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        legal_policy(game, lambda state: dict.fromkeys(state.legal_actions(), 1 / len(state.legal_actions())))
    with pytest.raises(OptionError, match=r"policy: the legal actions of .* have no probabilities"):
        legal_policy(game, lambda state: dict.fromkeys(state.legal_actions(), 0.0))


@client(LIBRARY, "a game whose deals are not listed: NashConv is refused, with what to do")
def test_what_visits_all_states_refuses_a_game_whose_deals_are_not_listed():
    from w51_agents.exact.openspiel_policy import legal_policy, nash_conv

    game = openspiel.make("auctions_v0", num_players=2)
    for call in (legal_policy, nash_conv):
        with pytest.raises(OptionError, match=r"one of 256 \*\* 4 seeds, but .* as preset=mini"):
            call(game, None)
    with pytest.raises(OptionError, match="auctions_v0 with these options has more than 10,000, too many to list"):
        openspiel.make("auctions_v0", num_players=2, chance="explicit")
    with pytest.raises(OptionError, match="auctions_v0 has no deal_probability"):
        openspiel.make("auctions_v0", preset="mini", num_rounds=2, chance="explicit")


# ---- algorithms


@client(LIBRARY, "CFR+ solves mini auctions, of general sum and zero-sum, in a second")
@pytest.mark.parametrize(("reward", "uniform"), [("payoff", 0.4), ("margin", 168)])
def test_cfr_solves_the_mini_auction(reward: str, uniform: float):
    import pyspiel

    game = openspiel.make("auctions_v0", preset="mini", reward=reward)
    assert pyspiel.nash_conv(game, pyspiel.UniformRandomPolicy(game)) == pytest.approx(uniform)
    solver = pyspiel.CFRPlusSolver(pyspiel.convert_to_cached_tree(game))
    for _ in range(20):
        solver.evaluate_and_update_policy()
    assert pyspiel.nash_conv(game, solver.tabular_average_policy()) < uniform / 50


def test_r_nad_is_not_part_of_the_installed_openspiel():  # docs/recipes/openspiel.md says so
    spec = find_spec("open_spiel")
    assert spec is not None
    assert spec.origin is not None
    assert not list(Path(spec.origin).parent.rglob("*rnad*"))


@pytest.mark.slow
@client(LIBRARY, "XFP lowers NashConv of a compact mini game to a fifth in ten iterations")
def test_xfp_lowers_nash_conv():
    import pyspiel
    from open_spiel.python.algorithms import fictitious_play

    from w51_agents.exact.openspiel_policy import legal_policy, nash_conv

    game = pyspiel.convert_to_cached_tree(openspiel.make("warehouse51_v1", **SMALLEST))
    solver = fictitious_play.XFPSolver(game)
    for _ in range(10):
        solver.iteration()
    assert nash_conv(game, legal_policy(game, solver.average_policy().action_probabilities)) < UNIFORM / 5


@pytest.mark.slow
@client(LIBRARY, "outcome-sampling MCCFR on a compact mini game")
def test_outcome_sampling_mccfr_lowers_nash_conv():
    import pyspiel

    game = openspiel.make("warehouse51_v1", **SMALLEST)
    solver = pyspiel.OutcomeSamplingMCCFRSolver(game, seed=1)
    for _ in range(30_000):
        solver.run_iteration()
    assert pyspiel.nash_conv(game, solver.average_policy(), True) < UNIFORM / 1.3


@pytest.mark.slow
@client(LIBRARY, "Deep CFR on a compact mini game: NashConv after a warning, as its network has no mask")
def test_deep_cfr_has_a_nash_conv_once_its_policy_is_one():
    torch = pytest.importorskip("torch")
    from open_spiel.python.pytorch import deep_cfr

    from w51_agents.exact.openspiel_policy import legal_policy, nash_conv

    torch.set_num_threads(1)
    game = openspiel.make("warehouse51_v1", **SMALLEST)
    solver = deep_cfr.DeepCFRSolver(
        game,
        policy_network_layers=(32,),
        advantage_network_layers=(32,),
        num_iterations=3,
        num_traversals=20,
        batch_size_advantage=128,
        batch_size_strategy=256,
        memory_capacity=100_000,
        policy_network_train_steps=500,
        advantage_network_train_steps=200,
    )
    solver.solve()
    with pytest.warns(UserWarning, match="without a mask"):
        table = legal_policy(game, solver.action_probabilities)
    assert 0.1 < nash_conv(game, table) < UNIFORM


@pytest.mark.slow
@client(LIBRARY, "NFSP on a compact mini game: its average policy has probabilities of legal actions only")
def test_nfsp_learns_a_policy_over_legal_actions():
    pytest.importorskip("torch")
    from open_spiel.python import policy, rl_environment
    from open_spiel.python.pytorch import nfsp

    from w51_agents.exact.openspiel_policy import legal_policy, nash_conv

    game = openspiel.make("warehouse51_v1", **SMALLEST)
    environment = rl_environment.Environment(game)
    size = environment.observation_spec()["info_state"][0]
    agents = [
        nfsp.NFSP(
            seat, size, environment.action_spec()["num_actions"], [32], 20_000, 0.1,
            batch_size=64, min_buffer_size_to_learn=200, learn_every=32, seed=seat,
        )
        for seat in range(3)
    ]  # fmt: skip
    for _ in range(300):
        step = environment.reset()
        while not step.last():
            step = environment.step([agents[step.observations["current_player"]].step(step).action])
        for agent in agents:
            agent.step(step)

    def probabilities(state: Any) -> dict[int, float]:
        seat, legal = state.current_player(), state.legal_actions()
        seen = {"info_state": [None] * 3, "legal_actions": [None] * 3, "current_player": seat}
        seen["info_state"][seat], seen["legal_actions"][seat] = state.information_state_tensor(), legal
        with agents[seat].temp_mode_as(nfsp.MODE.AVERAGE_POLICY):
            step = rl_environment.TimeStep(seen, None, None, None)
            found = agents[seat].step(step, is_evaluation=True).probs
        return {action: found[action] for action in legal}

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        table = legal_policy(game, probabilities)
    assert isinstance(table, policy.TabularPolicy)
    assert 0.5 < nash_conv(game, table) < 1.01 * UNIFORM


@pytest.mark.slow
@client(LIBRARY, "`psro_v2` with exact best responses on a compact mini game")
def test_psro_lowers_exploitability():
    pytest.importorskip("cvxpy", reason="needs the extra 'games'")
    from experiments.psro_mini import openspiels

    values = openspiels(iterations=2, seed=1)
    assert values[0] == pytest.approx(UNIFORM / 3)
    assert min(values[1:]) < values[0] / 1.5
