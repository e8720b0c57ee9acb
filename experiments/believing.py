"""A search whose opponents in the playouts are as likely bots as an agent believes: `experiments.believing:Believing`.

`python evaluate.py experiments.believing:Believing heuristic heuristic heuristic --games 200 --workers 1`
"""

from typing import Any

import numpy as np

from w51_agents.agent.interface import Infos
from w51_agents.named.registry import make_agent
from w51_agents.search.network_playouts import PopulationPlayouts
from w51_agents.search.players import make_population
from w51_agents.search.search_agent import SearchAgent
from w51_agents.search.search_settings import SearchSettings
from w51_env.engine.game import Game

BOT = "heuristic"


class Believing(SearchAgent):
    """In the playouts each other seat is the bot in as many quarters of them as it is likely to be, else a network.

    Args:
        game: Warehouse 51.
        playouts: Playouts of a decision.
        network: Who plays all other seats, and proposes the actions.
        belief: The agent that says how likely each seat is the bot.
    """

    def __init__(self, game: Game, playouts: int = 30, network: str = "pretrained-v2", belief: str = "pretrained"):
        super().__init__(game, SearchSettings(playouts=playouts, playout_bot=network, z_threshold=0.0))
        self._believer: Any = make_agent(belief, game)
        playing = make_population(game, BOT, network)[1]
        assert isinstance(playing, PopulationPlayouts)
        self._playouts = self._population = playing

    def act_batch(self, observations: np.ndarray, action_masks: np.ndarray, infos: Infos = None) -> np.ndarray:
        """As of a search; one decision after the other, as each has beliefs of its own."""
        actions = np.empty(len(observations), np.int64)
        for row in range(len(observations)):
            one = slice(row, row + 1)
            believed = self._believer.belief(observations[row], action_masks[row])
            seat = self._determinizer(infos, row).seat
            quarters = np.zeros(self._game.num_players, np.int64)
            for place, kinds in believed.items():
                quarters[(seat + place) % len(quarters)] = round(4 * kinds[BOT])
            self._population.bot_quarters = quarters
            actions[one] = super().act_batch(
                observations[one], action_masks[one], None if infos is None else infos[one]
            )
        return actions
