"""Teachers and first weights of an agent that reads the table: `python -m experiments.reader`."""

from pathlib import Path
from typing import Annotated

import numpy as np
import torch
import typer

from benchmarks.measure import ROOT
from w51_agents.agent import AgentError, BatchAgent, Infos, MixedAgent
from w51_agents.policies.load import existing_checkpoint
from w51_agents.policies.network import ActorCritic, load_network, make_network, save_network
from w51_agents.registry import make_agent
from w51_env import make_game
from w51_env.engine.game import Game


class Opening(BatchAgent):
    """One agent until the first relic is sold or unsold, then another one; both tell their probabilities.

    Args:
        game: Warehouse 51.
        first, then: Names of the agents.
    """

    def __init__(self, game: Game, first: str = "exploiter:sampled", then: str = "pretrained"):
        self._first, self._then = _mixed(first, game), _mixed(then, game)
        self._parts = [game.layout[name].slice for name in ("owned", "unsold", "exposed")]

    def reset(self, seed: int) -> None:
        self._first.reset(seed)
        self._then.reset(seed)

    def probabilities(self, observations: np.ndarray, action_masks: np.ndarray) -> np.ndarray:
        """(N, actions) floats, of the agent that decides."""
        begins = ~np.any([observations[:, part].any(1) for part in self._parts], axis=0)
        result = np.empty(action_masks.shape, np.float32)
        for agent, which in ((self._first, begins), (self._then, ~begins)):
            if which.any():
                result[which] = agent.probabilities(observations[which], action_masks[which])
        return result

    def act_batch(self, observations: np.ndarray, action_masks: np.ndarray, infos: Infos = None) -> np.ndarray:
        return self.probabilities(observations, action_masks).argmax(1)


def _mixed(name: str, game: Game) -> MixedAgent:
    agent = make_agent(name, game)
    if not isinstance(agent, MixedAgent):
        raise AgentError(f"agent {name!r}: it does not tell its probabilities")
    return agent


@torch.no_grad()
def widened(network: ActorCritic, game: Game, hidden_sizes: list[int], seed: int = 0) -> ActorCritic:
    """A network with wider layers that computes the same: new units count nothing in what follows."""
    torch.manual_seed(seed)
    wide = make_network(game, network.network, hidden_sizes=hidden_sizes)
    old, new = network.state_dict(), wide.state_dict()
    for name, weights in old.items():
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
    agent: Annotated[str, typer.Argument(help="A network for any cards.")] = "experiments/any_cards/third_stage",
    out: Annotated[Path, typer.Option(help="The checkpoint that is written.")] = ROOT / "runs" / "wide.safetensors",
    widths: Annotated[tuple[int, int], typer.Option(help="Widths of the hidden layers.")] = (256, 128),
) -> None:
    """Widen and save."""
    game = make_game("warehouse51_v1", num_players=4)
    network = load_network(game, existing_checkpoint(agent, game))
    out.parent.mkdir(parents=True, exist_ok=True)
    save_network(widened(network, game, list(widths)), game, out)


if __name__ == "__main__":
    typer.run(main)
