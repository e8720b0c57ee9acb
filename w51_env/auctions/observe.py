"""The observation: what one seat may know, as named slices relative to its seat. Bids are 0, none, or 1 + steps."""

from w51_env.auctions.auction import has_clock
from w51_env.auctions.state import (
    FORMATS,
    MAX_FEE,
    MAX_PLAYERS,
    MAX_ROUNDS,
    MAX_STEPS,
    MAX_VALUE,
    MIN_PLAYERS,
    NOT_BID,
    VALUES,
)
from w51_env.compiler.compile import kernel
from w51_env.engine.layout import Layout
from w51_env.engine.seats import mark_seat, seat_at

HUNDRED = 100
_SEATS = (MAX_PLAYERS,)

LAYOUT = Layout(
    [
        ("num_players", (MAX_PLAYERS - MIN_PLAYERS + 1,), 0, 1, "One-hot: 2, 3, 4, 5, 6 bidders."),
        ("auction", (len(FORMATS),), 0, 1, f"One-hot: {', '.join(FORMATS)}."),
        ("values", (len(VALUES),), 0, 1, f"One-hot: {', '.join(VALUES)}."),
        ("reserve", (), 0, MAX_VALUE, "The least bid that wins, in units."),
        ("entry_fee", (), 0, MAX_FEE, "What bidding costs."),
        ("losers_share", (), 0, 1, "1 if payments go to the other bidders."),
        ("risk_aversion", (), 0, HUNDRED, "100 times the exponent r of the utility; 0: risk-neutral."),
        ("two_items", (), 0, 1, "1 if two items are sold at the same time, each for its own bids."),
        ("synergy", (), 0, HUNDRED, "What two items are worth more together, percent."),
        ("one_each", (), 0, 1, "1 if nobody wants a second lot."),
        ("bidder", _SEATS, 0, 1, "One-hot: the observer's own seat, if bidders differ."),
        ("signal", (), 0, MAX_VALUE, "The observer's value, or its signal of a common one."),
        ("second_signal", (), 0, MAX_VALUE, "What a second unit or item is worth to the observer."),
        ("second_decision", (), 0, 1, "1 if the observer has made its first bid, and is to bid for a second lot."),
        ("first_bid", (), 0, MAX_STEPS + 1, "Then its first bid, which is still secret."),
        ("clock", (), 0, MAX_STEPS + 1, "1 + steps of the price that a clock shows; 0 if the bids are sealed."),
        ("bidding", _SEATS, 0, 1, "1 while the seat is in the auction."),
        ("shown", _SEATS, 0, MAX_STEPS + 1, "The highest bid of each seat in this round that all know."),
        ("second_shown", _SEATS, 0, MAX_STEPS + 1, "The bid of each seat for a second lot that all know."),
        ("round", (), 0, MAX_ROUNDS, "Rounds that are over."),
        ("rounds_left", (), 0, MAX_ROUNDS, "Rounds that are not."),
        ("last", _SEATS, 0, MAX_STEPS + 1, "The bids of the round before; with one lot each the price, at the winner."),
        ("last_winner", _SEATS, 0, 1, "One-hot: who won the round before."),
        ("money", (MAX_PLAYERS, 2), 0, HUNDRED, "Money of each seat, hundreds and rest; 0 without a budget."),
        ("ranks", _SEATS, 0, MAX_PLAYERS, "Rank from 1, when the game is over."),
    ]
)
# The options that the observation shows: in slices of their own.
OBSERVED_OPTIONS = (
    *("num_players", "auction", "values", "reserve", "entry_fee", "payee", "risk_aversion", "num_rounds"),
    *("items", "synergy", "one_each"),
)

AT = LAYOUT.starts()


@kernel
def observe(rules, game, seat, out):
    """Write all of `out.values`, (LAYOUT.size,) int8, for the observer `seat`."""
    out.values[:] = 0
    out.values[AT.num_players + rules.num_players - MIN_PLAYERS] = 1
    out.values[AT.auction + rules.auction] = 1
    out.values[AT.values + rules.values] = 1
    out.values[AT.reserve] = rules.reserve
    out.values[AT.entry_fee] = rules.entry_fee
    out.values[AT.losers_share] = rules.shared
    out.values[AT.risk_aversion] = rules.risk_aversion[seat]
    out.values[AT.two_items] = rules.items > 1
    out.values[AT.synergy] = rules.synergy
    out.values[AT.one_each] = rules.one_each
    if rules.differ:
        out.values[AT.bidder + seat] = 1
    out.values[AT.signal] = game.signals[seat]
    out.values[AT.second_signal] = game.second_signals[seat]
    if rules.two_bids and game.bids[seat] != NOT_BID:
        out.values[AT.second_decision] = 1
        out.values[AT.first_bid] = game.bids[seat]
    out.values[AT.clock] = 1 + game.clock if has_clock(rules) else 0
    out.values[AT.round] = game.round
    out.values[AT.rounds_left] = rules.num_rounds - game.round
    mark_seat(rules, game.last_winner, seat, out, AT.last_winner)
    for distance in range(rules.num_players):
        other = seat_at(rules, distance, seat)
        out.values[AT.bidding + distance] = game.bidding[other]
        out.values[AT.shown + distance] = game.shown[other]
        out.values[AT.second_shown + distance] = game.second_shown[other]
        out.values[AT.last + distance] = game.last[other]
        out.values[AT.money + 2 * distance] = game.money[other] // HUNDRED
        out.values[AT.money + 2 * distance + 1] = game.money[other] % HUNDRED
        out.values[AT.ranks + distance] = game.ranks[other]
