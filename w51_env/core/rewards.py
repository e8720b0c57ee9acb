"""Rewards of a finished game, from its totals and ranks: one of `core.options.REWARDS`, zero-sum each."""

from w51_env.core.compile import kernel


@kernel
def pay_rewards(rules, game, lane):
    """Write each seat's reward to `lane.rewards`, as `rules.reward` says.

    0 `win`: the wins (`core.victory.wins_of`) less 1 / n. 1 `rank`: from 1 for the first to -1 for the last; ties share the mean of
    their places. 2 `margin`: own total less the mean of the others'.
    """
    num_players = rules.num_players
    winners = 0
    total = 0
    for seat in range(num_players):
        winners += game.ranks[seat] == 1
        total += int(game.scores[seat])
    for seat in range(num_players):
        if rules.reward == 0:
            share = 1.0 / winners if game.ranks[seat] == 1 else 0.0
            lane.rewards[seat] = share - 1.0 / num_players
        elif rules.reward == 1:
            tied = 0
            for other in range(num_players):
                tied += game.ranks[other] == game.ranks[seat]
            place = game.ranks[seat] - 1 + (tied - 1) / 2
            lane.rewards[seat] = 1.0 - 2.0 * place / (num_players - 1)
        else:
            lane.rewards[seat] = game.scores[seat] - (total - game.scores[seat]) / (num_players - 1)
