"""Bots as kernels. Each has a highest bid by its signal: it bids it, or takes every price of a clock up to it."""

from w51_env.auctions.actions import BID
from w51_env.auctions.observe import AT
from w51_env.compiler.compile import kernel

BOTS = ("random", "truthful", "half", "equilibrium")
_TRUTHFUL, _HALF, _EQUILIBRIUM = range(1, len(BOTS))


@kernel
def choose(bot, rules, observation, legal, count, bits):
    """The action of the bot of index `bot` in BOTS, from 1; `bits` are not used.

    `truthful` bids its signal, `half` half of it, `equilibrium` what `rules.equilibrium` says (`equilibrium.py`).
    """
    number, seat = int(observation.values[AT.second_decision]), 0
    signal = int(observation.values[AT.second_signal if number else AT.signal])
    if bot == _EQUILIBRIUM:
        if rules.in_turn:
            number = int(observation.values[AT.round])
        for other in range(rules.num_players):
            if observation.values[AT.bidder + other]:
                seat = other
        steps = int(rules.equilibrium[number, seat, signal])
    elif bot == _HALF:
        steps = signal // (2 * int(rules.bid_step))
    else:
        steps = signal // int(rules.bid_step)
    first, last = int(legal.actions[0]), int(legal.actions[count - 1])
    lowest = int(legal.actions[1]) if first < BID and count > 1 else first  # bid
    return first if BID + steps < lowest else min(BID + steps, last)
