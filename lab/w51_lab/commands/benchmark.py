"""The benchmark of agents: `w51 benchmark`."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

import w51_env
from w51_agents.agent.interface import AgentError
from w51_agents.commands.options import command_with
from w51_agents.console.terminal import INTERRUPTED, SPENT, command, print_line
from w51_agents.language.llm.llm_settings import is_llm
from w51_agents.named.registry import split_label
from w51_agents.named.versions import versions
from w51_agents.system.errors import report_os_errors
from w51_agents.system.files import check_writable
from w51_lab.arena.spec import unique_names
from w51_lab.arena.spending import SpendingError
from w51_lab.benchmark.entry import AgentRun, BenchmarkEntry, check_name, read_about, read_entry, write_entry
from w51_lab.benchmark.fresh import check_fresh
from w51_lab.benchmark.leaderboard import track_tables, write_entry_table
from w51_lab.benchmark.lineage import about_of
from w51_lab.benchmark.matches import Ways
from w51_lab.benchmark.play import costs, num_games, play, refused, tracks_for
from w51_lab.benchmark.protocol import CHEAPEST, EVERY, EXACT, FULL, PARTS, PROTOCOL, QUICK
from w51_lab.benchmark.sizes import check_chosen, size_in, size_of_all
from w51_lab.benchmark.verify import verify
from w51_lab.commands.evaluate import SpendingOptions
from w51_lab.commands.game_progress import Progress
from w51_lab.report.exports import check_table
from w51_lab.report.tournament_files import check_installed

console = Console()
errors = Console(stderr=True)
COMMAND = command("benchmark")
LEADERBOARD = Path(w51_env.__file__).parents[1] / "benchmarks" / "leaderboard"  # of a checkout
EXAMPLES = f"""\b
Examples:
  {COMMAND} pretrained --quick
  {COMMAND} runs/mine --name mine --about mine.yaml --out entry.json
  {COMMAND} runs/mine runs/mine-2 runs/mine-3 --name "mine, three seeds"
  {COMMAND} llm:http://127.0.0.1:8000/v1,model=NAME,input_price=0.1,output_price=0.4 --dry-run
  {COMMAND} --verify runs/benchmark/pretrained/entry.json
  {COMMAND} --verify entry.json downloads/checkpoint.safetensors
"""
app = typer.Typer(add_completion=False, rich_markup_mode=None)


@dataclass(frozen=True)
class PlayOptions(SpendingOptions):
    """Options of an entry."""

    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Say which tracks and how many games will be played, at what cost; stop.")
    ] = False
    track: Annotated[
        list[str] | None, typer.Option(help=f"Only this track; can be repeated: {', '.join([*EVERY, EXACT])}.")
    ] = None
    quick: Annotated[bool, typer.Option("--quick", help="Few deals: about two minutes, wide intervals.")] = False
    size: Annotated[
        str | None, typer.Option(help=f"Of language models: {', '.join(PARTS)} of the deals. Default: {CHEAPEST}.")
    ] = None
    workers: Annotated[int | None, typer.Option(min=1, help="Number of processes. Default: all cores.")] = None
    allow: Annotated[
        list[str] | None, typer.Option(metavar="NAME", help="Code that a folder or an entry names and that may run.")
    ] = None
    trust: Annotated[bool, typer.Option("--trust", help="Load pickled models, which can run any code.")] = False
    name: Annotated[str | None, typer.Option(help="Name of the method. Default: the agent.")] = None
    about: Annotated[Path | None, typer.Option(help="YAML file of what you say of the agent.")] = None
    out: Annotated[Path | None, typer.Option(help="File of the entry. Default: in the folder of the games.")] = None
    table: Annotated[
        Path | None, typer.Option(help="Also write the figures to this file: .csv, .md, or .tex for LaTeX.")
    ] = None
    folder: Annotated[
        Path | None, typer.Option(help="Folder of the games, new or to go on with. Default: runs/benchmark/NAME.")
    ] = None
    response: Annotated[
        list[str] | None,
        typer.Option(
            metavar="RUN", help="A run of w51 train --exploit AGENT: it attacks the agent, too. Can be repeated."
        ),
    ] = None
    commit: Annotated[
        str | None,
        typer.Option(metavar="HASH", help="With --verify: also play the deals of this commit, later than the entry."),
    ] = None
    part: Annotated[
        float, typer.Option(min=0.0001, max=1, help="Part of the deals of each match that --verify plays, at least 6.")
    ] = 0.02
    leaderboard: Annotated[
        Path,
        typer.Option(help="Folder of the entries of which the one to --verify must be no copy.", show_default=False),
    ] = LEADERBOARD


@app.command(cls=command_with(PlayOptions), epilog=EXAMPLES)
def main(
    context: typer.Context,
    agents: Annotated[
        list[str] | None,
        typer.Argument(
            help="The agent; several are those of several seeds. With --verify: their names here, if they are not "
            "those of the entry.",
            show_default=False,
        ),
    ] = None,
    verify_entry: Annotated[
        Path | None, typer.Option("--verify", metavar="ENTRY", help="Play a random part of an entry again.")
    ] = None,
) -> None:
    """Play an agent in the tracks of the benchmark and write its entry; or verify an entry."""
    options: PlayOptions = context.obj
    out, folder, table = options.out, options.folder, options.table
    if verify_entry is not None:
        _verify(verify_entry, agents or [], options)
        return
    if not agents:
        raise AgentError("agents: none given, but one is needed")
    if table is not None:
        check_table(table)
        check_writable(table)
    check_installed(report=True, ratings=False, alpha=False)
    labels, agents = (list(part) for part in zip(*map(split_label, agents), strict=True))
    title = check_name(options.name or labels[0] or agents[0])
    size = QUICK if options.quick else options.size
    check_chosen(size, agents)
    allowed, responses = [*agents, *(options.allow or [])], tuple(options.response or ())
    ways = Ways(size or FULL, options.workers, allowed, options.trust, options.limit, responses)
    names = {agent: tracks_for(agent, options.track or []) for agent in agents}
    without = _without(names, ways)
    if len(set(agents)) < len(agents):
        raise AgentError(f"agents: {', '.join(agents)}, but each seed needs an agent of its own")
    played = {agent: [name for name in names[agent] if name not in without[agent]] for agent in agents}
    info = about_of(read_about(options.about), played)
    if options.dry_run:
        _forecast(played, replace(ways, size=size or size_of_all(played, trust=options.trust)))
        return
    folder = folder or Path("runs") / "benchmark" / _file_name(title)
    with report_os_errors(f"--folder {folder}: cannot be made"):
        folder.mkdir(parents=True, exist_ok=True)
    out = out or folder / "entry.json"
    check_writable(out)
    print_line(errors, f"Games are kept in {folder}; the same command goes on with them")
    ways = replace(ways, size=size_in(folder, size, played, trust=options.trust))
    if ways.size not in (FULL, QUICK):
        reason = "which --size can change" if is_llm(agents[0]) else "for its time a decision"
        errors.print(f"Size of the entry: a {ways.size} of the deals, {reason}", highlight=False)
    for line in costs(played, ways):
        print_line(errors, line)
    runs = _played(names, without, folder, ways, num_games(played, ways))
    date = f"{datetime.now(UTC):%Y-%m-%d %H:%M}"
    entry = BenchmarkEntry(
        protocol=PROTOCOL, name=title, size=ways.size, date=date, versions={**versions()}, about=info, runs=runs
    )
    _write(entry, out, table)


def _without(names: Mapping[str, Sequence[str]], ways: Ways) -> dict[str, dict[str, str]]:
    """The tracks that each agent cannot play, with the reasons, which are printed."""
    without = {agent: refused(agent, tracks, ways) for agent, tracks in names.items()}
    for agent, reasons in without.items():
        for track, reason in reasons.items():
            print_line(errors, f"{agent} does not play {track}: {reason}")
    return without


def _played(
    names: Mapping[str, Sequence[str]], without: Mapping[str, Mapping[str, str]], folder: Path, ways: Ways, games: int
) -> tuple[AgentRun, ...]:
    """The games of all agents, each in its tracks."""
    places = unique_names(tuple(map(_file_name, names)))
    try:
        with Progress(games, live=errors.is_terminal, limit=ways.limit) as progress:
            return tuple(
                play(agent, tracks, without[agent], folder / place, ways, progress.advance)
                for (agent, tracks), place in zip(names.items(), places, strict=True)
            )
    except SpendingError as error:
        print_line(errors, f"{error}; the same command goes on with a higher limit")
        raise typer.Exit(SPENT) from None
    except KeyboardInterrupt:
        errors.print("Interrupted; the same command goes on", highlight=False)
        raise typer.Exit(INTERRUPTED) from None


def _forecast(played: Mapping[str, Sequence[str]], ways: Ways) -> None:
    """Say what would be played."""
    for agent, tracks in played.items():
        games = num_games({agent: tracks}, ways)
        print_line(console, f"{agent}: {games:,} games of size {ways.size!r} in {', '.join(tracks)}")
    for line in costs(played, ways):
        print_line(console, line)


def _write(entry: BenchmarkEntry, out: Path, table: Path | None) -> None:
    """Write an entry, print its tables, and write its figures to the file `table`, if one is named."""
    write_entry(entry, out)
    if table is not None:
        write_entry_table(entry, table)
    for text in track_tables([entry]).values():
        print_line(console, f"{text}\n")
    for run in entry.runs:
        for name, exact in run.exact.items():
            if exact.points is None:
                print_line(errors, f"{run.agent} does not play {name}: {exact.reason}")
    print_line(console, f"Entry: {out}")


def _verify(path: Path, agents: list[str], options: PlayOptions) -> None:
    """Verify an entry, and say what was played."""
    entry = read_entry(path)
    tracks, allowed = options.track or [], options.allow or []
    if not options.leaderboard.is_dir() and options.leaderboard != LEADERBOARD:  # an installed package has none
        raise AgentError(f"--leaderboard {options.leaderboard}: no such folder")
    others = [read_entry(path) for path in sorted(options.leaderboard.glob("*.json"))]
    verified = verify(entry, options.part, tracks, allowed, agents=agents, others=others, trust=options.trust)
    print_line(console, f"{entry.name}: {verified}; compared with {len(others)} entries")
    if options.commit is not None:
        for track, now in check_fresh(entry, options.commit, tracks, agents, trust=options.trust).items():
            print_line(
                console, f"{track}: strength {now.mean:.2f} [{now.low:.2f}, {now.high:.2f}] on deals of the commit"
            )


def _file_name(text: str) -> str:
    """A name for a folder: letters, digits and a few signs of the text."""
    return "".join(sign if sign.isalnum() or sign in "-_." else "-" for sign in text)[-80:].strip(".") or "agent"
