"""Styles: seats of self-play that like or dislike to pay, so that the network learns to play among any price level.

In pure self-play all seats share one price level, and an agent that was trained so fails among agents with another.
Here each seat has a style, an input of the network: the points that it gets for each ingot that it pays for a lot (it
loses them if the style is negative). A seat sees its own style and no other; it meets tables that pay more or less than
itself, and learns to tell them apart. Style 0 is the game itself, and what an agent plays.

Randomised rewards as a source of diverse opponents: Tang et al., Discovering Diverse Multi-Agent Strategic Behavior via
Reward Randomization (arXiv:2103.04564).
"""

import numpy as np
from pydantic import Field

from w51_env.agents.agent import AgentError
from w51_env.agents.training.settings import Section
from w51_env.core.batch import Batch

UNIT = 100.0  #  styles are stored in hundredths of a point


class Styles(Section):
    """How the styles of an episode are drawn."""

    low: float = Field(-0.4, ge=-1, le=0, description="Least style, in points for each ingot paid.")
    high: float = Field(0.25, ge=0, le=1, description="Greatest style.")
    foreign: float = Field(
        0.4, ge=0, le=1, description="Part of the games in which all seats but one share a style, and that one has 0."
    )
    mixed: float = Field(
        0.3, ge=0, le=1, description="Part of the games in which each seat has a style of its own, half of them 0."
    )


def draw_styles(styles: Styles, count: int, num_seats: np.ndarray, generator: np.random.Generator) -> np.ndarray:
    """(count, seats) int8, the styles of new episodes in hundredths of a point.

    Args:
        styles: How they are drawn.
        count: Number of games.
        num_seats: (count,) int64, seats of each game.
        generator: Draws them.
    """
    size = (count, int(num_seats.max(initial=1)))
    low, high = round(styles.low * UNIT), round(styles.high * UNIT)
    kind = generator.random((count, 1))
    common = generator.integers(low, high, (count, 1), endpoint=True)
    own = generator.integers(low, high, size, endpoint=True) * generator.integers(0, 2, size)
    alone = np.arange(size[1]) == (generator.random(count) * num_seats).astype(np.int64)[:, None]
    drawn = np.where(kind < styles.foreign, np.where(alone, 0, common), 0)
    return np.where(kind >= 1.0 - styles.mixed, own, drawn).astype(np.int8)


def paid(batch: Batch) -> np.ndarray:
    """(N, num_players) int64, what each seat has paid for lots in each game of a batch.

    Raises:
        AgentError: The states of the game do not record it.
    """
    games, players = batch.games, batch.game.num_players
    if not {"buyer", "price"} <= set(games.dtype.names or ()):
        raise AgentError(f"styles: the states of {batch.game.id} do not record who paid which price")
    rows, items = np.nonzero(games["buyer"] >= 0)
    totals = np.zeros((len(games), players), np.int64)
    np.add.at(totals, (rows, games["buyer"][rows, items]), games["price"][rows, items])
    return totals
