"""Section 7: an option or preset that is unknown or has a bad value is named, with what is allowed."""

import pytest

from w51_env import warehouse51
from w51_env.engine.errors import OptionError


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"start_ingots": 13}, "start_ingots, reserve: 4 x 13 + 20 = 72 ingots, but the box holds 70"),
        ({"reserve": 31}, "start_ingots, reserve: 4 x 10 + 31 = 71 ingots, but the box holds 70"),
        ({"counterfeits_per_gap": 6}, "relics 'reconstruction-1': 24 counterfeit cards are dealt to 4 players, but"),
        ({"relics": 3}, "relics: 3, but the name of a built-in relic set or the path of a file is needed"),
        ({"relics": ["mini"]}, "relics: ['mini'], but the name of a built-in relic set or the path"),
        ({"relics": "reconstruction"}, "relics: 'reconstruction' is neither a file nor a built-in relic set"),
    ],
)
def test_values_that_do_not_go_together_are_named(options, message):  # S2, S4
    with pytest.raises(OptionError) as caught:
        warehouse51.make(**options)
    assert str(caught.value).startswith(message)


def test_a_first_player_who_does_not_play_is_an_error():  # S5
    with pytest.raises(OptionError, match=r"first_player: 3, but allowed are 'random', 0, 1, 2$"):
        warehouse51.make(3, first_player=3)
