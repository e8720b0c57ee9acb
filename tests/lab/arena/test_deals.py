"""The deals that matches are played on."""

import numpy as np
import pytest

from w51_agents import AgentError
from w51_env import make_game
from w51_lab.arena.deals import make_deals

# What a published set deals must never change: results of different authors stand on it.
PUBLISHED = {
    ("warehouse51_v1", 3): "521dfc323504a3eb8d10bac27af97a9bbb9ce32bb51a07850eaf70ba98504406",
    ("warehouse51_v1", 4): "afeb6726bf58901db0d1cf57e42d7822cca28db9ee08b6b5f06e080a393ccf06",
    ("warehouse51_v1", 5): "ba57e8d9148873b19674e6cc00c55cc1bd0d558d80748b8fb45f4af1ec43d88c",
    ("alles_futsch_v1", 4): "81fd7ff6609573ea51f1047e11fcd6f76d5b5289798999dc3190bb94164c15b8",
}


@pytest.mark.parametrize(("game", "players"), PUBLISHED)
def test_the_published_deals_are_as_they_were(game: str, players: int):
    assert make_deals("deals:v1", 0, 1000).digest(make_game(game, num_players=players)) == PUBLISHED[game, players]


def test_the_first_deals_are_the_same_however_many_there_are():
    for name in ("v1", None):
        np.testing.assert_array_equal(make_deals(name, 3, 10).seeds, make_deals(name, 3, 1000).seeds[:10])


def test_published_deals_do_not_depend_on_the_seed_and_others_do():
    np.testing.assert_array_equal(make_deals("v1", 1, 50).seeds, make_deals("deals:v1", 2, 50).seeds)
    assert (make_deals(None, 1, 50).seeds != make_deals(None, 2, 50).seeds).all()
    assert len(np.unique(make_deals("v1", 0, 20_000).seeds)) == 20_000
    commits = [make_deals(f"deals:{digit * 40}", 0, 50) for digit in "ab"]
    assert commits[0].name == "deals:" + "a" * 40
    assert (commits[0].seeds != commits[1].seeds).all()


def test_other_deals_and_other_rules_have_another_digest():
    games = [make_game("warehouse51_v1", num_players=players) for players in (3, 4)]
    digests = {make_deals(name, 0, count).digest(game) for name in ("v1", None) for count in (10, 11) for game in games}
    assert len(digests) == 8


def test_the_error_for_an_unknown_set_lists_the_known_ones():
    with pytest.raises(AgentError, match="deals: 'deals:v2' is unknown; allowed are deals:v1"):
        make_deals("deals:v2", 0, 10)


def test_an_option_that_a_game_has_only_where_it_is_given_is_in_the_digest():
    games = [make_game("warehouse51_v1"), make_game("warehouse51_v1", table_statistics=True)]
    assert len({make_deals("v1", 0, 2).digest(game) for game in games}) == 2
