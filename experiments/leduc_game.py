"""Leduc poker (Southey and others, Bayes' bluff, 2005) as a game of this package, with the rules of OpenSpiel.

Six cards, two of each rank. Both players ante 1 chip and get a card. In each of two rounds of bets the first player
begins; a raise is 2 chips in the first round and 4 in the second, at most two in a round. Between the rounds a public
card is turned over. At the end a pair with it wins, else the higher card; equal cards share.
"""

from dataclasses import asdict
from typing import Any

import numpy as np

from experiments.two_players import TwoPlayerOptions
from w51_env.compiler.compile import kernel
from w51_env.engine import rng
from w51_env.engine.events import EventType, emit
from w51_env.engine.game import Action, ActionTable, Game, Kernels
from w51_env.engine.layout import Layout
from w51_env.engine.options import make_options, reward_range

RANKS, COPIES = 3, 2
MAX_RAISES, MAX_BETS = 2, 4  #  in a round
MOST = 13  #  chips that a player can lose
FOLD, CALL, RAISE = range(3)

STATE = np.dtype(
    [
        ("stream", "u8"),
        ("decisions", "u2"),
        ("scores", "i2", (2,)),
        ("ranks", "i1", (2,)),
        ("over", "i1"),
        ("seat", "i1"),
        ("cards", "i1", (3,)),  # of each player, and the public one
        ("paid", "i1", (2,)),
        ("round", "i1"),
        ("raises", "i1"),
        ("bets", "i1"),
        ("made", "i1", (2 * MAX_BETS,)),  # 1: a call, 2: a raise
        ("unused", "i1", (6,)),
    ],
    align=True,
)


# ---- the rules


@kernel
def deal(game, place, counter):
    """Draw a card for a place among those that no place before it has, and set it."""
    drawn = int(rng.random_below(game.stream, counter, RANKS * COPIES - place))
    for rank in range(RANKS):
        left = COPIES
        for other in range(place):
            left -= game.cards[other] == rank
        if drawn < left:
            game.cards[place] = rank
            return
        drawn -= left


@kernel
def set_up(rules, game, log):
    for place in range(3):
        deal(game, place, rng.SET_UP + np.uint64(place))
    game.paid[0] = 1
    game.paid[1] = 1


@kernel
def legal_actions(rules, game, legal):
    if game.over:
        return 0
    count = 0
    if game.paid[1 - game.seat] > game.paid[game.seat]:
        legal.actions[count] = FOLD
        count += 1
    legal.actions[count] = CALL
    count += 1
    if game.raises < MAX_RAISES:
        legal.actions[count] = RAISE
        count += 1
    return count


@kernel
def move(rules, game, action, log, forced):
    seat = int(game.seat)
    emit(log, BET, seat, action, 0, 0, forced)
    if action == FOLD:
        end(game, 1 - seat)
        return
    game.made[game.round * MAX_BETS + game.bets] = action
    game.bets += 1
    game.paid[seat] = game.paid[1 - seat]
    game.seat = 1 - seat
    if action == RAISE:
        game.paid[seat] += 4 if game.round else 2
        game.raises += 1
    elif game.bets > 1:
        if game.round:
            end(game, winner_of(game))
        else:
            game.round, game.raises, game.bets, game.seat = 1, 0, 0, 0


@kernel
def winner_of(game):
    """The seat that wins the showdown, -1 if it is shared."""
    for seat in range(2):
        if game.cards[seat] == game.cards[2]:
            return -1 if game.cards[1 - seat] == game.cards[2] else seat
    if game.cards[0] == game.cards[1]:
        return -1
    return 0 if game.cards[0] > game.cards[1] else 1


@kernel
def end(game, winner):
    for seat in range(2):
        game.ranks[seat] = 1
        if winner >= 0:
            game.scores[seat] = game.paid[1 - winner] if seat == winner else -int(game.paid[seat])
            game.ranks[seat] = 1 if seat == winner else 2
    game.over = 1


# ---- what a seat may know

LAYOUT = Layout(
    [
        ("card", (RANKS,), 0, 1, "1 for the rank of the observer's card."),
        ("public", (RANKS,), 0, 1, "1 for the rank of the public card, in the second round."),
        ("is_first", (), 0, 1, "Whether the observer begins each round."),
        ("round", (), 0, 1, "The round of bets."),
        ("calls", (2 * MAX_BETS,), 0, 1, "1 for each bet that was a call, by round."),
        ("raises", (2 * MAX_BETS,), 0, 1, "1 for each bet that was a raise, by round."),
    ]
)
CARD, PUBLIC, FIRST, ROUND, CALLS, RAISES = (slice_.start for slice_ in LAYOUT.values())


@kernel
def observe(rules, game, seat, out):
    out.values[:] = 0
    out.values[CARD + game.cards[seat]] = 1
    if game.round:
        out.values[PUBLIC + game.cards[2]] = 1
    out.values[FIRST] = seat == 0
    out.values[ROUND] = game.round
    for bet in range(2 * MAX_BETS):
        out.values[CALLS + bet] = game.made[bet] == CALL
        out.values[RAISES + bet] = game.made[bet] == RAISE


@kernel
def resample_hidden(rules, game, seat):
    """Draw the other card, and the public one before it is seen, among those that the seat does not see."""
    if game.over:
        return
    first, second = int(game.cards[seat]), int(game.cards[2])
    shown = game.round == 1
    game.cards[0] = first
    if shown:
        game.cards[1] = second
    deal(game, 2 if shown else 1, rng.RESAMPLE)
    other = int(game.cards[2 if shown else 1])
    if not shown:
        deal(game, 2, rng.RESAMPLE + np.uint64(1))
        second = int(game.cards[2])
    game.cards[2] = second
    game.cards[seat] = first
    game.cards[1 - seat] = other


@kernel
def choose(bot, rules, observation, legal, count, bits):
    """`caller` always calls."""
    return CALL


def deal_probability(game: Game, state: np.void) -> float:
    """Probability of the cards of a state after the set-up."""
    probability, left = 1.0, [COPIES] * RANKS
    for card in state["cards"].tolist():
        probability *= left[card] / sum(left)
        left[card] -= 1
    return probability


BET = 0
EVENT_TYPES = (EventType("bet", ("action",), "{seat} bets: {action} (0: fold, 1: call, 2: raise)."),)


def make(num_players: int | None = None, preset: str = "default", **options: Any) -> Game:
    """The game, `experiments.leduc_game:make`."""
    chosen = make_options(TwoPlayerOptions, {"default": {}}, preset, options, num_players)
    return Game(
        name="leduc",
        version=0,
        num_players=2,
        max_players=2,
        options=asdict(chosen),
        rules=chosen.pack(),
        record=STATE,
        actions=ActionTable([Action(name, name) for name in ("fold", "call", "raise")]),
        layout=LAYOUT,
        event_types=EVENT_TYPES,
        bots=("random", "caller"),
        kernels=Kernels(set_up, move, legal_actions, observe, choose, resample_hidden),
        max_events=2,
        reward_range=reward_range(chosen.reward, 2, 2 * MOST),
        make=make,
        observed_options=("num_players",),
        deal_probability=deal_probability,
    )
