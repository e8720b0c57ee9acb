"""An auction: decisions that are made at the same time, the clock, the sale. L2 to L5."""

import numpy as np

from w51_env.auctions import state
from w51_env.auctions.event_types import EVENT
from w51_env.auctions.values import deal_values, draw_lot, round_counter, worth_to
from w51_env.compiler.compile import kernel, scratch
from w51_env.engine.events import emit

_before = scratch(state.MAX_PLAYERS, np.int64)


@kernel
def has_clock(rules):
    """L3: whether a clock shows the price."""
    return rules.auction == state.ENGLISH or rules.auction == state.DUTCH


@kernel
def begin_round(rules, game, log):
    """L1, L6: the values of the round; all seats are in."""
    emit(log, EVENT.ROUND_BEGINS, state.NOBODY, game.round + 1, 0, 0, 0)
    if game.round == 0 or not rules.keep_values:
        deal_values(rules, game)
        for seat in range(rules.num_players):
            emit(log, EVENT.SIGNAL, seat, game.signals[seat], 0, 0, 0)
    game.lot = draw_lot(rules, game.stream, round_counter(game))
    for seat in range(rules.num_players):
        game.bidding[seat] = 1
        game.bids[seat] = state.NOT_BID
        game.shown[seat] = state.PASSED
    game.clock = rules.highest if rules.auction == state.DUTCH else rules.lowest
    game.seat = 0


@kernel
def next_to_decide(rules, game):
    """L2: all decide at the same time, so one after another in secret. Returns False if all in the auction have."""
    for seat in range(rules.num_players):
        if game.bidding[seat] and game.bids[seat] == state.NOT_BID:
            game.seat = seat
            return True
    return False


@kernel
def show_decisions(rules, game, log):
    """L2, L3: decisions are shown at once; who passes at a rising clock is out. Returns how many seats have bid."""
    count = 0
    for seat in range(rules.num_players):
        if game.bidding[seat]:
            if game.bids[seat] > state.PASSED:
                count += 1
                game.shown[seat] = game.bids[seat]
                if rules.auction == state.DUTCH:
                    emit(log, EVENT.CLAIMED, seat, price_of(rules, game.clock), 0, 0, 0)
            elif rules.auction == state.ENGLISH:
                game.bidding[seat] = 0
                emit(log, EVENT.LEFT, seat, price_of(rules, game.clock), 0, 0, 0)
            if not has_clock(rules):
                emit(log, EVENT.SHOWN, seat, bid_of(rules, game.shown[seat]), 0, 0, 0)
        game.bids[seat] = state.NOT_BID
    return count


@kernel
def clock_runs_on(rules, game, count):
    """L3: moves the clock on, after `count` seats have taken its price. Returns False if the auction is over."""
    if rules.auction == state.ENGLISH and count > 1 and game.clock < rules.highest:
        game.clock += 1
    elif rules.auction == state.DUTCH and count == 0 and game.clock > rules.lowest:
        game.clock -= 1
    else:
        return False
    game.seat = 0
    return next_to_decide(rules, game)


@kernel
def price_of(rules, steps):
    """Units of a number of steps."""
    return int(steps) * int(rules.bid_step)


@kernel
def bid_of(rules, decision):
    """Units of a bid, -1 for a pass."""
    return price_of(rules, decision - 1) if decision > state.PASSED else -1


@kernel
def highest_bidder(rules, game):
    """L4: the seat with the highest bid, of equal bids one by lot; NOBODY if all have passed."""
    highest, tied = state.PASSED, 0
    for seat in range(rules.num_players):
        if game.shown[seat] > highest:
            highest, tied = int(game.shown[seat]), 1
        elif game.shown[seat] == highest:
            tied += 1
    if highest == state.PASSED:
        return state.NOBODY
    chosen = int(game.lot) * tied // state.TIE_LOTS[rules.num_players]
    for seat in range(rules.num_players):
        if game.shown[seat] == highest:
            if chosen == 0:
                return seat
            chosen -= 1
    return state.NOBODY


@kernel
def ranked_bid(rules, game, rank):
    """L4: the bid of this rank, 0 the highest, as a decision; the least bid if there is none."""
    for seat in range(rules.num_players):
        higher, equal = 0, 0
        for other in range(rules.num_players):
            higher += game.shown[other] > game.shown[seat]
            equal += game.shown[other] == game.shown[seat]
        if higher <= rank < higher + equal:
            return max(int(game.shown[seat]), 1 + int(rules.lowest))
    return 1 + int(rules.lowest)


@kernel
def rank_that_prices(rules):
    """L4: the rank of the bid that the winner pays."""
    if rules.auction == state.SECOND_PRICE or rules.auction == state.ENGLISH:
        return 1
    return 2 if rules.auction == state.THIRD_PRICE else 0


@kernel
def pay(rules, game, seat, amount):
    """L5: a seat pays the bank, or all others in equal parts; what is left over goes to the bank."""
    take(rules, game, seat, -amount)
    if rules.shared:
        share = amount // (int(rules.num_players) - 1)
        for other in range(rules.num_players):
            if other != seat:
                take(rules, game, other, share)


@kernel
def take(rules, game, seat, amount):
    """L5: money that a seat gets; negative: that it pays."""
    game.totals[seat] += state.CENTS * amount
    if rules.budget > 0:
        game.money[seat] += amount


@kernel
def utility_of(rules, gain):
    """L6: the utility of a payoff in hundredths, by the table of whole units and what is between two of them."""
    if gain <= 0:
        return gain
    unit = gain // state.CENTS
    low, high = rules.utility[unit], rules.utility[unit + 1]
    return low + (high - low) * (gain - state.CENTS * unit) // state.CENTS


@kernel
def sell(rules, game, log):
    """L4, L5, L6: the winner gets the lot, payments are made, and payoffs counted."""
    winner = highest_bidder(rules, game)
    before = _before()
    for seat in range(rules.num_players):  # all at once would allocate, so that loading the code imports Numba
        before[seat] = game.totals[seat]
    for seat in range(rules.num_players):
        if game.shown[seat] > state.PASSED:
            take(rules, game, seat, -int(rules.entry_fee))
            if rules.auction == state.ALL_PAY:
                pay(rules, game, seat, bid_of(rules, game.shown[seat]))
    if winner == state.NOBODY:
        emit(log, EVENT.UNSOLD, state.NOBODY, 0, 0, 0, 0)
    else:
        price = bid_of(rules, ranked_bid(rules, game, rank_that_prices(rules)))
        if rules.auction != state.ALL_PAY:
            pay(rules, game, winner, price)
        worth = worth_to(rules, game, winner)
        game.wins[winner] += 1
        if not rules.keep_values:
            game.totals[winner] += worth
        emit(log, EVENT.SOLD, winner, price, -1 if rules.keep_values else worth, 0, 0)
    for seat in range(rules.num_players):
        if not rules.keep_values:
            game.totals[seat] = before[seat] + utility_of(rules, int(game.totals[seat]) - int(before[seat]))
        game.last[seat] = game.shown[seat]
    game.last_winner = winner
    game.lot = 0
    game.round += 1
