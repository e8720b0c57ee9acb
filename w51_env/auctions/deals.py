"""How likely each deal of one round is: for exact solutions of small auctions."""

from math import prod

import numpy as np

from w51_env.auctions.state import MINERAL, PRIVATE, TIE_LOTS
from w51_env.auctions.values import ONE
from w51_env.engine.game import Game


def deal_probability(game: Game, state: np.void) -> float:
    """L1, L4: the probability of the values, and of the lot among equal bids.

    Args:
        game: The game with its rules bound; one round.
        state: One structured record after the set-up.
    """
    rules = game.rules[0]
    drawn = np.diff(rules["cumulative"].astype(float), prepend=0.0) / ONE
    common, signals = int(state["common"]), state["signals"][: game.num_players].tolist()
    if rules["values"] == PRIVATE:
        dealt = prod(drawn[signals])
    elif rules["values"] == MINERAL:
        dealt = drawn[common] / (2 * common + 1) ** len(signals)
    else:
        dealt = drawn[common] * prod(drawn[signal - common] for signal in signals)
    return float(dealt) / TIE_LOTS[game.num_players]
