"""Section 7: presets and options; the rules and rewards that some of them change have tests of their own."""

import pytest

from tests.env.warehouse51.endings import finish, table_without_counterfeits
from tests.env.warehouse51.table import Table
from w51_env import warehouse51
from w51_env.engine.batch import Batch
from w51_env.engine.errors import OptionError
from w51_env.warehouse51.state import NO_GAP

RULEBOOKS = ("default", "en", "fr", "de", "hu")
MINI_GAMES = ("mini", "nano")


# ---- presets: what each rulebook has


def test_four_play_unless_said_otherwise():  # S1, option: num_players, preset: default
    assert [warehouse51.make(preset=preset).num_players for preset in RULEBOOKS + MINI_GAMES] == [4, 4, 4, 4, 4, 3, 3]
    assert warehouse51.make(5, preset="hu").num_players == 5


def test_the_default_is_the_english_rulebook():  # preset: default, preset: en
    assert warehouse51.make(preset="en").options == warehouse51.make().options


# ---- presets: the mini games


def test_the_mini_game_has_loans_of_two_redeemed_for_three():  # P1, E1, preset: mini
    table = table_without_counterfeits(3, preset="mini").give(0, "seal")
    assert table.ingots(2, 2, 2).legal() == {"choose_deck_blue", "choose_deck_red"}  # 2 ingots are not few
    table.ingots(1, 3, 2).play("pawn_seal")
    assert (table.purses, table.reserve) == ([3, 3, 2], 0)
    finish(table)
    assert (table.phase, table.legal()) == ("redeem", {"decline", "redeem_seal"})
    assert table.play("redeem_seal").purses == [0, 3, 2]
    assert (table.reserve, table.over) == (3, True)


def test_the_mini_game_begins_with_two_ingots_each_and_two_in_the_reserve():  # S2, S3, preset: mini
    table = Table(3, preset="mini")
    assert (table.purses, table.reserve) == ([2, 2, 2], 2)
    assert sorted(table.relics.ids) == ["dagger", "lantern", "purse", "seal"]


def test_the_nano_game_has_three_relics_and_no_pawnbroker():  # S2, S3, P2, S5, preset: nano
    game = warehouse51.make(preset="nano")
    table = Table(3, preset="nano").give(0, "lantern").decks("dagger", "purse").ingots(0, 4, 2)
    assert (table.reserve, game.options["first_player"]) == (0, 0)
    assert table.legal() == {"choose_deck_blue", "choose_deck_red"}  # nothing to pawn for
    assert sorted(table.relics.ids) == ["dagger", "lantern", "purse"]


@pytest.mark.parametrize(("preset", "shown", "blank"), [("mini", 3, 6), ("nano", 2, 7)])
def test_the_mini_games_lay_three_of_nine_cards(preset, shown, blank):  # S4, preset: mini, preset: nano
    batch = Batch(warehouse51.make(preset=preset), 2000, seed=51, observe=False)
    batch.reset()
    dealt = batch.games["counterfeit_gap"] != NO_GAP
    cards = dealt.sum(axis=1)
    assert cards.max() == min(3, shown)
    assert (dealt.sum(axis=0) > 0).sum() == shown
    assert cards.mean() == pytest.approx(3 * shown / (shown + blank), abs=0.06)


# ---- options, one by one


def test_the_loan_is_what_pawning_brings_and_what_the_reserve_must_hold():  # P1, P2, option: pawn_loan
    table = Table(4, pawn_loan=7).give(0, "holy_grail").decks("excalibur", "sharur").ingots(5, 16, 16, 17)
    assert (table.reserve, "pawn_holy_grail" in table.legal()) == (6, False)
    assert table.ingots(5, 16, 16, 16).play("pawn_holy_grail").purses == [12, 16, 16, 16]


@pytest.mark.parametrize("price", [0, 7, 10])
def test_the_price_to_redeem(price):  # E1, option: redeem_price
    for lacking in range(min(price, 1) + 1):
        table = table_without_counterfeits(4, redeem_price=price).give(0, "sharur", pawned=True)
        finish(table.ingots(price - lacking, 10, 10, 10))
        reserve = table.reserve
        assert table.over == bool(lacking)
        if not lacking:
            table.play("redeem_sharur")
            assert (table.purses[0], table.reserve) == (0, reserve + price)


@pytest.mark.parametrize(
    ("payment", "price", "purses", "reserve", "payee"),
    [
        ({"payment_to": "left"}, 8, [10, 10, 2, 18], 20, 3),
        ({"payment_to": "right"}, 8, [10, 18, 2, 10], 20, 1),
        ({"payment_to": "bank"}, 8, [10, 10, 2, 10], 28, -1),
        (
            {"payment_to": "others"},
            8,
            [13, 12, 2, 13],
            20,
            -1,
        ),  # 2 each, and the 2 left over go to the first from the left
        ({"payment_to": "others"}, 1, [10, 10, 9, 11], 20, -1),
        ({"payment_to": "others", "refund": 50}, 9, [11, 11, 1, 12], 25, -1),  # 4 of 9, and the reserve gets 5
        ({"payment_to": "others", "refund": 0}, 8, [10, 10, 2, 10], 28, -1),
    ],
)
@pytest.mark.parametrize("relic", ["holy_grail", "sharur"])  # an open and a blind auction
def test_who_gets_the_price(relic, payment, price, purses, reserve, payee):  # T4, option: payment_to, option: refund
    table = Table(4, **payment, first_player=1).decks(relic, "gleipnir")
    colour = "blue" if relic == "holy_grail" else "golden"
    table.play(f"choose_deck_{colour}", f"bid_{price}", *["pass"] * 3)
    assert (table.owner(relic), table.purses, table.reserve) == (2, purses, reserve)
    assert [(event["ingots"], event["payee"]) for event in table.events("sold")] == [(price, payee)]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"start_ingots": 13}, "start_ingots, reserve: 4 x 13 + 20 = 72 ingots, but the box holds 70"),
        ({"reserve": 31}, "start_ingots, reserve: 4 x 10 + 31 = 71 ingots, but the box holds 70"),
        ({"refund": 50}, "refund: 50, but payment_to is 'left'; below 100 it must be 'others'"),
        ({"counterfeits_per_gap": 6}, "relics 'reconstruction-1': 24 counterfeit cards are dealt to 4 players, but"),
        ({"relics": 3}, "relics: 3, but the name of a built-in relic set or the path of a file is needed"),
        ({"relics": ["mini"]}, "relics: ['mini'], but the name of a built-in relic set or the path"),
        ({"relics": "reconstruction"}, "relics: 'reconstruction' is neither a file nor a built-in relic set"),
        ({"num_players": 3, "first_player": 3}, "first_player: 3, but allowed are 'random', 0, 1, 2"),
    ],
)
def test_values_that_do_not_go_together_are_named(options, message):  # S2, S4, S5
    with pytest.raises(OptionError) as caught:
        warehouse51.make(**options)
    assert str(caught.value).startswith(message)
