"""Tournaments as small as can be, for tests, and agents for them."""

from typing import Any

import numpy as np

from agents.agent import SingleAgent
from agents.arena.plan import Plan, Spec


class Drawn(SingleAgent):
    """A random legal action, drawn by the agent itself."""

    def __init__(self, game):
        self.reset(0)

    def reset(self, seed: int) -> None:
        self._generator = np.random.default_rng(seed)

    def act(self, observation, action_mask, info=None) -> int:
        return int(self._generator.choice(np.flatnonzero(action_mask)))


class Cheat(SingleAgent):
    """Bids more than it has, now and then."""

    def __init__(self, game):
        pass

    def act(self, observation, action_mask, info=None) -> int:
        illegal = np.flatnonzero(np.asarray(action_mask) == 0)
        return int(illegal[0]) if observation.sum() % 7 == 0 else int(np.flatnonzero(action_mask)[0])


DRAWN, CHEAT = "tests.arena.small:Drawn", "tests.arena.small:Cheat"


def plan_of(*agents: str, **changes: Any) -> Plan:
    """A tournament of the mini game, in many blocks."""
    spec = {"options": {"preset": "mini"}, "games": 60, "limit": 60.0, **changes}  # a limit makes each deal a block
    return Plan(Spec(agents=agents, **spec))
