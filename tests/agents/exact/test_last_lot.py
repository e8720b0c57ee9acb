"""The last open auction with all hands known: backward induction through the engine, against results found by hand.

Each ingot is a point and the lot is worth v points (`one_lot`). Player 0 reveals, so bidding goes 1, 2, 0; the winner
pays the left neighbour.
"""

from pathlib import Path

from w51_agents.exact.subgame_perfect import subgame_perfect
from w51_agents.exact.tree import build_tree
from w51_agents.exact.warehouse51.one_lot import one_lot


def solved(folder: Path, category: str, ingots: tuple[int, ...]) -> list[float]:
    """Points of each seat at the end when all play for their own points and see everything."""
    auction = one_lot(folder, category, ingots, weapon=False)
    tree = build_tree(auction.game, auction.games, lambda batch: batch.final_scores)
    [outcome] = subgame_perfect(tree)  # nobody is ever indifferent
    return list(outcome)


def test_who_can_bid_the_most_first_takes_a_lot_worth_more_than_all_can_pay(tmp_path: Path):  # T2, T3, T4
    # v = 5, two ingots each. Winning nets at least 5 - 2 = 3, being paid at most 2, so all want to win. Nobody can
    # answer a bid of 2; a bid of 1 would be answered by 2. So player 1 bids 2 at once: 0 + 5, and player 2 has 2 + 2.
    assert solved(tmp_path, "red", (2, 2, 2)) == [2, 5, 4]


def test_the_winner_pays_just_enough_for_the_left_neighbour_to_let_it_go(tmp_path: Path):  # T2, T4
    # v = 5; player 1 has nothing and must pass, the others have 4 each. Player 2 pays player 0, player 0 pays player 1.
    #   2 bids 4: 0 can't answer. 2 nets 1, 0 nets 4.
    #   2 bids 3: 0 passes for 3, or bids 4 for 1. It passes; 2 nets 2.
    #   2 bids 2: 0 passes for 2, bids 4 for 1, or bids 3; 2 then bids 4 (1 is more than 0). 0 bids 3; 2 nets 1.
    #   2 bids 1: 0 bids 3, again for 4 in the end (a bid of 2 would net 3: 2 would then bid 3); 2 nets 1.
    #   2 passes: 0 buys for 1; 2 nets nothing.
    # So player 2 opens with 3 and player 0 passes: 4 + 3, nothing, 4 - 3 + 5.
    assert solved(tmp_path, "red", (4, 0, 4)) == [7, 0, 6]


def test_a_player_bids_only_to_be_outbid_by_the_right_neighbour_who_pays_for_it(tmp_path: Path):  # T2, T4
    # v = 6; player 2 has nothing and must pass. Player 1 has one ingot, player 0 three; player 0 pays player 1.
    #   1 bids 1: 0 buys for 2, netting 4 (passing brings nothing, as 1 pays 2); 1 is paid 2.
    #   1 passes: 0 buys for 1; 1 is paid 1.
    # So player 1 bids: 3 - 2 + 6, 1 + 2, nothing.
    assert solved(tmp_path, "golden", (3, 1, 0)) == [7, 3, 0]


def test_with_ties_there_are_several_equilibria(tmp_path: Path):  # T2, T4
    # v = 5 and six ingots each: a seat that gains nothing from buying at 5 may bid or pass.
    auction = one_lot(tmp_path, "red", (6, 6, 6), weapon=False)
    tree = build_tree(auction.game, auction.games, lambda batch: batch.final_scores)
    outcomes = subgame_perfect(tree)
    assert len(outcomes) > 1
    assert {sum(outcome) for outcome in outcomes} == {18 + 5}  # the lot is always sold
    assert {max(outcome) - 6 for outcome in outcomes} <= {3, 4, 5}
