"""Make the idle units of a network anew: `python -m experiments.revive`.

A unit that is active at no decision computes nothing, and has no gradient. The units of the last hidden layer that are
idle get new weights, and count nothing in what follows, so that the policy is the same and can learn to use them
(Sokar et al., "The dormant neuron phenomenon in deep reinforcement learning", ICML 2023).
"""

from pathlib import Path
from typing import Annotated

import numpy as np
import torch
import typer
from torch import nn

from benchmarks.measure import ROOT
from w51_agents.networks.layers import Torso
from w51_agents.networks.load import PRETRAINED_V2, existing_checkpoint
from w51_agents.networks.making import compiled_policy, load_network, save_network
from w51_agents.networks.network import ActorCritic
from w51_env import make_game
from w51_env.engine.batch import Batch
from w51_env.engine.game import Game

STEPS, GAMES, EVERY = 400, 256, 4


def main(
    agent: Annotated[str, typer.Argument(help="A checkpoint of self-play, or `pretrained-v2`.")] = PRETRAINED_V2,
    out: Annotated[Path, typer.Option(help="The checkpoint that is written.")] = ROOT / "runs" / "revived.safetensors",
    seed: Annotated[int, typer.Option(help="Seed of the games and of the weights.")] = 0,
) -> None:
    """Find the idle units, make them anew, save."""
    game = make_game("warehouse51_v1", num_players=4)
    network = load_network(game, existing_checkpoint(agent, game))
    idle = idle_units(network, game, seed)
    revive(network, idle, seed)
    out.parent.mkdir(parents=True, exist_ok=True)
    save_network(network, game, out)
    print(f"{len(idle)} of {network.hidden_sizes[-1]} units were idle: {out}")


@torch.no_grad()
def idle_units(network: ActorCritic, game: Game, seed: int) -> torch.Tensor:
    """The units of the last hidden layer that are active at no decision of some games of the network with itself."""
    policy = compiled_policy(game, network)
    inputs = network.inputs_for(game)
    generator = np.random.default_rng(seed)
    batch = Batch(game, GAMES, seed=seed)
    batch.reset()
    active = torch.zeros(network.hidden_sizes[-1], dtype=torch.bool)
    for step in range(STEPS):
        if step % EVERY == 0:
            rows = batch.observation[batch.action_mask.sum(1) > 1]
            active |= (network.torso(network.torso.read(torch.from_numpy(inputs(rows)))) > 0).any(0)
        bits = generator.integers(2**64, size=GAMES, dtype=np.uint64)
        batch.step(policy.choose(batch.observation, batch.action_mask, bits))
    return torch.nonzero(~active)[:, 0]


@torch.no_grad()
def revive(network: ActorCritic, idle: torch.Tensor, seed: int) -> None:
    """Give these units new weights; the logits and the value stay as they are."""
    torch.manual_seed(seed)
    assert isinstance(network.torso, Torso)
    layer = [one for one in network.torso.others if isinstance(one, nn.Linear)][-1]
    layer.weight[idle] = nn.init.orthogonal_(torch.empty_like(layer.weight), 2**0.5)[idle]
    layer.bias[idle] = 0
    for one in (*network.policy.modules(), network.value.last):
        if isinstance(one, nn.Linear):
            one.weight[:, idle] = 0


if __name__ == "__main__":
    typer.run(main)
