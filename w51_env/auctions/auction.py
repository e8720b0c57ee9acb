"""An auction: decisions that are made at the same time, the clock, the sale. L2 to L5."""

import numpy as np

from w51_env.auctions import state
from w51_env.auctions.event_types import EVENT
from w51_env.auctions.values import deal_values, draw_lots, round_counter, worth_to
from w51_env.compiler.compile import kernel, scratch
from w51_env.engine.events import emit

_before = scratch(state.MAX_PLAYERS, np.int64)


@kernel
def has_clock(rules):
    """L3: whether a clock shows the price."""
    return rules.auction == state.ENGLISH or rules.auction == state.DUTCH


@kernel
def begin_round(rules, game, log):
    """L1, L6, L9: the values of the round; all seats are in that may want a lot."""
    emit(log, EVENT.ROUND_BEGINS, state.NOBODY, game.round + 1, 0, 0, 0)
    if game.round == 0 or not rules.keep_values:
        deal_values(rules, game)
        for seat in range(rules.num_players):
            emit(log, EVENT.SIGNAL, seat, game.signals[seat], 0, 0, 0)
            if rules.two_bids:
                emit(log, EVENT.SIGNAL, seat, game.second_signals[seat], 0, 0, 0)
    draw_lots(rules, game, round_counter(game))
    for seat in range(rules.num_players):
        game.bidding[seat] = not (rules.in_turn and game.wins[seat] > 0)
        game.bids[seat] = state.NOT_BID
        game.second_bids[seat] = state.NOT_BID
        game.shown[seat] = state.PASSED
    game.clock = rules.highest if rules.auction == state.DUTCH else rules.lowest
    next_to_decide(rules, game)


@kernel
def next_to_decide(rules, game):
    """L2: all decide at the same time, so one after another in secret. Returns False if all in the auction have."""
    for seat in range(rules.num_players):
        second = rules.two_bids and game.second_bids[seat] == state.NOT_BID
        if game.bidding[seat] and (game.bids[seat] == state.NOT_BID or second):
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
            if not has_clock(rules) and not rules.in_turn:
                emit(log, EVENT.SHOWN, seat, bid_of(rules, game.shown[seat]), 0, 0, 0)
            if rules.two_bids:
                game.second_shown[seat] = game.second_bids[seat]
                emit(log, EVENT.SHOWN, seat, bid_of(rules, game.second_shown[seat]), 0, 0, 0)
        game.bids[seat] = state.NOT_BID
        game.second_bids[seat] = state.NOT_BID
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
def bid_for(rules, game, seat, item):
    """L4, L8, L9: the bid of a seat for an item; of two units, its highest bid that has not won."""
    number = int(game.wins[seat]) if rules.units else item
    if number == 0:
        return int(game.shown[seat])
    return int(game.second_shown[seat]) if number == 1 else state.PASSED


@kernel
def highest_bidder(rules, game, item):
    """L4: the seat with the highest bid, of equal bids one by lot; NOBODY if all have passed.

    The lot then decides among those left, as likely: TIE_LOTS are divided by them, too.
    """
    highest, tied = state.PASSED, 0
    for seat in range(rules.num_players):
        bid = bid_for(rules, game, seat, item)
        if bid > highest:
            highest, tied = bid, 1
        elif bid == highest:
            tied += 1
    if highest == state.PASSED:
        return state.NOBODY
    lots = state.TIE_LOTS[rules.num_players]
    drawn = (int(game.lot) if item == 0 else int(game.second_lot)) * tied
    chosen = drawn // lots
    if item == 0:
        game.lot = drawn % lots
    for seat in range(rules.num_players):
        if bid_for(rules, game, seat, item) == highest:
            if chosen == 0:
                return seat
            chosen -= 1
    return state.NOBODY


@kernel
def ranked_bid(rules, game, item, rank):
    """L4: the bid of this rank, 0 the highest, as a decision; the least bid if there is none."""
    for seat in range(rules.num_players):
        higher, equal = 0, 0
        bid = bid_for(rules, game, seat, item)
        for other in range(rules.num_players):
            against = bid_for(rules, game, other, item)
            higher += against > bid
            equal += against == bid
        if higher <= rank < higher + equal:
            return max(bid, 1 + int(rules.lowest))
    return 1 + int(rules.lowest)


@kernel
def lost_bid(rules, game, seat, rank):
    """L8: of the bids of others that did not win, the highest, rank 0, or the next one; the least bid if none."""
    first, second = state.PASSED, state.PASSED
    for other in range(rules.num_players):
        if other != seat:
            for number in range(int(game.wins[other]), state.LOTS):
                bid = int(game.shown[other]) if number == 0 else int(game.second_shown[other])
                if bid > first:
                    first, second = bid, first
                elif bid > second:
                    second = bid
    return max(first if rank == 0 else second, 1 + int(rules.lowest))


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
def utility_of(rules, seat, gain):
    """L6: the utility of a payoff in hundredths, by the table of whole units and what is between two of them."""
    if gain <= 0:
        return gain
    unit = gain // state.CENTS
    low, high = rules.utility[seat, unit], rules.utility[seat, unit + 1]
    return low + (high - low) * (gain - state.CENTS * unit) // state.CENTS


@kernel
def settle(rules, game, seat, number, price, log):
    """L5, L6: a seat pays for a lot, and gets its worth."""
    worth = worth_to(rules, game, seat, number)
    if not rules.keep_values:
        game.totals[seat] += worth
    emit(log, EVENT.SOLD, seat, price, -1 if rules.keep_values else worth, 0, 0)


@kernel
def sell_item(rules, game, item, log):
    """L4, L5: the winner of an item gets it, and payments are made. Returns the winner."""
    winner = highest_bidder(rules, game, item)
    if rules.auction == state.ALL_PAY:
        for seat in range(rules.num_players):
            if bid_for(rules, game, seat, item) > state.PASSED:
                pay(rules, game, seat, bid_of(rules, bid_for(rules, game, seat, item)))
    if winner == state.NOBODY:
        emit(log, EVENT.UNSOLD, state.NOBODY, 0, 0, 0, 0)
        return winner
    price = bid_of(rules, ranked_bid(rules, game, item, rank_that_prices(rules)))
    if rules.auction != state.ALL_PAY:
        pay(rules, game, winner, price)
    game.wins[winner] += 1
    settle(rules, game, winner, item, price, log)
    return winner


@kernel
def sell_units(rules, game, log):
    """L8: the two highest bids win a unit each. Returns the first winner."""
    winner = highest_bidder(rules, game, 0)
    following = winner
    for unit in range(state.LOTS):
        if unit > 0 and game.second_shown[winner] != game.shown[winner]:  # else the first winner's second bid is first
            following = highest_bidder(rules, game, 0)
        if following == state.NOBODY:
            emit(log, EVENT.UNSOLD, state.NOBODY, 0, 0, 0, 0)
            break
        game.wins[following] += 1
    for seat in range(rules.num_players):
        for number in range(int(game.wins[seat])):
            bid = int(game.shown[seat]) if number == 0 else int(game.second_shown[seat])
            if rules.auction == state.UNIFORM_PRICE:
                bid = ranked_bid(rules, game, 0, 0)
            elif rules.auction == state.VICKREY:
                bid = lost_bid(rules, game, seat, number)
            pay(rules, game, seat, bid_of(rules, bid))
            settle(rules, game, seat, number, bid_of(rules, bid), log)
    return winner


@kernel
def sell(rules, game, log):
    """L4 to L9: lots are sold, payments made, and payoffs counted."""
    before = _before()
    for seat in range(rules.num_players):  # all at once would allocate, so that loading the code imports Numba
        before[seat] = game.totals[seat]
        if game.shown[seat] > state.PASSED:
            take(rules, game, seat, -int(rules.entry_fee))
    if rules.units:
        winner = sell_units(rules, game, log)
    else:
        winner = sell_item(rules, game, 0, log)
        if rules.items > 1 and sell_item(rules, game, 1, log) == winner != state.NOBODY:
            game.totals[winner] += rules.synergy * (int(game.signals[winner]) + int(game.second_signals[winner]))
    for seat in range(rules.num_players):
        if not rules.keep_values:
            gain = int(game.totals[seat]) - int(before[seat])
            game.totals[seat] = before[seat] + utility_of(rules, seat, gain)
        game.last[seat] = game.shown[seat] if seat == winner or not rules.in_turn else state.PASSED
    if rules.in_turn and winner != state.NOBODY:
        game.last[winner] = ranked_bid(rules, game, 0, rank_that_prices(rules))
    game.last_winner = winner
    game.lot = 0
    game.second_lot = 0
    game.round += 1
