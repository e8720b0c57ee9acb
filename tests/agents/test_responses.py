"""Responses by search: they win what exact best responses win, and know nothing that is hidden from their seat."""

from typing import Any

import gymnasium
import numpy as np
import pytest

from tests.agents.every import each_game
from tests.agents.test_search import GAME, GAMES, decisions
from tests.env.engine.test_determinization import indistinguishable, running
from w51_agents import AgentError, make_agent
from w51_agents.exact.auctions.payoffs import ExactAuction
from w51_agents.exact.exploitability import exploitability
from w51_agents.exact.tree import build_tree
from w51_agents.named.files import files_of
from w51_env import make_game
from w51_env.engine.batch import Batch
from w51_env.engine.game import NO_ACTION, Game
from w51_lab.arena.matches import play_matches

AGENTS = ["random", "heuristic", "pretrained", "pretrained-v2:greedy", "mimic:heuristic>pretrained,lots=2"]


def won(game: Game, spec: str, agent: str, games: int) -> np.ndarray:
    """(deals, players): what a response wins alone among copies of the agent, in each seating."""
    line_up = [("response", make_agent(spec, game)), ("agent", make_agent(agent, game))]
    return play_matches(game, line_up, games, seed=1).wins[:, :, 0]


@each_game(GAMES)
def test_a_response_to_a_bot_and_a_champion_play_whole_games(game: Game):
    for name in (f"response:{game.bots[-1]},playouts=6", "champion:playouts=6"):
        assert won(game, name, game.bots[-1], game.num_players).size == game.num_players


@pytest.mark.parametrize("agent", AGENTS)
def test_every_agent_with_a_policy_has_a_response(agent: str):
    mini = make_game("warehouse51_v1", preset="mini")
    assert won(mini, f"response:{agent},playouts=8", agent, 3).size == 3


@pytest.mark.parametrize("name", ["response:pretrained,playouts=24", "champion:playouts=24"])
def test_it_knows_nothing_that_is_hidden(name: str):
    batch = running(GAME, 12)
    agent = make_agent(name, GAME)
    chosen = agent.act_batch(*decisions(batch))
    agent.reset(0)
    np.testing.assert_array_equal(agent.act_batch(*decisions(batch, indistinguishable(batch, seed=4))), chosen)


@pytest.mark.parametrize("agent", ["heuristic", "pretrained-v2"])
def test_in_nano_it_wins_what_its_playouts_can_find_of_an_exact_best_response(agent: str):
    game = make_game("warehouse51_v1", preset="nano")
    exact = exploitability(build_tree(game), agent, make_agent(agent, game))
    wins = won(game, f"response:{agent},playouts=200", agent, 1200).mean(axis=1)
    gain, error = wins.mean() - 1 / 3, wins.std() / len(wins) ** 0.5
    assert gain < exact.exploitability + 3 * error  # nothing wins more
    assert gain > 0.4 * exact.exploitability - 3 * error


@pytest.mark.parametrize("bot", ["equilibrium", "truthful"])
def test_in_an_auction_it_earns_what_a_best_response_earns(bot: str):
    game = make_game("auctions_v0", num_players=2, preset="coarse", reward="payoff")
    auction = ExactAuction(game)
    strategy = auction.pure(np.arange(21) if bot == "truthful" else game.rules["equilibrium"][0, 0, 0])
    exact = auction.utility_loss(strategy)
    line_up = [("response", make_agent(f"response:{bot},playouts=300", game)), (bot, make_agent(bot, game))]
    earned = play_matches(game, line_up, 600, seed=1).scores[:, :, 0].mean(axis=1) / 100
    error = earned.std() / len(earned) ** 0.5
    print(exact, earned.mean(), error)
    assert exact.value + 0.8 * exact.loss - 3 * error < earned.mean() < exact.value + exact.loss + 3 * error


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("response:", "write response:AGENT"),
        ("response:heuristic,playouts=0", "playouts: 0, but an integer of at least 1"),
        ("response:heuristic,playouts=x", "playouts: 'x', but an integer"),
        ("response:heuristic,playouts=1,playouts=2", "playouts is given twice"),
        ("response:search", "are made of bots and networks of this package"),
        ("response:response:heuristic", "are made of bots and networks of this package"),
        ("response:tests.agents.every:Agent", "are made of bots and networks of this package"),
        ("response:nobody", "'nobody' is unknown"),
        ("response:champion", "are made of bots and networks of this package"),
        ("champion:playouts=0", "agent 'champion:playouts=0': playouts: 0, but an integer of at least 1"),
        ("champion:seconds=1", "seconds"),
    ],
)
def test_a_name_that_is_no_response_says_what_is_wrong(name: str, message: str):
    with pytest.raises(AgentError, match=message):
        make_agent(name, GAME)


@pytest.mark.parametrize("name", ["response:pretrained,playouts=3", "champion"])
def test_it_has_the_files_of_the_network_that_it_plays_with(name: str):
    assert files_of(name, GAME) == files_of("pretrained", GAME) != []


def test_on_the_last_lot_it_passes_where_that_wins_although_the_network_is_sure_to_bid():
    game = make_game("warehouse51_v1", num_players=4)
    network: Any = make_agent("pretrained", game)
    batch, passing = Batch(game, 17, seed=7, autoreset="disabled"), game.actions.id("pass")
    batch.reset()
    for _ in range(186):
        rows, actions = np.flatnonzero(batch.seat >= 0), np.full(17, NO_ACTION, np.int64)
        actions[rows] = network.act_batch(batch.observation[rows], batch.action_mask[rows])
        batch.step(actions)
    decision = batch.observation[16:].copy(), batch.action_mask[16:].copy()
    assert network.policy(*decision)[0, passing] < 1e-9
    agent: Any = make_agent("response:pretrained,playouts=64,least_pass=0", game)
    assert agent.act_batch(*decision, [{"determinizer": batch.determinizer(16)}]).tolist() == [passing]


def test_a_champion_seats_the_bot_as_often_as_it_believes_to_meet_it_and_never_in_its_own_seat():
    champion: Any = make_agent("champion", GAME)
    batch = running(GAME, 1)
    seat, chances = int(batch.seat[0]), np.full(GAME.num_players, 0.3)
    chances[seat], chances[seat - 1] = 0.0, 1.0
    champion._believer.bots = lambda determinizer: chances
    streams = champion._state(batch.determinizer(0), np.array([0]), 1).draw(2000)["stream"]
    for other, chance in enumerate(chances):
        share = champion._playouts.population.has_bot(streams, np.full(2000, other)).mean()
        assert share == pytest.approx(chance, abs=0.05 * (0 < chance < 1))


def test_a_champion_is_an_opponent_in_gymnasium():
    env = gymnasium.make("w51_env/Warehouse51-v1", num_players=3, opponents=["champion:playouts=4", "heuristic"])
    _, info = env.reset(seed=1)
    ended = False
    while not ended:
        _, _, ended, _, info = env.step(np.flatnonzero(info["action_mask"])[0])
