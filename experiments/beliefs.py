"""Teaches a network whom it plays with: `python -m experiments.beliefs AGENT --keep FILE`.

The network plays the games of a config, where it is known who has each seat. A layer on what its hidden layers compute
learns to tell kinds of players apart; all else stays as it is. Printed is how often the likeliest kind is right, by
the number of lots sold, in games that the layer did not learn from.
"""

import json
from collections.abc import Iterator
from math import prod
from pathlib import Path
from typing import Annotated

import numpy as np
import torch
import typer
from torch import Tensor

from w51_agents.networks.inputs import items_of
from w51_agents.networks.items.network import ItemActorCritic
from w51_agents.networks.load import existing_checkpoint
from w51_agents.networks.making import load_network, make_network, save_network
from w51_agents.training.config import load_config
from w51_agents.training.objective import NOBODY, style_loss
from w51_agents.training.registry import trainer_spec
from w51_agents.training.selfplay import SelfPlayTrainer
from w51_env import make_game

# Kinds, and the players of each; what plays as two of them in one game is of none.
KINDS = {"heuristic": ("heuristic",), "network": ("self", "pretrained-v2", "exploiter", "pretrained-v1")}
BATCH, STEPS, RATE = 8192, 1500, 3e-3
LOTS = (0, 3, 6, 10, 15, 20)  #  sold, from each to the next


def main(
    agent: Annotated[str, typer.Argument(help="A network for any cards.")],
    keep: Annotated[Path, typer.Option(help="The checkpoint to write.")],
    config: Annotated[str, typer.Option(help="The games.")] = "experiments/table_reader/reader_3.yaml",
    rollouts: Annotated[int, typer.Option(min=2, help="Rollouts of all games; the last one is not learned from.")] = 6,
    skip: Annotated[int, typer.Option(help="Rollouts between two that are kept.")] = 2,
) -> None:
    """Play, learn, write, print."""
    torch.set_num_threads(1)
    first = make_game("warehouse51_v1", num_players=4)
    path = existing_checkpoint(agent, first)
    old = load_network(first, path)
    own = ("base_policy", "heuristic_features", "network_settings")
    inputs = [f"selfplay.{name}={json.dumps(old.shape[name])}" for name in own if old.shape.get(name)]
    changes = [f"selfplay.start={path}", "selfplay.teacher_weight=0", *inputs]
    settings = load_config(config, changes)
    trainer = trainer_spec(settings.trainer).make(settings, make_game(settings.game, **settings.options))
    assert isinstance(trainer, SelfPlayTrainer)
    *parts, held_out = (one for _ in range(rollouts) for one in played(trainer, skip))
    features, labels = (torch.cat(column) for column in list(zip(*parts, strict=True))[:2])
    network = make_network(first, **{**old.shape, "network_settings": {"kinds": list(KINDS)}})
    weights = {name: value for name, value in old.state_dict().items() if not name.startswith("belief.")}
    network.load_state_dict(weights, strict=False)
    assert isinstance(network, ItemActorCritic)
    fit(network, features, labels)
    save_network(network, first, keep)
    report(network, *held_out)
    trainer.close()


def played(trainer: SelfPlayTrainer, skip: int) -> Iterator[tuple[Tensor, Tensor, Tensor]]:
    """Features (B, width), kinds (B, max_players - 1) or NOBODY, and lots sold (B,) of the decisions of a rollout."""
    for _ in range(skip + 1):
        trainer.collect()
    rollout, players = trainer.experience.rollout, trainer.experience.parts[0].players
    places = {name: place for place, names in enumerate(KINDS.values()) for name in names}
    of_kind = np.array([places.get(name, NOBODY) for name in players] + [NOBODY])
    labels = torch.from_numpy(of_kind[rollout.players[..., 1:]]).flatten(0, 1)
    model, table = trainer.model, items_of(trainer.game)
    shapes = {name: trainer.game.layout[name].shape[:-1] for name in table.slices}  # of facts, without the items
    names = [name for name, shape in shapes.items() for _ in range(prod(shape))]
    is_sold = torch.tensor([name in ("owned", "unsold", "exposed") for name in names])
    with torch.no_grad():
        parts = []
        for inputs, actions in zip(rollout.inputs, rollout.base_actions, strict=True):
            read = model.network.torso.read(model.learning.read(inputs))
            parts.append((model.network.features(read, actions), read.facts[:, is_sold].sum((1, 2))))
        features, sold = map(torch.cat, zip(*parts, strict=True))
        yield features, labels, sold


def fit(network: ItemActorCritic, features: Tensor, labels: Tensor) -> None:
    """Learn the layer of beliefs, as if all kinds were equally frequent."""
    assert network.belief is not None
    is_told = (labels != NOBODY).any(1)
    features, labels = features[is_told], labels[is_told]
    optimizer = torch.optim.Adam(network.belief.parameters(), RATE)
    counts = torch.bincount(labels[labels >= 0], minlength=len(KINDS)).float()
    weights = counts.mean() / counts
    for step in range(STEPS):
        rows = torch.randint(len(features), (BATCH,))
        loss = style_loss(network.belief(features[rows]), labels[rows], weights)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        for group in optimizer.param_groups:
            group["lr"] = RATE * (1 - step / STEPS)


@torch.no_grad()
def report(network: ItemActorCritic, features: Tensor, labels: Tensor, sold: Tensor) -> None:
    """Print how often the likeliest kind is right."""
    assert network.belief is not None
    right = network.belief(features).argmax(2) == labels
    for start, stop in zip(LOTS, (*LOTS[1:], 99), strict=True):
        known = (labels >= 0) & ((sold >= start) & (sold < stop))[:, None]
        shares = [f"{name} {right[known & (labels == place)].float().mean():.3f}" for place, name in enumerate(KINDS)]
        print(f"{start} to {stop - 1} lots sold: {right[known].float().mean():.3f} ({', '.join(shares)})")


if __name__ == "__main__":
    typer.run(main)
