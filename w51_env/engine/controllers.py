"""Controllers: for each seat of a game, who chooses its actions. Arrays hold a bot's index, or EXTERNAL_INDEX."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from w51_env.engine.errors import OptionError
from w51_env.engine.game import EXTERNAL, EXTERNAL_INDEX, Game
from w51_env.engine.options import as_array, check_name, is_list
from w51_env.engine.slots import MAX_EPISODES, MAX_IN_A_ROW, NO_DECISION


def parse_controllers(game: Game, controllers: Sequence[str] | np.ndarray | None, num_games: int) -> np.ndarray:
    """(1, players), (players,) or (num_games, players) integers: the controllers by index.

    Args:
        game: The game with its rules bound.
        controllers: Names, one per seat; or an array of indices of shape (players,) or (num_games, players); or None:
            all seats are external.
        num_games: Number of games.

    Raises:
        OptionError: An unknown name, an index that is not allowed, or a wrong shape.
    """
    players = game.num_players
    if controllers is None:
        return np.full((1, players), EXTERNAL_INDEX, np.int8)
    if isinstance(controllers, np.ndarray) and controllers.dtype.kind in "iu":
        parsed = as_array("controllers", controllers)
    elif is_list(controllers):
        parsed = np.array([_index_of(game, name) for name in controllers])
    else:
        raise OptionError(
            f"controllers: {controllers!r}, but a sequence of names is needed, one for each of {players} seats"
        )
    if parsed.shape not in ((players,), (num_games, players)):
        raise OptionError(f"controllers: shape {parsed.shape}, but one for each of {players} seats is needed")
    if ((parsed < EXTERNAL_INDEX) | (parsed >= len(game.bots))).any():
        raise OptionError(f"controllers: {parsed.min()} to {parsed.max()}, but -1 to {len(game.bots) - 1} is allowed")
    return parsed


def controller_names(game: Game, controllers: np.ndarray) -> tuple[str, ...]:
    """The names of the controllers of one game, (players,) indices."""
    return tuple(EXTERNAL if index < 0 else game.bots[index] for index in controllers.tolist())


def why_endless(game: Game, controllers: np.ndarray, count: int) -> str:
    """Why a game with these controllers stopped, by its `slot.count`."""
    if count == NO_DECISION:
        return (
            f"{MAX_EPISODES} episodes in a row ended without a decision of an external seat with controllers "
            f"{', '.join(controller_names(game, controllers))}"
        )
    return f"{MAX_IN_A_ROW} decisions in a row were forced or made by bots, and no external seat was to move"


def _index_of(game: Game, name: Any) -> int:
    known = (EXTERNAL, *game.bots)
    return known.index(check_name("controllers", name, known)) + EXTERNAL_INDEX
