"""Play, watch and export games: a web page, or `watch`, `export` and `terminal`."""

import secrets
import sys
import time
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from typer.core import TyperGroup

from w51_agents.agent.interface import AgentError
from w51_agents.commands.options import SeatedOptions, WatchOptions, command_with
from w51_agents.console.loading import loading
from w51_agents.console.settings import game_options
from w51_agents.console.terminal import StatusLine, command, resume_command
from w51_agents.named.registry import check_code, code_names
from w51_agents.system.errors import needs_extra, report_os_errors
from w51_agents.system.files import check_writable
from w51_env.engine.game import ALL
from w51_env.views.language import LANGUAGES, Words, check_language
from w51_table.commands.setup import (
    NO_AGENT,
    check_agents,
    check_not_given,
    check_range,
    game_of,
    language_of,
    performance_of,
    setup_with_person,
    watched_game,
)
from w51_table.play.agent_pool import AgentPool
from w51_table.play.game_log import SUFFIX, GameLog
from w51_table.play.playback import parse_viewer
from w51_table.play.table import PERSON, Setup, Table

COMMAND = command("play")
EXAMPLES = f"""\b
Examples:
  {COMMAND}                                        the web page
  {COMMAND} terminal pretrained heuristic          you against these agents
  {COMMAND} terminal --resume runs/tables/x.table
  {COMMAND} watch pretrained heuristic heuristic   a game that agents play now
  {COMMAND} watch runs/cup/replays/000000-00000.json
  {COMMAND} export game.json game.html
"""
TABLES = Path("runs/tables")  # where games in progress are kept

app = typer.Typer(add_completion=False, rich_markup_mode=None)
console = Console(stderr=True)

_FOLDER_OPTION = typer.Option(help="Folder of the games in progress, default runs/tables.")
_WATCHED = typer.Argument(help="A replay (.json), or agents as in w51 evaluate, in the order of the seats.")
_WATCHED_AND_FILE = typer.Argument(help="A replay (.json) or agents, then the file: .html, .txt, .svg, .gif or .mp4.")


@dataclass(frozen=True)
class PageOptions:
    """Options of the commands that serve the web page."""

    host: Annotated[
        str | None, typer.Option(help="Address that the web page listens on, default 127.0.0.1; 0.0.0.0: all networks.")
    ] = None
    port: Annotated[int | None, typer.Option(help="Port of the web page, default 5151; 0: any free one.")] = None
    folder: Annotated[Path | None, _FOLDER_OPTION] = None
    allow_host: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME", help="Name, or NAME:PORT, of a proxy through which the page may be opened; can be repeated."
        ),
    ] = None

    @property
    def placed(self) -> dict[str, object]:
        """What was given; None where an option was not."""
        names = {"--host": self.host, "--port": self.port, "--folder": self.folder}
        return {**names, "--allow-host": self.allow_host or None}

    def serve(self, *watched: Any, **settings: Any) -> None:
        """Serve the web page; with the arguments of `Watched` it begins with a game."""
        if settings["language"] is not None:
            check_language(settings["language"])
        with needs_extra("the web page: a package is missing, which comes with", "play"):
            from w51_table.web.server import ServerSettings
            from w51_table.web.start import Watched, serve
        allowed_hosts = self.allow_host or []
        server = ServerSettings(self.folder or TABLES, self.host or "127.0.0.1", allowed_hosts, **settings)
        serve(server, 5151 if self.port is None else self.port, Watched(*watched) if watched else None)


@dataclass(frozen=True)
class WatchPageOptions(PageOptions, WatchOptions):
    """Options of the command that shows a game in the terminal or in the browser."""


@app.callback(cls=command_with(PageOptions, TyperGroup), invoke_without_command=True, epilog=EXAMPLES)
def web(
    context: typer.Context,
    agent: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME", help="Another agent that tables may have; LABEL=NAME: the page says LABEL."),
    ] = None,
    option: Annotated[
        list[str] | None,
        typer.Option(metavar="KEY=VALUE", help="An option that the form offers, as relics=FILE; can be repeated."),
    ] = None,
    language: Annotated[
        str | None, typer.Option(metavar="|".join(LANGUAGES), help="Language. Default: that of the browser.")
    ] = None,
    trust: Annotated[bool, typer.Option("--trust", help="Load pickled models, which can run any code.")] = False,
) -> None:
    """Play in a browser, or with one of the commands below; without a command, serve the web page."""
    if context.invoked_subcommand is None:
        options = game_options(None, None, option or [])
        context.obj.serve(language=language, agents=agent or (), options=options, trust=trust)


@app.command(cls=command_with(WatchPageOptions))
def watch(
    context: typer.Context,
    what: Annotated[list[str], _WATCHED],
    *,
    browser: Annotated[bool, typer.Option("--browser", help="In the browser: serve the web page.")] = False,
) -> None:
    """Step through a replay, or through a game that agents play now: forward, back, from lot to lot."""
    options: WatchPageOptions = context.obj
    if not browser:
        check_not_given("without --browser", **options.placed)
    watched = watched_game(what, options)
    seen_by = parse_viewer(options.viewer, game_of(watched))
    agent = options.agent
    if browser:
        named = [agent] if agent not in (None, NO_AGENT) else []
        agents = watched.seats if isinstance(watched, Setup) else named
        options.serve(watched, seen_by, agent, language=options.language, trust=options.trust, agents=agents)
        return
    with closing(AgentPool(trust=options.trust)) as pool:
        performance = performance_of(watched, agent, pool)
        app = _terminal("watch_app").WatchApp(performance, seen_by, language_of(options.language))
        _check_terminal()
        app.run()


@app.command(cls=command_with(WatchOptions))
def export(
    context: typer.Context,
    what: Annotated[list[str], _WATCHED_AND_FILE],
    *,
    all_seats: Annotated[bool, typer.Option("--all", help="Show everything, also what is hidden from all.")] = False,
    explain: Annotated[
        bool, typer.Option("--explain", help="Add probabilities and values of the agent to text and page.")
    ] = False,
    frame: Annotated[
        int | None, typer.Option(help=".svg: the number of the frame; -1, the default, is the last.")
    ] = None,
    fps: Annotated[float | None, typer.Option(help=".gif, .mp4: frames per second. Default: 2.")] = None,
    theme: Annotated[
        str | None, typer.Option(metavar="light|dark", help=".svg, .gif, .mp4: colours, default light; .svg: or auto.")
    ] = None,
) -> None:
    """Write a game to a file: a page to step through, text, a picture, an animation or a video."""
    if len(what) < 2:
        raise AgentError(f"export: {' '.join(what)!r}, but a replay and a file are needed, as game.json game.html")
    from w51_table.play.export import REPORT_FORMATS, ExportOptions, check_output
    from w51_table.play.export import export as write

    *source, output = what
    path = Path(output)
    options: WatchOptions = context.obj
    check_output(path, theme or "light", explain)
    for suffixes, name, value in (
        (REPORT_FORMATS, "--agent", options.agent),
        ((".svg",), "--frame", frame),
        ((".gif", ".mp4"), "--fps", fps),
        ((".svg", ".gif", ".mp4"), "--theme", theme),
    ):
        if path.suffix not in suffixes:
            check_not_given(f"for {path.suffix}, but for {', '.join(suffixes)}", **{name: value})
    frame, fps = -1 if frame is None else frame, 2.0 if fps is None else fps
    check_range("fps", fps, 0.1, 60)
    if not explain:
        check_not_given("without --explain", **{"--agent": options.agent})
    watched, status = watched_game(source, options), StatusLine(console.file) if console.is_terminal else None
    with closing(AgentPool(trust=options.trust)) as pool:
        performance = performance_of(watched, options.agent, pool)
        playback = performance.playback
        while not playback.complete:
            performance.advance()
        check_range("frame", frame, -len(playback.frames), len(playback.frames) - 1)
        shown_to = ALL if all_seats else parse_viewer(options.viewer, playback.game)
        words = Words(language_of(options.language), playback.names)
        explanation = performance.explanation if explain else None
        export_options = ExportOptions(playback, shown_to, words, explanation, theme or "light", fps, frame)
        write(export_options, path, lambda done: status.show(f"{done} / {len(playback.frames)}") if status else None)
    if status:
        status.clear()
    typer.echo(f"{path}: {path.stat().st_size:,} bytes")


OtherPlayers = Annotated[
    list[str] | None, typer.Argument(help="The other players, as in w51 evaluate; repeated if there are too few.")
]


@app.command(cls=command_with(SeatedOptions))
def terminal(
    context: typer.Context,
    agents: OtherPlayers = None,
    *,
    seat: Annotated[int, typer.Option(help="Your seat.")] = 0,
    name: Annotated[str | None, typer.Option(help="Your name at the table.")] = None,
    resume: Annotated[Path | None, typer.Option(help="Continue the game in this file.")] = None,
    allow: Annotated[
        list[str] | None, typer.Option(metavar="NAME", help="With --resume: code that the file names and that may run.")
    ] = None,
    folder: Annotated[Path | None, _FOLDER_OPTION] = None,
) -> None:
    """Play in the terminal against agents. Each decision is kept at once; --resume continues the game."""
    options: SeatedOptions = context.obj
    with loading():
        words = Words(language_of(options.language))
        module = _terminal("play_app")
        if resume is None:
            check_not_given("without --resume", **{"--allow": allow or None})
        else:
            given = {"agents": agents or None, "--name": name, **options.given}
            check_not_given("with --resume, which continues a game as it was", **given)
        if resume is not None:
            table, game_log = _resumed(resume, allow or [])
        else:
            table = Table(setup_with_person(options, agents, seat, name or words("table.player", seat=seat + 1)))
            check_agents(table.setup.seats, table.setup.game, table.game, options.trust)
            game_log = _new_game_log(folder or TABLES, table)
    with closing(game_log), closing(AgentPool(trust=options.trust)) as pool:
        screen = module.PlayApp(table, game_log, words.language, pool)
        screen.run()
    if not table.over:
        code = code_names(table.setup.game, table.setup.seats)
        line = resume_command("play terminal", game_log.path, code, options.trust)
        typer.echo(words("terminal.resume", command=line))
    if screen.return_code:
        raise typer.Exit(screen.return_code)


def _resumed(path: Path, allow: list[str]) -> tuple[Table, GameLog]:
    """The table in a file, and the file; AgentError if no person sits there."""
    source = f"table {path}"
    game_log, table = GameLog.open(path, lambda setup: check_code(setup.game, setup.seats, allow, source))
    if PERSON not in table.setup.seats:
        raise AgentError(f"table {path}: no seat of it is a person's; watch its replay")
    _check_terminal()
    return table, game_log


@app.command(cls=command_with(SeatedOptions))
def assistant(
    context: typer.Context,
    agents: OtherPlayers = None,
    *,
    seat: Annotated[int, typer.Option(help="The assistant's seat.")] = 0,
) -> None:
    """Serve a table to an assistant: an MCP server on standard input and output, with agents in the other seats."""
    from w51_table.play.assistant import AssistantTable, make_server
    from w51_table.play.wire import wire

    options: SeatedOptions = context.obj
    with wire():  # before any third-party code, which may print
        setup = setup_with_person(options, agents, seat, "Assistant")
        with closing(AssistantTable(setup, language_of(options.language), trust=options.trust)) as table:
            make_server(table).run()


def _terminal(module: str) -> Any:
    with needs_extra("the terminal: needs Textual, which comes with", "play"):
        from importlib import import_module

        return import_module(f"w51_table.terminal.{module}")


def _check_terminal() -> None:
    """AgentError unless the streams that Textual uses are a terminal."""
    if not all(stream is not None and stream.isatty() for stream in (sys.__stdin__, sys.__stderr__)):
        raise AgentError("the terminal: standard input or error is not a terminal; `w51 play export` writes a file")


def _new_game_log(folder: Path, table: Table) -> GameLog:
    with report_os_errors(f"folder {folder}: cannot be made"):
        folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{time.strftime('%Y-%m-%d-%H%M%S')}-{secrets.token_hex(2)}{SUFFIX}"
    check_writable(path)
    _check_terminal()
    return GameLog.create(path, table)
