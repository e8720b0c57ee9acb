"""Makes the value of a network a chance to win: `python -m experiments.chance_value AGENT --keep FILE`.

The network plays alone among copies of a bot, with its likeliest actions. The last layer of its value is replaced by
one that is fitted by least squares to who won, less an equal share; its actions stay the same. Printed is the fraction
of the variance of wins that the value explains in games it was not fitted to, by quarter of the game.
"""

from pathlib import Path
from typing import Annotated

import numpy as np
import torch
import typer

from w51_agents.agent.bots import BotAgent
from w51_agents.networks.load import existing_checkpoint
from w51_agents.networks.making import load_network, save_network
from w51_agents.networks.network import ActorCritic
from w51_agents.networks.policy_agent import ActorCriticAgent
from w51_env import make_game
from w51_env.engine.batch import Batch
from w51_env.engine.game import EXTERNAL, Game
from w51_env.engine.victory import wins_of

GAME = "warehouse51_v1"
PLAYERS = (3, 4, 5)
QUARTERS = 4
HELD_OUT = 4  #  every fourth game
RIDGE = 1e-3  #  of the mean square of a feature


def main(
    agent: Annotated[str, typer.Argument(help="A checkpoint of self-play, or a network of the repository.")],
    keep: Annotated[Path, typer.Option(help="The checkpoint to write.")],
    among: Annotated[str, typer.Option(help="The bot in all other seats.")] = "heuristic",
    games: Annotated[int, typer.Option(min=8, help="Games of each number of players.")] = 4000,
) -> None:
    """Play, fit, write, print."""
    torch.set_num_threads(1)
    first = make_game(GAME)
    network = load_network(first, Path(existing_checkpoint(agent, first)))
    width = network.torso.width + 1
    products, projections = np.zeros((width, width)), np.zeros(width)
    held_out = []
    for players in PLAYERS:
        features, wins, quarters, number = played(network, make_game(GAME, num_players=players), among, games)
        test = number % HELD_OUT == 0
        products += features[~test].T @ features[~test]
        projections += features[~test].T @ wins[~test]
        held_out.append((features[test], wins[test], quarters[test]))
    weights = np.linalg.solve(products + RIDGE * np.diag(products).mean() * np.eye(width), projections)
    set_value(network, weights)
    save_network(network, first, keep)
    for players, (features, wins, quarters) in zip(PLAYERS, held_out, strict=True):
        errors = wins - features @ weights
        explained = (1 - (errors[quarters == one] ** 2).mean() / wins[quarters == one].var() for one in range(QUARTERS))
        print(f"{players} players: {', '.join(f'{one:.3f}' for one in explained)}")


def played(network: ActorCritic, game: Game, among: str, num_games: int) -> tuple[np.ndarray, ...]:
    """Decisions of the network.

    Returns:
        (D, width + 1) float64, what the hidden layers compute, and 1; (D,) float64 wins less an equal share; (D,) int64
        quarter of the game; (D,) int64 number of the game.
    """
    agent = ActorCriticAgent(game, network)
    controllers = [EXTERNAL, *[among] * (game.num_players - 1)]
    batch = Batch(
        game, num_games, seed=game.num_players, controllers=controllers, seating="shuffle", autoreset="disabled"
    )
    batch.reset()
    rows: list[tuple[np.ndarray, np.ndarray, np.ndarray]] = []
    while (running := np.flatnonzero(batch.seat >= 0)).size:
        observations, masks = batch.observation[running], batch.action_mask[running]
        rows.append((running, batch.seat[running].copy(), features_of(network, game, observations, masks)))
        actions = np.full(num_games, -1)
        actions[running] = agent.act_batch(observations, masks)
        batch.step(actions)
    wins = wins_of(batch.final_ranks) - 1 / game.num_players
    number, seat, features = (np.concatenate(part) for part in zip(*rows, strict=True))
    step = np.concatenate([np.full(len(row[0]), count) for count, row in enumerate(rows)])
    quarters = step * QUARTERS // np.bincount(number)[number]
    return np.c_[features, np.ones(len(features))].astype(np.float64), wins[number, seat], quarters, number


@torch.no_grad()
def features_of(network: ActorCritic, game: Game, observations: np.ndarray, masks: np.ndarray) -> np.ndarray:
    """(N, width) float32, what the hidden layers compute of observations and action masks."""
    read = network.torso.read(torch.from_numpy(network.inputs_for(game)(observations)))
    if network.residual is None or network.base_policy is None:
        return np.asarray(network.torso(read).numpy())
    base_actions = BotAgent(game, network.base_policy).act_batch(observations, masks)
    return np.asarray(network.torso(read, network.residual.embedding(torch.from_numpy(base_actions))).numpy())


@torch.no_grad()
def set_value(network: ActorCritic, weights: np.ndarray) -> None:
    """Make (width + 1,) weights, the last one of a constant, the value of a network."""
    network.value.mean.zero_()
    network.value.std.fill_(1.0)
    network.value.last.weight.copy_(torch.from_numpy(weights[None, :-1]))
    network.value.last.bias.fill_(float(weights[-1]))


if __name__ == "__main__":
    typer.run(main)
