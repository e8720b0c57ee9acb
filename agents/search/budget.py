"""How long a decision may be thought about: so many playouts, or so many seconds."""

import math
import time

_FIRST = 64  #  playouts of a round before it is known how long one takes
_ROUNDS = 40  # of a budget of seconds, so that it ends on time


class Budget:
    """What may be spent on one decision, and what was.

    Args:
        rollouts: Playouts; None: no bound.
        seconds: Of wall time from now on; None: no bound. One of the two is given.
    """

    def __init__(self, rollouts: int | None, seconds: float | None):
        self._rollouts = rollouts
        self._seconds = seconds or math.inf
        self._begun = time.perf_counter()
        self._played = 0

    def spend(self, playouts: int) -> None:
        """So many were played."""
        self._played += playouts

    def next_round(self, part: float, least: int) -> int:
        """How many playouts to ask for next, `least` or more; 0 if so many would spend more than this part (0 to 1) of the budget."""
        if self._rollouts is not None:
            left = int(part * self._rollouts + 0.5) - self._played
            return left if left >= least else 0
        used = (time.perf_counter() - self._begun) / self._seconds
        if used >= part:
            return 0
        if self._played == 0:
            return max(least, _FIRST)
        whole = self._played / used  # playouts of the whole budget, at the pace so far
        return max(least, int(min(part - used, 1 / _ROUNDS) * whole))
