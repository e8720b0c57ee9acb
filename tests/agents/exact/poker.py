"""Kuhn and Leduc poker as trees: OpenSpiel's rules, so that what is exact here can be compared with the literature."""

from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import pyspiel

from w51_agents.exact.tree import Level, Tree
from w51_env.engine.game import NO_ACTION, Game

Chance = list[tuple[list[int], float]]  # all outcomes of the chance nodes of a game, with their probability


def poker_tree(name: str) -> Tree:
    """The tree of a game of OpenSpiel whose chance does not depend on actions; all of it is drawn at the root."""
    game = pyspiel.load_game(name)
    players = game.num_players()
    tree = Tree(cast(Game, SimpleNamespace(num_players=players)))
    numbers: dict[str, int] = {}
    chance = outcomes(game.new_initial_state())
    nodes = [drawn(game.new_initial_state(), list(cards)) for cards, _ in chance]
    parent, action = np.zeros(len(nodes), np.int64), np.full(len(nodes), NO_ACTION, np.int16)
    reach = np.array([probability for _, probability in chance])
    while nodes:
        information = np.array([[number(state, seat, numbers) for state, _ in nodes] for seat in range(players)])
        mover = np.array([-1 if state.is_terminal() else state.current_player() for state, _ in nodes], np.int8)
        payoffs = np.array([state.returns() if state.is_terminal() else [0.0] * players for state, _ in nodes])
        choices = np.array([len(state.legal_actions()) for state, _ in nodes])
        tree.levels.append(Level(parent, action, mover, choices, reach, information, information, payoffs))
        parent = np.repeat(np.arange(len(nodes)), choices)
        action = np.array([chosen for state, _ in nodes for chosen in state.legal_actions()], np.int16)
        before = [nodes[index] for index in parent]
        nodes = [drawn(state.child(chosen), left) for (state, left), chosen in zip(before, action, strict=True)]
        reach = reach[parent]
    return tree


def outcomes(state: Any) -> Chance:
    """All sequences of chance outcomes; the players' actions between them are their first legal ones."""
    while not state.is_terminal() and not state.is_chance_node():
        state = state.child(state.legal_actions()[0])
    if state.is_terminal():
        return [([], 1.0)]
    return [
        ([outcome, *later], probability * rest)
        for outcome, probability in state.chance_outcomes()
        for later, rest in outcomes(state.child(outcome))
    ]


def drawn(state: Any, cards: list[int]) -> tuple[Any, list[int]]:
    """The state after the chance nodes that it is at, and the outcomes that are left."""
    while state.is_chance_node():
        state, cards = state.child(cards[0]), cards[1:]
    return state, cards


def number(state: Any, seat: int, numbers: dict[str, int]) -> int:
    """The number of the information state of a seat."""
    return numbers.setdefault(f"{seat} {state.information_state_string(seat)}", len(numbers))
