"""Who won a finished game, and the reward of each seat. Rewards are zero-sum."""

import numpy as np

from w51_env.compiler.compile import late
from w51_env.engine.game import Game


def decided_by(game: Game) -> str:
    """What agents are compared by: `Game.decides`; wins where margins are only what one learns from."""
    return "win" if game.options.get("reward") == "margin" else game.decides


def wins_of(ranks: np.ndarray) -> np.ndarray:
    """Wins of each seat: 1 / k for each of the k winners, 0 for all others.

    Args:
        ranks: (..., seats) integers, the final ranks: 1 is best, 0 is an empty seat.

    Returns:
        (..., seats) float64. Its mean over games is the win rate.
    """
    first = ranks == 1
    return first / np.maximum(first.sum(axis=-1, keepdims=True), 1)


@late("engine")
def pay_rewards(rules, game, slot):
    """Write the reward of each seat to `slot.rewards`; `rules.reward` is an index into `engine.options.REWARDS`.

    0 `win`: the wins less 1 / n, where each of k winners counts 1 / k. 1 `rank`: from 1 for the first rank to -1 for
    the last; tied seats get the mean of their ranks. 2 `margin`: the own total less the mean of the others' totals.
    """
    num_players = rules.num_players
    winners = 0
    total = 0
    for seat in range(num_players):
        winners += game.ranks[seat] == 1
        total += int(game.scores[seat])
    for seat in range(num_players):
        if rules.reward == 0:
            wins = 1.0 / winners if game.ranks[seat] == 1 else 0.0
            slot.rewards[seat] = wins - 1.0 / num_players
        elif rules.reward == 1:
            tied = 0
            for other in range(num_players):
                tied += game.ranks[other] == game.ranks[seat]
            ahead = game.ranks[seat] - 1 + (tied - 1) / 2
            slot.rewards[seat] = 1.0 - 2.0 * ahead / (num_players - 1)
        else:
            slot.rewards[seat] = game.scores[seat] - (total - game.scores[seat]) / (num_players - 1)
