"""Section 7: an option or preset that is unknown or has a bad value is named, with what is allowed."""

import pytest

from w51_env import warehouse51
from w51_env.core.errors import OptionError, W51Error


@pytest.mark.parametrize(
    ("option", "value", "message"),
    [
        ("num_players", 2, "num_players: 2, but allowed are 3, 4, 5"),
        ("num_players", 6, "num_players: 6, but allowed are 3, 4, 5"),
        ("num_players", "four", "num_players: 'four', but allowed are 3, 4, 5"),
        ("num_players", 4.0, "num_players: 4.0, but allowed are 3, 4, 5"),
        ("num_players", True, "num_players: True, but allowed are 3, 4, 5"),
        ("first_player", 4, "first_player: 4, but allowed are 'random', 0, 1, 2, 3"),
        ("first_player", -1, "first_player: -1, but allowed are 'random', 0, 1, 2, 3"),
        (
            "first_player",
            "randon",
            "first_player: 'randon', but allowed are 'random', 0, 1, 2, 3 (did you mean 'random'?)",
        ),
        ("first_player", None, "first_player: None, but allowed are 'random', 0, 1, 2, 3"),
        ("pawn_limit", -1, "pawn_limit: -1, but an integer from 0 to 70 is allowed"),
        ("pawn_limit", 71, "pawn_limit: 71, but an integer from 0 to 70 is allowed"),
        ("pawn_limit", 4.5, "pawn_limit: 4.5, but an integer from 0 to 70 is allowed"),
        ("pawn_limit", True, "pawn_limit: True, but an integer from 0 to 70 is allowed"),
        (
            "certificate_timing",
            "any",
            "certificate_timing: 'any', but allowed are 'end', 'anytime' (did you mean 'anytime'?)",
        ),
        (
            "certificate_belongs_to",
            "buyers",
            "certificate_belongs_to: 'buyers', but allowed are 'buyer', 'owner' (did you mean 'buyer'?)",
        ),
        ("start_ingots", -1, "start_ingots: -1, but an integer from 1 to 70 is allowed"),
        ("start_ingots", "10", "start_ingots: '10', but an integer from 1 to 70 is allowed"),
        ("start_ingots", 13, "start_ingots, reserve: 4 x 13 + 20 = 72 ingots, but the box holds 70"),
        ("reserve", 71, "reserve: 71, but an integer from 0 to 70 is allowed"),
        ("reserve", 31, "start_ingots, reserve: 4 x 10 + 31 = 71 ingots, but the box holds 70"),
        ("pawn_loan", 0, "pawn_loan: 0, but an integer from 1 to 70 is allowed"),
        ("pawn_loan", None, "pawn_loan: None, but an integer from 1 to 70 is allowed"),
        ("redeem_price", 71, "redeem_price: 71, but an integer from 0 to 70 is allowed"),
        ("counterfeits_per_gap", -1, "counterfeits_per_gap: -1, but an integer from 0 to 26 is allowed"),
        (
            "counterfeits_per_gap",
            6,
            "relics 'reconstruction-1': 24 counterfeit cards are dealt to 4 players, but the set has 23",
        ),
        ("relics", "reconstruction", "relics: 'reconstruction' is neither a file nor a built-in relic set"),
        ("relics", 3, "relics: 3, but the name of a built-in relic set or the path of a file is needed"),
        ("relics", ["mini"], "relics: ['mini'], but the name of a built-in relic set or the path of a file is needed"),
        ("reward", "winner", "reward: 'winner', but allowed are 'win', 'rank', 'margin' (did you mean 'win'?)"),
        ("ask_forced", "yes", "ask_forced: 'yes', but allowed are False, True"),
        ("ask_forced", 1, "ask_forced: 1, but allowed are False, True"),
    ],
)
def test_a_bad_value_is_named_with_what_is_allowed(option, value, message):  # S1, S2, S4
    with pytest.raises(OptionError) as caught:
        warehouse51.make(**{option: value})
    assert str(caught.value).startswith(message)


def test_an_unknown_option_is_named_with_the_nearest():
    with pytest.raises(
        OptionError,
        match=r"option 'pawn_limits' is unknown; allowed are num_players, .* \(did you mean 'pawn_limit'\?\)",
    ):
        warehouse51.make(4, pawn_limits=5)


def test_an_unknown_preset_is_named_with_the_nearest():
    with pytest.raises(
        OptionError,
        match=r"preset: 'mni' is unknown; allowed are default, en, fr, de, hu, mini, nano \(did you mean 'mini'\?\)",
    ):
        warehouse51.make(preset="mni")


@pytest.mark.parametrize("preset", [None, 3, ["en"]])
def test_a_preset_that_is_no_name_is_an_error(preset):
    with pytest.raises(OptionError, match=r"preset: .* is unknown; allowed are default"):
        warehouse51.make(preset=preset)


def test_a_first_player_who_does_not_play_is_an_error():  # S5
    with pytest.raises(OptionError, match=r"first_player: 3, but allowed are 'random', 0, 1, 2$"):
        warehouse51.make(3, first_player=3)


def test_every_error_is_a_value_error():
    with pytest.raises(ValueError, match="num_players"):
        warehouse51.make(7)
    assert issubclass(W51Error, ValueError)
