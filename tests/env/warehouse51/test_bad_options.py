"""Section 7: an option or preset that is unknown or has a bad value is named, with what is allowed."""

import pytest

from w51_env import warehouse51
from w51_env.engine.errors import OptionError, W51Error


@pytest.mark.parametrize(
    ("option", "value", "allowed"),
    [
        *(("num_players", value, "allowed are 3, 4, 5") for value in (-1, 0, 2, 6, "four", "4", 4.0, True)),
        *(("first_player", value, "allowed are 'random', 0, 1, 2, 3") for value in (4, -1, None)),
        ("first_player", "randon", "allowed are 'random', 0, 1, 2, 3 (did you mean 'random'?)"),
        *(("pawn_limit", value, "an integer from 0 to 70 is allowed") for value in (-1, 71, 4.5, True)),
        ("certificate_timing", "any", "allowed are 'end', 'anytime' (did you mean 'anytime'?)"),
        ("certificate_belongs_to", "buyers", "allowed are 'buyer', 'owner' (did you mean 'buyer'?)"),
        *(("start_ingots", value, "an integer from 1 to 70 is allowed") for value in (-1, 0, "10")),
        ("reserve", 71, "an integer from 0 to 70 is allowed"),
        *(("pawn_loan", value, "an integer from 1 to 70 is allowed") for value in (0, None)),
        ("redeem_price", 71, "an integer from 0 to 70 is allowed"),
        ("counterfeits_per_gap", -1, "an integer from 0 to 26 is allowed"),
        *(
            ("relics", value, "the name of a built-in relic set or the path of a file is needed")
            for value in (3, ["mini"])
        ),
        ("reward", "winner", "allowed are 'win', 'rank', 'margin' (did you mean 'win'?)"),
        *(("ask_forced", value, "allowed are False, True") for value in ("yes", 1)),
    ],
)
def test_a_bad_value_is_named_with_what_is_allowed(option, value, allowed):  # S1, S2, S4, S5
    with pytest.raises(OptionError) as caught:
        warehouse51.make(**{option: value})
    assert str(caught.value).startswith(f"{option}: {value!r}, but {allowed}")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"start_ingots": 13}, "start_ingots, reserve: 4 x 13 + 20 = 72 ingots, but the box holds 70"),
        ({"reserve": 31}, "start_ingots, reserve: 4 x 10 + 31 = 71 ingots, but the box holds 70"),
        ({"counterfeits_per_gap": 6}, "relics 'reconstruction-1': 24 counterfeit cards are dealt to 4 players, but"),
        ({"relics": "reconstruction"}, "relics: 'reconstruction' is neither a file nor a built-in relic set"),
    ],
)
def test_values_that_do_not_go_together_are_named(options, message):  # S2, S4
    with pytest.raises(OptionError) as caught:
        warehouse51.make(**options)
    assert str(caught.value).startswith(message)


def test_an_unknown_option_is_named_with_the_nearest():
    message = r"option 'pawn_limits' is unknown; allowed are num_players, .* \(did you mean 'pawn_limit'\?\)"
    with pytest.raises(OptionError, match=message):
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
