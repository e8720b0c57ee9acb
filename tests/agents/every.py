"""The same test for several games, and decisions of a game."""

from collections.abc import Sequence

import numpy as np
import pytest

from w51_env.engine.batch import Batch
from w51_env.engine.game import Game


def each_game(games: Sequence[Game]) -> pytest.MarkDecorator:
    """Runs a test with each as its argument `game`."""
    return pytest.mark.parametrize(
        "game", games, ids=[f"{game.id}-{game.num_players}-{game.options.get('relics', '')}" for game in games]
    )


def decisions(game: Game, num_games: int = 50, steps: int = 40) -> tuple[np.ndarray, np.ndarray]:
    """Observations (N, size) and masks (N, num_actions) from games that are played at random."""
    batch = Batch(game, num_games, seed=3)
    batch.reset()
    seen, masks = [], []
    for _ in range(steps):
        seen.append(batch.observation.copy())
        masks.append(batch.action_mask.copy())
        batch.step(batch.sample_actions())
    return np.concatenate(seen), np.concatenate(masks)
