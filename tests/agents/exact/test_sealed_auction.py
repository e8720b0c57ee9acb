"""A one-lot sealed auction (T4, T5) against its equilibria.

One weapon is left, worth v points to whoever buys it; every ingot is a point; all know all. So the winner w at price
p nets v - p, w's left neighbour nets p, the others 0. Who comes before whom in a tie is the order clockwise from the
revealer.

In a pure Nash equilibrium, for v >= 4 and more than v ingots each:

1. Somebody bids, or bidding 1 would net v - 1 > 0.
2. w pays the least that wins against the others' bids, or a lower bid would win for less.
3. Each seat but w and its left neighbour nets 0 and must not profit from winning, at p if it comes before w in a tie,
   else at p + 1. So p >= v if one of them comes before w, else p >= v - 1. And p <= v, or w would rather lose.
4. The left neighbour, who nets p >= v - 1, gains nothing by winning for v - p <= 1.
5. w must not prefer to lose. If w's right neighbour won then, at p' >= p - 1, w would be paid p', which is more than
   v - p <= 1. So the runner-up is not w's right neighbour: whoever drives the price up must not have to pay w.

With three players the runner-up is w's left neighbour: to be outbid there is to be paid, so overbidding is safe. Let
player 0 reveal, so that ties go 0, 1, 2:
  w = 0: nobody comes before 0, so p is v - 1 or v; bid 1 = p, bid 2 up to p (1 comes before 2): v and v + 1 ways.
  w = 1: 0 comes before 1, so p = v; bid 2 = v; bid 0 less than v: v ways.
  w = 2: 1 comes before 2, so p = v; bid 0 = v - 1, the most that lets 2 win at v only; bid 1 up to v - 1: v ways.
Together 4 v + 1 equilibria.
"""

from itertools import product
from pathlib import Path

import pytest

from w51_agents.exact.warehouse51.one_lot import FIRST_PLACE, Profile, one_lot, payoffs_of_all_profiles, pure_equilibria


def is_equilibrium(bids: Profile, worth: int) -> bool:
    """The five conditions above; player 0 reveals, so the lower of two tied seats comes first."""
    players = len(bids)

    def winner_without(seat: int | None) -> int:
        return min((other for other in range(players) if other != seat), key=lambda other: (-bids[other], other))

    winner = winner_without(None)
    runner_up, price = winner_without(winner), bids[winner]
    least = bids[runner_up] + (runner_up < winner)
    left, right = (winner + 1) % players, (winner - 1) % players
    one_before = any(other < winner for other in range(players) if other != left)
    return price == max(least, 1) and worth - 1 + one_before <= price <= worth and runner_up != right


@pytest.mark.parametrize("category", FIRST_PLACE)
def test_three_bidders_have_the_equilibria_that_theory_gives(category: str, tmp_path: Path):  # T4, T5
    worth, ingots = FIRST_PLACE[category], 10
    found = pure_equilibria(payoffs_of_all_profiles(one_lot(tmp_path, category, (ingots,) * 3, weapon=True), ingots))
    assert found == {bids for bids in product(range(ingots + 1), repeat=3) if is_equilibrium(bids, worth)}
    assert len(found) == 4 * worth + 1
    assert {max(bids) for bids in found} == {worth - 1, worth}


def test_four_bidders_have_the_equilibria_that_theory_gives(tmp_path: Path):  # T4, T5
    worth, ingots = FIRST_PLACE["red"], 7
    found = pure_equilibria(payoffs_of_all_profiles(one_lot(tmp_path, "red", (ingots,) * 4, weapon=True), ingots))
    assert found == {bids for bids in product(range(ingots + 1), repeat=4) if is_equilibrium(bids, worth)}
    assert (5, 5, 0, 0) in found  # the left neighbour drives the price to v and is paid it
    assert (5, 0, 5, 0) in found  # so does the seat opposite, who nets nothing either way
    assert (5, 0, 0, 5) not in found  # but not the right neighbour, to whom the winner would rather lose


def test_payoffs_are_those_of_the_model(tmp_path: Path):  # T4, T5, T6
    payoffs = payoffs_of_all_profiles(one_lot(tmp_path, "blue", (10, 10, 10), weapon=True), 10)
    assert payoffs[0, 0, 0].tolist() == [0, 0, 0]  # nobody bids: unsold
    assert payoffs[3, 5, 4].tolist() == [0, 3, 5]  # player 1 buys 8 for 5, which player 2 gets
    assert payoffs[4, 4, 4].tolist() == [4, 4, 0]  # the revealer wins the tie and pays player 1
    assert payoffs[1, 6, 6].tolist() == [0, 2, 6]  # player 1 comes before player 2
    assert payoffs[9, 0, 10].tolist() == [10, 0, -2]  # overbidding costs
