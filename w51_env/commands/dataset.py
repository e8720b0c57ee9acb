"""Games of agents as offline data: `w51 dataset`."""

from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from w51_env import datasets
from w51_env.agents.registry import make_agent
from w51_env.console.settings import game_options
from w51_env.console.terminal import print_error
from w51_env.core.errors import W51Error
from w51_env.core.registry import make_game

console = Console()
app = typer.Typer(add_completion=False, rich_markup_mode=None)


@app.command()
def main(
    folder: Annotated[Path, typer.Argument(help="A new folder for the data.")],
    agents: Annotated[list[str], typer.Argument(metavar="AGENT...", help="Agents, by name, seated in turn.")],
    *,
    game: Annotated[str, typer.Option(help="Id of the game.")] = "warehouse51_v0",
    games: Annotated[int, typer.Option(min=1, help="Number of games.")] = 100,
    players: Annotated[int | None, typer.Option(help="Number of players. Default: from the preset.")] = None,
    preset: Annotated[str | None, typer.Option(help="Preset of the game's options. Default: the game's own.")] = None,
    option: Annotated[
        list[str] | None, typer.Option(metavar="KEY=VALUE", help="An option of the game; can be repeated.")
    ] = None,
    format: Annotated[  # noqa: A002 - the name of the option
        list[str] | None, typer.Option(help="parquet or minari; can be repeated. Default: both.")
    ] = None,
    seed: Annotated[int, typer.Option(min=0, help="Seed of the deals and of the agents.")] = 0,
    trust: Annotated[bool, typer.Option("--trust", help="Load pickled models, which can run any code.")] = False,
) -> None:
    """Write games as episodes of single seats: observations, masks, actions and returns, as Parquet and Minari.

    Example: w51 dataset runs/games pretrained heuristic --games 500
    """
    formats = format or list(datasets.FORMATS)
    try:
        datasets.check(folder, formats)
        bound = make_game(game, **game_options(players, preset, option or []))
        made = [make_agent(name, bound, trust=trust) for name in agents]
        episodes = datasets.record(bound, agents, made, games, seed)
        datasets.write(episodes, bound, folder, formats)
    except W51Error as error:
        print_error(error)
        raise typer.Exit(2) from None
    decisions = sum(len(episode.actions) for episode in episodes)
    console.print(f"{games:,} games, {len(episodes):,} episodes, {decisions:,} decisions: {folder}", soft_wrap=True)
