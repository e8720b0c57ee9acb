"""Search agents: they find what is better, with nothing but what their seat may know."""

import time

import numpy as np
import pytest

from agents import AgentError
from agents.bots import BotAgent
from agents.search.agent import SearchAgent
from agents.search.names import make_search
from arena.matches import Results, play_matches
from tests.agents.every import each_game
from tests.core.test_determinization import indistinguishable, running
from tests.third_game import make as make_third
from w51_env import make_game
from w51_env.core.batch import Batch
from w51_env.core.determinization import Determinizer
from w51_env.core.game import Game
from w51_env.warehouse51.actions import REDEEM_RELIC
from w51_env.warehouse51.state import NO_GAP, REDEEM, UNSOLD

GAME = make_game("warehouse51_v0", num_players=3)
METHODS = ("flat", "ismcts")
GAMES = [
    GAME,
    make_game("warehouse51_v0", num_players=5, preset="hu", ask_forced=True),
    make_game("warehouse51_v0", preset="mini"),
    make_game("warehouse51_v0", preset="nano"),
    make_game("alles_futsch_v0", num_players=2),
    make_third(num_players=3),
]
every_game = each_game(GAMES)
every_method = pytest.mark.parametrize("method", METHODS)


def questions(batch: Batch, states: np.ndarray | None = None) -> tuple[np.ndarray, np.ndarray, list[dict]]:
    """What an agent is asked in a batch; worlds are made of `states`."""
    states = batch.games if states is None else states
    infos = [
        {"determinizer": Determinizer(batch.game, states[index], int(batch.seat[index]))}
        for index in range(batch.num_games)
    ]
    return batch.observation.copy(), batch.action_mask.copy(), infos


def match(game: Game, spec: str, games: int) -> Results:
    agents = [("search", make_search(spec, game)), (game.bots[-1], BotAgent(game, game.bots[-1]))]
    return play_matches(game, agents, games, seed=1)


@every_game
@every_method
def test_it_plays_whole_games_by_legal_actions(game: Game, method: str):
    results = match(game, f"search:rollouts=6,method={method}", games=game.num_players)
    assert results.wins.shape == (1, game.num_players, game.num_players)


def test_it_finds_the_bid_that_surely_wins():
    """The others bid 2/3 of what the lot is worth to them, so 6 at most: 6 wins a tie, and 9 leaves nothing of a worth of 9."""
    game = make_third(num_players=3)
    batch = Batch(game, 8, seed=1)
    batch.reset()
    batch.games["worth"][:, 0] = 9
    batch.refresh()
    actions = make_search("search:rollouts=400,prior=random,rollout=shader", game).act_batch(*questions(batch))
    assert set(actions) <= {6, 7, 8}


@every_method
def test_it_redeems_the_relic_that_wins_the_game(method: str):  # E1
    """The only relic that scores brings 5 points, for the 2 that its price of 10 ingots is; the others have 2 points each."""
    batch = Batch(GAME, 1, seed=1, autoreset="disabled")
    batch.reset()
    red = int(np.flatnonzero(GAME.rules["category"][0] == 3)[0])
    batch.games["place"][:, : GAME.rules["num_relics"][0]] = UNSOLD
    batch.games["place"][:, red] = 0
    batch.games["pawned"][:, red] = 1
    batch.games["counterfeit_gap"] = NO_GAP
    batch.games["drawn"] = GAME.rules["deck_size"]
    batch.games["phase"] = REDEEM
    batch.games["seat"] = batch.games["last_winner"] = 0
    batch.games["ingots"][:, :3] = (10, 14, 10)
    batch.refresh()
    for seed in range(4):
        agent = make_search(f"search:rollouts=64,prior=random,rollout=heuristic,method={method}", GAME)
        agent.reset(seed)
        assert agent.act_batch(*questions(batch)) == [REDEEM_RELIC + red]


@every_game
@every_method
def test_what_its_seat_cannot_know_changes_nothing(game: Game, method: str):
    batch = running(game, 12)
    others = indistinguishable(batch, seed=4)
    spec = f"search:rollouts=24,method={method}"
    assert (
        make_search(spec, game).act_batch(*questions(batch))
        == make_search(spec, game).act_batch(*questions(batch, others))
    ).all()


@every_method
def test_the_same_seed_and_questions_give_the_same_actions_one_by_one_too(method: str):
    told = questions(running(GAME, 12))
    agent = make_search(f"search:rollouts=40,doubt=0,method={method}", GAME)
    answers = []
    for seed in (1, 2, 1):
        agent.reset(seed)
        answers.append(agent.act_batch(*told).tolist())
    agent.reset(1)
    assert answers[0] == answers[2] == [agent.act(*question) for question in zip(*told, strict=True)]
    assert answers[0] != answers[1]


def test_a_decision_that_is_none_costs_nothing_and_needs_nothing():
    masks = np.zeros((3, len(GAME.actions)), np.int8)
    masks[[0, 1, 2], [4, 7, 9]] = 1
    agent = make_search("search:rollouts=1000000000", GAME)
    assert agent.act_batch(np.zeros((3, GAME.layout.size), np.int8), masks).tolist() == [4, 7, 9]


def test_a_bound_of_seconds_is_kept():
    told = questions(running(GAME, 3))
    agent = make_search("search:seconds=0.1", GAME)
    agent.act_batch(*told)  # nothing is compiled while the clock runs
    began = time.process_time()
    agent.act_batch(*told)
    assert time.process_time() - began < 1.0


def test_a_search_agent_without_a_determinizer_raises():
    observations, masks, infos = questions(running(GAME, 1))
    agent = make_search("search:rollouts=4", GAME)
    assert SearchAgent.needs_determinizer
    for given, said in ((None, "no info"), ([{}], "no info"), ([{"determinizer": 3}], "int as info")):
        with pytest.raises(
            AgentError,
            match=rf'was given {said}\["determinizer"\], but it needs the w51_env.core.determinization.Determinizer',
        ):
            agent.act_batch(observations, masks, given)
    other = make_game("warehouse51_v0", num_players=3, pawn_limit=4)
    with pytest.raises(AgentError, match=r"pawn_limit.* was given worlds of warehouse51_v0"):
        make_search("search:rollouts=4", other).act_batch(observations, masks, infos)


@pytest.mark.slow
@pytest.mark.parametrize("num_players", [3, 4, 5])
def test_it_beats_the_heuristic(num_players: int):
    game = make_game("warehouse51_v0", num_players=num_players)
    results = match(game, "search:rollouts=100", games=24 * num_players)
    assert results.standings()[0].low > results.equal_share
