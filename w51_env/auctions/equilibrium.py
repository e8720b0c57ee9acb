"""Symmetric equilibria in closed form, where the literature has one: the bid for each signal.

Integrals are sums over a fine grid; the bids are then rounded to steps. `w51_agents.exact` computes what this
rounding costs, and equilibria where there is no closed form. Sources, by the names in the code:

- Vickrey: "Counterspeculation, auctions, and competitive sealed tenders", Journal of Finance 16 (1961). The second
  price and the rising clock are truthful, for any values of one's own.
- Riley and Samuelson: "Optimal auctions", American Economic Review 71 (1981). First price, all-pay, reserve, entry fee
  by the revenue of the lowest type that takes part.
- Holt: "Competitive bidding for contracts under alternative auction procedures", Journal of Political Economy 88
  (1980). First price with the utility x ** (1 - r): the distribution to the power 1 / (1 - r).
- Kagel and Levin: "Independent private value auctions: bidder behaviour in first-, second- and third-price auctions
  with varying numbers of bidders", Economic Journal 103 (1993). Third price.
- Krishna: Auction Theory (2nd edition, 2009), proposition 2.2 (first price), examples 6.1 (`mineral`, second price,
  3 bidders) and 6.2 (`average`, 2 bidders).
"""

import numpy as np

from w51_env.auctions.rules import AuctionOptions
from w51_env.auctions.state import MAX_VALUE
from w51_env.auctions.values import cumulative

PASS = -1.0
_FINE = 100  # points of the fine grid for each unit


def bids(options: AuctionOptions) -> np.ndarray | None:
    """(MAX_VALUE + 1,) float64: the bid in units for each signal, PASS for none; None without a closed form."""
    if options.budget or options.keep_values:
        return None
    signals = np.arange(MAX_VALUE + 1.0)
    second_price = options.auction in ("second_price", "english")
    plain = not (options.reserve or options.entry_fee or options.risk_aversion)
    if options.payee != "bank":
        return None
    if second_price and options.values in ("private", "affiliated") and not options.entry_fee:  # Vickrey
        return np.where(signals < options.reserve, PASS, signals)
    if options.values == "mineral" and plain and options.num_players == 3:
        is_krishna = options.auction == "second_price" and options.distribution == "uniform"
        return signals / (1 + signals / options.max_value) if is_krishna else None
    if options.values == "average" and plain and options.num_players == 2 and options.distribution == "uniform":
        of_price = {"second_price": 1.0, "english": 1.0, "first_price": 2 / 3, "dutch": 2 / 3}  # Krishna
        return of_price[options.auction] * signals if options.auction in of_price else None
    if options.values != "private" or options.distribution == "two_point":
        return None
    return _independent(options, signals)


def steps(options: AuctionOptions) -> np.ndarray | None:
    """(MAX_VALUE + 1,) int64: the same in steps of the grid, the nearest one, within the limits; -1 for a pass."""
    units = bids(options)
    if units is None:
        return None
    lowest, highest = options.reserve // options.bid_step, options.max_bid // options.bid_step
    nearest = np.clip(np.rint(units / options.bid_step), lowest, highest).astype(np.int64)
    return np.where(units == PASS, -1, nearest)


def why_none(options: AuctionOptions) -> str:
    """Why these options have no closed form, for messages: those that are not the default, and what plays instead."""
    usual = AuctionOptions()
    changed = [f"{name}={value!r}" for name, value in vars(options).items() if value != getattr(usual, name)]
    computed = "w51_agents.exact.auctions.strategies:Equilibrium"
    return f"no equilibrium in closed form is known for {', '.join(changed)}; {computed} plays one that it computes"


def _independent(options: AuctionOptions, signals: np.ndarray) -> np.ndarray | None:
    """Independent private values with a density: by the highest value of the others, and who takes part at all."""
    rivals, averse = options.num_players - 1, options.risk_aversion > 0
    fine = np.arange(0, options.max_value + 0.5, 1 / _FINE)
    law = cumulative(options.distribution, (fine + 0.5) / (options.max_value + 1), options.alpha, options.beta)
    rank = law ** (rivals / (1 - options.risk_aversion / 100))  # Holt; without risk aversion: the rivals' highest value
    if averse and (options.entry_fee or options.auction not in ("first_price", "dutch")):
        return None
    if options.auction == "third_price":  # Kagel and Levin
        density = np.gradient(law, fine)
        bid = fine + law / ((rivals - 1) * np.maximum(density, 1e-9))
        return None if options.reserve or options.entry_fee else np.interp(signals, fine, bid)
    pays_always = options.auction == "all_pay"
    gain = fine * rank - (options.reserve if pays_always else options.reserve * rank)
    takes_part = (fine >= options.reserve) & (gain >= options.entry_fee)  # Riley and Samuelson
    first = int(np.argmax(takes_part))
    surplus = np.concatenate([[0.0], np.cumsum((rank[1:] + rank[:-1]) / 2)]) / _FINE
    surplus -= surplus[first]
    if options.auction in ("second_price", "english"):
        bid = fine
    elif pays_always:
        bid = fine * rank - surplus - options.entry_fee
    else:
        bid = fine - (surplus + options.entry_fee) / np.maximum(rank, 1e-12)
    at = np.minimum(np.rint(signals * _FINE).astype(np.int64), len(fine) - 1)
    return np.where(takes_part, bid, PASS)[at]
