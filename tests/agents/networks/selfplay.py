"""Small networks and trainers of self-play, in the auction of one lot."""

import numpy as np
import torch

from tests.agents.networks.small import ALONE, ONE_LOT, small
from w51_agents.networks.making import make_network
from w51_agents.networks.network import ActorCritic
from w51_agents.training.selfplay import SelfPlayTrainer
from w51_env import make_game

NOBODY = np.zeros(0)


def network_for(game, hidden=(16,), seed=0):
    torch.manual_seed(seed)
    return ActorCritic(game, hidden)


def spread(game, hidden_sizes=(16, 8), **settings) -> ActorCritic:
    """With weights that are not near 0, so that its probabilities differ."""
    torch.manual_seed(1)
    network = make_network(game, hidden_sizes=hidden_sizes, **settings)
    for parameter in network.parameters():
        torch.nn.init.normal_(parameter, std=0.3)
    if network.network == "history":
        network.torso.events.data[0] = 0  # of no event
    return network.requires_grad_(False)


def trainer_of(tmp_path, threads=None, **changes) -> SelfPlayTrainer:
    """Of tables for three with nothing else, but for what is changed."""
    plain = {**ALONE, "games": [{"num_players": 3, "num_envs": 16}], "hidden_sizes": [16]}
    config = small("selfplay", tmp_path, decisions=20_000, threads=threads, selfplay={**plain, **changes})
    return SelfPlayTrainer(config, make_game(ONE_LOT))
