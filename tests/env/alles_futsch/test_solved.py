"""The mini game, solved: with nothing hidden and two players, backward induction finds who wins."""

import pytest

from tests.env.alles_futsch.generate import many_games
from tests.env.alles_futsch.table import Table
from w51_agents.exact.subgame_perfect import subgame_perfect
from w51_agents.exact.tree import build_tree

pytestmark = many_games


def value(table: Table) -> list[float]:
    """Rewards if both play as well as can be."""
    table.state["stream"] = table.state["decisions"] = 0
    [outcome] = subgame_perfect(build_tree(table.game, table.batch.clone()))
    return list(outcome)


def last_card(card: str, first_player: int) -> Table:
    """One card, 4,000 each; the third of a kind brings 3,000, a sale 2,000, the fine is 1,000."""
    table = Table(2, preset="mini", num_cards=1, first_player=first_player, ask_forced=True).cards(card)
    return table.play("select_0")


def test_the_first_seat_to_bid_the_bonus_wins_with_three_of_a_kind():  # preset: mini
    # Bought for 3, the card leaves 4 - 3 + 3 = 4 against 4, and more objects. Who bids 4 against that is left with 3.
    assert value(last_card("jewel jewel jewel", first_player=0)) == [0.5, -0.5]
    assert value(last_card("jewel jewel jewel", first_player=1)) == [-0.5, 0.5]


def test_a_seat_that_can_break_the_other_by_a_sale_wins_whoever_bids_first():  # preset: mini, A3, A4
    # Player 0 has no row for a painting. Sold to player 1, two cost 4 and the third can't be paid any more: so any
    # price wins for player 0. Player 1 keeps the card, but for 4 has 3 against 4, and for 3 is outbid by 4, which
    # leaves 0 + 4 against 0.
    assert value(last_card("painting painting painting", first_player=0)) == [0.5, -0.5]
    assert value(last_card("painting painting painting", first_player=1)) == [0.5, -0.5]


def test_where_a_sale_breaks_nobody_the_price_decides():  # preset: mini, A3, A5
    # With 9 each: bought by player 0 for b, the card leaves 9 - b + 6 against 9 - 6 + 3, a win up to 8. Bought by
    # player 1, it leaves 9 - b + 3 against 9, a win up to 3 (then by objects). So player 0 can outbid all that would
    # help player 1.
    assert value(last_card("painting painting painting", first_player=1).money(9, 9)) == [0.5, -0.5]
    # With 9 and 12: for player 0 it is 15 - b against 9, a win up to 5; for player 1 15 - b against 9, a win up to 6.
    assert value(last_card("painting painting painting", first_player=0).money(9, 12)) == [-0.5, 0.5]


@pytest.mark.parametrize(("num_cards", "most"), [(1, 3_000), (2, 10_000)])
def test_a_deal_has_few_nodes(num_cards: int, most: int):  # preset: mini, option: num_cards
    for seed in range(3):
        table = Table(2, preset="mini", num_cards=num_cards, seed=seed)
        assert 100 < build_tree(table.game, table.batch.clone()).nodes() < most
