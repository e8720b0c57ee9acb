"""Playouts by a mixture of players: one is drawn for each determinization, and has all seats in it."""

from collections.abc import Callable, Sequence

import numpy as np

from w51_env.agents.search.imputation import Player
from w51_env.agents.search.playouts import LeafBatch, Outcomes, Playouts

_HIGH_BITS = np.uint64(40)  #  of a random stream, which no seat changes


class Mixture:
    """Several players of playouts as one, each as likely as the others.

    Who plays follows from the random stream of a determinization. So all candidates of a decision meet the same one
    there, and it has chosen the secret bids, too.

    Args:
        parts: The players, each with the playouts in which it has all seats.
    """

    def __init__(self, parts: Sequence[tuple[Player, Playouts]]):
        self._players = [player for player, _ in parts]
        self._playouts = [playouts for _, playouts in parts]

    def choose(self, observations: np.ndarray, action_masks: np.ndarray, bits: np.ndarray) -> np.ndarray:
        """(N,) int64, an action for each decision; all as of `Player.choose`."""
        actions = np.empty(len(bits), np.int64)
        self._share(bits, lambda number, rows: self._choose(actions, number, rows, observations, action_masks, bits))
        return actions

    def play(self, leaves: LeafBatch) -> Outcomes:
        """The outcome of one playout from each leaf, as `Playouts.play`."""
        played: list[tuple[np.ndarray, Outcomes]] = []

        def play(number: int, rows: np.ndarray) -> None:
            played.append((rows, self._playouts[number].play(LeafBatch(leaves.states[rows], leaves.actions[rows]))))

        self._share(leaves.states["stream"], play)
        order = np.argsort(np.concatenate([rows for rows, _ in played]))
        return Outcomes(*(np.concatenate(parts)[order] for parts in zip(*(one for _, one in played), strict=True)))

    def _choose(self, actions: np.ndarray, number: int, rows: np.ndarray, *arrays: np.ndarray) -> None:
        actions[rows] = self._players[number].choose(*(np.ascontiguousarray(array[rows]) for array in arrays))

    def _share(self, streams: np.ndarray, call: Callable[[int, np.ndarray], None]) -> None:
        """Call with the number of each player and the rows that it plays."""
        drawn = (streams.astype(np.uint64) >> _HIGH_BITS) % np.uint64(len(self._players))
        for number in np.unique(drawn).tolist():
            call(int(number), np.flatnonzero(drawn == number))
