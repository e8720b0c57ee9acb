"""What gradients by hand gain: `python -m benchmarks.gradients`, three minutes.

Updates by hand and by PyTorch in turns, of configs that come along, with a shorter rollout and one or four epochs;
processor time of a whole update, with its rollout, in one thread. A gain is how many times longer the update takes if
PyTorch computes in the place of a piece.
"""

import statistics
import time
from collections.abc import Callable
from contextlib import ExitStack
from typing import Annotated, Any
from unittest.mock import patch

import torch
import typer
from rich.console import Console
from rich.table import Table
from torch import Tensor
from torch.nn import functional

from benchmarks.measure import ROOT
from w51_agents.networks.fast import layers
from w51_agents.networks.items import learning as items
from w51_agents.networks.layers import gather_legal
from w51_agents.networks.learning import Learning
from w51_agents.networks.torch_settings import own_settings
from w51_agents.training.config import load_config
from w51_agents.training.selfplay import SelfPlayTrainer
from w51_env import make_game

Patch = tuple[Any, str, Any]
FIRST, LOGITS, ALL, ATTENTION = "first layer", "logits of legal actions", "both", "attention"
EPOCHS, SHORTER = (1, 4), ["decisions=1_000_000_000_000", "threads=1", "selfplay.num_steps=16"]
CONFIGS = {"selfplay_quick": (FIRST, LOGITS, ALL), "any_cards": (FIRST, ALL), "history_quick": (ATTENTION,)}


def in_pytorch(piece: str, learning: Learning) -> list[Patch]:
    """What is replaced so that PyTorch computes a piece of a network that learns."""
    torso: Any = learning.network.torso

    def logits(features: Tensor, weight: Tensor, bias: Tensor, legal: Tensor) -> Tensor:
        return gather_legal(functional.linear(features, weight, bias), legal)

    def units(inputs: Tensor, *others: Tensor) -> Tensor:
        return torch.relu(functional.linear(inputs.float(), *torso.fold_normalization()))

    def units_of_items(rows: Tensor, bias: Tensor, inputs: Tensor, of_numbers: object) -> Tensor:
        return units(torso.numbers(torso.read(learning.read(inputs))))

    pieces: dict[str, list[Patch]] = {
        FIRST: [
            (layers.SparseLayer, "apply", units),
            (items.ItemLayer, "apply", units_of_items),
        ],
        LOGITS: [(layers.LegalLogits, "apply", logits)],
        ALL: [(learning, "outputs", learning.reference)],
        ATTENTION: [(torso, "is_compiled", False)],
    }
    return pieces[piece]


def gain(update: Callable[[], object], patches: list[Patch], turns: int) -> float:
    """The median of how many times longer an update takes with the patches, turn by turn."""
    ratios = []
    for _ in range(1 + turns):
        began = time.process_time()
        update()
        by_hand = time.process_time() - began
        with ExitStack() as stack:
            for one in patches:
                stack.enter_context(patch.object(*one))
            began = time.process_time()
            update()
        ratios.append((time.process_time() - began) / by_hand)
    return statistics.median(ratios[1:])


@own_settings(1)
def main(
    turns: Annotated[int, typer.Option(help="Updates by hand, and as many by PyTorch, for each gain.")] = 15,
) -> None:
    """Measure and print."""
    table = Table("config", "by hand", *(f"gain, update_epochs={epochs}" for epochs in EPOCHS))
    for name, pieces in CONFIGS.items():
        for piece in pieces:
            gains = []
            for epochs in EPOCHS:
                changes = [*SHORTER, f"selfplay.update_epochs={epochs}"]
                config: Any = load_config(ROOT / "configs" / f"{name}.yaml", changes)
                trainer = SelfPlayTrainer(config, make_game(config.game, **config.options))
                gains.append(f"{gain(trainer.update, in_pytorch(piece, trainer.model.learning), turns):.2f}")
                trainer.close()
            table.add_row(name, piece, *gains)
    Console().print(table)


if __name__ == "__main__":
    typer.run(main)
