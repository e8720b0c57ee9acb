"""Matches: the same deals for every seating, win rates, what an agent may answer."""

import numpy as np
import pytest

from tests.lab.arena.small import Outside
from w51_agents import AgentError, make_agent
from w51_env import make_game
from w51_env.engine.game import Game
from w51_lab.arena.matches import Results, play_matches
from w51_lab.arena.seatings import line_up
from w51_lab.statistics.estimates import win_rate_interval

GAME = make_game("warehouse51_v1", num_players=4)


def match(*names: str, games: int = 400, seed: int = 5, game: Game = GAME) -> Results:
    return play_matches(game, [(name, make_agent(name, game)) for name in names], games, seed)


def test_fewer_agents_than_seats_meet_copies_of_the_others_in_turn():
    assert line_up(4, 4).tolist() == [0, 1, 2, 3]
    assert line_up(2, 4).tolist() == [0, 1, 1, 1]
    assert line_up(3, 5).tolist() == [0, 1, 2, 1, 2]
    assert line_up(1, 3).tolist() == [0, 0, 0]


def test_four_of_one_deterministic_kind_share_everything_equally():
    """In each deal every place of the line-up has every seat once, so equal players cannot differ by a hair."""
    results = match("heuristic", "heuristic", "heuristic", "heuristic", games=80)
    np.testing.assert_array_equal(
        *np.broadcast_arrays(np.sort(results.scores, axis=1), np.sort(results.scores[:, :, :1], axis=1))
    )
    for standing in results.standings():
        assert standing.win_rate == pytest.approx(0.25)
        assert 0 < standing.high - standing.low < 0.3


def test_a_shared_victory_counts_in_part_and_each_game_has_one():
    results = match("random", games=2000)
    assert results.wins.sum(axis=2) == pytest.approx(1.0)
    shared = (results.ranks == 1).sum(axis=2) == 2
    assert shared.any()
    assert set(results.wins[shared].ravel()) == {0.0, 0.5}


@pytest.mark.parametrize("games", [0, -4, 2.5, True])
def test_a_number_of_games_that_cannot_be_played_is_an_error(games):
    with pytest.raises(AgentError, match=f"games: {games}, but an integer of at least 1 is needed"):
        match("random", games=games)


def test_means_are_those_worked_out_by_hand_and_the_interval_is_that_of_all_seats_of_an_agent():
    """Two deals, two seatings, agent a against b and b."""
    places = np.array([0, 1, 1])
    scores = np.array([[[9, 3, 6], [5, 7, 6]], [[8, 1, 2], [4, 4, 1]]], np.int16)
    ranks = np.array([[[1, 3, 2], [3, 1, 2]], [[1, 3, 2], [1, 1, 3]]], np.int8)
    wins = np.array([[[1, 0, 0], [0, 1, 0]], [[1, 0, 0], [0.5, 0.5, 0]]])
    first, second = Results(("a", "b"), places, scores, ranks, wins).standings()
    assert (first.seats, second.seats) == (1, 2)
    assert (first.mean_score, second.mean_score) == (26 / 4, 30 / 8)
    assert (first.mean_rank, second.mean_rank) == (6 / 4, 17 / 8)
    # by deal: a has 0.5 and 0.75, a seat of b 0.25 and 0.125
    assert first.win_rate == 0.625
    assert second.win_rate == 0.1875
    assert (first.low, first.high) == win_rate_interval(np.array([0.5, 0.75]))
    assert (2 * second.low, 2 * second.high) == win_rate_interval(np.array([0.5, 0.25]))


def test_the_same_seed_gives_the_same_results_and_another_seed_others():
    first, again, other = (
        match("heuristic", "random"),
        match("heuristic", "random"),
        match("heuristic", "random", seed=6),
    )
    np.testing.assert_array_equal(first.scores, again.scores)
    assert first.standings() == again.standings()
    assert (first.scores != other.scores).any()


def test_an_agent_outside_the_batch_plays_the_same_games_as_the_bot_inside():
    inside = match("heuristic", "heuristic", "heuristic", games=200)
    agent = Outside(GAME, "heuristic")
    outside = play_matches(
        GAME, [("a", agent), ("b", make_agent("heuristic", GAME)), ("c", make_agent("heuristic", GAME))], 200, 5
    )
    np.testing.assert_array_equal(outside.scores, inside.scores)
    np.testing.assert_array_equal(outside.ranks, inside.ranks)
    assert agent.decisions > 200 * 10


def test_agents_keep_to_their_own_seats():
    """One who always takes the first legal action (to pass, while it may) buys nothing, wherever it sits."""

    class Passer(Outside):
        def act_batch(self, observations, action_masks, infos=None):
            return action_masks.argmax(axis=1)

    agents = [("passer", Passer(GAME, "random")), ("heuristic", make_agent("heuristic", GAME))]
    results = play_matches(GAME, agents, 400, 1)
    passer, heuristic = results.standings()
    assert passer.high < results.equal_share < heuristic.low
    assert passer.mean_score < heuristic.mean_score


def test_progress_counts_every_game_once():
    counted: list[int] = []
    agents = [("a", Outside(GAME, "random")), ("b", make_agent("random", GAME))]
    play_matches(GAME, agents, 100, 1, counted.append)
    assert sum(counted) == 100


class Answers(Outside):
    """Gives whatever `answer` makes of the masks."""

    def __init__(self, answer):
        super().__init__(GAME, "random")
        self._answer = answer

    def act_batch(self, observations, action_masks, infos=None):
        return self._answer(action_masks)


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        (
            lambda masks: np.full(len(masks), GAME.actions.id("bid_70")),
            r"action 74 \(bid_70\) is not legal; legal are \d+ \(\w+\), ",
        ),
        (lambda masks: np.full(len(masks), -1), r"action -1 \(ids go"),
        (lambda masks: None, r"act_batch gave None, but integers of shape \(8,\) are needed"),
        (lambda masks: masks.argmax(axis=1)[:-1], r"act_batch gave int64 of shape \(7,\)"),
        (lambda masks: masks.argmax(axis=1).astype(float), r"act_batch gave float64 of shape \(8,\)"),
        (lambda masks: [[1], [1, 2]], r"act_batch gave \[\[1\], \[1, 2\]\], but"),
        (lambda masks: ["pass"] * len(masks), r"act_batch gave \['pass', 'pass', .*, but"),
    ],
)
def test_the_error_for_an_illegal_action_names_the_agent(answer, message: str):
    agents = [("odd one", Answers(answer)), ("random", make_agent("random", GAME))]
    with pytest.raises(AgentError, match=f"agent 'odd one': {message}"):
        play_matches(GAME, agents, 8)


def test_a_list_of_legal_actions_will_do():
    agents = [("lists", Answers(lambda masks: masks.argmax(axis=1).tolist())), ("random", make_agent("random", GAME))]
    assert play_matches(GAME, agents, 8).wins.shape == (2, 4, 4)


@pytest.mark.parametrize("num_players", [2, 5])
def test_another_game_is_played_just_so(num_players):
    game = make_game("alles_futsch_v1", num_players=num_players)
    results = match("heuristic", "random", games=400, game=game)
    heuristic, random = results.standings()
    assert heuristic.low > results.equal_share > random.high
