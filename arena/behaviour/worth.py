"""What each relic was worth in the end, by the game's own scoring; and which gaps a seat sees, by its own set-up."""

from pathlib import Path

import numpy as np

from w51_env.core.compile import entry, packages_of, records
from w51_env.core.events import log_dtype
from w51_env.core.game import Game
from w51_env.warehouse51.gaps import beside
from w51_env.warehouse51.scoring import score_game
from w51_env.warehouse51.state import EXPOSED, OVER

_entry = entry("warehouse51_behaviour", (*(packages_of([score_game]) or ()), Path(__file__).parent))


@_entry
def _score_without(rules, games, log, totals, worth):  # type: ignore[no-untyped-def]
    """Take each relic from its owner, score the game again, and give it back. Overwrites points and scores in `games`."""
    for index in range(games.shape[0]):
        game = games[index]
        if game.phase == OVER:  # a game that was given up has no points
            for relic in range(rules[0].num_relics):
                owner = game.place[relic]
                if owner >= 0:
                    game.place[relic] = EXPOSED
                    game.points[:] = 0
                    score_game(rules[0], game, log[0])
                    worth[index, relic] = totals[index, owner] - game.scores[owner]
                    game.place[relic] = owner


@_entry
def _see(rules, seen):  # type: ignore[no-untyped-def]
    for seat in range(seen.shape[0]):
        for gap in range(seen.shape[0]):
            seen[seat, gap] = beside(rules[0], seat, gap)


def worth_to_owner(game: Game, states: np.ndarray) -> np.ndarray:
    """(N, relics) int16: the points that its last owner would have less without each relic, all else as it is; 0 if it has none.

    The points of a majority or a set are lost with any relic that is needed for it, so these do not add up to the score. It is
    negative for a relic that does harm.
    """
    worth = np.zeros((len(states), int(game.rules["num_relics"][0])), np.int16)
    log = np.zeros(1, log_dtype(1))  # off
    _score_without(records(game.rules), records(states.copy()), records(log), states["scores"].copy(), worth)
    return worth


def gaps_beside(game: Game) -> np.ndarray:
    """(players, gaps) bool: whether a seat sees the counterfeits in a gap from the beginning (S4)."""
    seen = np.zeros((game.num_players, game.num_players), np.int8)
    _see(records(game.rules), seen)
    return seen.astype(bool)
