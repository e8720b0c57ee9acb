"""Matches: the same deals for every seating, shares of victories, intervals by deal."""

import math

import numpy as np
import pytest

from agents import AgentError, make_agent, play_matches
from agents.agent import BatchAgent
from agents.matches import Results, line_up
from w51_env import make_game
from w51_env.core.errors import IllegalActionError
from w51_env.core.game import Game

GAME = make_game("warehouse51_v0", num_players=4)


class Outside(BatchAgent):
    """A bot that is asked through the agent protocol instead of playing inside the batch; counts its decisions."""

    def __init__(self, game: Game, name: str):
        self._agent = make_agent(name, game)
        self.decisions = 0

    def reset(self, seed: int) -> None:
        self._agent.reset(seed)

    def act_batch(self, observations, action_masks, infos=None):
        self.decisions += len(observations)
        return self._agent.act_batch(observations, action_masks, infos)


def match(*names: str, games: int = 400, seed: int = 5, game: Game = GAME) -> Results:
    return play_matches(game, [(name, make_agent(name, game)) for name in names], games, seed)


def test_fewer_agents_than_seats_meet_copies_of_the_others_in_turn():
    assert line_up(4, 4).tolist() == [0, 1, 2, 3]
    assert line_up(2, 4).tolist() == [0, 1, 1, 1]
    assert line_up(3, 5).tolist() == [0, 1, 2, 1, 2]
    assert line_up(1, 3).tolist() == [0, 0, 0]


@pytest.mark.parametrize("count", [0, 5])
def test_more_agents_than_seats_or_none_is_an_error(count):
    with pytest.raises(AgentError, match=f"agents: {count}, but 1 to 4 can sit down to a game of 4"):
        line_up(count, 4)


def test_games_are_rounded_up_to_whole_rounds_of_seatings():
    results = match("heuristic", "random", games=10)
    assert results.shares.shape == (3, 4, 4)


def test_four_of_one_deterministic_kind_share_everything_equally():
    """In each deal every place of the line-up has every seat once, so equal players cannot differ by a hair."""
    results = match("heuristic", "heuristic", "heuristic", "heuristic", games=80)
    assert (np.sort(results.scores, axis=1) == np.sort(results.scores[:, :, :1], axis=1)).all()
    for standing in results.standings():
        assert standing.win_share == pytest.approx(0.25)
        assert standing.high - standing.low == pytest.approx(0)


def test_equals_who_play_by_chance_are_at_par_within_their_intervals():
    results = match("random", "random", "random", "random", games=4000)
    shares = [standing.win_share for standing in results.standings()]
    assert sum(shares) == pytest.approx(1.0)
    for standing in results.standings():
        assert standing.low - 0.01 < results.par < standing.high + 0.01
        assert standing.high - standing.low < 0.04


def test_a_shared_victory_counts_in_part_and_each_game_has_one():
    results = match("random", games=2000)
    assert results.shares.sum(axis=2) == pytest.approx(1.0)
    shared = (results.ranks == 1).sum(axis=2) == 2
    assert shared.any()
    assert set(results.shares[shared].ravel()) == {0.0, 0.5}


def test_means_and_interval_are_those_worked_out_by_hand():
    """Two deals, two seatings, agent a against b and b."""
    places = np.array([0, 1, 1])
    scores = np.array([[[9, 3, 6], [5, 7, 6]], [[8, 1, 2], [4, 4, 1]]], np.int16)
    ranks = np.array([[[1, 3, 2], [3, 1, 2]], [[1, 3, 2], [1, 1, 3]]], np.int8)
    shares = np.array([[[1, 0, 0], [0, 1, 0]], [[1, 0, 0], [0.5, 0.5, 0]]])
    first, second = Results(("a", "b"), places, scores, ranks, shares).standings()
    assert (first.seats, second.seats) == (1, 2)
    assert (first.mean_score, second.mean_score) == (26 / 4, 30 / 8)
    assert (first.mean_rank, second.mean_rank) == (6 / 4, 17 / 8)
    # by deal: a has 0.5 and 0.75, b 0.25 and 0.125; a's standard deviation is 0.25 / sqrt(2), so its error 0.25 / 2
    assert first.win_share == 0.625
    assert second.win_share == 0.1875
    assert first.low == pytest.approx(0.625 - 1.959964 * 0.125)
    assert first.high == pytest.approx(0.625 + 1.959964 * 0.125)


def test_an_interval_of_one_deal_says_nothing():
    standing = match("heuristic", "random", games=4).standings()[0]
    assert (standing.low, standing.high) == (0.0, 1.0)
    assert not math.isnan(standing.win_share)


def test_the_same_seed_gives_the_same_results_and_another_seed_others():
    first, again, other = match("heuristic", "random"), match("heuristic", "random"), match("heuristic", "random", seed=6)
    assert (first.scores == again.scores).all()
    assert first.standings() == again.standings()
    assert (first.scores != other.scores).any()


def test_an_agent_outside_the_batch_plays_the_same_games_as_the_bot_inside():
    inside = match("heuristic", "heuristic", "heuristic", games=200)
    agent = Outside(GAME, "heuristic")
    outside = play_matches(GAME, [("a", agent), ("b", make_agent("heuristic", GAME)), ("c", make_agent("heuristic", GAME))], 200, 5)
    assert (outside.scores == inside.scores).all()
    assert (outside.ranks == inside.ranks).all()
    assert agent.decisions > 200 * 10


def test_agents_keep_to_their_own_seats():
    """One who always takes the first legal action (to pass, while it may) buys nothing, wherever it sits."""

    class Passer(Outside):
        def act_batch(self, observations, action_masks, infos=None):
            return action_masks.argmax(axis=1)

    agents = [("passer", Passer(GAME, "random")), ("heuristic", make_agent("heuristic", GAME))]
    results = play_matches(GAME, agents, 400, 1)
    passer, heuristic = results.standings()
    assert passer.high < results.par < heuristic.low
    assert passer.mean_score < heuristic.mean_score


def test_progress_counts_every_game_once():
    counted: list[int] = []
    agents = [("a", Outside(GAME, "random")), ("b", make_agent("random", GAME))]
    play_matches(GAME, agents, 100, 1, counted.append)
    assert sum(counted) == 100


def test_an_illegal_action_of_an_agent_names_game_and_action():
    class Cheat(Outside):
        def act_batch(self, observations, action_masks, infos=None):
            return np.full(len(observations), GAME.actions.id("bid_70"))

    with pytest.raises(IllegalActionError, match=r"game \d+: action 74 \(bid_70\) is not legal"):
        play_matches(GAME, [("cheat", Cheat(GAME, "random"))], 8)


@pytest.mark.parametrize("num_players", [2, 5])
def test_another_game_is_played_just_so(num_players):
    game = make_game("alles_futsch_v0", num_players=num_players)
    results = match("heuristic", "random", games=400, game=game)
    heuristic, random = results.standings()
    assert heuristic.low > results.par > random.high
