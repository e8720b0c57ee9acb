"""Search agents choose better actions than their prior, from nothing but what their seat knows."""

import time

import numpy as np
import pytest

from tests.agents.every import each_game
from tests.env.engine.test_determinization import indistinguishable, running
from tests.env.third_game import make as make_third
from w51_agents import AgentError
from w51_agents.agent.bots import BotAgent
from w51_agents.search.search_agent import SearchAgent, make_search
from w51_env import make_game
from w51_env.engine.batch import Batch
from w51_env.engine.determinization import Determinizer
from w51_env.engine.game import Game
from w51_env.warehouse51.actions import REDEEM_RELIC
from w51_env.warehouse51.state import NO_GAP, REDEEM, UNSOLD
from w51_lab.arena.matches import Results, play_matches

GAME = make_game("warehouse51_v1", num_players=3)
GAMES = [
    GAME,
    make_game("warehouse51_v1", num_players=5, preset="hu", ask_forced=True),
    make_game("warehouse51_v1", preset="mini"),
    make_game("warehouse51_v1", preset="nano"),
    make_game("alles_futsch_v1", num_players=2),
    make_third(num_players=3),
]
every_game = each_game(GAMES)


def decisions(batch: Batch, states: np.ndarray | None = None) -> tuple[np.ndarray, np.ndarray, list[dict]]:
    """Observations, masks and infos of a batch; the determinizers are made from `states`."""
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
def test_search_plays_whole_games_with_legal_actions(game: Game):
    results = match(game, "search:playouts=6", games=game.num_players)
    assert results.wins.shape == (1, game.num_players, game.num_players)


@pytest.mark.parametrize(("imputation", "best"), [("bot", {5}), ("uniform", {6, 7, 8})])
def test_sealed_bids_are_imputed_in_a_game_that_is_not_part_of_the_package(imputation: str, best: set[int]):
    """The other seat has bid half its worth, 4 at most, so 5 surely wins. Against any bid, more is better."""
    game = make_third(num_players=2)
    batch = Batch(game, 4, seed=3)
    batch.reset()
    batch.step(batch.sample_actions())
    batch.games["worth"][:, 1] = 9
    batch.refresh()
    agent = make_search(f"search:playouts=600,imputation={imputation}", game)
    assert set(agent.act_batch(*decisions(batch))) <= best


def test_search_redeems_the_relic_that_wins_the_game():  # E1
    """The only relic that scores is worth 5 points, its price of 10 ingots 2; the others have 2 points each."""
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
        agent = make_search("search:playouts=64,prior=random,playout_bot=heuristic", GAME)
        agent.reset(seed)
        assert agent.act_batch(*decisions(batch)) == [REDEEM_RELIC + red]


@every_game
def test_hidden_information_does_not_change_the_actions(game: Game):
    batch = running(game, 12)
    others = indistinguishable(batch, seed=4)
    spec = "search:playouts=24"
    np.testing.assert_array_equal(
        make_search(spec, game).act_batch(*decisions(batch)),
        make_search(spec, game).act_batch(*decisions(batch, others)),
    )


def test_the_same_seed_and_decisions_give_the_same_actions_in_a_batch_and_one_by_one():
    given = decisions(running(GAME, 6))
    agent = make_search("search:playouts=40,z_threshold=0", GAME)
    actions = []
    for seed in (1, 2, 1):
        agent.reset(seed)
        actions.append(agent.act_batch(*given).tolist())
    agent.reset(1)
    assert actions[0] == actions[2] == [agent.act(*decision) for decision in zip(*given, strict=True)]
    assert actions[0] != actions[1]


def test_a_forced_decision_is_not_searched_and_needs_no_determinizer():
    masks = np.zeros((3, len(GAME.actions)), np.int8)
    masks[[0, 1, 2], [4, 7, 9]] = 1
    agent = make_search("search:playouts=1000000000", GAME)
    assert agent.act_batch(np.zeros((3, GAME.layout.size), np.int8), masks).tolist() == [4, 7, 9]


def test_a_search_bound_by_seconds_ends_in_time():
    given = decisions(running(GAME, 3))
    agent = make_search("search:seconds=0.1", GAME)
    agent.act_batch(*given)  # compiles
    started = time.process_time()
    agent.act_batch(*given)
    assert time.process_time() - started < 1.0


def test_a_missing_or_wrong_determinizer_is_an_error():
    observations, masks, infos = decisions(running(GAME, 1))
    agent = make_search("search:playouts=4", GAME)
    assert SearchAgent.needs_determinizer
    for given, said in ((None, "no info"), ([{}], "no info"), ([{"determinizer": 3}], "int as info")):
        with pytest.raises(
            AgentError,
            match=rf'{said}\["determinizer"\], but a w51_env.engine.determinization.Determinizer',
        ):
            agent.act_batch(observations, masks, given)
    other = make_game("warehouse51_v1", num_players=3, pawn_limit=4)
    with pytest.raises(AgentError, match=r"pawn_limit.*: determinizer of warehouse51_v1"):
        make_search("search:playouts=4", other).act_batch(observations, masks, infos)


@pytest.mark.slow
@pytest.mark.parametrize("num_players", [3, 4, 5])
def test_search_beats_the_heuristic(num_players: int):
    game = make_game("warehouse51_v1", num_players=num_players)
    results = match(game, "search:playouts=100", games=24 * num_players)
    assert results.standings()[0].low > results.equal_share
