"""Opponents of a learner: bots play inside the batch; `w51_agents.named.opponents` asks agents, for many games at once."""

from typing import Any

import numpy as np

from w51_env.adapters.learner import LearnerGames
from w51_env.engine.errors import OptionError
from w51_env.engine.game import EXTERNAL_INDEX, Game
from w51_env.engine.imports import by_name
from w51_env.engine.options import is_list

Opponents = Any  # a name or an agent (`w51_agents.named.opponents.Opponent`), or a sequence of these
_with_agents = by_name("w51_agents.named.opponents:AgentGames")


def make_games(game: Game, num_games: int, opponents: Opponents, **arguments: Any) -> LearnerGames:
    """Games of a learner and its opponents.

    Args:
        game: The game with its rules bound.
        num_games: Number of games.
        opponents: One for all other seats, or one for each, clockwise from the learner's left: a bot's name, an agent,
            or the name of an agent.
        **arguments: Further arguments of `LearnerGames`.

    Raises:
        OptionError: A wrong number of opponents, or one that is neither a known name nor an agent.
    """
    others = game.num_players - 1
    listed: list[Any] = list(opponents) if is_list(opponents) else [opponents] * others
    if len(listed) != others:
        raise OptionError(
            f"opponents: {len(listed)} given, but one for all or one for each of {others} other seats is needed"
        )
    if all(isinstance(one, str) and one in game.bots for one in listed):
        controllers = np.array([EXTERNAL_INDEX, *map(game.bots.index, listed)], np.int8)
        return LearnerGames(game, num_games, controllers, **arguments)
    games: LearnerGames = _with_agents(game, num_games, listed, **arguments)
    return games
