"""Checkpoints and options that no observation shows: a network plays the values for which it was trained."""

from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("torch")

from tests.core.test_options_contract import with_new_option
from w51_env import make_game
from w51_env.agents.agent import AgentError
from w51_env.agents.policies.checkpoint import Checkpoint, read_checkpoint, write_checkpoint
from w51_env.agents.policies.load import PRETRAINED_V1, shipped_path

UNOBSERVED = ("relics", "payment_to", "new_option")


def test_the_first_pretrained_network_is_older_than_an_option_and_plays_its_default_only():
    path = shipped_path(make_game("warehouse51_v0"), PRETRAINED_V1)
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
    assert read_checkpoint(path, game).kind == "self-play"
    with pytest.raises(AgentError, match=r"trained with new_option=9, but the game has new_option=0"):
        read_checkpoint(path, with_new_option(0, unobserved=UNOBSERVED))
