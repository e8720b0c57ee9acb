"""A5: when the game ends, and who wins."""

import numpy as np
import pytest

from tests.env.alles_futsch.table import Table

EVERYONE_PASSES = ("pass", "pass")


def finish(*money: int, owned: tuple[int, ...] = (), reward: str = "win") -> Table:
    """The last card is out; the seats end with so much money and so many objects, each of another mixture of types."""
    table = Table(len(money), num_cards=1, ask_forced=True, reward=reward).money(*money)
    for seat, objects in enumerate(owned):
        for index in range(objects):
            table.state["owned"][seat, (seat + 1 + index % 4) % 5] += 1
    table.refresh().play("select_0")
    return table.play(*["pass"] * len(money))


def test_no_card_left_to_select_ends_the_game():  # A5
    table = Table(2, num_cards=2, ask_forced=True).play("select_1", *EVERYONE_PASSES)
    assert (table.over, table.seat, table.legal()) == (False, 0, {"select_0"})
    table.play("select_0", *EVERYONE_PASSES)
    assert table.over
    assert table.event_names() == ["passed", "unsold", "finished", "finished"]


def test_with_deck_exhausted_end_the_game_ends_when_the_row_cannot_be_filled_up():  # A5, option: deck_exhausted
    table = Table(2, num_cards=6, deck_exhausted="end").play("select_0", *EVERYONE_PASSES)
    assert not table.over
    table.play("select_4", *EVERYONE_PASSES)
    assert table.over
    assert (table["face_up"] >= 0).sum() == 4


@pytest.mark.parametrize(("deck_exhausted", "cards_played"), [("play_on", 3), ("end", 1)])
def test_fewer_cards_than_places_are_played_though_the_row_was_never_full(deck_exhausted, cards_played):  # A6
    table = Table(2, num_cards=3, deck_exhausted=deck_exhausted, ask_forced=True)
    assert table.face_up[3:] == [None, None]
    for card in range(cards_played):
        assert not table.over
        table.play(f"select_{card}", *EVERYONE_PASSES)
    assert table.over


@pytest.mark.parametrize(
    ("money", "owned", "ranks", "rewards"),
    [
        ((30, 31, 29), (12, 0, 7), [2, 1, 3], [-1 / 3, 2 / 3, -1 / 3]),
        ((30, 30, 10), (4, 5, 6), [2, 1, 3], [-1 / 3, 2 / 3, -1 / 3]),  # a tie goes to more objects
        ((30, 12, 30, 12), (4, 5, 4, 5), [1, 3, 1, 3], [1 / 4, -1 / 4, 1 / 4, -1 / 4]),  # a shared victory
    ],
)
def test_most_cash_wins_not_most_objects_which_break_ties(money, owned, ranks, rewards):  # A5
    table = finish(*money, owned=owned)
    assert (table.of_seats("ranks"), table.of_seats("scores")) == (ranks, list(money))
    assert table.batch.rewards[0].tolist() == pytest.approx(rewards)


def sale_to_the_broke(money: int, paintings: int, reward: str = "win", **others: int) -> Table:
    """Player 0 sells a painting to player 1, who can't pay all it costs; player 2 has no money and these objects."""
    table = Table(3, reward=reward).cards("painting clock jewel").money(5, money, 0).give(1, painting=paintings)
    return table.give(2, **others).buy(5).play("place_painting", "sell_to_1")


@pytest.mark.parametrize("reward", ["win", "rank"])
def test_who_went_broke_ranks_behind_everybody_who_did_not(reward):  # A4, A5, A6, option: reward
    table = sale_to_the_broke(0, paintings=2, reward=reward)
    assert (table.over, table["broke"], table.balances) == (True, 1, [0, 0, 0])
    assert [table.owned(seat) for seat in range(3)] == [{}, {"painting": 2}, {}]  # most objects of all
    assert table["ranks"][:3].tolist() == [1, 3, 1]
    expected = [1 / 6, -1 / 3, 1 / 6] if reward == "win" else [0.5, -1, 0.5]
    assert table.batch.rewards[0].tolist() == pytest.approx(expected)


@pytest.mark.parametrize(
    ("money", "paintings", "sculptures", "has", "seller_gets", "ranks"),
    [(0, 2, 2, 2, 0, [2, 3, 1]), (20, 3, 3, 4, 20, [1, 3, 2])],  # the price is not paid, or the fine
)
def test_an_object_is_the_buyers_once_it_is_paid_in_full(money, paintings, sculptures, has, seller_gets, ranks):  # A6
    table = sale_to_the_broke(money, paintings, sculpture=sculptures)
    assert (table.owned(1), table.balances) == ({"painting": has}, [seller_gets, 0, 0])
    assert table.of_seats("ranks") == ranks


def test_the_seller_who_takes_an_object_and_cannot_pay_the_fine_does_not_win_alone():  # A6, option: no_buyer
    table = Table(2, no_buyer="taken").cards("sculpture clock jewel").money(5, 0).give(0, sculpture=3)
    table.buy(5).play("place_sculpture")  # player 1 has no row for a sculpture
    assert (table.owned(0), table.owned(1)) == ({"sculpture": 4}, {})
    assert (table.over, table["broke"], table.balances) == (True, 0, [0, 0])
    assert table["ranks"][:2].tolist() == [2, 1]


def test_rewards_by_rank_and_by_margin():  # A5, option: reward
    assert finish(30, 30, 12, reward="rank").batch.rewards[0].tolist() == [0.5, 0.5, -1.0]
    assert finish(30, 27, 12, reward="margin").batch.rewards[0].tolist() == [10.5, 6.0, -16.5]
    np.testing.assert_array_equal(
        np.isclose(finish(200, 0, 0, 0, 0, reward="margin").batch.rewards[0], [200, -50, -50, -50, -50]), True
    )
