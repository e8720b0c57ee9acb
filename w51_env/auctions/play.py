"""The beginning, one move and all that follows from it, the end: L2, L6."""

from w51_env.auctions import state
from w51_env.auctions.auction import (
    begin_round,
    bid_of,
    clock_runs_on,
    has_clock,
    next_to_decide,
    sell,
    show_decisions,
)
from w51_env.auctions.event_types import EVENT
from w51_env.auctions.rules import PAYOFF
from w51_env.auctions.values import worth_to
from w51_env.compiler.compile import kernel, late
from w51_env.engine.events import emit
from w51_env.engine.victory import pay_rewards as pay_zero_sum


@kernel
def set_up(rules, game, log):
    """L1, L5: money, values of the first round."""
    for seat in range(rules.num_players):
        game.money[seat] = rules.budget
    game.last_winner = state.NOBODY
    begin_round(rules, game, log)


@kernel
def move(rules, game, action, log, forced):
    """Carry out one action of the seat to move, and all that follows up to the next decision."""
    if game.bids[game.seat] == state.NOT_BID:
        game.bids[game.seat] = action
    else:
        game.second_bids[game.seat] = action
    if not has_clock(rules):
        emit(log, EVENT.SEALED, game.seat, bid_of(rules, action), 0, 0, forced)
    if next_to_decide(rules, game):
        return
    count = show_decisions(rules, game, log)
    if clock_runs_on(rules, game, count):
        return
    sell(rules, game, log)
    if game.round < rules.num_rounds:
        begin_round(rules, game, log)
    else:
        end_game(rules, game, log)


@late("auctions")
def end_game(rules, game, log):
    """L6: the mean payoff of a round; the highest is first."""
    for seat in range(rules.num_players):
        if rules.keep_values:
            game.totals[seat] += int(game.wins[seat]) * worth_to(rules, game, seat, 0)
        game.scores[seat] = int(game.totals[seat]) // int(rules.num_rounds)
    for seat in range(rules.num_players):
        rank = 1
        for other in range(rules.num_players):
            rank += game.scores[other] > game.scores[seat]
        game.ranks[seat] = rank
        emit(log, EVENT.FINISHED, seat, game.scores[seat], rank, 0, 0)
    game.phase = state.OVER
    game.over = 1
    game.seat = state.NOBODY


@late("auctions")
def pay_rewards(rules, game, slot):
    """L6: the payoff as a part of the highest value, or a reward that is zero-sum."""
    if rules.reward != PAYOFF:
        pay_zero_sum(rules, game, slot)
        return
    for seat in range(rules.num_players):
        slot.rewards[seat] = game.scores[seat] / (float(state.CENTS) * rules.max_value)
