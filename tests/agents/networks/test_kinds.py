"""`kinds_weight`: a further output learns to tell who plays the other seats; labels, loss, and that it is learned."""

import numpy as np
import pytest
import torch

from tests.agents.networks.small import in_mini
from w51_agents.networks.making import load_network
from w51_agents.training.objective import NOBODY, share_told, style_loss
from w51_agents.training.rollout import Minibatch
from w51_agents.training.selfplay import SelfPlayTrainer
from w51_env import make_game

GAME = make_game("warehouse51_v1", preset="mini")
PLAIN = {
    "games": [
        {"num_players": 4, "num_envs": 8, "opponents": opponents} for opponents in ("self", "heuristic", "pool")
    ] + [{"num_players": 3, "num_envs": 8, "opponents": "random"}],
    "num_steps": 16, "hidden_sizes": [16], "pool": 1, "pool_every": 1, "kinds_weight": 0.5,
}  # fmt: skip


def telling(tmp_path, **changes) -> SelfPlayTrainer:
    return SelfPlayTrainer(in_mini(tmp_path, **{**PLAIN, **changes}), GAME)


def test_the_kinds_that_are_told_are_those_of_the_rollout(tmp_path):
    trainer = telling(tmp_path, games=[{"num_players": 4, "num_envs": 8, "opponents": {"heuristic": 1, "pool": 1}}])
    assert trainer.model.styles.styles == trainer.experience.parts[0].players == ("self", "heuristic", "pool")
    trainer.collect()
    told = trainer.extra_rows(0.0)["kinds"].view(16, 8, 3)
    np.testing.assert_array_equal(told.numpy(), trainer.experience.rollout.players[..., 1:])
    np.testing.assert_array_equal((told == 1).sum(2).eq(1), True)  # one heuristic at each table


@pytest.mark.parametrize("network", [None, pytest.param("recurrent", marks=pytest.mark.slow), "history"])
def test_it_learns_to_tell_and_a_checkpoint_has_nothing_of_it(network, tmp_path):
    quickly = {"kinds_weight": 5.0, "learning_rate": 3e-2, "num_steps": 12, "minibatch_size": 96}
    trainer = telling(tmp_path, network=network, **quickly)
    shares = []
    for number in range(8):
        trainer.update()
        if 2 <= number < 5:
            continue
        trainer.collect()
        rollout = trainer.experience.rollout
        batch = trainer.extra_rows(0.0)["kinds"]
        with torch.no_grad():
            zeros = torch.zeros(rollout.values.size)
            told = trainer.model.styles(trainer.model.outputs(Minibatch.of(rollout, zeros, zeros, {})).features)
        mine = torch.from_numpy(rollout.is_learner).flatten()
        shares.append(share_told(told, batch)[mine].mean().item())
    assert np.mean(shares[-3:]) > np.mean(shares[:2]) + 0.05
    assert shares[-1] > 0.5
    trainer.write_checkpoint(tmp_path / "net.safetensors")
    played = load_network(GAME, tmp_path / "net.safetensors")
    assert not any("kinds" in name for name in played.state_dict())


def test_the_loss_is_the_mean_over_decisions_of_the_mean_over_seats():
    logits = torch.tensor([[[2.0, 0.0], [0.0, 0.0]], [[0.0, 1.0], [5.0, 5.0]]])
    kinds = torch.tensor([[0, 1], [1, NOBODY]])
    first = (-np.log(np.exp(2) / (np.exp(2) + 1)) + np.log(2)) / 2
    second = -np.log(np.e / (np.e + 1))
    assert style_loss(logits, kinds).item() == pytest.approx((first + second) / 2, rel=1e-5)
    assert share_told(logits, kinds).tolist() == [0.5, 1.0]
