"""Let agents play each other on the same deals in every seat: `python evaluate.py heuristic random random random`."""

from pathlib import Path
from typing import Annotated, Any

import typer
import yaml
from rich.console import Console

from agents import AgentError
from agents.files import check_writable
from agents.terminal import print_error
from arena.plan import Plan, parse_spec
from arena.progress import LiveProgress, PlainProgress
from arena.results import check_installed, summary_of, write_data, write_results
from arena.store import Store
from arena.tables import fault_lines, pairs_table, ratings_table, summary_table
from arena.tournament import Played, run
from arena.workers import make_executor
from w51_env.core.errors import W51Error

console = Console()
errors = Console(stderr=True)
INTERRUPTED = 130
WITH_RESUME = {"resume", "workers", "ray", "ratings", "alpha", "json_file"}


def main(
    context: typer.Context,
    agents: Annotated[
        list[str] | None,
        typer.Argument(
            help="random, heuristic, pretrained, a run's folder, a checkpoint, search:rollouts=200, sb3:model.zip, module:Class. "
            "If there are fewer than seats, the second, third ... in turn have the seats that are left.",
            show_default=False,
        ),
    ] = None,
    games: Annotated[int, typer.Option(help="How many, rounded up to whole deals.")] = 4000,
    players: Annotated[int | None, typer.Option(help="At the table; None: as the preset has it.")] = None,
    preset: Annotated[str | None, typer.Option(help="A preset of the game's options; None: its default.")] = None,
    option: Annotated[
        list[str] | None, typer.Option(help="key=value, an option of the game; may be given often.")
    ] = None,
    game_id: Annotated[str, typer.Option("--game", help="A registered game.")] = "warehouse51_v0",
    tournament: Annotated[
        str,
        typer.Option(
            "--format",
            help="match: one table. pairs: each agent alone among copies of each other. groups: all tables of different agents.",
        ),
    ] = "match",
    seatings: Annotated[
        str,
        typer.Option(help="permutations, rotations, or auto: permutations where there are 100 deals left with them."),
    ] = "auto",
    deals: Annotated[str | None, typer.Option(help="deals:v1, the published deals; None: those of the seed.")] = None,
    seed: Annotated[int, typer.Option(help="The same seed gives the same table, for any number of workers.")] = 0,
    until_settled: Annotated[
        bool, typer.Option("--until-settled", help="End as soon as every difference of two agents is settled.")
    ] = False,
    limit: Annotated[
        float | None, typer.Option(help="Seconds that an agent has for a decision; later, it forfeits it.")
    ] = None,
    workers: Annotated[int | None, typer.Option(min=1, help="Processes; None: all cores.")] = None,
    ray: Annotated[
        str | None, typer.Option(help="Address of a Ray cluster whose machines play, `auto` or host:port.")
    ] = None,
    out: Annotated[
        Path | None, typer.Option(help="Keep results and write a report in a new folder of this name.")
    ] = None,
    resume: Annotated[Path | None, typer.Option(help="Go on with the tournament in this folder.")] = None,
    behaviour: Annotated[
        bool, typer.Option("--behaviour", help="Also tables of what the agents do; with --out.")
    ] = False,
    replays: Annotated[int, typer.Option(help="Keep replays of so many games; with --out.")] = 0,
    ratings: Annotated[bool, typer.Option("--ratings", help="Also Plackett and Luce's ratings.")] = False,
    alpha: Annotated[bool, typer.Option("--alpha-rank", help="Also alpha-rank, with OpenSpiel.")] = False,
    trust: Annotated[bool, typer.Option("--trust", help="Load pickled models, which can run any code.")] = False,
    json_file: Annotated[Path | None, typer.Option("--json", help="Write the summary there, too.")] = None,
) -> None:
    """Play agents against each other; print win rates, scores and ranks with their 95 % intervals, and keep what was asked for."""
    try:
        if json_file is not None:
            check_writable(json_file)
        kept = out is not None or resume is not None
        check_installed(report=kept, ratings=ratings or kept, alpha=alpha)
        store: Store | None = None
        if resume is not None:
            given = [
                name
                for name in context.params
                if getattr(context.get_parameter_source(name), "name", None) == "COMMANDLINE"
            ]
            if others := sorted(set(given) - WITH_RESUME):
                raise AgentError(
                    f"{', '.join(others)}: {resume} says what is played and how; with --resume only {', '.join(sorted(WITH_RESUME))}"
                )
            store = Store.resume(resume)
            plan = store.plan
        else:
            if out is None and (behaviour or replays):
                raise AgentError("behaviour, replays: are kept in a folder, which --out names")
            spec = {
                "game": game_id,
                "options": game_options(players, preset, option or []),
                "agents": agents or [],
                "format": tournament,
                "seatings": seatings,
                "games": games,
                "deals": deals,
                "seed": seed,
                "limit": limit,
                "until_settled": until_settled,
                "behaviour": behaviour,
                "replays": replays,
                "trust": trust,
            }
            plan = Plan(parse_spec(spec, "evaluate"))
            if out is not None:
                store = Store.begin(out.parent, out.name, plan)
                errors.print(f"Kept in {store.folder}", soft_wrap=True, highlight=False)
        played = play(plan, store, workers, ray)
        summary = summary_of(plan, played, ratings=ratings or store is not None, alpha=alpha)
        report = keep(plan, played, summary, store) if store is not None else None
        if json_file is not None:
            write_data(summary, json_file)
    except W51Error as error:
        print_error(error)
        raise typer.Exit(2) from None
    tell(summary, ratings or alpha)
    if report is not None:
        console.print(f"Report: {report}", soft_wrap=True)


def play(plan: Plan, store: Store | None, workers: int | None, ray: str | None) -> Played:
    """Play what is not played yet, with a progress display."""
    if ray is not None:
        from arena.cluster import Cluster

        executor: Any = Cluster(plan, ray)
    else:
        executor = make_executor(plan, workers)
    try:
        with (
            PlainProgress(plan.num_games)
            if not errors.is_terminal
            else LiveProgress(plan.num_games, errors) as progress
        ):
            return run(plan, executor, store, progress.advance)
    except KeyboardInterrupt:
        kept = (
            f"; go on with --resume {store.folder}"
            if store is not None
            else "; with --out its games would have been kept"
        )
        errors.print(f"Interrupted{kept}", soft_wrap=True)
        raise typer.Exit(INTERRUPTED) from None
    finally:
        executor.close()


def keep(plan: Plan, played: Played, summary: dict[str, Any], store: Store) -> Path:
    """Fill the folder of a tournament; if that cannot be done, its games are there all the same."""
    try:
        return write_results(plan, played, summary, store.folder)
    except OSError as error:
        raise AgentError(
            f"output {store.folder}: the report cannot be written: {error.strerror or error}; all games are kept: --resume {store.folder} writes it"
        ) from None


def tell(summary: dict[str, Any], with_ratings: bool) -> None:
    """Print the tables of a summary."""
    console.print(summary_table(summary))
    if with_ratings:
        console.print(ratings_table(summary))
    if len(summary["pairs"]) > 1 or (summary["pairs"] and summary["pairs"][0]["settled"] is not None):
        console.print(pairs_table(summary))
    for line in fault_lines(summary):
        errors.print(line, soft_wrap=True, markup=False, highlight=False)


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
