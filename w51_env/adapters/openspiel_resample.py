"""Determinizations as OpenSpiel states: another history of the game that looks the same to one seat."""

import numpy as np

from w51_env.adapters.simulator import Position, Simulator
from w51_env.core.determinization import Determinizer


def redrawn(
    simulator: Simulator, root: Position, actions: list[int], at: Position, seat: int, seed: int
) -> tuple[np.ndarray, list[int]]:
    """A deal and actions that are consistent with everything a seat knows, drawn uniformly.

    Args:
        simulator: Plays the game.
        root: The position after the true deal.
        actions: The decisions since then.
        at: The position after them.
        seat: The seat.
        seed: 0 to 2**64-1; the same seed gives the same deal.

    Returns:
        (1,) structured: the other deal, of random stream 0; and the same actions with other sealed bids of others.
    """
    game, true = simulator.game, simulator.record(at)
    drawn = Determinizer(game, true, seat).draw(1, seed)
    other_actions = list(actions)
    if game.sealed_bids is not None:
        _replace_bids(simulator, root, other_actions, drawn[0], true)
        drawn[game.sealed_bids.field] = true[game.sealed_bids.field]
    before, after, first = (np.frombuffer(data, np.uint8) for data in (at.record, drawn.tobytes(), root.record))
    deal = np.where(before == after, first, after).view(game.record)  # what is redrawn is where the deal put it
    deal["stream"] = 0  # no rule reads it after the deal
    return deal, other_actions


def _replace_bids(simulator: Simulator, root: Position, actions: list[int], drawn: np.void, true: np.void) -> None:
    """Change the actions by which seats made sealed bids that are still hidden to the bids in `drawn`."""
    bids = simulator.game.sealed_bids
    assert bids is not None
    changed = set(np.flatnonzero(drawn[bids.field] != true[bids.field]).tolist())  # a forced bid is not an action
    movers, position = [], root
    for action in actions if changed else []:
        movers.append(position.seat)
        position = simulator.play(position, action)
    for index in reversed(range(len(movers))):
        if movers[index] in changed and 0 <= actions[index] - bids.first_action < bids.num_actions:
            changed.remove(movers[index])
            actions[index] = bids.first_action + int(drawn[bids.field][movers[index]])
