"""Line-ups and seatings: which agents play together, and in which seats."""

from itertools import combinations, permutations
from math import comb, factorial
from typing import Final

import numpy as np

from w51_agents.agent.interface import AgentError

PERMUTATIONS: Final = "permutations"
ROTATIONS: Final = "rotations"
MATCH: Final = "match"
PAIRS, GROUPS = "pairs", "groups"
PANEL: Final = "panel"
MAX_GROUPS = 200  #  line-ups of `groups` at most; of more combinations, a balanced subset plays


def line_up(num_agents: int, num_players: int) -> np.ndarray:
    """Return the line-up of a match, (num_players,) int64: index of the agent at each position.

    With fewer agents than seats, the second, third, ... agents take the remaining seats in turn; a single agent takes
    all.

    Raises:
        AgentError: No agents, or more than seats.
    """
    if not 1 <= num_agents <= num_players:
        raise AgentError(
            f"agents: {num_agents}, but 1 to {num_players} are allowed in a game of {num_players}; "
            "the formats pairs, panel and groups take more"
        )
    others = range(1, num_agents) if num_agents > 1 else range(1)
    left_over = [others[index % len(others)] for index in range(num_players - num_agents)]
    return np.array([*range(num_agents), *left_over])


def line_ups(kind: str, num_agents: int, num_players: int, seed: int, alike: bool = False) -> np.ndarray:
    """Return the line-ups of a tournament, (L, num_players) int64.

    Args:
        kind: `match`: one line-up (see `line_up`). `pairs`: each agent alone among copies of each other agent.
            `panel`: the first agent with each other agent, in every mixture of the two. `groups`: every combination of
            `num_players` agents; of more than MAX_GROUPS, a random subset in which agents play equally often, up to 1.
        num_agents: Number of agents.
        num_players: Number of seats.
        seed: Seed of the subset.
        alike: With `panel`, each agent has all seats of further games, too.

    Raises:
        AgentError: Too many or too few agents.
    """
    if kind == MATCH:
        return line_up(num_agents, num_players)[None]
    if num_agents < 2:
        raise AgentError(f"agents: {num_agents}, but {kind} need at least 2")
    if kind == PAIRS:
        return np.array([[one, *[other] * (num_players - 1)] for one, other in permutations(range(num_agents), 2)])
    if kind == PANEL:
        mixtures = [(first, other) for other in range(1, num_agents) for first in range(1 - alike, num_players)]
        mixtures += [(num_players, 0)] * alike
        return np.array([[0] * first + [other] * (num_players - first) for first, other in mixtures])
    if num_agents <= num_players:
        return line_up(num_agents, num_players)[None]
    if comb(num_agents, num_players) <= MAX_GROUPS:
        return np.array(list(combinations(range(num_agents), num_players)))
    return _balanced_groups(num_agents, num_players, seed)


def arrangements(lineup: np.ndarray) -> np.ndarray:
    """Return every way to seat a line-up, (S, num_players) int64: index of the agent in each seat."""
    return np.array(sorted(set(permutations(lineup.tolist()))))


def num_arrangements(lineup: np.ndarray) -> int:
    """Return the number of `arrangements`."""
    arrangements = factorial(len(lineup))
    for count in np.unique(lineup, return_counts=True)[1].tolist():
        arrangements //= factorial(count)
    return arrangements


def seat(lineup: np.ndarray, seatings: str, deals: int, seed: int) -> np.ndarray:
    """Return the seatings of each deal, (deals, S, num_players) int64: index of the agent in each seat.

    Args:
        lineup: (num_players,) index of the agent at each position.
        seatings: `permutations`: all arrangements for each deal. `rotations`: one circular order for each deal, shifted
            by one seat num_players times, so each position has every seat once. Circular orders are equally frequent,
            in random sequence.
        deals: Number of deals.
        seed: Seed of the sequence. The orders of the first deals do not depend on `deals`.
    """
    if seatings == PERMUTATIONS:
        possible = arrangements(lineup)
        return np.broadcast_to(possible, (deals, *possible.shape))
    # Circular orders of positions: the first one is fixed, so each circle occurs once.
    orders = np.array([(0, *rest) for rest in permutations(range(1, len(lineup)))])
    rounds = -(-deals // len(orders))
    generator = np.random.default_rng(seed)
    drawn = np.concatenate([generator.permutation(len(orders)) for _ in range(rounds)])[:deals]
    turns = (np.arange(len(lineup)) - np.arange(len(lineup))[:, None]) % len(lineup)
    return lineup[orders[drawn][:, turns]]


def _balanced_groups(num_agents: int, num_players: int, seed: int) -> np.ndarray:
    """(MAX_GROUPS, num_players) line-ups, filled one after the other from shuffled rounds of all agents."""
    generator = np.random.default_rng(seed)
    groups: list[list[int]] = [[]]
    waiting: list[int] = []
    while len(groups) <= MAX_GROUPS:
        waiting += generator.permutation(num_agents).tolist()
        for agent in waiting.copy():
            if agent not in groups[-1]:
                groups[-1].append(agent)
                waiting.remove(agent)
            if len(groups[-1]) == num_players:
                groups.append([])
    return np.sort(np.array(groups[:MAX_GROUPS]), axis=1)
