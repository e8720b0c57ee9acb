"""How much of who wins do the hidden layers of a network know? Run: `python -m experiments.win_value`.

The network plays games with itself, its actions drawn. A layer is fitted by least squares to who won, from what the
hidden layers compute. Printed is the fraction of the variance of wins that it explains in games it was not fitted to,
by quarter of the game: what a value at the leaves of a search could be at best with these layers.
"""

from itertools import product
from typing import Annotated

import numpy as np
import torch
import typer

from w51_env import make_game
from w51_env.agents.policies.load import PRETRAINED, existing_checkpoint
from w51_env.agents.policies.network import ActorCritic, load_network
from w51_env.agents.policies.policy_agent import ActorCriticAgent
from w51_env.core.batch import Batch
from w51_env.core.game import Game
from w51_env.core.victory import wins_of

CARDS = ("reconstruction-1", "reconstruction-1", "generated:1", "generated:2", "generated:3", "generated:4")
RIDGE = 1e-3  #  of the mean square of a feature
QUARTERS, PLAYERS, GAME = 4, (3, 4, 5), "warehouse51_v0"


def played(network: ActorCritic, game: Game, num_games: int, seed: int) -> tuple[np.ndarray, ...]:
    """Decisions of games in which the network has all seats.

    Returns:
        (D, width) float32 features, (D,) float64 wins of the seat to move less an equal share, (D,) int64 quarter of
        the game, (D,) int64 number of the game.
    """
    agent = ActorCriticAgent(game, network, greedy=False)
    agent.reset(seed)
    batch = Batch(game, num_games, seed=seed, autoreset="disabled")
    batch.reset()
    inputs = network.inputs_for(game)
    rows: list[tuple[np.ndarray, np.ndarray, np.ndarray]] = []
    while (running := np.flatnonzero(batch.seat >= 0)).size:
        observations, masks = batch.observation[running], batch.action_mask[running]
        with torch.no_grad():
            features = network.torso(network.torso.read(torch.from_numpy(inputs(observations))))
        rows.append((running, batch.seat[running].copy(), features.numpy()))
        actions = np.full(num_games, -1)
        actions[running] = agent.act_batch(observations, masks)
        batch.step(actions)
    wins = wins_of(batch.final_ranks) - 1 / game.num_players
    number, seat = (np.concatenate([row[part] for row in rows]) for part in (0, 1))
    step = np.concatenate([np.full(len(row[0]), count) for count, row in enumerate(rows)])
    length = np.bincount(number)
    return np.concatenate([row[2] for row in rows]), wins[number, seat], step * QUARTERS // length[number], number


def main(
    agent: Annotated[str, typer.Argument(help="A checkpoint of self-play, or `pretrained`.")] = PRETRAINED,
    games: Annotated[int, typer.Option(min=4, help="Of each number of players and set of cards.")] = 300,
) -> None:
    """Play, fit, print."""
    torch.set_num_threads(1)
    first = make_game(GAME)
    network = load_network(first, existing_checkpoint(agent, first))
    width = network.torso.width + 1
    products, projections = np.zeros((width, width)), np.zeros(width)
    held_out = []
    for players, (seed, cards) in product(PLAYERS, enumerate(CARDS)):
        game = make_game(GAME, num_players=players, relics=cards)
        features, wins, quarter, number = played(network, game, games, 1000 * players + seed)
        features = np.concatenate([features, np.ones((len(features), 1), np.float32)], 1).astype(np.float64)
        test = number % 4 == 0
        products += features[~test].T @ features[~test]
        projections += features[~test].T @ wins[~test]
        held_out.append((players, features[test], wins[test], quarter[test]))
    weights = np.linalg.solve(products + RIDGE * np.diag(products).mean() * np.eye(width), projections)
    for players in PLAYERS:
        parts = [part for part in held_out if part[0] == players]
        wins, quarters = (np.concatenate([part[place] for part in parts]) for place in (2, 3))
        errors = wins - np.concatenate([part[1] @ weights for part in parts])
        explained = [1 - (errors[quarters == one] ** 2).mean() / wins[quarters == one].var() for one in range(QUARTERS)]
        print(f"{players} players: {', '.join(f'{one:.3f}' for one in explained)}")


if __name__ == "__main__":
    typer.run(main)
