"""Options and presets: what is allowed, and what an error says. What each does is tested with its rule."""

import dataclasses
import pickle

import pytest

from w51_env import alles_futsch, make_game
from w51_env.alles_futsch.rules import PRESETS, AllesFutschOptions
from w51_env.engine.errors import OptionError


@pytest.mark.parametrize("num_players", [-1, 0, 1, 6, 3.0, "3", True])
def test_two_to_five_players(num_players):  # A1, option: num_players
    with pytest.raises(OptionError, match=r"num_players.*allowed are 2, 3, 4, 5"):
        alles_futsch.make(num_players)


@pytest.mark.parametrize(
    ("option", "value", "message"),
    [
        ("first_player", 4, "first_player: 4, but allowed are 'random', 0, 1, 2, 3"),
        ("cards", "multiset", "cards: 'multiset', but allowed are 'multisets', 'random' (did you mean 'multisets'?)"),
        ("num_cards", 0, "num_cards: 0, but an integer from 1 to 35 is allowed"),
        ("num_cards", 36, "num_cards: 36, but an integer from 1 to 35 is allowed"),
        ("start_money", 0, "start_money: 0, but an integer from 1 to 200 is allowed"),
        ("start_money", 201, "start_money: 201, but an integer from 1 to 200 is allowed"),
        ("start_money", 12.5, "start_money: 12.5, but an integer from 1 to 200 is allowed"),
        ("minimum_bid", 21, "minimum_bid: 21, but an integer from 0 to 20 is allowed"),
        ("minimum_bid", -1, "minimum_bid: -1, but an integer from 0 to 20 is allowed"),
        ("no_bid_selector", "right", "no_bid_selector: 'right', but allowed are 'same', 'left'"),
        ("no_buyer", "keep", "no_buyer: 'keep', but allowed are 'lost', 'taken'"),
        ("deck_exhausted", True, "deck_exhausted: True, but allowed are 'play_on', 'end'"),
        ("sale_price", 0, "sale_price: 0, but an integer from 1 to 40 is allowed"),
        ("fine", 41, "fine: 41, but an integer from 0 to 40 is allowed"),
        ("bonus", 41, "bonus: 41, but an integer from 0 to 40 is allowed"),
        ("reward", "points", "reward: 'points', but allowed are 'win', 'rank', 'margin'"),
        ("ask_forced", 1, "ask_forced: 1, but allowed are False, True"),
        ("start_mony", 10, "option 'start_mony' is unknown; allowed are"),
        ("preset", "tiny", "preset: 'tiny' is unknown; allowed are default, short, mini"),
    ],
)
def test_a_value_that_is_not_allowed_is_an_error_that_lists_the_allowed_ones(option, value, message):
    with pytest.raises(OptionError) as caught:
        alles_futsch.make(**{option: value})
    assert str(caught.value).startswith(message)


def test_the_default_is_the_rulebook():  # A1, A2, A3, preset: default
    assert alles_futsch.make().options == {
        "num_players": 4,
        "first_player": "random",
        "start_money": 200,
        "cards": "multisets",
        "num_cards": 35,
        "minimum_bid": 1,
        "no_bid_selector": "same",
        "no_buyer": "lost",
        "deck_exhausted": "play_on",
        "sale_price": 20,
        "fine": 10,
        "bonus": 30,
        "reward": "win",
        "ask_forced": False,
    }


@pytest.mark.parametrize("preset", PRESETS)
def test_a_preset_sets_its_options_and_any_of_them_can_be_changed(preset):  # preset: short, preset: mini
    game = alles_futsch.make(preset=preset)
    for name, value in PRESETS[preset].items():
        assert game.options[name] == value
    changed = alles_futsch.make(3, preset, bonus=11)
    assert (changed.num_players, changed.options["bonus"]) == (3, 11)


def test_options_are_plain_data_that_make_the_same_game_again():
    game = alles_futsch.make(3, "short", first_player=1, cards="random", ask_forced=True)
    again = make_game(game.id, **game.options)
    assert again.options == game.options
    assert again.rules.tobytes() == game.rules.tobytes()
    assert pickle.loads(pickle.dumps(game)).options == game.options
    assert AllesFutschOptions(**game.options).as_dict() == game.options


def test_every_option_reaches_the_kernels():
    default = alles_futsch.make(4).rules.tobytes()
    other = {"num_players": 3, "first_player": 1, "start_money": 9, "cards": "random", "num_cards": 9, "minimum_bid": 9}
    other |= {
        "no_bid_selector": "left",
        "no_buyer": "taken",
        "deck_exhausted": "end",
        "sale_price": 9,
        "fine": 9,
        "bonus": 9,
    }
    other |= {"reward": "rank", "ask_forced": True}
    assert set(other) == {field.name for field in dataclasses.fields(AllesFutschOptions)}
    for name, value in other.items():
        assert alles_futsch.make(**{name: value}).rules.tobytes() != default, name
