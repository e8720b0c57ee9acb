"""Parts of search agents: names, priors, sequential halving, bid imputation, playouts, budgets."""

import time

import numpy as np
import pytest

from tests.env.engine.test_determinization import running
from w51_agents import AgentError
from w51_agents.agent.bots import BotAgent
from w51_agents.search.halving import halving_search
from w51_agents.search.imputation import BidImputation
from w51_agents.search.playouts import LeafBatch, Outcomes, Playouts
from w51_agents.search.priors import BidAbstraction, Likeliest
from w51_agents.search.search_agent import make_search
from w51_agents.search.search_settings import SearchSettings, is_search, parse_settings
from w51_agents.search.search_state import Budget, SearchState
from w51_env import make_game
from w51_env.engine.batch import Batch
from w51_env.engine.bots import Bot
from w51_env.engine.determinization import Determinizer
from w51_env.warehouse51.actions import BID, DECLINE, PASS
from w51_env.warehouse51.state import BLIND_AUCTION, NOT_BID

GAME = make_game("warehouse51_v1", num_players=4)

# ---- names


@pytest.mark.parametrize(
    ("spec", "settings"),
    [
        ("search", SearchSettings()),
        ("search:playouts=2000", SearchSettings(playouts=2000)),
        ("search:seconds=1", SearchSettings(seconds=1.0)),
        ("search:playouts=9, margin=1", SearchSettings(playouts=9, margin=1.0)),
        ("search:playout_bot=random,prior=heuristic", SearchSettings(playout_bot="random", prior="heuristic")),
        ("search:z_threshold=2.5,imputation=uniform", SearchSettings(z_threshold=2.5, imputation="uniform")),
    ],
)
def test_the_name_of_a_search_agent_contains_its_settings(spec, settings):
    assert is_search(spec)
    assert parse_settings(spec) == settings
    assert make_search(spec, GAME).settings == settings


@pytest.mark.parametrize("name", ["heuristic", "searching", "research:playouts=1"])
def test_names_of_other_agents_are_refused(name):
    assert not is_search(name)
    with pytest.raises(AgentError, match="the name of a search agent begins with 'search'"):
        parse_settings(name)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("playots=5", r"key 'playots' is unknown; known are playouts, .* \(did you mean 'playouts'\?\)"),
        ("", None),
        ("playouts=5,playouts=6", "playouts is given twice"),
        ("playouts", "playouts has no value; write playouts=value"),
        ("playouts=", "playouts has no value"),
        ("playouts=many", "playouts: 'many', but an integer is needed"),
        ("playouts=1.5", "playouts: '1.5', but an integer is needed"),
        ("playouts=0", "playouts: 0, but an integer of at least 1 is needed"),
        ("seconds=fast", "seconds: 'fast', but a number is needed"),
        ("seconds=0", "seconds: 0.0, but a number above 0 is needed"),
        ("seconds=inf", "seconds: inf, but a number above 0 is needed"),
        ("playouts=5,seconds=1", "playouts: 5 and seconds: 1.0, but only one of them is allowed"),
        ("imputation=no", "imputation: 'no', but allowed are bot, uniform"),
        ("method=ismcts", "key 'method' is unknown; known are playouts"),
        ("margin=2", "margin: 2.0, but a number from 0 to 1 is needed"),
        ("z_threshold=-1", "z_threshold: -1.0, but a number of at least 0 is needed"),
        ("z_threshold=nan", "z_threshold: nan, but a number of at least 0 is needed"),
        (
            "playout_bot=heuristc",
            r"playout_bot: 'heuristc', but the bots of warehouse51_v1 are random, heuristic \(did you mean",
        ),
        (
            "prior=heuristc",
            r"prior: 'heuristc', but a bot of warehouse51_v1 \(random, heuristic\) or a checkpoint is needed \(did",
        ),
    ],
)
def test_wrong_settings_are_refused_with_what_is_allowed(text, message):
    if message is None:
        assert make_search(f"search:{text}", GAME).settings == SearchSettings()
    else:
        with pytest.raises(AgentError, match=message):
            make_search(f"search:{text}", GAME)


# ---- priors


def test_of_many_bids_the_lowest_remain_and_those_around_the_prior_s_choice():
    legal = np.array([PASS, *range(BID + 5, BID + 46)])
    found = BidAbstraction(GAME).subsample(legal, BID + 30)
    assert found[0] == BID + 30
    assert set(found) <= set(legal)
    assert {PASS, BID + 5, BID + 6, BID + 7, BID + 28, BID + 29, BID + 31, BID + 32} <= set(found)
    assert len(found) == len(set(found)) < 20


def test_few_bids_and_actions_without_an_amount_are_all_kept():
    legal = np.array([0, 1, 2, 3])
    assert BidAbstraction(GAME).subsample(legal, 2).tolist() == [2, 0, 1, 3]
    legal = np.array([PASS, BID + 1, BID + 2, BID + 3, DECLINE + 1])
    assert BidAbstraction(GAME).subsample(legal, PASS).tolist() == [PASS, DECLINE + 1, BID + 1, BID + 2, BID + 3]


class Policy(BotAgent):
    """Each action is half as likely as the one before."""

    def policy(self, observations, action_masks):
        chances = np.where(action_masks, 0.5 ** np.arange(action_masks.shape[1]), 0.0)
        return chances / chances.sum(axis=1, keepdims=True)


def test_a_policy_prior_proposes_its_likely_actions_in_order():
    legal = [PASS, BID + 3, BID + 4, BID + 30]
    masks = np.zeros((1, len(GAME.actions)), np.int8)
    masks[0, legal] = 1
    prior = Likeliest(GAME, Policy(GAME, "heuristic"))
    prior.reset(1)
    assert prior.candidates(np.zeros((1, GAME.layout.size), np.int8), masks)[0].tolist() == legal[:3]


def test_to_pass_is_proposed_by_a_policy_that_is_sure_to_bid():
    class Sure(BotAgent):
        def policy(self, observations, action_masks):
            return np.eye(len(GAME.actions))[[BID + 3]]

    masks = np.zeros((1, len(GAME.actions)), np.int8)
    masks[0, [PASS, BID + 3, BID + 4]] = 1
    prior = Likeliest(GAME, Sure(GAME, "heuristic"))
    nothing = np.zeros((1, GAME.layout.size), np.int8)
    assert prior.candidates(nothing, masks)[0].tolist() == [BID + 3, PASS]
    masks[0, PASS] = 0
    assert prior.candidates(nothing, masks)[0].tolist() == [BID + 3]


def test_a_network_can_be_the_prior():
    pytest.importorskip("torch", reason="needs the extra 'train'")
    batch = running(GAME, 20)
    agent = make_search("search:playouts=20,prior=pretrained-v2", GAME)
    infos = [{"determinizer": Determinizer(GAME, batch.games[index], int(batch.seat[index]))} for index in range(20)]
    actions = agent.act_batch(batch.observation, batch.action_mask, infos)
    np.testing.assert_array_equal(batch.action_mask[np.arange(20), actions], True)


# ---- sequential halving


def search_state(candidates: int, **settings: float) -> SearchState:
    determinizer = Determinizer(GAME, running(GAME, 1).games[0], 0)
    return SearchState(determinizer, np.arange(candidates), SearchSettings(**settings), None, seed=1)


def test_the_lead_is_that_over_the_best_other_seat():
    outcomes = Outcomes(ranks=np.array([[1, 2, 3, 4], [1, 1, 3, 3]]), scores=np.array([[9, 5, 3, 1], [6, 6, 2, 2]]))
    found = search_state(2, margin=1.0).utilities(outcomes)
    leads = np.array([[4, -4, -6, -8], [0, 0, -4, -4]])  # the winner's is over the second
    assert found == pytest.approx((1 + np.tanh(leads / (2 * outcomes.scores.std()))) / 2)


def searched(state: SearchState, values: list[float], noise: float) -> tuple[int, int]:
    """The action found and the number of playouts. All actions share one random number per determinization."""
    generator = np.random.default_rng(1)
    played = 0

    def evaluate(states, actions):
        nonlocal played
        yield LeafBatch(states, actions)
        played += len(actions)
        state.budget.spend(len(actions))
        luck = states["stream"] / 2.0**64
        return luck + np.take(values, actions) + noise * generator.normal(size=len(actions))

    search = halving_search(state, evaluate)
    next(search)
    while True:
        try:
            search.send(None)
        except StopIteration as result:
            return result.value, played


def test_halving_finds_the_best_candidate_within_the_budget():
    values = [0.0, 0.01, 0.05, 0.02, 0.03, -0.1, 0.2, 0.0, 0.1]
    action, played = searched(search_state(9, playouts=900), values, noise=0.1)
    assert action == 6
    assert played <= 900


def test_the_first_candidate_is_kept_unless_another_leads_by_the_threshold():
    assert searched(search_state(2, playouts=200), [0.0, 0.01], noise=0.5)[0] == 0
    assert searched(search_state(2, playouts=200), [0.0, 0.0], noise=0.0)[0] == 0
    assert searched(search_state(2, playouts=200, z_threshold=0.0), [0.0, 0.01], noise=0.001)[0] == 1


def test_halving_stops_early_when_one_candidate_leads_clearly():
    values = [0.0, 0.5]
    assert searched(search_state(2, playouts=100000), values, noise=0.1) == (1, 256)  # one round
    assert searched(search_state(2, playouts=100000), values, noise=1e9)[1] > 90000


def test_a_budget_smaller_than_the_number_of_candidates_still_gives_an_action():
    assert searched(search_state(9, playouts=1), [0.0] * 9, noise=0.1)[0] in range(9)


# ---- bid imputation


def test_imputed_bids_are_what_the_bot_would_bid_in_each_determinization():  # T5
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
        imputed = drawn.copy()
        BidImputation(game, Bot(game, "heuristic")).impute(imputed, seat)
        there = drawn["secret_bid"] != NOT_BID
        np.testing.assert_array_equal(imputed["secret_bid"] != NOT_BID, there)
        for other in np.flatnonzero(there[0]):
            asked = Batch(game, 6)
            asked.games[:] = drawn
            asked.games["seat"] = other
            asked.games["secret_bid"][:, other] = NOT_BID
            asked.refresh()
            asked.action_mask[:, DECLINE:] = 0
            chosen = Bot(game, "heuristic").choose(asked.observation, asked.action_mask, np.zeros(6, np.uint64))
            np.testing.assert_array_equal(imputed["secret_bid"][:, other], chosen - BID)
        imputed["secret_bid"] = drawn["secret_bid"]
        assert imputed.tobytes() == drawn.tobytes()


def test_states_of_a_game_without_sealed_bids_do_not_change():
    game = make_game("alles_futsch_v1")
    drawn = Determinizer(game, running(game, 1).games[0], 0).draw(3, seed=1)
    before = drawn.tobytes()
    BidImputation(game, Bot(game, game.bots[-1])).impute(drawn, 0)
    assert drawn.tobytes() == before


# ---- playouts, utilities, budgets


def test_a_playout_has_the_same_outcome_in_a_batch_of_any_size():
    batch = running(GAME, 130)
    states, actions = np.tile(batch.games, 10), np.tile(batch.sample_actions(), 10)
    playouts = Playouts(GAME, "heuristic")
    together = playouts.play(LeafBatch(states, actions))
    alone = playouts.play(LeafBatch(states[1290:1293], actions[1290:1293]))
    np.testing.assert_array_equal(together.scores[1290:1293], alone.scores)
    np.testing.assert_array_equal(together.ranks[1290:1293], alone.ranks)
    np.testing.assert_array_equal(together.ranks.min(axis=1), 1)


def test_a_playout_of_a_finished_game_returns_its_result():
    batch = Batch(GAME, 3, seed=1, controllers=["heuristic"] * 4, autoreset="disabled")
    batch.reset()
    outcomes = Playouts(GAME, "random").play(LeafBatch(batch.games, np.full(3, -1)))
    np.testing.assert_array_equal(outcomes.scores, batch.final_scores)
    np.testing.assert_array_equal(outcomes.ranks, batch.final_ranks)


def test_the_utility_is_a_weighted_mean_of_the_win_and_the_lead():
    leaves = LeafBatch(running(GAME, 50).games, running(GAME, 50).sample_actions())
    outcomes = Playouts(GAME, "heuristic").play(leaves)
    first = outcomes.ranks == 1
    wins = search_state(2, margin=0.0).utilities(outcomes)
    np.testing.assert_array_equal(wins, first / first.sum(axis=1, keepdims=True))
    mixed = search_state(2, margin=0.3).utilities(outcomes)
    np.testing.assert_array_equal((mixed >= 0) & (mixed <= 1), True)
    np.testing.assert_array_less(mixed[~first], mixed[first].min())
    leads = search_state(2, margin=1.0).utilities(outcomes)
    order = np.argsort(outcomes.scores[0].astype(int), kind="stable")
    np.testing.assert_array_equal(np.diff(leads[0, order]) >= 0, True)


def test_a_budget_of_playouts_is_spent_phase_by_phase():
    budget = Budget(100, None)
    assert budget.next_round(0.5, 5) == 50
    budget.spend(47)
    assert budget.next_round(0.5, 5) == 0  # three are fewer than the minimum
    assert budget.next_round(1.0, 5) == 53


def test_rounds_of_a_budget_of_seconds_fit_the_time_left():
    budget = Budget(None, 0.2)
    assert budget.next_round(0.5, 5) == 64
    budget.spend(64)
    time.sleep(0.02)
    assert 5 <= budget.next_round(0.5, 5) < 64
    time.sleep(0.2)
    assert budget.next_round(1.0, 5) == 0
