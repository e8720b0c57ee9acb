"""Every deal of a small game of Warehouse 51, and how likely each one is."""

from itertools import permutations
from math import factorial, prod

import numpy as np

from agents.agent import AgentError
from w51_env.core.batch import Batch
from w51_env.core.game import Game

_AT_ONCE, _TIMES = 8192, 16  # deals that are drawn
_MOST_DEALS = 10_000


def deals(game: Game) -> tuple[np.ndarray, np.ndarray]:
    """Every state that a set-up can bring, and its probability.

    The engine deals many games; the different ones are kept. That none is missing is seen from their probabilities, which
    are counted from the rules and must sum to 1.

    Raises:
        AgentError: A game with too many deals, or one whose deals are not those of Warehouse 51.
    """
    if "has_counterfeit" not in (game.rules.dtype.names or ()):
        raise AgentError(f"deals: those of {game.id} are not known; give the roots of the tree")
    found: set[bytes] = set()
    batch = Batch(game, _AT_ONCE, autoreset="disabled", observe=False)
    for seed in range(_TIMES):
        batch.reset(seed=seed)
        batch.games["stream"] = 0  # names the deal, and no rule reads it after
        found.update(np.unique(batch.games.view(f"V{game.record.itemsize}")).tolist())
        if len(found) > _MOST_DEALS:
            raise AgentError(
                f"deals: {game.id} with these options has more than {_MOST_DEALS:,}; the preset nano has 26"
            )
    states = np.frombuffer(b"".join(sorted(found)), game.record)
    probabilities = np.array([_deal_probability(game, state) for state in states])
    if not np.isclose(probabilities.sum(), 1.0):
        raise AgentError(
            f"deals: the {len(states)} of {game.id} that were found have probability {probabilities.sum()}"
        )
    return states, probabilities


def _deal_probability(game: Game, state: np.void) -> float:
    """S3, S4, S5: the share of deck orders, first players, and orders of the counterfeit pile that give this state."""
    rules = game.rules[0]
    orders = prod(factorial(int(size)) for size in rules["deck_size"])
    first_players = game.num_players if rules["first_player"] < 0 else 1
    marked = np.flatnonzero(rules["has_counterfeit"]).tolist()
    pile, in_gap = marked + [None] * int(rules["blank_counterfeits"]), int(rules["gap_cards"])
    lies_so = [state["counterfeit_gap"][relic] for relic in marked]
    same = total = 0
    for cards in permutations(pile, game.num_players * in_gap):
        gaps = {relic: place // in_gap for place, relic in enumerate(cards)}
        same += [gaps.get(relic, -1) for relic in marked] == lies_so
        total += 1
    return same / total / orders / first_players
