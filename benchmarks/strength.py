"""Win rates of agents against the bots: `python -m benchmarks.strength AGENT --json FILE`.

AGENT is a network that comes with the repository, or the name of a config in configs/, which is trained first: minutes
for `quick`, an hour for `standard`. The matches are those after a training: the agent alone among copies of each bot,
and each bot alone among copies of the agent, at each number of players; for a network of the repository, also those
with the networks after it in `SHIPPED`, so that each match is in one file.
"""

import json
import tempfile
from typing import Annotated, Any

import typer

from benchmarks.measure import ROOT, ResultsFile, machine, wide_console, write_json
from w51_agents.named.registry import make_agent
from w51_agents.networks.load import SHIPPED, shipped_path
from w51_agents.training.config import load_config
from w51_agents.training.run import Run
from w51_env import make_game
from w51_lab.arena.matches import play_matches
from w51_lab.report.terminal_tables import match_standings
from w51_lab.trainings.evaluation import EVALUATION, evaluate

GAME, BOTS = "warehouse51_v1", ("random", "heuristic")


def main(
    agent: Annotated[str, typer.Argument(help="A network of the repository, or the name of a config.")],
    json_file: ResultsFile,
    games: Annotated[int, typer.Option(min=2, help="Of each match of a network of the repository.")] = 4000,
    seed: Annotated[int, typer.Option(help="Of these games.")] = 0,
    also: Annotated[list[str] | None, typer.Option(help="Another agent that such a network meets.")] = None,
    game: Annotated[str, typer.Option(help="Game of a network of the repository.")] = GAME,
    changes: Annotated[list[str] | None, typer.Option("--set", help="key=value: a change of the config.")] = None,
) -> None:
    """Train if needed, play, and keep."""
    facts = machine()
    matches = play(agent, game, games, seed, also or []) if agent in SHIPPED else trained(agent, changes or [])
    write_json(json_file, facts, [], matches=matches)


def play(name: str, game_id: str, games: int, seed: int, also: list[str]) -> list[dict[str, Any]]:
    """The matches of an agent that comes with the package."""
    matches = []
    for players in make_game(game_id).choices["num_players"]:
        game = make_game(game_id, num_players=players)
        later = [each for each in SHIPPED[SHIPPED.index(name) + 1 :] if shipped_path(game, each).exists()]
        agents = [(each, make_agent(each, game)) for each in (name, *BOTS, *later, *also)]
        pairs = [(agents[0], bot) for bot in agents[1:]] + [(bot, agents[0]) for bot in agents[1:]]
        results = (play_matches(game, pair, games, seed) for pair in pairs)
        matches += [match_standings(one).model_dump() for one in results]
    return matches


def trained(name: str, changes: list[str]) -> list[dict[str, Any]]:
    """The matches at the end of a training."""
    with tempfile.TemporaryDirectory() as folder:
        run = Run.begin(load_config(ROOT / "configs" / f"{name}.yaml", [*changes, f"runs={folder}"]))
        try:
            run.train(lambda update, matches: None, lambda: False)
            evaluate(run, wide_console())
        finally:
            run.close()
        matches: list[dict[str, Any]] = json.loads((run.folder / EVALUATION).read_text("utf-8"))
        return matches


if __name__ == "__main__":
    typer.run(main)
