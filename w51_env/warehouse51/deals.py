"""How likely each deal of Warehouse 51 is: for exact solutions of the mini games."""

from itertools import permutations
from math import factorial, prod

import numpy as np

from w51_env.engine.game import Game


def deal_probability(game: Game, state: np.void) -> float:
    """S3, S4, S5: the part of deck orders, first players, and orders of the counterfeit pile that give this state.

    Args:
        game: The game with its rules bound.
        state: One structured record after the set-up.
    """
    rules = game.rules[0]
    orders = prod(factorial(int(size)) for size in rules["deck_size"])
    first_players = game.num_players if rules["first_player"] < 0 else 1
    marked = np.flatnonzero(rules["has_counterfeit"]).tolist()
    pile, in_gap = marked + [None] * int(rules["blank_counterfeits"]), int(rules["gap_cards"])
    dealt = [state["counterfeit_gap"][relic] for relic in marked]
    same = total = 0
    for cards in permutations(pile, game.num_players * in_gap):
        gaps = {relic: index // in_gap for index, relic in enumerate(cards)}
        same += [gaps.get(relic, -1) for relic in marked] == dealt
        total += 1
    return same / total / orders / first_players
