"""The network of self-play: its layers, its policy, and its file."""

import time
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import torch
from safetensors import safe_open

from tests.agents.networks.selfplay import network_for
from tests.agents.networks.small import ONE_LOT
from tests.env.engine.batches import stepped
from tests.env.warehouse51.relic_files import relic, write_relic_file
from w51_agents import AgentError, make_agent
from w51_agents.networks.checkpoint import FORMAT, Checkpoint, read_checkpoint, write_checkpoint
from w51_agents.networks.layers import Torso, ValueHead
from w51_agents.networks.making import load_network, make_network, save_network
from w51_agents.networks.policy_agent import ActorCriticAgent
from w51_agents.networks.tensor_file import pack
from w51_agents.training.objective import sample
from w51_env import make_game


def shown(game, games=50, steps=20):
    batch = stepped(game, games, steps, seed=1)
    return torch.as_tensor(batch.observation.copy()), torch.as_tensor(batch.action_mask.astype(bool))


def test_an_illegal_action_has_no_probability():
    game = make_game("warehouse51_v1")
    observations, masks = shown(game)
    logits, values = network_for(game)(observations, masks)
    probabilities = torch.softmax(logits, 1)
    np.testing.assert_array_equal(probabilities.detach()[~masks], 0)
    assert probabilities[masks].min() > 0
    assert values.shape == (50,)


def test_new_statistics_of_returns_keep_predictions():
    game = make_game("warehouse51_v1")
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
        torso.include(torso.sums_of(part), len(part))
    everything = torch.cat(parts).double()
    assert torch.allclose(torso.mean.double(), everything.mean(0), atol=1e-4)
    assert torch.allclose(
        (torso.mean_square - torso.mean**2).double(), everything.var(0, correction=0), rtol=1e-4, atol=1e-3
    )


def test_a_torso_normalises_its_inputs():
    torso = Torso(3, [6])
    shown = torch.tensor([[0, 100, 5], [10, 120, 5], [20, 110, 5]], dtype=torch.int8)
    torso.include(torso.sums_of(shown), len(shown))
    spread = shown.double().std(0, correction=0).clamp_min(0.1)
    normal = ((shown.double() - shown.double().mean(0)) / spread).float()
    expected = torch.relu(normal @ torso.first.weight.T + torso.first.bias)
    assert torch.allclose(torso(shown), expected, atol=1e-3)
    assert torso(shown).isfinite().all()  # though the third input never differs


def test_a_saved_network_plays_the_same_when_loaded(tmp_path):
    game = make_game("warehouse51_v1")
    network = network_for(game)
    save_network(network, game, tmp_path / "one.safetensors")
    observations, masks = shown(game)
    for expected, found in zip(
        network(observations, masks), load_network(game, tmp_path / "one.safetensors")(observations, masks), strict=True
    ):
        assert torch.equal(expected, found)
    agent = make_agent(str(tmp_path / "one.safetensors"), game)
    actions = agent.act_batch(observations.numpy(), masks.numpy())
    np.testing.assert_array_equal(masks.numpy()[np.arange(50), actions], True)
    drawing = ActorCriticAgent(game, network, greedy=False)
    drawing.reset(1)
    first = drawing.act_batch(observations.numpy(), masks.numpy())
    drawing.reset(1)
    np.testing.assert_array_equal(drawing.act_batch(observations.numpy(), masks.numpy()), first)
    assert (first != actions).any()


def test_a_file_that_is_no_network_for_this_game_is_an_error(tmp_path):
    game, path = make_game("warehouse51_v1"), tmp_path / "one.safetensors"
    with pytest.raises(AgentError, match=r"one.safetensors: there is no such file or folder"):
        make_agent(str(path), game)
    save_network(network_for(game), game, path)
    with pytest.raises(AgentError, match="a network for warehouse51_v1, but the game is alles_futsch_v1"):
        make_agent(str(path), make_game("alles_futsch_v1"))
    whole = path.read_bytes()
    path.write_bytes(whole.replace(b"w51_env checkpoint 2", b"w51_env checkpoint 9"))
    with pytest.raises(AgentError, match="format 'w51_env checkpoint 9', but 'w51_env checkpoint 2' is needed"):
        make_agent(str(path), game)


def test_a_network_for_another_relic_set_is_an_error_that_names_it(tmp_path):
    cards = [relic(f"thing_{number}", ("blue", "green", "golden", "red")[number % 4]) for number in range(24)]
    theirs = make_game("warehouse51_v1", relics=write_relic_file(tmp_path, *cards), counterfeits_per_gap=0)
    save_network(network_for(theirs), theirs, tmp_path / "one.safetensors")
    assert make_agent(str(tmp_path / "one.safetensors"), theirs)
    with pytest.raises(AgentError, match=r"trained with relics=.*, but the game has relics='reconstruction-1'"):
        make_agent(str(tmp_path / "one.safetensors"), make_game("warehouse51_v1"))


def test_a_network_plays_with_other_values_of_observed_options(tmp_path):
    save_network(network_for(make_game("warehouse51_v1")), make_game("warehouse51_v1"), tmp_path / "one.safetensors")
    for options in ({"num_players": 3}, {"num_players": 5}, {"reward": "win"}):
        assert make_agent(str(tmp_path / "one.safetensors"), make_game("warehouse51_v1", **options))


def with_shape(**shape: Any) -> Callable[[Checkpoint], Checkpoint]:
    return lambda checkpoint: replace(checkpoint, shape={**checkpoint.shape, **shape})


def with_weights(value: float) -> Callable[[Checkpoint], Checkpoint]:
    """All weights have this value."""

    def change(checkpoint: Checkpoint) -> Checkpoint:
        weights = {name: np.full(array.shape, value) for name, array in checkpoint.weights.items()}
        return replace(checkpoint, weights=weights)

    return change


def with_many_layers(checkpoint: Checkpoint) -> Checkpoint:
    """All of the same size, and without weights."""
    empty = {f"torso.others.{2 * k}.bias": np.zeros(0) for k in range(10_000)}
    weights = {**checkpoint.weights, **empty}
    return replace(checkpoint, weights=weights, shape={**checkpoint.shape, "hidden_sizes": [16] * 10_000})


REFUSED = [
    *(
        (with_shape(hidden_sizes=sizes), "the weights do not fit the network: hidden_sizes is")
        for sizes in ([17], [16, 16], [16, 10**9], [10**6, 10**6], [16] * 10**5)
    ),
    (with_many_layers, "the weights do not fit the network: hidden_sizes is"),
    (lambda checkpoint: replace(checkpoint, shape={}), "hidden_sizes"),
    *((with_shape(hidden_sizes=sizes), "hidden_sizes") for sizes in ([-1], [2.5])),
    *((with_shape(**{name: value}), name) for name, value in (("hidden_slices", [[1]]), ("network_settings", 3))),
    (with_shape(hidden_slices=["gone"]), "hidden_slices"),
    (with_shape(x=1), "not a checkpoint"),
    *((with_weights(value), "has values that are not finite") for value in (np.nan, np.inf, 1e300)),
]


@pytest.mark.parametrize("network", [None, "items"])
@pytest.mark.parametrize(("change", "message"), REFUSED, ids=range(len(REFUSED)))
def test_a_checkpoint_that_nobody_writes_is_refused_before_its_network_is_made(change, message, network, tmp_path):
    game, path = make_game("warehouse51_v1"), tmp_path / "one.safetensors"
    save_network(make_network(game, network, hidden_sizes=[16]), game, path)
    write_checkpoint(change(read_checkpoint(path, game)), game, path)
    begun = time.process_time()
    with pytest.raises(AgentError, match=rf"one\.safetensors: .*{message}"):
        make_agent(str(path), game)
    assert time.process_time() - begun < 1.0  # nothing of that size is allocated


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
