"""PSRO in a mini game with exact oracles, ours and OpenSpiel's: how exploitable the mixture of the population is."""

from importlib import import_module
from itertools import product
from typing import Any

import numpy as np

from w51_agents.exact.exploitability import exploitability_of
from w51_agents.exact.tree import Profile, Tree, build_tree
from w51_agents.system.errors import needs_extra
from w51_env import make_game

GAME: dict[str, Any] = {"preset": "nano", "start_ingots": 1, "counterfeits_per_gap": 0, "reward": "win"}
SEATS = 3
_STEPS, _RATE = 4000, 0.1  #  of the replicator dynamics that solve the meta-game


def ours(iterations: int) -> list[float]:
    """Exploitability after 0, 1, 2, ... iterations, in wins: exact payoffs, exact best responses."""
    tree = build_tree(make_game("warehouse51_v1", **GAME))
    population: list[Profile] = [tree.uniform()]
    values: list[float] = []
    while True:
        meta = solve(payoffs(tree, population))
        mixture = tree.mixture(population, meta)
        values.append(exploitability_of(tree, mixture).exploitability)
        if len(values) > iterations:
            return values
        responses = [tree.best_response(seat, mixture)[1] for seat in range(SEATS)]
        added = mixture
        for seat, strategy in enumerate(responses):
            added = tree.pure_profile(seat, strategy, added)
        population.append(added)


def payoffs(tree: Tree, population: list[Profile]) -> np.ndarray:
    """(n, n, n, seats): expected payoffs of all seats if seat s plays as in profile i_s."""
    size = len(population)
    table = np.zeros((size,) * SEATS + (SEATS,))
    for chosen in product(range(size), repeat=SEATS):
        profile = population[chosen[0]]
        for seat in range(1, SEATS):
            profile = tree.combined(seat, population[chosen[seat]], profile)
        table[chosen] = tree.values(profile)
    return table


def solve(table: np.ndarray) -> np.ndarray:
    """(n, seats): probabilities of the strategies of each seat, the mean of replicator dynamics."""
    size = table.shape[0]
    shares = np.full((size, SEATS), 1 / size)
    total = np.zeros_like(shares)
    for _ in range(_STEPS):
        total += shares
        one, two, three = shares.T
        fitness = (
            np.einsum("ijk,j,k->i", table[..., 0], two, three),
            np.einsum("ijk,i,k->j", table[..., 1], one, three),
            np.einsum("ijk,i,j->k", table[..., 2], one, two),
        )
        grown = shares * np.exp(_RATE * np.stack(fitness, axis=1))
        shares = grown / grown.sum(axis=0)
    return total / _STEPS


def check_openspiel() -> None:
    """MissingPackageError if OpenSpiel is missing, or cvxpy, which its psro_v2 imports."""
    with needs_extra("psro: OpenSpiel's psro_v2 (or leave it out with --no-openspiel)", "games"):
        import_module("open_spiel.python.algorithms.psro_v2.psro_v2")


def openspiels(iterations: int, seed: int) -> list[float]:
    """The same by `psro_v2` of OpenSpiel with its best responses and projected replicator dynamics; payoffs sampled.

    Raises:
        MissingPackageError: OpenSpiel is missing, or cvxpy, which it imports.
    """
    check_openspiel()
    from open_spiel.python import policy
    from open_spiel.python.algorithms import exploitability, policy_aggregator
    from open_spiel.python.algorithms.psro_v2 import best_response_oracle, psro_v2

    from w51_env.adapters import openspiel

    np.random.seed(seed)  # noqa: NPY002 - psro_v2 draws from numpy's global generator
    game = openspiel.make("warehouse51_v1", **GAME)
    solver = psro_v2.PSROSolver(
        game,
        best_response_oracle.BestResponseOracle(game=game),
        initial_policies=[policy.UniformRandomPolicy(game) for _ in range(SEATS)],
        meta_strategy_method="prd",
        training_strategy_selector="probabilistic",
        sims_per_entry=100,
        sample_from_marginals=True,
    )
    aggregator = policy_aggregator.PolicyAggregator(game)
    uniform = policy.UniformRandomPolicy(game)
    values = [float(exploitability.nash_conv(game, uniform, use_cpp_br=False)) / SEATS]
    for _ in range(iterations):
        solver.iteration()
        mixture = aggregator.aggregate(range(SEATS), solver.get_policies(), solver.get_meta_strategies())
        values.append(float(exploitability.nash_conv(game, mixture, use_cpp_br=False)) / SEATS)
    return values
