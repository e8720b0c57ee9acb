"""Does a network learn what a search finds? Run: `python -m experiments.expert_iteration`.

A network plays games with itself, its actions drawn. At some decisions each of its likely actions is played in the same
determinizations, whose playouts the network plays to the end; the best action is taken. A copy of the network learns
what the actions were worth: the expected utility of its policy, less a penalty for the distance to the old policy. This
is linear in the utilities, so that their noise teaches nothing wrong. The best copy plays and is searched in its turn.
Printed are the gain of a decision on games that were not learned from, matches of the copies with the first network and
with heuristics, in both directions, and of a search on the first and on the last.
"""

import json
import re
from copy import deepcopy
from pathlib import Path
from typing import Annotated, Any

import torch
import typer

from experiments.lab import RESULTS, RUNS, measured
from experiments.searched import Searched, joined, searched
from w51_agents.named.registry import make_agent
from w51_agents.networks.load import PRETRAINED_V2, existing_checkpoint
from w51_agents.networks.making import load_network, save_network
from w51_agents.networks.network import ActorCritic
from w51_env import make_game
from w51_env.engine.game import Game
from w51_lab.arena.matches import play_matches

GAME, PLAYERS, HEURISTIC = "warehouse51_v1", 4, "heuristic"
HELD_OUT = 5  #  the last one of so many rounds
PENALTIES = (0.003, 0.01, 0.03)  #  of the distance to the old policy
EPOCHS, ROWS, RATE = 4, 1024, 1e-3
SEARCH = "search:playouts={},playout_bot={},z_threshold=0"


def main(
    agent: Annotated[str, typer.Argument(help="A checkpoint of self-play, or `pretrained-v2`.")] = PRETRAINED_V2,
    iterations: Annotated[int, typer.Option(min=1, help="Times that a copy is made, each from the last one.")] = 2,
    rounds: Annotated[int, typer.Option(min=2, help="Rounds of games of each; the last fifth is held out.")] = 20,
    playouts: Annotated[int, typer.Option(min=2, help="Playouts of each searched decision.")] = 30,
    games: Annotated[int, typer.Option(min=4, help="Games of each match without a search.")] = 4000,
    searches: Annotated[int, typer.Option(min=0, help="Games of each match with a search.")] = 200,
    seed: Annotated[int, typer.Option(help="Seed of games and learning.")] = 1,
    runs: Annotated[Path, typer.Option(help="Folder of searched decisions and networks.")] = RUNS / "expert",
    data: Annotated[Path, typer.Option(help="File of the data.")] = RESULTS / "expert_iteration.json",
) -> None:
    """Search, learn, play, print."""
    game = make_game(GAME, num_players=PLAYERS)
    settings = {"agent": agent, "rounds": rounds, "playouts": playouts, "games": games, "seed": seed}

    def iterate(iteration: int, player: str) -> str:
        """Make copies of a player that learned from its searched decisions; the best of them."""
        (folder := runs / f"iteration-{iteration}").mkdir(parents=True, exist_ok=True)
        network = load_network(game, existing_checkpoint(player, game))
        decisions = searched(game, player, rounds, playouts, seed, folder)

        def measure(iteration: int, penalty: float) -> dict[str, Any]:
            learned, gain = learn(network, game, decisions, penalty, seed)
            save_network(learned, game, path := folder / f"penalty-{penalty}.safetensors")
            return {**gain, "matches": matches(game, agent, str(path), games)}

        of_penalties = [{"iteration": iteration, "penalty": penalty} for penalty in PENALTIES]
        cells = [cell for cell in measured(data, settings, of_penalties, measure)["cells"] if "iteration" in cell]
        best = max((cell for cell in cells if cell["iteration"] == iteration), key=lambda cell: cell["gain"])
        return str(folder / f"penalty-{best['penalty']}.safetensors")

    player = agent
    for iteration in range(1, iterations + 1):
        player = iterate(iteration, player)
    if searches:
        specs = {name: SEARCH.format(playouts, bot) for name, bot in {"network": agent, "copy": player}.items()}

        def search(search_on: str, searches: int) -> dict[str, Any]:
            return {"matches": [one_among(game, specs[search_on], agent, searches)]}

        measured(data, settings, ({"search_on": name, "searches": searches} for name in specs), search)
    for cell in json.loads(data.read_text("utf-8"))["cells"]:
        print(cell)


def learn(
    network: ActorCritic, game: Game, decisions: list[Searched], penalty: float, seed: int
) -> tuple[ActorCritic, dict[str, float]]:
    """A copy that learned from most of the decisions; and the utility it gains in one of the others, 0 to 1."""
    torch.set_num_threads(1)
    torch.manual_seed(seed)
    num_learned = sum(len(part.masks) for part in decisions[: -max(1, len(decisions) // HELD_OUT)])
    of_all = joined(decisions)
    inputs = torch.from_numpy(network.inputs_for(game)(of_all.observations))
    masks, candidates = torch.from_numpy(of_all.masks != 0), torch.from_numpy(of_all.candidates)
    utilities = torch.from_numpy(of_all.utilities)
    with torch.no_grad():
        rows = torch.arange(len(masks)).split(8192)
        old = torch.cat([network(inputs[part], masks[part])[0].log_softmax(1) for part in rows])
    copy = deepcopy(network).requires_grad_(True)
    optimizer = torch.optim.Adam(copy.parameters(), RATE)

    def outcome(rows: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """For each decision what the copy's policy gains over the old one, and its distance from it in nats."""
        new = copy(inputs[rows], masks[rows])[0].log_softmax(1)
        difference = (new.exp() - old[rows].exp()).gather(1, candidates[rows].clamp(min=0))
        return (difference * utilities[rows]).sum(1), (new.exp() * (new - old[rows])).sum(1)

    for _ in range(EPOCHS):
        for rows in torch.randperm(num_learned).split(ROWS):
            gains, distances = outcome(rows)
            optimizer.zero_grad()
            (penalty * distances - gains).mean().backward()
            optimizer.step()
    with torch.no_grad():
        parts = [outcome(rows) for rows in torch.arange(num_learned, len(masks)).split(8192)]
    gains, distances = (torch.cat(column) for column in zip(*parts, strict=True))
    error = float(gains.std() / len(gains) ** 0.5)
    return copy.requires_grad_(False), {
        "gain": float(gains.mean()),
        "error": error,
        "nats": float(distances.mean()),
        "learned": num_learned,
    }


def matches(game: Game, agent: str, copy: str, games: int) -> list[dict[str, Any]]:
    """The copy alone among the network and the reverse, and the same with heuristics; their actions are drawn."""
    copy = f"{copy}:sampled"
    pairs = (copy, agent), (agent, copy), (copy, HEURISTIC), (HEURISTIC, copy)
    return [one_among(game, *pair, games) for pair in pairs]


def one_among(game: Game, one: str, others: str, games: int) -> dict[str, Any]:
    """What one agent wins alone among copies of another, with its interval."""
    names = (one, others)
    row = play_matches(game, [(name, make_agent(name, game)) for name in names], games, seed=7).standings()[0]
    one, others = (re.sub(r"[^=]*/", "", name) for name in names)  # without folders
    return {"one": one, "among": others, "games": games, "wins": row.win_rate, "low": row.low, "high": row.high}


if __name__ == "__main__":
    typer.run(main)
