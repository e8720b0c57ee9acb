"""First weights of an agent that reads the table: `python -m experiments.reader`."""

from pathlib import Path
from typing import Annotated

import torch
import typer

from benchmarks.measure import ROOT
from w51_agents.policies.load import existing_checkpoint
from w51_agents.policies.network import ActorCritic, load_network, make_network, save_network
from w51_env import make_game
from w51_env.engine.game import Game


@torch.no_grad()
def widened(network: ActorCritic, game: Game, hidden_sizes: list[int], seed: int = 0) -> ActorCritic:
    """A network with wider layers that computes the same: new units count nothing in what follows; without beliefs."""
    torch.manual_seed(seed)
    wide = make_network(game, network.network, hidden_sizes=hidden_sizes)
    old, new = network.state_dict(), wide.state_dict()
    for name, weights in old.items():
        if name not in new:
            continue
        if (wider := new[name]).shape == weights.shape:
            wider.copy_(weights)
            continue
        outputs = weights.shape[0]
        if weights.ndim == 2:
            wider[:outputs] = 0  # new inputs count nothing for old outputs
            wider[:outputs, : weights.shape[1]] = weights
        else:
            wider[:outputs] = weights
    return wide


def main(
    agent: Annotated[str, typer.Argument(help="Network that is widened.")] = "runs/any_cards_3",
    out: Annotated[Path, typer.Option(help="The checkpoint that is written.")] = ROOT / "runs" / "wide.safetensors",
    widths: Annotated[tuple[int, int], typer.Option(help="Widths of the hidden layers.")] = (256, 128),
    game_name: Annotated[str, typer.Option("--game", help="Game.")] = "warehouse51_v1",
) -> None:
    """Widen and save."""
    game = make_game(game_name, num_players=4)
    network = load_network(game, existing_checkpoint(agent, game))
    out.parent.mkdir(parents=True, exist_ok=True)
    save_network(widened(network, game, list(widths)), game, out)


if __name__ == "__main__":
    typer.run(main)
