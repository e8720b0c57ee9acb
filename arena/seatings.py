"""Who sits where: every way to seat a line-up, or rounds that are balanced over deals."""

from itertools import combinations, permutations
from math import factorial

import numpy as np

from agents.agent import AgentError

PERMUTATIONS, ROTATIONS = "permutations", "rotations"
MATCH, PAIRS, GROUPS = "match", "pairs", "groups"
MOST_GROUPS = 200  #  combinations of agents, beyond which a balanced part of them plays


def line_up(num_agents: int, num_players: int) -> np.ndarray:
    """(num_players,) int64: which agent has each place at the table. If there are fewer agents than seats, the seats that are left
    go to the second, third, ... in turn (to the first, if it is alone): so the first meets copies of the others.

    Raises:
        AgentError: No agents, or more than seats.
    """
    if not 1 <= num_agents <= num_players:
        raise AgentError(f"agents: {num_agents}, but 1 to {num_players} can sit down to a game of {num_players}")
    others = range(1, num_agents) if num_agents > 1 else range(1)
    left_over = [others[place % len(others)] for place in range(num_players - num_agents)]
    return np.array([*range(num_agents), *left_over])


def line_ups(kind: str, num_agents: int, num_players: int, seed: int) -> np.ndarray:
    """(L, num_players) int64, the agents that sit down together.

    Args:
        kind: `match`: one table, see `line_up`. `pairs`: each agent alone among copies of each other one. `groups`: every combination of
            as many agents as there are seats; of more than MOST_GROUPS, a part in which all agents play equally often, up to one table.
        num_agents: How many agents there are.
        num_players: How many seats.
        seed: Of the part.

    Raises:
        AgentError: Too many or too few agents.
    """
    if kind == MATCH:
        return line_up(num_agents, num_players)[None]
    if num_agents < 2:
        raise AgentError(f"agents: {num_agents}, but {kind} need at least 2")
    if kind == PAIRS:
        return np.array(
            [
                [one, *[other] * (num_players - 1)]
                for one in range(num_agents)
                for other in range(num_agents)
                if one != other
            ]
        )
    if num_agents <= num_players:
        return line_up(num_agents, num_players)[None]
    if _num_combinations(num_agents, num_players) <= MOST_GROUPS:
        return np.array(list(combinations(range(num_agents), num_players)))
    return _balanced_groups(num_agents, num_players, seed)


def arrangements(lineup: np.ndarray) -> np.ndarray:
    """(S, num_players) int64, every way to seat a line-up, each once: agents by seat."""
    return np.array(sorted(set(permutations(lineup.tolist()))))


def num_arrangements(lineup: np.ndarray) -> int:
    """How many `arrangements` has."""
    found = factorial(len(lineup))
    for count in np.unique(lineup, return_counts=True)[1].tolist():
        found //= factorial(count)
    return found


def seat(lineup: np.ndarray, seatings: str, deals: int, seed: int) -> np.ndarray:
    """(deals, S, num_players) int64: the agents by seat, for each deal and seating.

    Args:
        lineup: (num_players,) which agent has each place.
        seatings: `permutations`: all arrangements for each deal. `rotations`: one circular order for each deal, which moves one seat on
            num_players times, so each place has every seat once; circular orders come equally often, in a drawn sequence.
        deals: How many.
        seed: Of the sequence; the orders of the first deals do not depend on how many there are.
    """
    if seatings == PERMUTATIONS:
        found = arrangements(lineup)
        return np.broadcast_to(found, (deals, *found.shape))
    orders = np.array(
        [(0, *rest) for rest in permutations(range(1, len(lineup)))]
    )  # of places: the first one fixed, so each circle once
    rounds = -(-deals // len(orders))
    generator = np.random.default_rng(seed)
    drawn = np.concatenate([generator.permutation(len(orders)) for _ in range(rounds)])[:deals]
    turns = (np.arange(len(lineup)) - np.arange(len(lineup))[:, None]) % len(lineup)
    return lineup[orders[drawn][:, turns]]


def _num_combinations(num_agents: int, num_players: int) -> int:
    return factorial(num_agents) // factorial(num_players) // factorial(num_agents - num_players)


def _balanced_groups(num_agents: int, num_players: int, seed: int) -> np.ndarray:
    """MOST_GROUPS tables, filled one after the other from shuffled rounds of all agents."""
    generator = np.random.default_rng(seed)
    tables: list[list[int]] = [[]]
    waiting: list[int] = []
    while len(tables) <= MOST_GROUPS:
        waiting += generator.permutation(num_agents).tolist()
        for agent in waiting.copy():
            if agent not in tables[-1]:
                tables[-1].append(agent)
                waiting.remove(agent)
            if len(tables[-1]) == num_players:
                tables.append([])
    return np.sort(np.array(tables[:MOST_GROUPS]), axis=1)
