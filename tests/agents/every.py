"""The same test for several games."""

from collections.abc import Sequence

import pytest

from w51_env.engine.game import Game


def each_game(games: Sequence[Game]) -> pytest.MarkDecorator:
    """Runs a test with each as its argument `game`."""
    return pytest.mark.parametrize(
        "game", games, ids=[f"{game.id}-{game.num_players}-{game.options.get('relics', '')}" for game in games]
    )
