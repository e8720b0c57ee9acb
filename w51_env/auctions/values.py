"""What a lot is worth, and what each seat knows of it: L1."""

from math import comb, prod

import numpy as np

from w51_env.auctions.state import AVERAGE, CENTS, MAX_PLAYERS, MAX_VALUE, MINERAL, PRIVATE, TIE_LOTS
from w51_env.compiler.compile import kernel
from w51_env.engine import rng
from w51_env.engine.game import Game

DISTRIBUTIONS = ("uniform", "beta", "two_point")
ONE = 1 << 32  #       the probability 1 in the table of cumulative probabilities
COUNTERS = 16  #       random numbers of one round: the common part, the signals, second ones, the lots among equal bids
_SECOND = np.uint64(1 + MAX_PLAYERS)
TIE, SECOND_TIE = np.uint64(COUNTERS - 1), np.uint64(COUNTERS - 2)


def cumulative(distribution: str, share: np.ndarray, alpha: int, beta: int) -> np.ndarray:
    """The distribution function of "uniform" or "beta" at (N,) float64 shares of the highest value.

    `alpha` and `beta`, positive integers, are the parameters of "beta".
    """
    x = np.clip(share, 0.0, 1.0)
    if distribution == "uniform":
        return x
    trials = alpha + beta - 1
    return np.asarray(sum(comb(trials, k) * x**k * (1 - x) ** (trials - k) for k in range(alpha, trials + 1)))


def chances(distribution: str, highest: int, alpha: int, beta: int, low: int, chance: int) -> np.ndarray:
    """(MAX_VALUE + 1,) float64: the probability of each value from 0 to `highest`.

    "beta", with integers `alpha` and `beta`, is rounded to units, with the ends as wide as the rest; "two_point" has
    its lower value at `low` and its higher one with a probability of `chance` percent.
    """
    probability = np.zeros(MAX_VALUE + 1)
    if distribution == "two_point":
        probability[low] += 1 - chance / 100
        probability[highest] += chance / 100
        return probability
    ends = np.arange(highest + 2) / (highest + 1)
    probability[: highest + 1] = np.diff(cumulative(distribution, ends, alpha, beta))
    return probability


@kernel
def draw_value(rules, seat, bits):
    """L1, L7: a value by the table of cumulative probabilities of a seat, from 64 random bits."""
    share = bits >> np.uint64(32)
    value = 0
    while share >= rules.cumulative[seat, value]:
        value += 1
    return value


@kernel
def draw_signal(rules, seat, common, bits):
    """L1: the signal of one seat, given the common part."""
    if rules.values == MINERAL:
        return rng.scale(bits, 2 * int(common) + 1)
    value = draw_value(rules, seat, bits)
    return value if rules.values == PRIVATE else int(common) + value


@kernel
def deal_signals(rules, game, seat, counter):
    """L1, L8, L9: what a seat knows, by the random numbers from `counter` on; of two units it wants the first more."""
    number = counter + np.uint64(1 + seat)
    game.signals[seat] = draw_signal(rules, seat, game.common, rng.random_bits(game.stream, number))
    if rules.two_bids:
        second = draw_value(rules, seat, rng.random_bits(game.stream, number + _SECOND))
        first = int(game.signals[seat])
        game.signals[seat] = max(first, second) if rules.units else first
        game.second_signals[seat] = min(first, second) if rules.units else second


@kernel
def deal_values(rules, game):
    """L1: the values of a round, by the random numbers of this round; with kept values those of the first."""
    counter = round_counter(game)
    game.common = 0 if rules.values == PRIVATE else draw_value(rules, 0, rng.random_bits(game.stream, counter))
    for seat in range(rules.num_players):
        deal_signals(rules, game, seat, counter)


@kernel
def draw_lots(rules, game, counter):
    """L4: numbers that decide among equal bids, whatever their number."""
    game.lot = rng.random_below(game.stream, counter + TIE, TIE_LOTS[rules.num_players])
    if rules.items > 1:
        game.second_lot = rng.random_below(game.stream, counter + SECOND_TIE, TIE_LOTS[rules.num_players])


@kernel
def round_counter(game):
    """The first random number of the round."""
    return rng.SET_UP + np.uint64(COUNTERS * int(game.round))


@kernel
def worth_to(rules, game, seat, number):
    """L1, L8, L9: what a lot, 0 or 1, is worth to a seat, in hundredths."""
    if number > 0:
        return CENTS * int(game.second_signals[seat])
    if rules.values == MINERAL:
        return CENTS * int(game.common)
    if rules.values != AVERAGE:
        return CENTS * int(game.signals[seat])
    total = 0
    for other in range(rules.num_players):
        total += int(game.signals[other])
    return CENTS * total // int(rules.num_players)


@kernel
def chance_of(rules, value):
    """The probability of a value that all share, as a part of ONE; 0 outside of the range."""
    if value < 0 or value > MAX_VALUE:
        return 0.0
    before = rules.cumulative[0, value - 1] if value > 0 else np.uint64(0)
    return float(rules.cumulative[0, value] - before)


@kernel
def weight_of_common(rules, common, signal):
    """How likely the common part is beside a signal, up to a factor."""
    if rules.values == MINERAL:
        return chance_of(rules, common) / (2 * common + 1) if 2 * common >= signal else 0.0
    return chance_of(rules, common) * chance_of(rules, signal - common)


@kernel
def redraw_values(rules, game, seat):
    """What `seat` does not know of a round, drawn anew as its signal lets expect: other signals, the lot of a tie."""
    signal = int(game.signals[seat])
    draw_lots(rules, game, rng.RESAMPLE)
    if rules.values != PRIVATE:
        total = 0.0
        for common in range(MAX_VALUE + 1):
            total += weight_of_common(rules, common, signal)
        left = total * (float(rng.random_bits(game.stream, rng.RESAMPLE) >> np.uint64(32)) / ONE)
        chosen = 0
        for common in range(MAX_VALUE + 1):
            weight = weight_of_common(rules, common, signal)
            if weight > 0.0 and left >= 0.0:
                chosen = common
            left -= weight
        game.common = chosen
    for other in range(rules.num_players):
        if other != seat:
            deal_signals(rules, game, other, rng.RESAMPLE)


def deal_probability(game: Game, state: np.void) -> float:
    """L1, L4: the probability of a record after the set-up of a game of one round: values, lots among equal bids."""
    rules, players = game.rules[0], np.arange(game.num_players)
    drawn = chances_of(game)
    common, signals = int(state["common"]), state["signals"][: game.num_players].tolist()
    if rules["values"] == PRIVATE:
        dealt = prod(drawn[players, signals])
        if rules["two_bids"]:
            second = state["second_signals"][players]
            dealt *= prod(drawn[players, second]) * 2 ** int(rules["units"] * (second != signals).sum())
    elif rules["values"] == MINERAL:
        dealt = drawn[0, common] / (2 * common + 1) ** len(signals)
    else:
        dealt = drawn[0, common] * prod(drawn[0, signal - common] for signal in signals)
    return float(dealt) / TIE_LOTS[game.num_players] ** int(rules["items"])


def chances_of(game: Game) -> np.ndarray:
    """(MAX_PLAYERS, MAX_VALUE + 1) float64: the probability of each number that is drawn, for each seat."""
    return np.diff(game.rules[0]["cumulative"].astype(float), axis=1, prepend=0.0) / ONE
