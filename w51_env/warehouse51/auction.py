"""Auctions: T1 reveal, T2 and T3 open bids, T5 blind bids, T4 and T6 sale or no sale."""

from w51_env.compiler.compile import kernel
from w51_env.engine.events import emit, keeps_games
from w51_env.engine.seats import left_of, next_bidder
from w51_env.engine.table_statistics import BEGINS_AUCTION, OTHER
from w51_env.engine.table_statistics import PASSED as MEANS_PASSED
from w51_env.warehouse51.actions import BID as BID_ACTION
from w51_env.warehouse51.actions import DECLINE
from w51_env.warehouse51.decks import draw_top
from w51_env.warehouse51.effect_kinds import EFFECT
from w51_env.warehouse51.event_types import EVENT
from w51_env.warehouse51.ownership import effect_count, has_blessing, has_curse
from w51_env.warehouse51.payment import payee_of, share_of_price
from w51_env.warehouse51.state import BLIND_AUCTION, NO_RELIC, NOBODY, NOT_BID, ON_THE_BLOCK, OPEN_AUCTION, REVEAL
from w51_env.warehouse51.state import UNSOLD as UNSOLD_PLACE


@kernel
def begin_auction(rules, game):
    """T1: the revealer is to choose a deck."""
    game.revealer = next_revealer(rules, game)
    game.seat = game.revealer
    game.phase = REVEAL


@kernel
def next_revealer(rules, game):
    """T1, T6, R2, R3: the last winner, at first the first player; or the first owner of always_reveals from there."""
    seat = game.first_player if game.last_winner == NOBODY else game.last_winner
    for _ in range(rules.num_players):
        if has_blessing(rules, game, seat, EFFECT.ALWAYS_REVEALS):
            return seat
        seat = left_of(rules, seat)
    return seat


@kernel
def reveal(rules, game, category, log, forced):
    """T1: turn over the top relic of a deck; T2, T5: bidding begins on the revealer's left."""
    relic = draw_top(rules, game, category)
    game.lot = relic
    game.place[relic] = ON_THE_BLOCK
    game.standing_bid = 0
    game.leader = NOBODY
    game.phase = BLIND_AUCTION if rules.weapon[relic] else OPEN_AUCTION
    for seat in range(rules.num_players):
        game.bidding[seat] = 0 if rules.weapon[relic] else 1
    game.seat = left_of(rules, game.revealer)
    emit(log, EVENT.REVEALED, game.revealer, relic, 0, 0, forced)


@kernel
def meaning_of_decision(rules, game, action, forced):
    """T2, for table statistics: an open bid as ingots above the least that overbids, or what else it is."""
    if game.phase == REVEAL:
        return BEGINS_AUCTION
    if forced or game.phase != OPEN_AUCTION or not BID_ACTION <= action < DECLINE:
        return OTHER
    return MEANS_PASSED if action == BID_ACTION else max(action - BID_ACTION - int(game.standing_bid) - 1, 0)


@kernel
def bid_openly(rules, game, ingots, log, forced):
    """T2: a bid, or a pass (0) for good. Returns True when the auction is closed."""
    seat = game.seat
    if ingots == 0:
        game.bidding[seat] = 0
        emit(log, EVENT.PASSED, seat, 0, 0, 0, forced)
    else:
        emit(log, EVENT.BID, seat, ingots, ingots == game.standing_bid, 0, forced)
        game.standing_bid = ingots
        game.leader = seat
        game.highest_bid[seat, game.lot] = ingots
    return next_bidder(rules, game)


@kernel
def bid_secretly(rules, game, ingots, log, forced):
    """T5: a secret bid. Returns True when all bids are in and shown."""
    game.secret_bid[game.seat] = ingots
    emit(log, EVENT.BID_IN_SECRET, game.seat, ingots if keeps_games(log) else 0, 0, 0, forced)
    if game.seat != game.revealer:
        game.seat = left_of(rules, game.seat)
        return False
    show_hands(rules, game, log)
    return True


@kernel
def show_hands(rules, game, log):
    """T5, R2: the highest bid leads; a tie goes to the first owner of wins_blind_ties in it, else to its first seat.

    The order is clockwise from the revealer, the revealer included.
    """
    wins_tie = False
    seat = game.revealer
    for _ in range(rules.num_players):
        ingots = game.secret_bid[seat]
        emit(log, EVENT.BID_SHOWN, seat, ingots, 0, 0, 0)
        game.highest_bid[seat, game.lot] = ingots
        tie_blessed = has_blessing(rules, game, seat, EFFECT.WINS_BLIND_TIES)
        if ingots > game.standing_bid or (ingots > 0 and ingots == game.standing_bid and tie_blessed and not wins_tie):
            game.standing_bid = ingots
            game.leader = seat
            wins_tie = tie_blessed
        game.secret_bid[seat] = NOT_BID
        seat = left_of(rules, seat)


@kernel
def leave_unsold(rules, game, log):
    """T6: the relic leaves the game unowned."""
    game.place[game.lot] = UNSOLD_PLACE
    emit(log, EVENT.UNSOLD, game.revealer, game.lot, 0, 0, 0)


@kernel
def sell(rules, game, log):
    """T4: the winner pays the price, then the surcharges of curses owned before, and takes the relic."""
    winner = game.leader
    relic = game.lot
    price = game.standing_bid
    game.ingots[winner] -= price
    rest = int(price)
    for seat in range(rules.num_players):
        share = share_of_price(rules, winner, seat, price)
        game.ingots[seat] += share
        rest -= share
    game.reserve += rest
    emit(log, EVENT.SOLD, winner, relic, price, payee_of(rules, winner), 0)
    if has_curse(rules, game, winner, EFFECT.SURCHARGE):
        pay_surcharges(rules, game, winner, log)
    game.place[relic] = winner
    game.buyer[relic] = winner
    game.price[relic] = price
    game.last_winner = winner
    game.bidding[:] = 0


@kernel
def pay_surcharges(rules, game, winner, log):
    """surcharge, R2: the winner pays the amount of each to the reserve, until no ingot is left."""
    for position in range(effect_count(rules, EFFECT.SURCHARGE)):
        relic = rules.with_effect[EFFECT.SURCHARGE, position]
        paid = min(rules.amount[relic], game.ingots[winner])
        if game.place[relic] == winner and paid > 0:
            game.ingots[winner] -= paid
            game.reserve += paid
            emit(log, EVENT.SURCHARGED, winner, paid, 0, 0, 0)


@kernel
def clear_lot(game):
    """The auction is settled: only the public memory of it is kept."""
    game.lot = NO_RELIC
    game.leader = NOBODY
    game.standing_bid = 0
