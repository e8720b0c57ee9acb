"""Checkpoints and options that no observation shows: a network plays the values for which it was trained."""

from pathlib import Path

import numpy as np
import pytest

from tests.agents.networks.small import ALONE, small
from tests.env.engine.test_options_contract import with_new_option
from w51_agents.agent.interface import AgentError
from w51_agents.named.registry import make_agent
from w51_agents.networks.checkpoint import Checkpoint, read_checkpoint, write_checkpoint
from w51_agents.networks.load import PRETRAINED_V1, shipped_path
from w51_agents.networks.making import save_network
from w51_agents.networks.network import ActorCritic
from w51_agents.training.selfplay import SelfPlayTrainer
from w51_env import make_game

UNOBSERVED = ("relics", "payment_to", "refund", "new_option")


def test_the_first_pretrained_network_is_older_than_an_option_and_plays_its_default_only():
    path = shipped_path(make_game("warehouse51_v1"), PRETRAINED_V1)
    assert read_checkpoint(path, with_new_option(0, unobserved=UNOBSERVED)).weights
    with pytest.raises(AgentError, match=r"trained with new_option=0, but the game has new_option=9"):
        read_checkpoint(path, with_new_option(9, unobserved=UNOBSERVED))


def test_a_network_trained_for_one_value_of_an_option_is_refused_for_another(tmp_path: Path):
    path, game = tmp_path / "new.safetensors", with_new_option(9, unobserved=UNOBSERVED)
    weights = {
        "0": np.zeros((2, game.layout.size), np.float32),
        "1": np.zeros((len(game.actions), 2), np.float32),
    }
    write_checkpoint(Checkpoint("self-play", weights, {"hidden_sizes": [2]}), game, path)
    assert read_checkpoint(path, game).trainer == "self-play"
    with pytest.raises(AgentError, match=r"trained with new_option=9, but the game has new_option=0"):
        read_checkpoint(path, with_new_option(0, unobserved=UNOBSERVED))


@pytest.mark.parametrize("options", [{"payment_to": "bank"}, {"relics": "generated:1"}])
def test_a_training_may_start_from_a_network_for_another_value_with_a_warning(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, options: dict[str, str]
):
    path = tmp_path / "start.safetensors"
    trained, game = make_game("warehouse51_v1", num_players=3), make_game("warehouse51_v1", num_players=3, **options)
    save_network(ActorCritic(trained, [8], None, False), trained, path)
    (name,) = options
    settings = {**ALONE, "hidden_sizes": [8], "start": str(path)}
    config = small("selfplay", tmp_path, game="warehouse51_v1", options=options, selfplay=settings)
    SelfPlayTrainer(config, game).close()
    assert f"trained with {name}=" in caplog.text
    with pytest.raises(AgentError, match=f"trained with {name}="):
        make_agent(str(path), game)
