"""How well can a value say who will win? Run: `python -m experiments.win_value`.

A network plays games with itself, its actions drawn. In some states of them, who won is predicted: by a layer on what
the hidden layers of the network compute, fitted by least squares; and by layers of its own, which read the observation
of a seat and the points that each seat would have now. Printed is the fraction of the variance of wins that each
explains in games it was not fitted to, by quarter of the game: what a value at the leaves of a search could be.
"""

from typing import Annotated, Any, NamedTuple

import numpy as np
import torch
import typer
from torch import nn

from experiments import lab
from w51_agents.networks.fast.compiled import CompiledPolicy
from w51_agents.networks.load import PRETRAINED_V2, existing_checkpoint
from w51_agents.networks.making import load_network
from w51_agents.networks.network import ActorCritic
from w51_env import make_game
from w51_env.engine.batch import Batch
from w51_env.engine.game import Game
from w51_env.engine.standing import Standing
from w51_env.engine.victory import wins_of

GAME, QUARTERS = "warehouse51_v1", 4
AT_ONCE, EVERY = 1000, 16  #  games; decisions between two states that are drawn
HELD_OUT = 5  #  every fifth game
RIDGE = 1e-3  #  of the mean square of a feature
WIDTH, EPOCHS, ROWS, RATE = 128, 4, 2048, 1e-3  #  of the layers of its own: rows of a minibatch


class States(NamedTuple):
    """Some states of games: one row for each.

    Attributes:
        observations: (S, size) int8, of the seat to move.
        standing: (S, players) float32, the points of each seat if the game ended now, clockwise from the seat to move.
        wins: (S,) float32, what the seat to move won, less an equal share.
        quarters: (S,) int64, the quarter of the game.
        games: (S,) int64, the number of the game.
    """

    observations: np.ndarray
    standing: np.ndarray
    wins: np.ndarray
    quarters: np.ndarray
    games: np.ndarray

    def where(self, chosen: np.ndarray) -> "States":
        """Some of the rows."""
        return States(*(part[chosen] for part in self))


def main(
    agent: Annotated[str, typer.Argument(help="A checkpoint of self-play, or `pretrained-v2`.")] = PRETRAINED_V2,
    games: Annotated[int, typer.Option(min=10, help="Games of each number of players.")] = 20_000,
    players: Annotated[list[int] | None, typer.Option(help="Numbers of players; none: 4.")] = None,
    seed: Annotated[int, typer.Option(help="Seed of the games and of the layers.")] = 1,
    data: lab.DataFile = lab.RESULTS / "win_value.json",
) -> None:
    """Play, fit, print."""
    cells = ({"agent": agent, "players": number, "games": games, "seed": seed} for number in players or [4])
    for cell in lab.measured(data, {}, cells, measure)["cells"]:
        for name in ("hidden layers", "standing", "own layers"):
            shown = ", ".join(f"{one:.3f}" for one in cell[name])
            print(f"{cell['agent']}, {cell['players']} players, {name}: {shown}")


def measure(agent: str, players: int, games: int, seed: int) -> dict[str, Any]:
    """The explained fractions of each predictor, by quarter of the game."""
    torch.set_num_threads(1)
    torch.manual_seed(seed)
    game = make_game(GAME, num_players=players)
    network = load_network(game, existing_checkpoint(agent, game))
    parts = [played(network, game, min(AT_ONCE, games - begun), seed + begun) for begun in range(0, games, AT_ONCE)]
    states = joined(parts)
    test = states.games % HELD_OUT == 0
    fitted, held_out = states.where(~test), states.where(test)
    predictions = {
        "hidden layers": of_layer(hidden(network, game, fitted), hidden(network, game, held_out), fitted.wins),
        "standing": of_layer(fitted.standing, held_out.standing, fitted.wins),
        "own layers": of_own_layers(fitted, held_out),
    }
    rows = {name: by_quarter(held_out, predicted) for name, predicted in predictions.items()}
    return {**rows, "states": len(fitted.wins), "held_out": len(held_out.wins)}


def played(network: ActorCritic, game: Game, num_games: int, seed: int) -> States:
    """States of games in which the network has all seats."""
    policy, standing = CompiledPolicy(game, network), Standing(game)
    batch = Batch(game, num_games, seed=seed, autoreset="disabled", keep_final=False)
    batch.reset()
    generator = np.random.default_rng(seed)
    rows: list[tuple[np.ndarray, ...]] = []
    while (running := np.flatnonzero(batch.seat >= 0)).size:
        drawn = running[generator.random(running.size) < 1 / EVERY]
        seats = batch.seat[drawn].astype(np.int64)
        points = standing.scores(batch.games[drawn]).astype(np.float32)
        clockwise = (seats[:, None] + np.arange(game.num_players)) % game.num_players
        points = np.take_along_axis(points, clockwise, 1)
        rows.append((batch.observation[drawn], points, seats, batch.games["decisions"][drawn].astype(np.int64), drawn))
        bits = generator.integers(2**63, size=num_games).astype(np.uint64)
        batch.step(policy.choose(batch.observation, batch.action_mask, bits))
    observations, points, seats, decisions, games = (np.concatenate(parts) for parts in zip(*rows, strict=True))
    wins = wins_of(batch.final_ranks)[games, seats] - 1 / game.num_players
    quarters = decisions * QUARTERS // batch.final_length[games].astype(np.int64)
    return States(observations, points, wins.astype(np.float32), quarters, games + seed)


def joined(parts: list[States]) -> States:
    """All rows of several."""
    return States(*(np.concatenate(column) for column in zip(*parts, strict=True)))


def hidden(network: ActorCritic, game: Game, states: States) -> np.ndarray:
    """(S, width) float32, what the last hidden layer of the network computes."""
    inputs = network.inputs_for(game)
    with torch.no_grad():
        parts = [
            network.torso(network.torso.read(torch.from_numpy(inputs(rows)))).numpy()
            for rows in np.array_split(states.observations, -(-len(states.wins) // 8192))
        ]
    return np.concatenate(parts)


def of_layer(fitted: np.ndarray, held_out: np.ndarray, wins: np.ndarray) -> np.ndarray:
    """Predictions of a layer that is fitted by least squares to (S,) wins; the features are (S, width)."""
    first, second = (np.c_[part, np.ones(len(part))].astype(np.float64) for part in (fitted, held_out))
    products = first.T @ first
    products += RIDGE * np.diag(products).mean() * np.eye(len(products))
    return np.asarray(second @ np.linalg.solve(products, first.T @ wins))


def of_own_layers(fitted: States, held_out: States) -> np.ndarray:
    """Predictions of two hidden layers on the observation and the standing, learned from the fitted states."""
    first, second = (np.c_[part.observations, part.standing].astype(np.float32) for part in (fitted, held_out))
    mean, std = first.mean(0), first.std(0).clip(0.1)
    inputs, wins = torch.from_numpy((first - mean) / std), torch.from_numpy(fitted.wins)
    layers = nn.Sequential(
        nn.Linear(inputs.shape[1], WIDTH), nn.ReLU(), nn.Linear(WIDTH, WIDTH), nn.ReLU(), nn.Linear(WIDTH, 1)
    )
    optimizer = torch.optim.AdamW(layers.parameters(), RATE, weight_decay=0.1)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, RATE, EPOCHS * -(-len(wins) // ROWS))
    for _ in range(EPOCHS):
        for chosen in torch.randperm(len(wins)).split(ROWS):
            loss = ((layers(inputs[chosen])[:, 0] - wins[chosen]) ** 2).mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            schedule.step()
    with torch.no_grad():
        return np.asarray(layers(torch.from_numpy((second - mean) / std))[:, 0].numpy())


def by_quarter(states: States, predicted: np.ndarray) -> list[float]:
    """The explained fraction of the variance of wins in each quarter of the game."""
    errors = states.wins - predicted
    return [
        float(1 - (errors[states.quarters == one] ** 2).mean() / states.wins[states.quarters == one].var())
        for one in range(QUARTERS)
    ]


if __name__ == "__main__":
    typer.run(main)
