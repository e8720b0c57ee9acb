"""Who sits where in the playouts of a search: as a network believes from what a seat has seen."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np

from w51_agents.networks.load import load_agent
from w51_agents.search.agent_playouts import Population
from w51_agents.search.imputation import BidImputation
from w51_agents.search.playouts import Player
from w51_agents.search.responses import ResponseState
from w51_agents.search.search_settings import SearchSettings
from w51_env.engine.batch import Batch
from w51_env.engine.determinization import Determinizer
from w51_env.engine.game import Game

# Changes the random streams of determinizations, which say who has which seat.
Seating = Callable[[np.ndarray, np.random.Generator], None]


class Believer:
    """How likely each of some players has each seat, as a network with a `belief` says.

    Args:
        game: The game with its rules bound.
        names: The players; the last one is a network, which believes if it has a belief.
        player: These, as `make_population` returns them.
    """

    def __init__(self, game: Game, names: Sequence[str], player: Player | Population):
        agent: Any = load_agent(game, names[-1]) if isinstance(player, Population) else None
        self._agent = None if agent is None or agent.network.belief is None else agent
        self._names, self._player = names, player
        self._batch = Batch(game, 1, seed=0, autoreset="disabled", keep_final=False)

    def seating(self, determinizer: Determinizer) -> Seating | None:
        """Seats the players as often as they are believed to sit there; None if nothing is believed."""
        if self._agent is None or not isinstance(self._player, Population):
            return None
        players, shares = determinizer.game.num_players, np.zeros((determinizer.game.num_players, len(self._names)))
        self._batch.load(determinizer.draw(1, 0))  # what the seat observes is the same in all determinizations
        for place, styles in self._agent.belief(self._batch.observation[0], self._batch.action_mask[0]).items():
            shares[(determinizer.seat + place) % players] = [styles.get(name, 0.0) for name in self._names]
        shares[:, -1] = 1.0 - shares[:, :-1].sum(1)  # of the seat that decides, and what is believed to be another
        return partial(self._player.seat, shares)


class BelievingState(ResponseState):
    """A decision in whose determinizations each seat has each player as often as it is believed to.

    Args:
        determinizer, candidates, settings, imputation, seed: As of `SearchState`.
        seating: As of `Believer.seating`; None: the random streams say who has which seat.
    """

    def __init__(
        self,
        determinizer: Determinizer,
        candidates: np.ndarray,
        settings: SearchSettings,
        imputation: BidImputation | None,
        seed: int,
        seating: Seating | None,
    ):
        super().__init__(determinizer, candidates, settings, imputation, seed)
        self._seating = seating

    def seat_players(self, states: np.ndarray) -> None:
        if self._seating is not None:
            self._seating(states["stream"], self._generator)
