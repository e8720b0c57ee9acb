"""Self-play: the network, its games, the pool of snapshots, and that it learns."""

import pickle
import time
from dataclasses import replace

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="needs the extra 'train'")

from safetensors import safe_open  # noqa: E402

from tests.warehouse51.relic_files import relic, write_relic_file  # noqa: E402
from w51_env import make_game, make_vec  # noqa: E402
from w51_env.agents import AgentError, make_agent  # noqa: E402
from w51_env.agents.policies.checkpoint import FORMAT, pack, read_checkpoint, write_checkpoint  # noqa: E402
from w51_env.agents.policies.layers import Torso, ValueHead  # noqa: E402
from w51_env.agents.policies.network import ActorCritic, load_network, save_network  # noqa: E402
from w51_env.agents.policies.policy_agent import ActorCriticAgent  # noqa: E402
from w51_env.agents.training.categorical import sample  # noqa: E402
from w51_env.agents.training.games import LEARNER, SelfPlayGames  # noqa: E402
from w51_env.agents.training.learner_settings import POOL, SELF  # noqa: E402
from w51_env.agents.training.pool import Pool  # noqa: E402
from w51_env.agents.training.selfplay import SelfPlayTrainer  # noqa: E402
from w51_env.agents.training.trainer_state import StateError  # noqa: E402
from w51_env.agents.training.trainers import SelfPlayConfig  # noqa: E402

ONE_LOT = "tests.third_game:make"
NOBODY = np.zeros(0)


def network_for(game, hidden=(16,), seed=0):
    torch.manual_seed(seed)
    return ActorCritic(game, hidden)


def shown(game, games=50, steps=20):
    batch = make_vec(game.id, games, seed=1, num_players=game.num_players)
    batch.reset()
    for _ in range(steps):
        batch.step(batch.sample_actions())
    return torch.as_tensor(batch.observation.copy()), torch.as_tensor(batch.action_mask.astype(bool))


# ---- the network


def test_an_illegal_action_has_no_probability():
    game = make_game("warehouse51_v0")
    observations, masks = shown(game)
    logits, values = network_for(game)(observations, masks)
    probabilities = torch.softmax(logits, 1)
    assert (probabilities[~masks] == 0).all()
    assert probabilities[masks].min() > 0
    assert values.shape == (50,)


def test_new_statistics_of_returns_keep_predictions():
    game = make_game("warehouse51_v0")
    observations, masks = shown(game)
    network = network_for(game)
    value = network.value
    before = value.denormalize(network(observations, masks)[1])
    value.update_stats(torch.tensor([40.0, 10.0, 25.0]), 0.5)
    assert value.mean == pytest.approx(12.5)
    assert torch.allclose(value.denormalize(network(observations, masks)[1]), before, atol=1e-4)
    assert torch.allclose(value.denormalize(value.normalize(before)), before, atol=1e-4)


def test_a_single_return_gives_a_positive_standard_deviation():
    value = ValueHead(4)
    value.update_stats(torch.tensor([3.0]), 1.0)
    assert value.mean == 3
    assert value.std > 0
    assert all(tensor.isfinite().all() for tensor in value.state_dict().values())


def test_input_statistics_are_those_of_all_inputs():
    torso = Torso(5, [4])
    generator = np.random.default_rng(0)
    parts = [torch.from_numpy(generator.integers(-3, 90, (40, 5)).astype(np.int8)) for _ in range(7)]
    for part in parts:
        part[:, 4] = 7  # never differs
        torso.update_stats(part)
    everything = torch.cat(parts).double()
    assert torch.allclose(torso.mean.double(), everything.mean(0), atol=1e-4)
    assert torch.allclose(
        (torso.mean_square - torso.mean**2).double(), everything.var(0, correction=0), rtol=1e-4, atol=1e-3
    )


def test_a_torso_normalises_its_inputs():
    torso = Torso(3, [6])
    shown = torch.tensor([[0, 100, 5], [10, 120, 5], [20, 110, 5]], dtype=torch.int8)
    torso.update_stats(shown)
    spread = shown.double().std(0, correction=0).clamp_min(0.1)
    normal = ((shown.double() - shown.double().mean(0)) / spread).float()
    expected = torch.relu(normal @ torso.first.weight.T + torso.first.bias)
    assert torch.allclose(torso(shown), expected, atol=1e-3)
    assert torso(shown).isfinite().all()  # though the third input never differs


def test_a_saved_network_plays_the_same_when_loaded(tmp_path):
    game = make_game("warehouse51_v0")
    network = network_for(game)
    save_network(network, game, tmp_path / "one.safetensors")
    observations, masks = shown(game)
    for expected, found in zip(
        network(observations, masks), load_network(game, tmp_path / "one.safetensors")(observations, masks), strict=True
    ):
        assert torch.equal(expected, found)
    agent = make_agent(str(tmp_path / "one.safetensors"), game)
    actions = agent.act_batch(observations.numpy(), masks.numpy())
    assert masks.numpy()[np.arange(50), actions].all()
    drawing = ActorCriticAgent(game, tmp_path / "one.safetensors", greedy=False)
    drawing.reset(1)
    first = drawing.act_batch(observations.numpy(), masks.numpy())
    drawing.reset(1)
    assert (drawing.act_batch(observations.numpy(), masks.numpy()) == first).all()
    assert (first != actions).any()


def test_a_file_that_is_no_network_for_this_game_is_an_error(tmp_path):
    game, path = make_game("warehouse51_v0"), tmp_path / "one.safetensors"
    with pytest.raises(AgentError, match=r"one.safetensors: there is no such file or folder"):
        make_agent(str(path), game)
    save_network(network_for(game), game, path)
    with pytest.raises(AgentError, match="a network for warehouse51_v0, but the game is alles_futsch_v0"):
        make_agent(str(path), make_game("alles_futsch_v0"))
    whole = path.read_bytes()
    path.write_bytes(whole[: len(whole) // 2])
    with pytest.raises(AgentError, match="not a checkpoint, or a damaged one"):
        make_agent(str(path), game)
    path.write_bytes(whole.replace(b"w51_env checkpoint 2", b"w51_env checkpoint 9"))
    with pytest.raises(AgentError, match="format 'w51_env checkpoint 9', but 'w51_env checkpoint 2' is needed"):
        make_agent(str(path), game)


def test_a_network_for_another_relic_set_is_an_error_that_names_it(tmp_path):
    cards = [relic(f"thing_{number}", ("blue", "green", "golden", "red")[number % 4]) for number in range(24)]
    theirs = make_game("warehouse51_v0", relics=write_relic_file(tmp_path, *cards), counterfeits_per_gap=0)
    save_network(network_for(theirs), theirs, tmp_path / "one.safetensors")
    assert make_agent(str(tmp_path / "one.safetensors"), theirs)
    with pytest.raises(AgentError, match=r"trained with relics=.*, but the game has relics='reconstruction-1'"):
        make_agent(str(tmp_path / "one.safetensors"), make_game("warehouse51_v0"))


def test_a_network_plays_with_other_values_of_observed_options(tmp_path):
    save_network(network_for(make_game("warehouse51_v0")), make_game("warehouse51_v0"), tmp_path / "one.safetensors")
    for options in ({"num_players": 3}, {"num_players": 5}, {"reward": "win"}):
        assert make_agent(str(tmp_path / "one.safetensors"), make_game("warehouse51_v0", **options))


def test_a_pickle_named_as_a_network_is_refused_without_running_it(tmp_path):
    class Trap:
        def __reduce__(self):
            return (tmp_path / "sprung").touch, ()

    for name, write in (
        ("plain", lambda path: path.write_bytes(pickle.dumps(Trap()))),
        ("torch", lambda path: torch.save(Trap(), path)),
    ):
        path = tmp_path / f"{name}.safetensors"
        write(path)
        with pytest.raises(AgentError, match="not a checkpoint, or a damaged one"):
            make_agent(str(path), make_game(ONE_LOT))
    assert not (tmp_path / "sprung").exists()


def test_weights_that_do_not_fit_are_an_error(tmp_path):
    game, path = make_game(ONE_LOT), tmp_path / "one.safetensors"
    save_network(network_for(game, (16,)), game, path)
    checkpoint = read_checkpoint(path, game)
    for sizes in ([17], [16, 16], [10**6, 10**6], [16] * 10**5):
        write_checkpoint(replace(checkpoint, shape={**checkpoint.shape, "hidden_sizes": sizes}), game, path)
        begun = time.process_time()
        with pytest.raises(AgentError, match="the weights do not fit the network: hidden_sizes is"):
            make_agent(str(path), game)
        assert time.process_time() - begun < 1.0  # nothing of that size is allocated


def test_a_layer_vouches_for_no_other_of_its_size(tmp_path):
    game, path = make_game(ONE_LOT), tmp_path / "one.safetensors"
    save_network(network_for(game, (16, 16)), game, path)
    checkpoint = read_checkpoint(path, game)
    layers = 10_000
    weights = {**checkpoint.weights, **{f"torso.others.{2 * k}.bias": np.zeros(0) for k in range(layers)}}
    shape = {**checkpoint.shape, "hidden_sizes": [16] * layers}
    write_checkpoint(replace(checkpoint, weights=weights, shape=shape), game, path)
    with pytest.raises(AgentError, match="the weights do not fit the network: hidden_sizes is"):
        read_checkpoint(path, game)


@pytest.mark.parametrize("shape", [{}, {"hidden_sizes": [-1]}, {"hidden_sizes": [2.5]}, {"hidden_sizes": [16], "x": 1}])
def test_a_shape_that_is_none_is_an_error(shape, tmp_path):
    game, path = make_game(ONE_LOT), tmp_path / "one.safetensors"
    save_network(network_for(game, (16,)), game, path)
    write_checkpoint(replace(read_checkpoint(path, game), shape=shape), game, path)
    with pytest.raises(AgentError, match=r"one.safetensors: (hidden_sizes|not a checkpoint)"):
        make_agent(str(path), game)


def test_every_turned_bit_of_a_checkpoint_is_an_error_in_words(tmp_path):
    game, path = make_game(ONE_LOT), tmp_path / "one.safetensors"
    save_network(network_for(game, (2,)), game, path)
    whole = path.read_bytes()
    for place in range(0, len(whole), 7):
        damaged = bytearray(whole)
        damaged[place] ^= 1 << place % 8
        path.write_bytes(damaged)
        with pytest.raises(AgentError, match=r"one.safetensors: (not a checkpoint|damaged|format|a network for)"):
            make_agent(str(path), game)


def test_equal_networks_have_equal_files(tmp_path):
    game, network = make_game(ONE_LOT), network_for(make_game(ONE_LOT), (16,))
    paths = [tmp_path / f"{number}.safetensors" for number in range(8)]
    for path in paths:
        save_network(network, game, path)
    assert len({path.read_bytes() for path in paths}) == 1


@pytest.mark.parametrize("changed", [{"shape": "{"}, {"shape": "[]"}, {"unobserved": "7"}, {"kind": "other"}])
def test_metadata_that_no_checkpoint_has_is_an_error(tmp_path, changed):
    game, path = make_game(ONE_LOT), tmp_path / "one.safetensors"
    save_network(network_for(game, (16,)), game, path)
    with safe_open(path, "np") as file:
        metadata, arrays = file.metadata(), {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
    path.write_bytes(pack(arrays, {**metadata, **changed}, FORMAT))
    with pytest.raises(AgentError, match=r"one\.safetensors"):
        make_agent(str(path), game)


def test_actions_are_drawn_from_the_policy():
    logits = torch.tensor([[0.0, -1e9, 1.0, 2.0, -1e9]]).repeat(20_000, 1)
    drawn = (
        torch.bincount(
            sample(torch.softmax(logits, 1), torch.rand(20_000, generator=torch.Generator().manual_seed(0))),
            minlength=5,
        )
        / 20_000
    )
    assert drawn[[1, 4]].tolist() == [0, 0]
    assert torch.allclose(drawn, torch.softmax(logits[0], 0), atol=0.015)


# ---- the games


def test_several_kinds_of_games_are_rows_of_one_batch():
    kinds = [
        (make_game("warehouse51_v0", num_players=players), 3, opponents)
        for players, opponents in ((3, SELF), (5, "heuristic"), (4, POOL))
    ]
    games = SelfPlayGames(kinds, seed=0)
    games.reset(NOBODY)
    generator = np.random.default_rng(0)
    ended = np.zeros(9, int)
    for _ in range(1500):
        assert games.mask.any(axis=1).all()
        games.step((games.mask * generator.random(games.mask.shape)).argmax(axis=1), NOBODY)
        ended += games.done
        assert (games.rewards[~games.done] == 0).all()
        assert np.allclose(games.rewards.sum(axis=1), 0, atol=1e-6)
        assert (games.rewards[:3, 3:] == 0).all()
    assert ended.min() > 3
    assert ((games.ranks > 0).sum(axis=1) == np.repeat([3, 5, 4], 3)).all()
    games.close()


def test_snapshots_have_all_seats_but_one():
    games = SelfPlayGames([(make_game(ONE_LOT, num_players=4), 400, POOL)], seed=0)
    games.reset(np.array([1.0, 3.0]))
    players = games.policies
    assert ((players == LEARNER).sum(axis=1) == 1).all()
    assert 60 < (players.max(axis=1) == 1).sum() < 140  # a quarter of 400
    assert {tuple(row.tolist()) for row in (players == LEARNER)} == {
        tuple(row) for row in np.eye(4, dtype=bool).tolist()
    }
    before = players.copy()
    for _ in range(4):
        games.step(np.zeros(400, np.int64), np.array([1.0, 3.0]))
    assert games.done.all()
    assert (games.opponent == before.max(axis=1)).all()
    assert (before[np.arange(400), games.learner_seat] == LEARNER).all()


def test_a_state_with_more_snapshots_than_weights_is_refused_before_they_are_made():
    network, pool = network_for(make_game(ONE_LOT)), Pool(2, 1)
    pool.add_snapshot(network, 1)
    state = pool.state()
    state.facts["slots"] = 10**12
    with pytest.raises(StateError, match="losses: one for each slot"):
        Pool(2**31, 1).restore(state, network)


def test_a_harder_snapshot_plays_more_often_and_the_easiest_is_replaced():
    network, pool = network_for(make_game(ONE_LOT)), Pool(2, 1)
    pool.add_snapshot(network, 0)
    pool.add_snapshot(network, 1)
    pool.record(np.zeros(50, int), np.zeros(50))
    assert pool.weights()[0] < pool.weights()[1]
    easiest = pool.networks[0]
    pool.add_snapshot(network, 2)
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
    config = SelfPlayConfig(name="small", game=ONE_LOT, decisions=60_000, trainer="selfplay", selfplay=settings)
    trainer = SelfPlayTrainer(config, game)
    updates = []
    while trainer.decisions < config.decisions:
        updates.append(trainer.update())
    assert updates[-1].mean_return > updates[0].mean_return + 1
    assert updates[-1].entropy < updates[0].entropy
    assert updates[-1].decisions == trainer.decisions
    trainer.close()
