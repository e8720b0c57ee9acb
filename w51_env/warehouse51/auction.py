"""Auctions: T1 reveal, T2 and T3 open bids, T5 blind bids, T4 and T6 sale or no sale."""

from w51_env.core.bidding import next_bidder
from w51_env.core.compile import kernel
from w51_env.core.events import emit
from w51_env.core.seats import left_of
from w51_env.warehouse51.effect_kinds import ALWAYS_REVEALS, SURCHARGE, WINS_BLIND_TIES
from w51_env.warehouse51.event_kinds import (
    BID,
    BID_IN_SECRET,
    BID_SHOWN,
    PASSED,
    REVEALED,
    SOLD,
    SURCHARGED,
    UNSOLD,
)
from w51_env.warehouse51.ownership import curse_amount, has_blessing
from w51_env.warehouse51.state import (
    BLIND_AUCTION,
    MAX_CATEGORIES,
    NO_RELIC,
    NOBODY,
    NOT_BID,
    ON_THE_BLOCK,
    OPEN_AUCTION,
    REVEAL,
)
from w51_env.warehouse51.state import UNSOLD as UNSOLD_PLACE


@kernel
def decks_are_empty(rules, game):
    """T7: nothing is left to turn over."""
    for category in range(MAX_CATEGORIES):
        if game.drawn[category] < rules.deck_size[category]:
            return False
    return True


@kernel
def begin_auction(rules, game):
    """T1: ask the revealer for a deck."""
    game.revealer = next_revealer(rules, game)
    game.seat = game.revealer
    game.phase = REVEAL


@kernel
def next_revealer(rules, game):
    """T1, T6, always_reveals: its owner, else the last winner, else the first player."""
    seat = game.first_player if game.last_winner == NOBODY else game.last_winner
    for _ in range(rules.num_players):
        if has_blessing(rules, game, seat, ALWAYS_REVEALS):
            return seat
        seat = left_of(rules, seat)
    return seat


@kernel
def reveal(rules, game, category, log, forced):
    """T1: turn over the top relic of a deck; T2, T5: bidding begins on the revealer's left."""
    relic = game.deck[rules.deck_start[category] + game.drawn[category]]
    game.drawn[category] += 1
    game.lot = relic
    game.place[relic] = ON_THE_BLOCK
    game.standing_bid = 0
    game.leader = NOBODY
    game.phase = BLIND_AUCTION if rules.weapon[relic] else OPEN_AUCTION
    for seat in range(rules.num_players):
        game.bidding[seat] = 0 if rules.weapon[relic] else 1
    game.seat = left_of(rules, game.revealer)
    emit(log, REVEALED, game.revealer, relic, 0, 0, forced)


@kernel
def bid_openly(rules, game, ingots, log, forced):
    """T2: a bid, or a pass (0) for good. Returns True when the auction is closed."""
    seat = game.seat
    if ingots == 0:
        game.bidding[seat] = 0
        emit(log, PASSED, seat, 0, 0, 0, forced)
    else:
        game.standing_bid = ingots
        game.leader = seat
        game.highest_bid[seat, game.lot] = ingots
        emit(log, BID, seat, ingots, 0, 0, forced)
    return next_bidder(rules, game)


@kernel
def bid_secretly(rules, game, ingots, log, forced):
    """T5: a bid in the closed fist. Returns True when all are in and shown."""
    game.secret_bid[game.seat] = ingots
    emit(log, BID_IN_SECRET, game.seat, 0, 0, 0, forced)
    if game.seat != game.revealer:
        game.seat = left_of(rules, game.seat)
        return False
    show_hands(rules, game, log)
    return True


@kernel
def show_hands(rules, game, log):
    """T5: the highest bid leads; ties as wins_blind_ties says, else clockwise from and including the revealer."""
    wins_tie = False
    seat = game.revealer
    for _ in range(rules.num_players):
        ingots = game.secret_bid[seat]
        emit(log, BID_SHOWN, seat, ingots, 0, 0, 0)
        game.highest_bid[seat, game.lot] = ingots
        has_excalibur = has_blessing(rules, game, seat, WINS_BLIND_TIES)
        if ingots > game.standing_bid or (
            ingots > 0 and ingots == game.standing_bid and has_excalibur and not wins_tie
        ):
            game.standing_bid = ingots
            game.leader = seat
            wins_tie = has_excalibur
        game.secret_bid[seat] = NOT_BID
        seat = left_of(rules, seat)


@kernel
def leave_unsold(rules, game, log):
    """T6: the relic leaves the game unowned."""
    game.place[game.lot] = UNSOLD_PLACE
    emit(log, UNSOLD, game.revealer, game.lot, 0, 0, 0)
    game.bidding[:] = 0


@kernel
def sell(rules, game, log):
    """T4: the winner pays the left neighbour, then any surcharge (a curse had before), and takes the relic."""
    winner = game.leader
    relic = game.lot
    payee = left_of(rules, winner)
    price = game.standing_bid
    game.ingots[winner] -= price
    game.ingots[payee] += price
    emit(log, SOLD, winner, relic, price, payee, 0)
    surcharge = min(curse_amount(rules, game, winner, SURCHARGE), game.ingots[winner])
    if surcharge > 0:
        game.ingots[winner] -= surcharge
        game.reserve += surcharge
        emit(log, SURCHARGED, winner, surcharge, 0, 0, 0)
    game.place[relic] = winner
    game.buyer[relic] = winner
    game.price[relic] = price
    game.last_winner = winner
    game.bidding[:] = 0


@kernel
def clear_block(game):
    """The auction is settled: nothing of it is left but the public memory."""
    game.lot = NO_RELIC
    game.leader = NOBODY
    game.standing_bid = 0
