"""How likely each deal of Warehouse 51 is: for exact solutions of the mini games."""

from collections import Counter
from functools import lru_cache
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
    marked = np.flatnonzero(rules["has_counterfeit"])
    counted = _gaps_of(
        tuple(marked.tolist()), int(rules["blank_counterfeits"]), game.num_players, int(rules["gap_cards"])
    )
    same = counted[tuple(state["counterfeit_gap"][marked].tolist())]
    return same / counted.total() / orders / first_players


@lru_cache(maxsize=8)
def _gaps_of(marked: tuple[int, ...], blanks: int, players: int, in_gap: int) -> Counter[tuple[int, ...]]:
    """How many orders of the counterfeit pile put the counterfeits of these relics into which gaps, -1 for none."""
    counted: Counter[tuple[int, ...]] = Counter()
    for cards in permutations([*marked, *[None] * blanks], players * in_gap):
        gaps = {relic: index // in_gap for index, relic in enumerate(cards)}
        counted[tuple(gaps.get(relic, -1) for relic in marked)] += 1
    return counted
