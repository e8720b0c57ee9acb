"""Let agents play each other on the same deals in every seat: `python evaluate.py heuristic random random random`."""

import json
from pathlib import Path
from typing import Annotated

import typer
import yaml
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from agents import AgentError, make_agent, play_matches
from agents.files import check_writable, write_whole
from agents.matches import line_up
from agents.tables import standings_data, standings_table
from agents.terminal import print_error
from w51_env import make_game
from w51_env.core.errors import W51Error
from w51_env.core.game import Game

console = Console()


def main(
    agents: Annotated[
        list[str],
        typer.Argument(
            help="random, heuristic, a checkpoint or the folder of a run; at most one for each seat. If fewer, the second, third ... in turn have the seats that are left."
        ),
    ],
    games: Annotated[int, typer.Option(min=2, help="How many, rounded up to whole rounds of all seatings.")] = 4000,
    players: Annotated[int | None, typer.Option(help="At the table; None: as the preset has it.")] = None,
    preset: Annotated[str | None, typer.Option(help="A preset of the game's options; None: its default.")] = None,
    option: Annotated[list[str] | None, typer.Option(help="key=value, an option of the game; may be given often.")] = None,
    game_id: Annotated[str, typer.Option("--game", help="A registered game.")] = "warehouse51_v0",
    seed: Annotated[int, typer.Option(min=0, help="The same seed gives the same table.")] = 0,
    json_file: Annotated[Path | None, typer.Option("--json", help="Write the table there, too.")] = None,
) -> None:
    """Play agents against each other and print mean score, mean rank and win share with its 95 % interval."""
    try:
        if json_file is not None:
            check_writable(json_file)
        game = make_game(game_id, **game_options(players, preset, option or []))
        line_up(len(agents), game.num_players)
        made = [(name, make_agent(name, game)) for name in agents]
        with Progress(
            TextColumn("playing"),
            BarColumn(),
            MofNCompleteColumn(),
            TextColumn("games"),
            TimeRemainingColumn(),
            console=Console(stderr=True),
            transient=True,
        ) as progress:
            total = -(-games // game.num_players) * game.num_players
            task = progress.add_task("games", total=total)
            results = play_matches(game, made, games, seed, lambda finished: progress.advance(task, finished))
    except W51Error as error:
        print_error(error)
        raise typer.Exit(2) from None
    console.print(standings_table(results, title_of(game)))
    if json_file is not None:
        data = {"game": game.id, "options": dict(game.options), "seed": seed, **standings_data(results)}
        write_whole(json_file, lambda path: path.write_text(json.dumps(data, indent=2) + "\n", "utf-8"))


def title_of(game: Game) -> str:
    """The game and how many play."""
    return f"{game.id}, {game.num_players} players"


def game_options(players: int | None, preset: str | None, changes: list[str]) -> dict[str, object]:
    """The options that were given, whichever way; AgentError if one was given both ways and differs."""
    options = parse_options(changes)
    for flag, key, value in (("--players", "num_players", players), ("--preset", "preset", preset)):
        if value is not None and options.setdefault(key, value) != value:
            raise AgentError(f"{key}: {flag} has {value!r}, but --option {options[key]!r}; one of them is enough")
    return options


def parse_options(changes: list[str]) -> dict[str, object]:
    """`["reserve=15"]` as `{"reserve": 15}`, values as in YAML."""
    options = {}
    for change in changes:
        key, separator, text = change.partition("=")
        if not separator or not key:
            raise AgentError(f"option {change!r}: key=value is needed")
        try:
            options[key] = yaml.safe_load(text)
        except yaml.YAMLError as error:
            raise AgentError(f"option {change!r}: the value is not valid YAML: {error}") from None
    return options


if __name__ == "__main__":
    typer.run(main)
