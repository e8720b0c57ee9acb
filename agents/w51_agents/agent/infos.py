"""What agents get beside an observation, if they ask for it: the same in every loop that asks agents.

An agent asks by attributes. `needs_determinizer = True`: `info["determinizer"]`. `needs_memory = True`:
`info["memory"]`, a number of the memory of this seat in this game, and `info["is_first"]`, whether it is the seat's
first decision of the game, so that this memory must be empty. `needs_history = 64`: `info["history"]`, the last rows of
the history that its seat may know.
"""

from collections.abc import Sequence
from copy import deepcopy
from typing import Any

import numpy as np

from w51_env.engine.batch import Batch
from w51_env.engine.errors import OptionError
from w51_env.engine.event_log import check_rows


def needs_memory(agent: Any) -> bool:
    """Whether an agent needs `info["memory"]` and `info["is_first"]`: its attribute `needs_memory` is true."""
    return bool(getattr(agent, "needs_memory", False))


def history_rows(agent: Any) -> int:
    """The most rows of `info["history"]` that an agent needs, its attribute `needs_history`; 0: none.

    Raises:
        OptionError: The attribute is no number of rows.
    """
    return check_rows(f"{type(agent).__name__}.needs_history", getattr(agent, "needs_history", 0) or 0, 0)


def reads_past(agent: Any) -> bool:
    """Whether an agent decides by more than its observation and mask: it has a memory, or reads the history."""
    return needs_memory(agent) or history_rows(agent) > 0


def copy_of(agent: Any) -> Any:
    """A copy of an agent that remembers; OptionError if it has none."""
    try:
        return deepcopy(agent)
    except Exception as error:  # third-party code can fail in any way
        kind = type(agent).__name__
        raise OptionError(
            f"agent {kind}: remembers, and this object cannot be copied for other games ({type(error).__name__}: "
            f"{error}); give its name, 'module:{kind}', or let the class say needs_memory = False if it keeps nothing "
            "from one decision for another"
        ) from error


class DecisionInfos:
    """The infos of agents in the games of a batch.

    Args:
        batch: The batch; it keeps at least as much history as an agent needs.

    Attributes:
        has_decided: (N, players) bool, whether each seat has decided in its game before; agents with memory are told.
    """

    def __init__(self, batch: Batch):
        self.batch = batch
        self.has_decided = np.zeros((batch.num_games, batch.game.num_players), np.bool_)

    def begin(self, games: Any = slice(None)) -> None:
        """In these games the next decision of each seat is the first one."""
        self.has_decided[games] = False

    def of(
        self, agent: Any, rows: np.ndarray, infos: Sequence[dict[str, Any]] | None = None
    ) -> list[dict[str, Any]] | None:
        """The infos of an agent that is to move now in these games; None if it needs nothing.

        Args:
            agent: The agent.
            rows: (n,) integers, the games.
            infos: What it also gets.
        """
        remembers, most = needs_memory(agent), history_rows(agent)
        determines = bool(getattr(agent, "needs_determinizer", False))
        if not (remembers or most or determines):
            return None if infos is None else list(infos)
        given: list[dict[str, Any]] = [{} for _ in rows] if infos is None else list(infos)
        if determines:
            for info, row in zip(given, rows.tolist(), strict=True):
                info["determinizer"] = self.batch.determinizer(row)
        if remembers:
            seats = self.batch.seat[rows].astype(np.int64)
            is_first = ~self.has_decided[rows, seats]
            numbers = rows * self.has_decided.shape[1] + seats
            for info, number, first in zip(given, numbers.tolist(), is_first.tolist(), strict=True):
                info["memory"], info["is_first"] = number, first
            self.has_decided[rows, seats] = True
        if most:
            history, lengths = self.batch.history(last=most)
            for info, row in zip(given, rows.tolist(), strict=True):
                info["history"] = history[row, : lengths[row]].copy()
        return given
