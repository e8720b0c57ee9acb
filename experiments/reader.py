"""First weights of an agent that reads the table: `python -m experiments.reader`."""

from pathlib import Path
from typing import Annotated, Any

import torch
import typer

from benchmarks.measure import ROOT
from w51_agents.networks.load import existing_checkpoint
from w51_agents.networks.making import load_network, make_network, save_network
from w51_agents.networks.network import ActorCritic
from w51_env import make_game
from w51_env.engine.game import Game


@torch.no_grad()
def widened(
    network: ActorCritic, game: Game, hidden_sizes: list[int], heuristic: bool = False, seed: int = 0
) -> ActorCritic:
    """A network with wider layers that computes the same: new units count nothing in what follows; without beliefs.

    With `heuristic`, the action of the heuristic and its features are inputs, too, which count nothing yet.
    """
    torch.manual_seed(seed)
    base_policy, features = ("heuristic", True) if heuristic else (network.base_policy, network.heuristic_features)
    inputs: dict[str, Any] = {"base_policy": base_policy, "heuristic_features": features}
    wide = make_network(game, network.network, hidden_sizes=hidden_sizes, **inputs)
    old = network.state_dict()
    for name, wider in wide.state_dict().items():
        if name not in old:
            wider.zero_()
            continue
        if (weights := old[name]).shape == wider.shape:
            wider.copy_(weights)
        elif wider.ndim == 2:
            wider[: len(weights)] = 0  # new inputs count nothing for old outputs
            wider[: len(weights), : weights.shape[1]] = weights
        else:
            wider[: len(weights)] = weights
    return wide


def main(
    agent: Annotated[str, typer.Argument(help="Network that is widened.")] = "runs/any_cards_3",
    out: Annotated[Path, typer.Option(help="The checkpoint that is written.")] = ROOT / "runs" / "wide.safetensors",
    widths: Annotated[tuple[int, int], typer.Option(help="Widths of the hidden layers.")] = (256, 192),
    heuristic: Annotated[
        bool, typer.Option("--heuristic", help="Add inputs: what the heuristic does and computes.")
    ] = False,
    game_name: Annotated[str, typer.Option("--game", help="Game.")] = "warehouse51_v1",
) -> None:
    """Widen and save."""
    game = make_game(game_name, num_players=4)
    network = load_network(game, existing_checkpoint(agent, game))
    out.parent.mkdir(parents=True, exist_ok=True)
    save_network(widened(network, game, list(widths), heuristic), game, out)


if __name__ == "__main__":
    typer.run(main)
