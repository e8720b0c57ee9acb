"""What search agents are made of: names, candidates, halving, secret bids, budgets."""

import time

import numpy as np
import pytest

from agents import AgentError
from agents.bots import BotAgent
from agents.search.budget import Budget
from agents.search.candidates import Ladders
from agents.search.halving import halving_search
from agents.search.names import make_search
from agents.search.playouts import Playouts
from agents.search.priors import PolicyPrior
from agents.search.problem import Problem
from agents.search.secrets import Guesses
from agents.search.settings import SearchSettings, is_search, parse_settings
from tests.core.test_determinization import running
from tests.third_game import make as make_third
from w51_env import make_game
from w51_env.core.batch import Batch
from w51_env.core.bots import Bot
from w51_env.core.determinization import Determinizer
from w51_env.warehouse51.actions import BID, DECLINE, PASS
from w51_env.warehouse51.state import BLIND_AUCTION, NOT_BID

GAME = make_game("warehouse51_v0", num_players=4)

# ---- names


@pytest.mark.parametrize(
    ("spec", "settings"),
    [
        ("search", SearchSettings(rollouts=1000)),
        ("search:rollouts=2000", SearchSettings(rollouts=2000)),
        ("search:seconds=1", SearchSettings(seconds=1.0)),
        (
            "search:method=ismcts, rollouts=200, exploration=1",
            SearchSettings(method="ismcts", rollouts=200, exploration=1.0),
        ),
        (
            "search:rollouts=500,rollout=random,prior=heuristic",
            SearchSettings(rollouts=500, rollout="random", prior="heuristic"),
        ),
        ("search:margin=0,doubt=2.5,secrets=uniform", SearchSettings(margin=0.0, doubt=2.5, secrets="uniform")),
    ],
)
def test_a_name_says_all_settings(spec, settings):
    assert is_search(spec)
    assert parse_settings(spec) == settings
    assert make_search(spec, GAME).settings == settings


@pytest.mark.parametrize("name", ["heuristic", "searching", "research:rollouts=1"])
def test_other_names_are_others(name):
    assert not is_search(name)
    with pytest.raises(AgentError, match="the name of a search agent begins with 'search'"):
        parse_settings(name)


@pytest.mark.parametrize(
    ("told", "message"),
    [
        ("rolouts=5", r"key 'rolouts' is unknown; known are method, rollouts, .* \(did you mean 'rollouts'\?\)"),
        ("", None),
        ("rollouts=5,rollouts=6", "rollouts is given twice"),
        ("rollouts", "rollouts has no value; write rollouts=value"),
        ("rollouts=", "rollouts has no value"),
        ("rollouts=many", "rollouts: 'many', but an integer is needed"),
        ("rollouts=1.5", "rollouts: '1.5', but an integer is needed"),
        ("rollouts=0", "rollouts: 0, but an integer of at least 1 is needed"),
        ("seconds=fast", "seconds: 'fast', but a number is needed"),
        ("seconds=0", "seconds: 0.0, but a number above 0 is needed"),
        ("seconds=inf", "seconds: inf, but a number above 0 is needed"),
        ("rollouts=5,seconds=1", "rollouts: 5 and seconds: 1.0, but one of the two bounds a search"),
        ("method=ismct", r"method: 'ismct', but allowed are flat, ismcts \(did you mean 'ismcts'\?\)"),
        ("secrets=no", "secrets: 'no', but allowed are bot, uniform"),
        ("margin=2", "margin: 2.0, but a number from 0 to 1 is needed"),
        ("doubt=-1", "doubt: -1.0, but a number of at least 0 is needed"),
        ("exploration=nan", "exploration: nan, but a number of at least 0 is needed"),
        (
            "rollout=heuristc",
            r"rollout: 'heuristc', but the bots of warehouse51_v0 are random, heuristic \(did you mean",
        ),
        (
            "prior=heuristc",
            r"prior: 'heuristc', but a bot of warehouse51_v0 \(random, heuristic\) or a checkpoint is needed \(did you mean",
        ),
    ],
)
def test_what_a_name_may_not_say_is_told(told, message):
    if message is None:
        assert make_search(f"search:{told}", GAME).settings == SearchSettings()
    else:
        with pytest.raises(AgentError, match=message):
            make_search(f"search:{told}", GAME)


# ---- candidates


def test_of_a_ladder_of_bids_the_least_remain_and_those_around_the_prior_s_choice():
    legal = np.array([PASS, *range(BID + 5, BID + 46)])
    found = Ladders(GAME).thin(legal, BID + 30)
    assert found[0] == BID + 30
    assert set(found) <= set(legal)
    assert {PASS, BID + 5, BID + 6, BID + 7, BID + 28, BID + 29, BID + 31, BID + 32} <= set(found)
    assert len(found) == len(set(found)) < 20


def test_what_is_no_ladder_or_a_short_one_is_left_whole():
    legal = np.array([0, 1, 2, 3])
    assert Ladders(GAME).thin(legal, 2).tolist() == [2, 0, 1, 3]
    legal = np.array([PASS, BID + 1, BID + 2, BID + 3, DECLINE + 1])
    assert Ladders(GAME).thin(legal, PASS).tolist() == [PASS, DECLINE + 1, BID + 1, BID + 2, BID + 3]


class Policy(BotAgent):
    """Knows how likely it would take each action: half as likely as the one before."""

    def probabilities(self, observations, action_masks):
        chances = np.where(action_masks, 0.5 ** np.arange(action_masks.shape[1]), 0.0)
        return chances / chances.sum(axis=1, keepdims=True)


def test_of_a_policy_the_likely_actions_remain_the_likeliest_first():
    legal = [PASS, BID + 3, BID + 4, BID + 30]
    masks = np.zeros((1, len(GAME.actions)), np.int8)
    masks[0, legal] = 1
    prior = PolicyPrior(Policy(GAME, "heuristic"))
    prior.reset(1)
    assert prior.candidates(np.zeros((1, GAME.layout.size), np.int8), masks)[0].tolist() == legal[:3]


def test_a_network_can_be_the_prior():
    pytest.importorskip("torch", reason="needs the extra 'train'")
    batch = running(GAME, 20)
    agent = make_search("search:rollouts=20,prior=pretrained", GAME)
    infos = [{"determinizer": Determinizer(GAME, batch.games[index], int(batch.seat[index]))} for index in range(20)]
    actions = agent.act_batch(batch.observation, batch.action_mask, infos)
    assert batch.action_mask[np.arange(20), actions].all()


# ---- halving


def problem(candidates: int, **settings: float) -> Problem:
    determinizer = Determinizer(GAME, running(GAME, 1).games[0], 0)
    return Problem(determinizer, np.arange(candidates), SearchSettings(**settings), None, seed=1)


def searched(problem: Problem, values: list[float], noise: float) -> tuple[int, int]:
    """The action found where actions have these values, and a world's luck is shared by all; and the playouts it took."""
    generator = np.random.default_rng(1)
    played = 0

    def evaluate(worlds, actions):
        nonlocal played
        yield worlds, actions
        played += len(actions)
        problem.budget.spend(len(actions))
        luck = worlds["stream"] / 2.0**64
        return luck + np.take(values, actions) + noise * generator.normal(size=len(actions))

    search = halving_search(problem, evaluate, 256)
    next(search)
    while True:
        try:
            search.send(None)
        except StopIteration as found:
            return found.value, played


def test_it_finds_the_best_of_many_and_keeps_to_its_budget():
    values = [0.0, 0.01, 0.05, 0.02, 0.03, -0.1, 0.2, 0.0, 0.1]
    action, played = searched(problem(9, rollouts=900), values, noise=0.1)
    assert action == 6
    assert played <= 900


def test_the_first_is_left_only_for_one_that_is_better_beyond_doubt():
    assert searched(problem(2, rollouts=200), [0.0, 0.01], noise=0.5)[0] == 0
    assert searched(problem(2, rollouts=200), [0.0, 0.0], noise=0.0)[0] == 0
    assert searched(problem(2, rollouts=200, doubt=0.0), [0.0, 0.01], noise=0.001)[0] == 1


def test_it_ends_early_where_nothing_is_in_doubt():
    values = [0.0, 0.5]
    assert searched(problem(2, rollouts=100000), values, noise=0.1) == (1, 256)  # one round
    assert searched(problem(2, rollouts=100000), values, noise=1e9)[1] > 90000


def test_a_budget_smaller_than_the_number_of_candidates_still_gives_an_answer():
    assert searched(problem(9, rollouts=1), [0.0] * 9, noise=0.1)[0] in range(9)


# ---- secret bids


def test_secret_bids_of_others_are_what_the_bot_would_bid_there():  # T5
    game = GAME
    batch = running(game, 400)
    blind = np.flatnonzero(
        (batch.games["phase"] == BLIND_AUCTION) & (batch.games["secret_bid"][:, :4] != NOT_BID).any(axis=1)
    )
    assert len(blind) > 3
    for index in blind[:10]:
        seat = int(batch.seat[index])
        determinizer = Determinizer(game, batch.games[index], seat)
        drawn = determinizer.draw(6, seed=1)
        guessed = drawn.copy()
        Guesses(game, "heuristic").put_in(guessed, seat)
        there = drawn["secret_bid"] != NOT_BID
        assert ((guessed["secret_bid"] != NOT_BID) == there).all()
        for other in np.flatnonzero(there[0]):
            asked = Batch(game, 6)
            asked.games[:] = drawn
            asked.games["seat"] = other
            asked.games["secret_bid"][:, other] = NOT_BID
            asked.refresh()
            asked.action_mask[:, DECLINE:] = 0
            chosen = Bot(game, "heuristic").choose(asked.observation, asked.action_mask, np.zeros(6, np.uint64))
            assert (guessed["secret_bid"][:, other] == chosen - BID).all()
        guessed["secret_bid"] = drawn["secret_bid"]
        assert guessed.tobytes() == drawn.tobytes()


def test_games_without_secret_bids_are_left_alone():
    for game in (make_game("alles_futsch_v0"), make_third()):
        drawn = Determinizer(game, running(game, 1).games[0], 0).draw(3, seed=1)
        before = drawn.tobytes()
        Guesses(game, game.bots[-1]).put_in(drawn, 0)
        assert drawn.tobytes() == before


# ---- playouts, utilities, budgets


def test_playouts_end_as_the_bots_end_them_however_many_there_are():
    batch = running(GAME, 1300)
    actions = batch.sample_actions()
    playouts = Playouts(GAME, "heuristic")
    together = playouts.play(batch.games, actions)
    alone = playouts.play(batch.games[1290:1293], actions[1290:1293])
    assert (together.scores[1290:1293] == alone.scores).all()
    assert (together.ranks[1290:1293] == alone.ranks).all()
    assert (together.ranks.min(axis=1) == 1).all()


def test_a_game_that_is_over_stays_as_it_is():
    batch = Batch(GAME, 3, seed=1, controllers=["heuristic"] * 4, autoreset="disabled")
    batch.reset()
    ends = Playouts(GAME, "random").play(batch.games, np.full(3, -1))
    assert (ends.scores == batch.final_scores).all()
    assert (ends.ranks == batch.final_ranks).all()


def test_utility_is_wins_and_in_part_the_lead():
    playouts = Playouts(GAME, "heuristic").play(running(GAME, 50).games, running(GAME, 50).sample_actions())
    first = playouts.ranks == 1
    wins = problem(2, margin=0.0).utilities(playouts)
    assert (wins == first / first.sum(axis=1, keepdims=True)).all()
    mixed = problem(2, margin=0.3).utilities(playouts)
    assert ((mixed >= 0) & (mixed <= 1)).all()
    assert (mixed[first].min() > mixed[~first]).all()
    leads = problem(2, margin=1.0).utilities(playouts)
    order = np.argsort(playouts.scores[0].astype(int), kind="stable")
    assert (np.diff(leads[0, order]) >= 0).all()


def test_a_budget_of_playouts_is_spent_by_parts():
    budget = Budget(100, None)
    assert budget.next_round(0.5, 5) == 50
    budget.spend(47)
    assert budget.next_round(0.5, 5) == 0  # three would be too few for a round
    assert budget.next_round(1.0, 5) == 53


def test_a_budget_of_seconds_asks_for_what_fits_the_time_that_is_left():
    budget = Budget(None, 0.2)
    assert budget.next_round(0.5, 5) == 64
    budget.spend(64)
    time.sleep(0.02)
    assert 5 <= budget.next_round(0.5, 5) < 64
    time.sleep(0.2)
    assert budget.next_round(1.0, 5) == 0
