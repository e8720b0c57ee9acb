"""Which actions are thought about: all of a short list; of a long ladder of bids, those that differ most."""

import re
from collections import defaultdict

import numpy as np

from w51_env.core.game import Game

_STEPS = (
    0,
    1,
    2,
    4,
    7,
    11,
    16,
    24,
    36,
    54,
    80,
)  # from a rung: near ones differ, as they may be just enough; far ones hardly


class Ladders:
    """The actions of a game that differ only in an amount, as `bid_7`, by the names in its action table.

    Args:
        game: The game.
        shortest: A ladder with fewer legal rungs is left as it is.
    """

    def __init__(self, game: Game, shortest: int = 6):
        self._shortest = shortest
        self._ladder = np.full(len(game.actions), -1)  # of each action, or -1
        self._amount = np.zeros(len(game.actions), np.int64)
        known: dict[str, int] = {}
        for action in range(len(game.actions)):
            if found := re.fullmatch(r"(\w+)_(\d+)", game.actions[action].name):
                self._ladder[action] = known.setdefault(found[1], len(known))
                self._amount[action] = int(found[2])

    def thin(self, legal: np.ndarray, default: int) -> np.ndarray:
        """Those of the `legal` action ids that shall be thought about, `default` first: it is always among them.

        Of a ladder: its least rungs, ever fewer further up, and those around the default.
        """
        chosen = [default]
        by_ladder = defaultdict(list)
        for action in legal.tolist():
            if self._ladder[action] < 0:
                chosen.append(action)
            else:
                by_ladder[self._ladder[action]].append(action)
        for rungs in by_ladder.values():
            if len(rungs) < self._shortest:
                chosen += rungs
                continue
            rungs.sort(key=self._amount.__getitem__)
            wanted = {step for step in _STEPS if step < len(rungs)}
            if default in rungs:
                at = rungs.index(default)
                wanted |= {place for step in _STEPS[1:4] for place in (at - step, at + step) if 0 <= place < len(rungs)}
            chosen += [rungs[place] for place in sorted(wanted)]
        return np.array(list(dict.fromkeys(chosen)))
