"""Equilibria in closed form, where the literature has one: the bid for each signal.

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
  3 bidders) and 6.2 (`average`, 2 bidders); 4.3 (two ranges of values, after Plum: "Characterization and computation
  of Nash-equilibria for auctions with incomplete information", International Journal of Game Theory 20, 1992); chapter
  13 (two units for bidders who want one) and 15 (in turn, after Weber: "Multiple-object auctions", in Auctions,
  Bidding, and Contracting, 1983).
- Noussair: "Equilibria in a multi-object uniform price sealed bid auction with multi-unit demands", Economic Theory 5
  (1995); Engelbrecht-Wiggans and Kahn: "Multi-unit auctions with uniform prices", Economic Theory 12 (1998). Two
  bidders for two units at the uniform price: the value for the first, nothing for the second.
"""

from math import comb

import numpy as np

from w51_env.auctions import state
from w51_env.auctions.rules import AuctionOptions
from w51_env.auctions.state import MAX_VALUE, OWN_VALUES
from w51_env.auctions.values import cumulative

PASS = -1.0
_FINE = 100  # points of the fine grid for each unit


def bids(options: AuctionOptions) -> np.ndarray | None:
    """(lots, MAX_PLAYERS, MAX_VALUE + 1) float64: the bid in units for each value, PASS for none; None without a form.

    Lots are those for which a seat bids in one round, or the rounds of a sequence.
    """
    signals = np.arange(MAX_VALUE + 1.0)
    if options.payee != "bank" or options.budget or options.synergy or (options.keep_values and not options.one_each):
        return None
    truthful = np.where(signals < options.reserve, PASS, signals)
    plain = not (options.reserve or options.entry_fee or options.bidders or options.risk_aversion)
    is_truthful = (*("second_price", "english", "vickrey"), *(("uniform_price",) if options.one_each else ()))
    if options.one_each and options.num_rounds > 1:
        lots = _in_turn(options, signals) if plain else None
    elif options.auction in is_truthful and options.values in OWN_VALUES and not options.entry_fee:
        lots = [truthful, truthful]  # Vickrey
    elif options.auction == "uniform_price":
        is_known = plain and options.num_players == 2 and options.distribution == "uniform"
        lots = [signals, np.zeros_like(signals)] if is_known else None  # Noussair; Engelbrecht-Wiggans and Kahn
    else:
        one = _one_lot(options, signals, plain) if options.auction != "discriminatory" or options.one_each else None
        lots = None if one is None else [one, one]
    shape = (state.MAX_PLAYERS, len(signals))
    return None if lots is None else np.stack([np.broadcast_to(lot, shape) for lot in lots])


def _one_lot(options: AuctionOptions, signals: np.ndarray, plain: bool) -> np.ndarray | None:
    """(signals,), or a row for each seat: the bids for a lot, or for one of two units."""
    if options.bidders:
        return _two_ranges(options, signals)
    if options.values == "mineral" and plain and options.num_players == 3:
        is_krishna = options.auction == "second_price" and options.distribution == "uniform"
        return signals / (1 + signals / options.max_value) if is_krishna else None
    if options.values == "average" and plain and options.num_players == 2 and options.distribution == "uniform":
        of_price = {"second_price": 1.0, "english": 1.0, "first_price": 2 / 3, "dutch": 2 / 3}  # Krishna
        return of_price[options.auction] * signals if options.auction in of_price else None
    if options.values != "private" or options.distribution == "two_point":
        return None
    return _independent(options, signals)


def _two_ranges(options: AuctionOptions, signals: np.ndarray) -> np.ndarray | None:
    """(MAX_PLAYERS, signals): two first-price bidders with uniform values from the same least one: Plum; Krishna."""
    seats = [options.bidder(seat) for seat in range(options.num_players)]
    (low, *_), is_first = seats[0], options.auction in ("first_price", "dutch")
    if not is_first or len(seats) > 2 or options.reserve or options.entry_fee or options.risk_aversion:
        return None
    if any(one[0] != low or one[1] == low or one[2:] != (1, 1, 0) for one in seats):
        return None
    bid = np.zeros((state.MAX_PLAYERS, len(signals)))
    for seat, (own, other) in enumerate(zip(seats, seats[::-1], strict=True)):
        above = np.clip(signals - low, 0, own.high - low)
        k = 1 / (own.high - low) ** 2 - 1 / (other.high - low) ** 2
        bid[seat] = low + above / (1 + np.sqrt(1 - k * above**2))  # the inverse of v = 2 b / (1 + k b ** 2)
    return bid


def _in_turn(options: AuctionOptions, signals: np.ndarray) -> list[np.ndarray] | None:
    """For each round of lots that are sold one after the other to bidders who want one: Weber; Krishna."""
    is_second = options.auction == "second_price"
    players = options.num_players
    rounds = options.num_rounds
    if options.distribution == "two_point" or not (is_second or options.auction in ("first_price", "dutch")):
        return None
    share = np.linspace(0, 1, _FINE + 1)
    law = cumulative(options.distribution, (share * signals[:, None] + 0.5 * share) / (options.max_value + 1),
        options.alpha, options.beta)  # fmt: skip
    below = law / law[:, -1:]  # of a rival, at parts of the own value, if it is at most that
    first_price = [
        signals * (1 - np.trapezoid(_at_most(below, players - number, rounds - number), share, axis=1))
        for number in range(1, rounds + 1)
    ]
    return [*first_price[1:], signals] if is_second else first_price


def _at_most(law: np.ndarray, rivals: int, higher: int) -> np.ndarray:
    """The probability that at most so many of the rivals are higher, by the law of one."""
    return np.asarray(sum(comb(rivals, k) * (1 - law) ** k * law ** (rivals - k) for k in range(higher + 1)))


def steps(options: AuctionOptions) -> np.ndarray | None:
    """(lots, MAX_PLAYERS, MAX_VALUE + 1) int64: the same in steps of the grid, the nearest one, within the limits."""
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
    if options.auction == "discriminatory":  # the second highest of the rivals, of whom one may win beside
        rank = _at_most(law, rivals, min(1, rivals - 1)) if rivals > 1 else np.ones_like(law)
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
