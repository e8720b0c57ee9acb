"""Matches between agents on the same deals in every seat: `w51 evaluate`, `python evaluate.py`."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, get_args

import typer
from rich.console import Console

from w51_agents.agent.interface import AgentError, ForfeitsError, UnreachableError
from w51_agents.commands.options import GameOptions, command_with
from w51_agents.console.terminal import FORFEITED, INTERRUPTED, SPENT, command, print_line, printable
from w51_agents.system.errors import report_os_errors
from w51_agents.system.files import check_writable
from w51_agents.system.processes import load_note
from w51_lab.arena.plan import Plan
from w51_lab.arena.sizing import size_line, sized
from w51_lab.arena.spec import TournamentSpec, parse_spec
from w51_lab.arena.spending import SpendingError, SpendingLimit, forecast
from w51_lab.arena.store import Store
from w51_lab.arena.tournament import TournamentResult, run
from w51_lab.arena.workers import make_executor
from w51_lab.commands.game_progress import Progress
from w51_lab.report.exports import check_table, write_table
from w51_lab.report.models import Summary
from w51_lab.report.sentences import failure_lines, usage_lines
from w51_lab.report.summary import summary_of
from w51_lab.report.terminal_tables import summary_tables
from w51_lab.report.tournament_files import check_installed, write_data, write_results

console = Console()
errors = Console(stderr=True)
WITH_RESUME = {"resume", "allow", "trust", "workers", "ray", "ratings", "alpha_rank", "json_file", "table",
               "max_cost", "max_tokens"}  # fmt: skip
_STANDARD_OUTPUT = Path("-")
COMMAND = command("evaluate")
EXAMPLES = f"""\b
Examples:
  {COMMAND} pretrained heuristic
  {COMMAND} pretrained heuristic random --format pairs --games 2000
  {COMMAND} pretrained heuristic random --format panel
  {COMMAND} response:pretrained pretrained --games 400
  {COMMAND} heuristic random --players 3 --preset de --until-decided
  {COMMAND} pretrained heuristic --precision 5
  {COMMAND} pretrained heuristic --deals v1 --behaviour --out runs/cup
  {COMMAND} --resume runs/cup

Games as offline data, one row for each decision: {command("dataset")} --help
"""


app = typer.Typer(add_completion=False, rich_markup_mode=None)


def of_spec(name: str) -> Any:
    """The option of a field of `TournamentSpec`, with its help. The specification checks its value."""
    field = TournamentSpec.model_fields[name]
    choices = "|".join(get_args(field.annotation)) if isinstance(field.default, str) else ""
    return typer.Option(f"--{name.replace('_', '-')}", metavar=choices or None, help=field.description)


def default(name: str) -> Any:
    """The default of a field of `TournamentSpec`."""
    return TournamentSpec.model_fields[name].default


@dataclass(frozen=True)
class SpendingOptions:
    """What language models may use."""

    max_cost: Annotated[
        float | None, typer.Option(min=0, help="No game begins that could make language models cost more.")
    ] = None
    max_tokens: Annotated[
        int | None, typer.Option(min=0, help="No game begins that could make language models use more tokens.")
    ] = None

    @property
    def limit(self) -> SpendingLimit:
        """The same as a limit."""
        return SpendingLimit(self.max_cost, self.max_tokens)


@dataclass(frozen=True)
class PlayOptions(GameOptions, SpendingOptions):
    """Where games are played, and when to stop."""

    workers: Annotated[int | None, typer.Option(min=1, help="Number of processes. Default: all cores.")] = None
    ray: Annotated[str | None, typer.Option(metavar="ADDRESS", help="Play on a Ray cluster: auto or host:port.")] = None


@dataclass(frozen=True)
class MatchOptions(PlayOptions):
    """Which games are played."""

    games: Annotated[int, of_spec("games")] = default("games")
    format: Annotated[str, of_spec("format")] = default("format")
    seatings: Annotated[str, of_spec("seatings")] = default("seatings")
    deals: Annotated[str | None, of_spec("deals")] = None
    seed: Annotated[int | None, of_spec("seed")] = None
    time_limit: Annotated[float | None, of_spec("time_limit")] = None
    memory_limit: Annotated[float, of_spec("memory_limit")] = default("memory_limit")


@dataclass(frozen=True)
class EvaluateOptions(MatchOptions):
    """The other fields of `TournamentSpec`, but for the agents, and what is written."""

    until_decided: Annotated[bool, of_spec("until_decided")] = False
    precision: Annotated[float | None, of_spec("precision")] = None
    behaviour: Annotated[bool, of_spec("behaviour")] = False
    replays: Annotated[int, of_spec("replays")] = default("replays")
    surprising: Annotated[int, of_spec("surprising")] = default("surprising")
    out: Annotated[Path | None, typer.Option(help="Write results and a report to a new folder of this name.")] = None
    resume: Annotated[Path | None, typer.Option(help="Continue the tournament in this folder.")] = None
    allow: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME", help="With --resume: code that the folder names and that may run."),
    ] = None
    json_file: Annotated[
        Path | None, typer.Option("--json", help="Also write the summary to this file; - prints it in place of tables.")
    ] = None
    table: Annotated[
        Path | None, typer.Option(help="Also write the table to this file: .csv, .md, or .tex for LaTeX.")
    ] = None
    ratings: Annotated[bool, typer.Option("--ratings", help="Also compute Plackett-Luce ratings.")] = False
    alpha_rank: Annotated[bool, typer.Option("--alpha-rank", help="Also compute alpha-rank; needs OpenSpiel.")] = False


@app.command(epilog=EXAMPLES, cls=command_with(EvaluateOptions))
def main(
    context: typer.Context,
    agents: Annotated[
        list[str] | None, typer.Argument(help=TournamentSpec.model_fields["agents"].description, show_default=False)
    ] = None,
) -> None:
    """Play agents against each other and print win rates, scores and ranks with 95 % intervals."""
    options: EvaluateOptions = context.obj
    to_output = options.json_file == _STANDARD_OUTPUT
    for path in (None if to_output else options.json_file, options.table):
        if path is not None:
            check_writable(path)
    if options.table is not None:
        check_table(options.table)
    has_folder = options.out is not None or options.resume is not None
    with_ratings = options.ratings or has_folder
    check_installed(report=has_folder, ratings=with_ratings, alpha=options.alpha_rank)
    plan, store = begin(context, agents or [], options)
    played = play(plan, store, options)
    summary = summary_of(plan, played, ratings=with_ratings, alpha=options.alpha_rank)
    print_width(plan, summary)
    report = None
    if store is not None:
        hint = f"; all games are stored; write the report with: {store.resumption}"
        with report_os_errors(f"output {store.folder}: the report cannot be written", hint):
            report = write_results(plan, played, summary, store.folder)
    if options.table is not None:
        write_table(summary, options.table)
    if to_output:
        typer.echo(json.dumps(summary.model_dump(), indent=2))
        return
    if options.json_file is not None:
        write_data(summary, options.json_file)
    print_tables(summary, options.ratings or options.alpha_rank)
    if report is not None:
        print_line(console, f"Report: {printable(str(report))}")


def begin(context: typer.Context, agents: list[str], options: EvaluateOptions) -> tuple[Plan, Store | None]:
    """The tournament that the command line asks for, new or resumed, and its folder if it has one."""
    if options.resume is not None:
        check_resumable(context, options.resume)
        store = Store.resume(options.resume, options.allow or [], trust=options.trust)
        return store.plan, store
    fields = {name: value for name, value in vars(options).items() if name in TournamentSpec.model_fields}
    if options.out is None and (options.behaviour or options.replays or options.surprising):
        raise AgentError("--behaviour, --replays, --surprising: need --out, the folder for their files")
    spec = parse_spec({**fields, "agents": agents, "options": options.options}, "evaluate")
    source, needed = context.get_parameter_source("games"), None
    if spec.precision is not None and (source is None or source.name == "DEFAULT"):
        spec, needed = sized(spec)
    plan = Plan(spec)
    for line in size_line(plan, needed):
        print_line(errors, line)
    if plan.rounding:
        print_line(errors, plan.rounding)
    if options.out is None:
        return plan, None
    store = Store.begin(options.out.parent, options.out.name, plan)
    return store.plan, store


def check_resumable(context: typer.Context, folder: Path) -> None:
    """AgentError if options were given that the folder of a tournament already has."""
    sources = {str(param.name): context.get_parameter_source(str(param.name)) for param in context.command.params}
    named = {name for name, source in sources.items() if source is not None and source.name == "COMMANDLINE"}
    if others := sorted(named - WITH_RESUME):
        accepted = ", ".join(sorted(WITH_RESUME - {"resume"}))
        raise AgentError(
            f"{', '.join(others)}: not allowed with --resume, because {folder} defines the games; "
            f"allowed are {accepted}"
        )


def play(plan: Plan, store: Store | None, options: PlayOptions) -> TournamentResult:
    """Play the blocks that are not stored yet, and show progress."""
    if store is not None:
        print_line(errors, f"Results are written to {store.folder}")
    if errors.is_terminal and (note := load_note()):
        print_line(errors, note)
    for line in forecast([plan]):
        print_line(errors, line)
    limit, a_deal = options.limit, plan.num_games // len(plan.deals.seeds)
    if options.ray is not None:
        from w51_lab.arena.cluster import Cluster

        executor: Any = Cluster(plan, options.ray)
    else:
        executor = make_executor(plan, options.workers)
    try:
        with Progress(plan.num_games, live=errors.is_terminal, limit=limit) as progress:
            return run(plan, executor, store, progress.advance, limit, lambda deals: progress.expect(deals * a_deal))
    except (ForfeitsError, SpendingError) as error:
        hint = f"continue with: {store.resumption}" if store is not None else "its games are lost without --out"
        print_line(errors, f"{error}; {hint}")
        raise typer.Exit(SPENT if isinstance(error, SpendingError) else FORFEITED) from None
    except UnreachableError as error:
        raise AgentError(f"{error}; continue with: {store.resumption}" if store is not None else str(error)) from None
    except KeyboardInterrupt:
        hint = f"continue with: {store.resumption}" if store is not None else "its games are lost without --out"
        print_line(errors, f"Interrupted; {hint}")
        raise typer.Exit(INTERRUPTED) from None
    finally:
        executor.close()


def print_width(plan: Plan, summary: Summary) -> None:
    """Say it if intervals are wider than `--precision` asks."""
    if plan.width is None or plan.spec.precision is None:
        return
    widest = max(high - low for pair in summary.pairs for low, high in [pair.result(summary.decides).ends])
    over = widest / plan.width
    if over > 1:
        found = f"the widest interval is {over * plan.spec.precision:.3g} points wide"
        print_line(errors, f"--precision {plan.spec.precision:g}: {found}; try --games {plan.num_games * over**2:.0f}")


def print_tables(summary: Summary, with_ratings: bool) -> None:
    """Print the tables of a summary."""
    for table in summary_tables(summary, ratings=with_ratings):
        console.print(table)
    for line in usage_lines(summary):
        print_line(console, line)
    for line in failure_lines(summary):
        print_line(errors, line)
