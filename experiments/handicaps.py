"""Agents of Warehouse 51 that see or may do less than they could, for pairs of games in which an agent differs."""

import os
from functools import cache, partial
from typing import Any

import numpy as np

from experiments import lab
from w51_agents.agent.interface import BatchAgent, Infos
from w51_agents.agent.seeds import SECRET_VARIABLE
from w51_agents.named.registry import make_agent, register_agent
from w51_env.engine.game import Game

HANDICAPS: dict[str, dict[str, bool]] = {"unchanged": {}, "honest": {"bluffs": False}, "blindfolded": {"sees": False}}


class Handicapped(BatchAgent):
    """An agent of this package, with or without a handicap. `pretrained-v2-honest` is the name of one, once registered.

    Args:
        game: The game.
        agent: Its name.
        sees: Whether it sees counterfeit cards before all do.
        bluffs: Whether it may bid for a counterfeit whose card it sees.
    """

    def __init__(self, game: Game, agent: str, sees: bool = True, bluffs: bool = True):
        self._agent: Any = make_agent(agent, game)
        self._sees, self._bluffs, layout = sees, bluffs, game.layout
        self._lot, self._cards = layout["lot"].slice, [layout[name].slice for name in lab.SEEN_COUNTERFEITS]
        self._bids = np.array([entry.name.startswith("bid_") for entry in game.actions])

    def reset(self, seed: int) -> None:
        """As the agent."""
        self._agent.reset(seed)

    def act_batch(self, observations: np.ndarray, action_masks: np.ndarray, infos: Infos = None) -> np.ndarray:
        """The actions of the agent with what it may see and do."""
        seen, legal = observations.copy(), action_masks.copy()
        if not self._bluffs:
            known = np.any([seen[:, card] > 0 for card in self._cards], axis=0)
            on_known = np.any((seen[:, self._lot] > 0) & known, axis=1)
            legal[on_known[:, None] & self._bids] = 0
        if not self._sees:
            for card in self._cards:
                seen[:, card] = 0
        return np.asarray(self._agent.act_batch(seen, legal, infos))


@cache
def register() -> None:
    """Name each agent of the package with each handicap, as `pretrained-v2-honest`; each run draws equally."""
    os.environ.setdefault(SECRET_VARIABLE, "experiments")
    for agent in lab.AGENTS:
        for name in HANDICAPS:
            register_agent(f"{agent}-{name}", partial(_make, agent, name))


def _make(agent: str, handicap: str, game: Game) -> Handicapped:
    return Handicapped(game, agent, **HANDICAPS[handicap])
