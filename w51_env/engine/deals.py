"""All deals of a small game, with their probabilities: for exact solutions and explicit chance nodes."""

import numpy as np

from w51_env.compiler.compile import blocks
from w51_env.engine.batch import Batch
from w51_env.engine.errors import OptionError
from w51_env.engine.game import Game

_GAMES_PER_CALL, _CALLS = 8192, 16  # deals that are drawn
_MAX_DEALS = 10_000


def deals(game: Game) -> tuple[np.ndarray, np.ndarray]:
    """All states that a set-up can produce, and their probabilities.

    The engine deals many games, and the distinct ones are kept. Their probabilities come from
    `Game.deal_probability`, which counts them from the rules; they sum to 1 only if no deal is missing.

    Returns:
        (N,) structured and (N,) float64.

    Raises:
        OptionError: The game has too many deals, or no `deal_probability`.
    """
    if game.deal_probability is None:
        raise OptionError(f"deals: {game.id} has no deal_probability, so its deals cannot be listed")
    distinct: set[bytes] = set()
    batch = Batch(game, _GAMES_PER_CALL, autoreset="disabled", observe=False)
    for seed in range(_CALLS):
        batch.reset(seed=seed)
        dealt = batch.clone()
        dealt["stream"] = 0  # the number of the deal; no rule reads it later
        distinct.update(np.unique(blocks(dealt)).tolist())
        if len(distinct) > _MAX_DEALS:
            raise OptionError(f"deals: {game.id} with these options has more than {_MAX_DEALS:,}, too many to list")
    states = np.frombuffer(b"".join(sorted(distinct)), game.record)
    probabilities = np.array([game.deal_probability(game, state) for state in states])
    if not np.isclose(probabilities.sum(), 1.0):
        raise OptionError(
            f"deals: the {len(states)} found for {game.id} have probability {probabilities.sum()}, but 1 is needed"
        )
    return states, probabilities
