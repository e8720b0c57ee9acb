"""Experiments of the agent that reads the table: wider layers that compute the same, and a layer that tells kinds."""

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="needs the extra 'train'")

from experiments import beliefs  # noqa: E402
from experiments.reader import widened  # noqa: E402
from tests.agents.networks.small import small  # noqa: E402
from w51_agents.networks.making import make_network  # noqa: E402
from w51_agents.networks.policy_agent import ActorCriticAgent  # noqa: E402
from w51_agents.training.objective import NOBODY  # noqa: E402
from w51_agents.training.selfplay import SelfPlayTrainer  # noqa: E402
from w51_env import make_game, make_vec  # noqa: E402

pytestmark = pytest.mark.usefixtures("one_thread")

GAME = make_game("warehouse51_v1", num_players=4)


@pytest.mark.parametrize("heuristic", [False, True])
def test_a_widened_network_plays_and_values_as_before(heuristic):
    torch.manual_seed(3)
    network = make_network(GAME, "items", hidden_sizes=[12, 8])
    wide = widened(network, GAME, [20, 10], heuristic)
    assert wide.hidden_sizes == [20, 10]
    assert wide.heuristic_features is heuristic
    assert (wide.base_policy is not None) is heuristic
    batch = make_vec("warehouse51_v1", 16, num_players=4, seed=1)
    batch.reset()
    for _ in range(20):
        batch.step(batch.sample_actions())
    decisions = batch.observation, batch.action_mask
    old, new = (ActorCriticAgent(GAME, one) for one in (network, wide))
    np.testing.assert_allclose(old.probabilities(*decisions), new.probabilities(*decisions), rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(old.values(*decisions), new.values(*decisions), rtol=1e-5, atol=1e-5)


def test_the_layer_of_beliefs_learns_what_features_tell_and_leaves_out_who_is_of_no_kind(monkeypatch, capsys):
    monkeypatch.setattr(beliefs, "STEPS", 60)
    monkeypatch.setattr(beliefs, "BATCH", 256)
    monkeypatch.setattr(beliefs, "RATE", 0.05)
    torch.manual_seed(1)
    labels = torch.randint(2, (2000, GAME.max_players - 1))
    labels[:, -1] = NOBODY
    labels[:500] = NOBODY  # nobody is of a kind
    features = torch.nn.functional.one_hot(labels.clamp(min=0), 2).flatten(1).float()
    network = make_network(
        GAME, "items", hidden_sizes=[12, features.shape[1]], network_settings={"kinds": list(beliefs.KINDS)}
    )
    beliefs.fit(network, features, labels)
    assert (network.belief(features).argmax(2) == labels)[500:, :-1].float().mean() > 0.99
    beliefs.report(network, features, labels, torch.full((2000,), 4))
    assert "3 to 5 lots sold: 1.000 (heuristic 1.000, network 1.000)" in capsys.readouterr().out


def test_beliefs_are_learned_from_games_where_it_is_known_who_plays(tmp_path):
    games = [
        {"num_players": 4, "num_envs": 4, "opponents": "heuristic"},
        {"num_players": 3, "num_envs": 4, "opponents": {"mimic:heuristic>random,lots=2": 1}},
    ]
    settings = {
        "games": games, "network": "items", "hidden_sizes": [8], "num_steps": 8, "minibatch_size": 32, "pool": 0,
        "critic": "local", "teacher": None, "average_kl": 0,
    }  # fmt: skip
    config = small("selfplay", tmp_path, game=GAME.id, selfplay=settings, evaluation={"against": ["random"]})
    trainer = SelfPlayTrainer(config, GAME)
    ((features, labels, sold),) = beliefs.played(trainer, skip=0)
    rows = labels.view(8, 8, 3)  # by step, game and place
    heuristic, network = range(2)
    np.testing.assert_array_equal(rows[:, :4], heuristic)
    assert sorted(rows[0, 4, :2].tolist()) == [NOBODY, network]  # a mimic is of no kind
    np.testing.assert_array_equal(rows[:, 4:, 2], NOBODY)  # there is no fourth seat
    assert features.shape == (64, 8)
    assert sold.min() >= 0
    trainer.close()
