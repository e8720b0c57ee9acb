"""Whose agent wins after the same time of training: `python benchmarks/duel.py`.

Each trainer has its quick config and the same wall time; its schedules are stretched over the decisions of that time.
Then one agent of each plays three of each other one, and three heuristic bots.
"""

import time
from itertools import permutations
from typing import Annotated

import torch
import typer
from rich.console import Console

from benchmarks.measure import RESULTS, ResultsFile, Threads, machine, write_json
from benchmarks.trainers import TRAINERS, config_of, make, rates_of
from w51_agents import make_agent
from w51_agents.agent.interface import Agent
from w51_env import make_game
from w51_lab.arena.matches import play_matches
from w51_lab.report.terminal_tables import match_standings, standings_table

GAME = "warehouse51_v1"
console = Console()


def main(
    trainers: Annotated[list[str] | None, typer.Argument(help=f"Of {', '.join(TRAINERS)}; none named: all.")] = None,
    minutes: Annotated[float, typer.Option(help="Minutes of training of each.")] = 10.0,
    games: Annotated[int, typer.Option(help="Games of each match.")] = 8000,
    threads: Threads = 1,
    json_file: ResultsFile = RESULTS / "duel.json",
) -> None:
    """Train, play, print and keep."""
    torch.set_num_threads(threads)
    trained, decisions = [], {}
    for name in trainers or TRAINERS:
        agent, decisions[name] = train(name, minutes)
        trained.append((name, agent))
    game = make_game(GAME, num_players=4)
    pairs = [*permutations(trained, 2), *((agent, ("heuristic", make_agent("heuristic", game))) for agent in trained)]
    matches = []
    for pair in pairs:
        results = play_matches(game, pair, games, seed=0)
        console.print(standings_table(results, f"{pair[0][0]} against {pair[1][0]}"))
        matches.append(match_standings(results).model_dump())
    write_json(
        json_file, machine(), [], threads=torch.get_num_threads(), minutes=minutes, decisions=decisions, matches=matches
    )


def train(name: str, minutes: float) -> tuple[Agent, int]:
    """The agent after so many minutes, and the decisions it learned from."""
    decisions = round(60 * minutes * rates_of({name: config_of(name)}, 20.0, 1)[name])
    trainer = make(config_of(name, decisions=decisions))
    begun = time.monotonic()
    try:
        while time.monotonic() - begun < 60 * minutes:
            trainer.update()
        console.print(f"{name}: {trainer.decisions:,} decisions in {time.monotonic() - begun:.0f} s", highlight=False)
        return trainer.agent(make_game(GAME, num_players=4)), trainer.decisions
    finally:
        trainer.close()


if __name__ == "__main__":
    typer.run(main)
