"""Games of agents as offline data: `w51 dataset`."""

import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from w51_agents.agent.seeds import is_stateless
from w51_agents.commands.options import GameOptions, command_with
from w51_agents.console.terminal import print_line
from w51_agents.named.registry import make_agent
from w51_lab import datasets
from w51_lab.commands.game_progress import Progress

console = Console()
app = typer.Typer(add_completion=False, rich_markup_mode=None)


@app.command(cls=command_with(GameOptions))
def main(
    context: typer.Context,
    folder: Annotated[Path, typer.Argument(help="A new folder for the data.")],
    agents: Annotated[list[str], typer.Argument(metavar="AGENT...", help="Agents, by name, seated in turn.")],
    *,
    games: Annotated[int, typer.Option(min=1, help="Number of games.")] = 100,
    format: Annotated[  # noqa: A002 - the name of the option
        list[str] | None,
        typer.Option(help="parquet or minari; can be repeated. Default: both, if Minari is installed."),
    ] = None,
    seed: Annotated[int, typer.Option(min=0, help="Seed of the deals and of the agents.")] = 0,
) -> None:
    """Write games as episodes of single seats: observations, masks, actions and returns, as Parquet and Minari.

    Finished games are kept beside the folder: the same command goes on where a stopped one was.

    Example: w51 dataset runs/games pretrained heuristic --games 500
    """
    options: GameOptions = context.obj
    formats = format or [name for name in datasets.FORMATS if name != "minari" or find_spec("minari")]
    datasets.check(folder, formats)
    game = options.make()
    made = [make_agent(name, game, trust=options.trust) for name in agents]
    if not all(map(is_stateless, made)):  # then no agent plays two seats of a game
        agents = agents * -(-game.num_players // len(agents))
        made += [make_agent(name, game, trust=options.trust) for name in agents[len(made) :]]
    try:
        with Progress(games, live=sys.stderr.isatty()) as progress:
            episodes = datasets.record_in_parts(game, agents, made, games, seed, folder, progress.advance)
    except KeyboardInterrupt:
        print_line(console, f"Stopped. The same command goes on from {datasets.parts_of(folder)}")
        raise
    datasets.write(episodes, game, folder, formats)
    datasets.remove_parts(folder)
    decisions = sum(len(episode.actions) for episode in episodes)
    print_line(console, f"{games:,} games, {len(episodes):,} episodes, {decisions:,} decisions: {folder}")
