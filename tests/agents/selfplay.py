"""Small networks and trainers of self-play, in the auction of one lot."""

import numpy as np
import pytest

pytest.importorskip("torch", reason="needs the extra 'train'")
import torch

from tests.agents.small import ONE_LOT, small
from w51_agents.policies.network import ActorCritic
from w51_agents.training.selfplay import SelfPlayTrainer
from w51_env import make_game

NOBODY = np.zeros(0)


def network_for(game, hidden=(16,), seed=0):
    torch.manual_seed(seed)
    return ActorCritic(game, hidden)


def trainer_of(tmp_path, threads=None, **changes) -> SelfPlayTrainer:
    """Of tables for three with nothing else, but for what is changed."""
    plain = {
        "games": [{"num_players": 3, "num_envs": 16}],
        "critic": "local",
        "teacher": None,
        "average_kl": 0,
        "pool": 0,
        "hidden_sizes": [16],
    }
    config = small("selfplay", tmp_path, decisions=20_000, threads=threads, selfplay={**plain, **changes})
    return SelfPlayTrainer(config, make_game(ONE_LOT))
