"""Adaptation: what an agent's seats gain in the second half of a game's lots, less what they gain in the first.

A seat *gains* the worth of what it bought less the worth that the same money bought on average: that of all seats, in
the same half of all games of the match. So the mean over the table is 0 in each half, and neither a seat that waits
with its money nor one that spends it at once gains by that alone. It is read from the behaviour table `lots`.
"""

import numpy as np

from w51_lab.behaviour.contract import Table

HALVES = (2, 2, 2)  # half of the lots, agent or opponent, worth and price
UNTAUGHT = ("random",)  # there is nothing to learn about it


def add_lots(halves: np.ndarray, lots: Table, deal_ids: np.ndarray) -> None:
    """Add what was bought; of an odd number of lots in a game the middle one is in the first half.

    Args:
        halves: (line-ups, deals, 2, 2, 2) integers, sums over games, which are added to.
        lots: The behaviour table of whole games. A price includes what the buyer pays besides.
        deal_ids: (deals,) indices of the deals, ascending.
    """
    last = np.zeros(int(lots["game"].max(initial=-1)) + 1, np.int64)
    np.maximum.at(last, lots["game"], lots["lot"])
    sold = np.flatnonzero(lots["agent"] >= 0)
    game, lot, lineup, deal, agent = (lots[name][sold] for name in ("game", "lot", "lineup", "deal", "agent"))
    half = (2 * lot.astype(np.int64) > last[game] + 1).astype(np.int64)
    at = (lineup, np.searchsorted(deal_ids, deal), half, agent)
    price = lots["price"][sold].astype(np.int64) + (lots["surcharge"][sold] if "surcharge" in lots else 0)
    for column, values in enumerate((lots["worth"][sold].astype(np.int64), price)):
        np.add.at(halves[..., column], at, values)


def gains_of(halves: np.ndarray) -> np.ndarray:
    """(deals, 2) gain of a seat of the agent less that of a seat of the opponent, in points, in each half.

    The mean over line-ups, of which number k has k + 1 seats of the agent, for one game.

    Args:
        halves: (line-ups, deals, 2, 2, 2), sums over the games of a deal, as many as there are seats.
    """
    players = len(halves) + 1
    worth, price = halves[..., 0], halves[..., 1]
    of_half = (0, 1, 3)  # of all seats
    worth_of_money = np.maximum(0, worth.sum(of_half)) / np.maximum(1, price.sum(of_half))
    gains = worth - worth_of_money[:, None] * price
    seats = np.arange(1, players)[:, None, None]
    return np.asarray((gains[..., 0] / seats - gains[..., 1] / (players - seats)).mean(axis=0) / players)
