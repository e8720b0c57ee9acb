"""Opponents of self-play who are agents: by path, by name, and when a run goes on."""

from types import SimpleNamespace

import numpy as np
import pytest
import torch

from tests.agents.networks.selfplay import NOBODY, trainer_of
from tests.agents.networks.small import ONE_LOT
from w51_agents import make_agent
from w51_agents.agent.bots import CompiledAgent
from w51_agents.agent.interface import BatchAgent
from w51_agents.named import registry
from w51_agents.networks.making import save_network
from w51_agents.networks.network import ActorCritic
from w51_agents.training.games import GamesPart
from w51_agents.training.opponents import make_opponent
from w51_agents.training.pool import Pool
from w51_agents.training.seats import LEARNER
from w51_env import make_game
from w51_env.engine.batch import Batch


def checkpoint(tmp_path, bid: int = 0) -> str:
    """A network that always bids the same, one of two seats that no bot of the game plays alike."""
    game = make_game(ONE_LOT)
    network = ActorCritic(game, [4])
    with torch.no_grad():
        network.policy.weight.zero_()
        network.policy.bias[bid] = 5
    path = tmp_path / f"bids_{bid}.safetensors"
    save_network(network, game, path)
    return str(path)


def test_an_opponent_that_draws_is_compiled_and_draws_from_its_policy():
    game = make_game("warehouse51_v1", num_players=3)
    opponent, agent = (
        make_opponent("pretrained-v2:sampled", game),
        make_agent("pretrained-v2:sampled", game),
    )
    assert isinstance(opponent, CompiledAgent)
    batch = Batch(game, 1, seed=3)
    batch.reset()
    observations, masks = (np.repeat(array, 20_000, 0) for array in (batch.observation, batch.action_mask))
    opponent.reset(1)
    first = opponent.act_batch(observations, masks)
    expected = agent.policy(batch.observation, batch.action_mask)[0]
    assert np.bincount(first, minlength=len(expected)) / 20_000 == pytest.approx(expected, abs=0.02)
    assert len(np.unique(first)) > 1
    opponent.reset(1)
    np.testing.assert_array_equal(opponent.act_batch(observations, masks), first)


def test_an_opponent_by_its_path_plays_all_seats_but_one_and_is_not_learned_from(tmp_path):
    games = [
        {"num_players": 3, "num_envs": 40, "opponents": checkpoint(tmp_path, 7)},
        {"num_players": 2, "num_envs": 4},
    ]
    trainer = trainer_of(tmp_path, games=games, num_steps=30)
    trainer.update()
    rollout = trainer.experience.rollout
    np.testing.assert_array_equal(rollout.is_learner, True)  # an opponent's decision is no row
    np.testing.assert_array_equal(rollout.dones[:, :40], True)  # each seat bids once, and only one of them learns
    assert len(set(rollout.actions.numpy()[:, :40].ravel().tolist())) == 10
    assert trainer.decisions <= rollout.is_learner.sum()


def test_a_learner_against_an_agent_has_each_seat_equally_often(tmp_path):
    games = GamesPart([(make_game(ONE_LOT, num_players=4), 300, checkpoint(tmp_path))], seed=0)
    games.reset(NOBODY)
    first = games.policies.copy()
    np.testing.assert_array_equal((first == LEARNER).sum(1), 1)
    np.testing.assert_array_equal((first == 1).sum(1), 3)
    assert np.bincount((first == LEARNER).argmax(1), minlength=4).min() > 50
    for _ in range(4):
        games.step(np.zeros(300, np.int64), NOBODY)
    np.testing.assert_array_equal(games.done, True)
    assert all(not len(ended.slots) for ended in games.take_ended())  # none of the pool
    assert (games.policies != first).any()


def test_several_kinds_of_opponents_share_a_game_and_their_kinds_are_labels(tmp_path):
    path = checkpoint(tmp_path)
    games = [
        {"num_players": 5, "num_envs": 60, "opponents": {"shader": 1, path: 2}},
        {"num_players": 3, "num_envs": 20},
        {"num_players": 4, "num_envs": 20, "opponents": {"pool": 1}},
    ]
    trainer = trainer_of(tmp_path, games=games, num_steps=20, pool=2, pool_every=1)
    [part], rollout = trainer.experience.parts, trainer.experience.rollout
    assert part.players == ("self", "shader", path, "pool")
    trainer.update()
    trainer.collect()
    np.testing.assert_array_equal(rollout.is_learner, True)
    np.testing.assert_array_equal(rollout.players[..., 0], 0)  # the seat that moves learns
    for columns, players, expected in (
        (slice(0, 60), 5, [0, 0, 1, 2, 2]),
        (slice(60, 80), 3, [0, 0, 0]),
    ):
        kinds = rollout.players[:, columns]
        np.testing.assert_array_equal(*np.broadcast_arrays(np.sort(kinds[..., :players], -1), expected))
        np.testing.assert_array_equal(kinds[..., players:], -1)
        if players == 5:
            assert len(np.unique(kinds.reshape(-1, 5), axis=0)) == 12  # all orders of the four others
    of_pool = rollout.players[-1, 80:, :4]
    assert set(map(tuple, np.sort(of_pool, -1))) <= {(0, 0, 0, 3), (0, 0, 0, 0)}  # 0: the game began without a snapshot
    assert (of_pool == 3).any()


def test_a_snapshot_of_the_pool_draws_from_its_own_policy(tmp_path):
    """The learner bids only 3, its snapshot only 8: nobody else bids in games with both."""
    games = [{"num_players": 3, "num_envs": 50, "opponents": {"pool": 1}}]
    trainer = trainer_of(tmp_path, games=games, num_steps=30, pool=1, pool_every=100)
    network, [part] = trainer.model.network, trainer.experience.parts

    def bids(number):
        with torch.no_grad():
            network.policy.weight.zero_()
            network.policy.bias.zero_()
            network.policy.bias[number] = 50

    bids(8)
    trainer.experience.pool.add_snapshot(network)
    bids(3)
    trainer.collect()
    trainer.collect()
    np.testing.assert_array_equal(trainer.experience.rollout.actions.numpy(), 3)
    [seated], made = part.seated, part.policies[:, :3]
    of_learner = seated.batch.games["bids"][:, :3][made == LEARNER]
    of_snapshot = seated.batch.games["bids"][:, :3][made == 2]
    assert set(of_learner.tolist()) <= {-1, 3}
    assert 8 in of_snapshot
    assert set(of_snapshot.tolist()) <= {-1, 8}


def test_an_agent_by_a_registered_name_is_an_opponent_too(tmp_path, monkeypatch):
    asked = []

    class Nine(BatchAgent):
        def reset(self, seed):
            pass

        def act_batch(self, observations, action_masks, infos=None):
            asked.append(len(observations))
            return np.full(len(observations), 9)

    monkeypatch.setitem(registry._FACTORIES, "nine", lambda game: Nine())
    trainer = trainer_of(tmp_path, games=[{"num_players": 2, "num_envs": 10, "opponents": "nine"}])
    asked.clear()
    trainer.collect()
    assert sum(asked) == pytest.approx(trainer.experience.rollout.actions.numel(), abs=20)  # the other of two seats


def test_an_episode_that_opponents_play_alone_adds_nothing_to_the_rewards_of_the_one_before(tmp_path, monkeypatch):
    games = GamesPart([(make_game(ONE_LOT, num_players=2), 3, checkpoint(tmp_path))], seed=0)
    games.reset(NOBODY)
    [seated] = games.seated
    seated.rewards[:], seated.done[:] = 1.0, [True, True, False]
    alone = SimpleNamespace(
        seat=np.zeros(3), rewards=np.full((3, 2), 5.0, np.float32), done=np.ones(3, bool), step=lambda *given: None
    )
    moves = iter([1, 0])
    monkeypatch.setattr(seated, "batch", alone)
    monkeypatch.setattr(seated, "_list_movers", lambda number: next(moves))
    monkeypatch.setattr(seated, "_choosers", [])
    monkeypatch.setattr(seated, "_begin_episodes", lambda weights: None)
    seated._let_opponents_play(NOBODY)
    assert seated.rewards.tolist() == [[1.0, 1.0], [1.0, 1.0], [6.0, 6.0]]
    np.testing.assert_array_equal(seated.done, True)


def test_a_snapshot_is_drawn_by_the_square_of_what_it_wins():  # Vinyals et al. (2019): the hard ones
    pool = Pool(3, 1)
    pool.losses = np.array([1.0, 0.5, 0.0])
    assert pool.weights() == pytest.approx([1.05, 0.3, 0.05])
