"""The games of self-play, that it learns, and where a run begins."""

import numpy as np
import pytest
import torch

from tests.agents.networks.selfplay import NOBODY, network_for, trainer_of
from tests.agents.networks.small import ALONE, ONE_LOT, small
from w51_agents import AgentError
from w51_agents.networks.inputs import NetworkInputs
from w51_agents.networks.network import ActorCritic
from w51_agents.training.games import GamesPart
from w51_agents.training.learner_settings import POOL, SELF
from w51_agents.training.pool import Pool
from w51_agents.training.seats import LEARNER
from w51_agents.training.selfplay import SelfPlayTrainer
from w51_agents.training.trainer_state import StateError
from w51_agents.training.trainers import SelfPlayConfig
from w51_env import make_game
from w51_env.engine.batch import Batch

# ---- the games


def test_several_kinds_of_games_are_rows_of_one_batch():
    kinds = [
        (make_game("warehouse51_v1", num_players=players), 3, opponents)
        for players, opponents in ((3, SELF), (5, "heuristic"), (4, POOL))
    ]
    games = GamesPart(kinds, seed=0)
    games.reset(NOBODY)
    generator = np.random.default_rng(0)
    ended = np.zeros(9, int)
    for _ in range(1500):
        np.testing.assert_array_equal(games.mask.any(axis=1), True)
        games.step((games.mask * generator.random(games.mask.shape)).argmax(axis=1), NOBODY)
        ended += games.done
        np.testing.assert_array_equal(games.rewards[~games.done], 0)
        np.testing.assert_allclose(games.rewards.sum(axis=1), 0, rtol=1e-5, atol=1e-6)
        np.testing.assert_array_equal(games.rewards[:3, 3:], 0)
    assert ended.min() > 3
    games.close()


def test_snapshots_have_all_seats_but_one():
    games = GamesPart([(make_game(ONE_LOT, num_players=4), 400, POOL)], seed=0)
    games.reset(np.array([1.0, 3.0]))
    players = games.policies
    np.testing.assert_array_equal((players == LEARNER).sum(axis=1), 1)
    assert 60 < (players.max(axis=1) == 2).sum() < 140  # a quarter of 400
    assert {tuple(row.tolist()) for row in (players == LEARNER)} == {
        tuple(row) for row in np.eye(4, dtype=bool).tolist()
    }
    before = players.copy()
    for _ in range(4):
        games.step(np.zeros(400, np.int64), np.array([1.0, 3.0]))
    np.testing.assert_array_equal(games.done, True)
    [ended] = games.take_ended()
    np.testing.assert_array_equal(ended.slots, before.max(axis=1) - 2)  # after the learner and the pool
    ranks = games.seated[0].batch.final_ranks
    np.testing.assert_array_equal(ended.wins, (ranks[before == LEARNER] == 1) / (ranks == 1).sum(axis=1))
    assert ended.results.shape == (400, 3)


def test_a_state_with_more_snapshots_than_weights_is_refused_before_they_are_made():
    network, pool = network_for(make_game(ONE_LOT)), Pool(2, 1)
    pool.add_snapshot(network)
    state = pool.state()
    state.facts["slots"] = 10**12
    with pytest.raises(StateError, match="losses: one for each slot"):
        Pool(2**31, 1).restore(state, network)


def test_a_harder_snapshot_plays_more_often_and_the_easiest_is_replaced():
    network, pool = network_for(make_game(ONE_LOT)), Pool(2, 1)
    pool.add_snapshot(network)
    pool.add_snapshot(network)
    pool.record(np.zeros(50, int), np.zeros(50))
    assert pool.weights()[0] < pool.weights()[1]
    easiest = pool.networks[0]
    pool.add_snapshot(network)
    assert easiest not in pool.networks
    assert pool.losses.tolist() == [1.0, 1.0]


# ---- learning


def test_it_learns_to_bid_in_a_small_auction():
    """One lot, two players with private values: the return grows and the entropy falls."""
    game = make_game(ONE_LOT, num_players=2)
    games = [
        {"num_players": 2, "num_envs": 64},
        {"num_players": 2, "num_envs": 64, "opponents": "shader"},
        {"num_players": 2, "num_envs": 64, "opponents": POOL},
    ]
    settings = {
        "games": games,
        "num_steps": 16,
        "minibatch_size": 512,
        "hidden_sizes": [32],
        "learning_rate": 5e-3,
        "pool_every": 5,
    }
    config = SelfPlayConfig(name="small", game=ONE_LOT, decisions=30_000, trainer="selfplay", selfplay=settings)
    trainer = SelfPlayTrainer(config, game)
    updates = []
    while trainer.decisions < config.decisions:
        updates.append(trainer.update())
    assert updates[-1].mean_return > updates[0].mean_return + 1
    assert updates[-1].losses["entropy"] < updates[0].losses["entropy"]
    assert updates[-1].decisions == trainer.decisions


# ---- where a run begins


def test_input_statistics_have_all_seats_where_all_games_take_turns(tmp_path):
    config = small(
        "selfplay",
        tmp_path,
        game="auctions_v0",
        options={"num_players": 2, "bidders": "0 20/0 20 1 1 50"},
        decisions=1000,
        selfplay={**ALONE, "games": [{"num_players": 2, "num_envs": 32}], "hidden_sizes": [16], "num_steps": 10},
    )
    game = make_game("auctions_v0", **config.options)
    trainer = SelfPlayTrainer(config, game)
    trainer.update()
    torso, place = trainer.model.network.torso, game.layout["risk_aversion"].start
    assert (torso.mean[place], torso.std[place]) == (25, 25)  # 0 in one seat, 50 in the other


def test_a_run_can_start_from_the_network_of_another(tmp_path):
    first = trainer_of(tmp_path)
    first.update()
    first.write_checkpoint(tmp_path / "first.safetensors")
    second = trainer_of(tmp_path, start=str(tmp_path / "first.safetensors"))
    for ours, theirs in zip(
        second.model.network.state_dict().values(), first.model.network.state_dict().values(), strict=True
    ):
        assert torch.equal(ours, theirs)
    assert second.decisions == 0


def test_starting_from_a_network_of_another_shape_is_an_error(tmp_path):
    first = trainer_of(tmp_path)
    first.write_checkpoint(tmp_path / "first.safetensors")
    for changes in ({"hidden_sizes": [8]}, {"base_policy": "shader"}):
        with pytest.raises(
            AgentError,
            match=r"selfplay.start: .*first.safetensors has {'hidden_sizes': \[16\], .*}, but the config {",
        ):
            trainer_of(tmp_path, start=str(tmp_path / "first.safetensors"), **changes)


def test_a_network_with_heuristic_features_can_start_from_one_without():
    game = make_game("warehouse51_v1", preset="nano")
    start, network = ActorCritic(game, [8]), ActorCritic(game, [8], heuristic_features=True)
    start.torso.include(start.torso.sums_of(torch.randint(0, 3, (50, game.layout.size), dtype=torch.int8)), 50)
    network.start_from(start, "selfplay.start: start")
    batch = Batch(game, 20, seed=1)
    batch.reset()
    mask = torch.from_numpy(batch.action_mask.astype(bool))
    shown = [
        torch.from_numpy(NetworkInputs(game, heuristic_features)(batch.observation))
        for heuristic_features in (False, True)
    ]
    assert shown[1].shape[1] > shown[0].shape[1]
    before, after = (of(rows, mask)[0] for of, rows in zip((start, network), shown, strict=True))
    assert torch.allclose(before, after, atol=1e-6)
