"""Who sits where in the playouts of a search: as a network believes from what a seat has seen."""

from typing import Any

import numpy as np

from w51_agents.networks.load import load_agent
from w51_agents.search.agent_playouts import seat_bots
from w51_agents.search.imputation import BidImputation
from w51_agents.search.responses import ResponseState
from w51_agents.search.search_settings import SearchSettings
from w51_env.engine.batch import Batch
from w51_env.engine.determinization import Determinizer
from w51_env.engine.game import Game


class Believer:
    """How likely the best bot of a game has each seat, as a network with a `belief` says.

    Args:
        game: The game with its rules bound.
        network: Name of the network; None: nothing is believed, as of one without a belief.
    """

    def __init__(self, game: Game, network: str | None):
        agent: Any = None if network is None else load_agent(game, network)
        self._agent = None if agent is None or agent.network.belief is None else agent
        self._batch = Batch(game, 1, seed=0, autoreset="disabled", keep_final=False)

    def bots(self, determinizer: Determinizer) -> np.ndarray | None:
        """(num_players,) probabilities, 0 for the seat that decides; None if nothing is believed."""
        if self._agent is None:
            return None
        game, chances = determinizer.game, np.zeros(determinizer.game.num_players)
        self._batch.load(determinizer.draw(1, 0))  # what the seat observes is the same in all determinizations
        for place, shares in self._agent.belief(self._batch.observation[0], self._batch.action_mask[0]).items():
            chances[(determinizer.seat + place) % game.num_players] = shares[game.bots[-1]]
        return chances


class BelievingState(ResponseState):
    """A decision in whose determinizations each seat has the bot as often as it is believed to have it.

    Args:
        determinizer, candidates, settings, imputation, seed: As of `SearchState`.
        bots: As of `Believer.bots`; None: the random streams say who has which seat.
    """

    def __init__(
        self,
        determinizer: Determinizer,
        candidates: np.ndarray,
        settings: SearchSettings,
        imputation: BidImputation | None,
        seed: int,
        bots: np.ndarray | None = None,
    ):
        super().__init__(determinizer, candidates, settings, imputation, seed)
        self._bots = bots

    def seat_players(self, states: np.ndarray) -> None:
        if self._bots is not None:
            seat_bots(states["stream"], self._generator.random((len(states), len(self._bots))) < self._bots)
