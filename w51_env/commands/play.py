"""Play, watch and export games: a web page, or `watch`, `export` and `terminal`."""

import secrets
import sys
import time
from collections.abc import Sequence
from itertools import cycle, islice
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console

from w51_env.agents.agent import AgentError
from w51_env.agents.registry import check_code, code_names, make_agent
from w51_env.console.settings import game_options
from w51_env.console.terminal import INTERRUPTED, StatusLine, command, print_error, resume_command
from w51_env.core.errors import OptionError, W51Error, nearest, needs_extra, report_os_errors
from w51_env.core.game import ALL, PUBLIC, Game
from w51_env.core.options import check_seed
from w51_env.core.registry import make_game
from w51_env.play.agent_pool import hint_agent
from w51_env.play.film import Film
from w51_env.play.journal import SUFFIX, Journal
from w51_env.play.table import PERSON, Setup, Table, known_names
from w51_env.replays.replay import Replay
from w51_env.system.files import check_writable
from w51_env.views.language import LANGUAGES, Words, check_language, locale_language

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
_HOST, _PORT = "127.0.0.1", 5151
_DEFAULT_GAME = "warehouse51_v0"
_NO_AGENT = "none"  # of --agent

app = typer.Typer(add_completion=False, rich_markup_mode=None)
console = Console(stderr=True)

Players = Annotated[int | None, typer.Option(help="Number of players. Default: from the preset, or the agents.")]
GameId = Annotated[str, typer.Option("--game", help="Id of a registered game.")]
Preset = Annotated[str | None, typer.Option(help="Preset of the game's options.")]
Changes = Annotated[list[str] | None, typer.Option("--option", metavar="KEY=VALUE", help="An option of the game.")]
Seed = Annotated[int | None, typer.Option(help="Seed of the game. Default: a random one.")]
Trust = Annotated[bool, typer.Option("--trust", help="Load pickled models, which can run any code.")]
Language = Annotated[
    str | None, typer.Option(metavar="|".join(LANGUAGES), help="Language. Default: that of the locale.")
]
ViewerName = Annotated[str, typer.Option("--viewer", help="Whose knowledge is shown: public, a seat (0, 1, ...), all.")]
Host = Annotated[str, typer.Option(help="Address that the web page listens on; 0.0.0.0: all networks.")]
Port = Annotated[int, typer.Option(help="Port of the web page; 0: any free one.")]
Folder = Annotated[Path, typer.Option(help="Folder of the games in progress.")]
Adviser = Annotated[
    str | None,
    typer.Option("--agent", help="The agent whose probabilities and values are shown; none: no agent. Default: "
                 "pretrained, or heuristic where there is none."),
]  # fmt: skip


def run(work: Any) -> None:
    """Call `work()`; print an error of the input and end with status 2, after Ctrl-C with 130."""
    try:
        work()
    except W51Error as error:
        print_error(error)
        raise typer.Exit(2) from None
    except KeyboardInterrupt:
        raise typer.Exit(INTERRUPTED) from None


@app.callback(invoke_without_command=True, epilog=EXAMPLES)
def web(
    context: typer.Context,
    host: Host = _HOST,
    port: Port = _PORT,
    folder: Folder = TABLES,
    agent: Annotated[list[str] | None, typer.Option(help="Another agent that tables may have.")] = None,
    language: Language = None,
    trust: Trust = False,
) -> None:
    """Play in a browser, or with one of the commands below; without a command, serve the web page."""
    if context.invoked_subcommand is None:
        run(lambda: _serve(host, port, folder, agent or [], language, trust))


def _serve(
    host: str,
    port: int,
    folder: Path,
    agents: Sequence[str],
    language: str | None,
    trust: bool,
    watched: Replay | Setup | None = None,
    viewer: int | str = PUBLIC,
) -> None:
    """Serve the web page; with a replay or a game of agents it begins with this."""
    if language is not None:
        check_language(language)
    with needs_extra("the web page: a package is missing, which comes with", "play"):
        from w51_env.play.web.server import Settings
        from w51_env.play.web.start import Watched, serve
    first = Watched(watched, viewer, agents[0] if agents else None) if watched is not None else None
    known = watched.seats if isinstance(watched, Setup) else [name for name in agents if name != _NO_AGENT]
    serve(Settings(folder, host, language, known, trust), port, first)


@app.command()
def watch(
    what: Annotated[
        list[str], typer.Argument(help="A replay (.json), or agents as in evaluate.py, in the order of the seats.")
    ],
    *,
    viewer: ViewerName = PUBLIC,
    agent: Adviser = None,
    language: Language = None,
    game: GameId = _DEFAULT_GAME,
    players: Players = None,
    preset: Preset = None,
    option: Changes = None,
    seed: Seed = None,
    trust: Trust = False,
    browser: Annotated[bool, typer.Option("--browser", help="In the browser: serve the web page.")] = False,
    host: Host | None = None,
    port: Port | None = None,
    folder: Folder | None = None,
) -> None:
    """Step through a replay, or through a game that agents play now: forward, back, from lot to lot."""

    def work() -> None:
        if not browser:
            _check_not_given("without --browser", **{"--host": host, "--port": port, "--folder": folder})
        watched = _watched(what, agent, game, players, preset, option, seed, trust)
        seen_by = parse_viewer(viewer, _game_of(watched))
        if browser:
            where = host or _HOST, _PORT if port is None else port, folder or TABLES
            _serve(*where, [agent] if agent else [], language, trust, watched, seen_by)
            return
        app = _terminal("watch").WatchApp(_film(watched, agent, trust), seen_by, language_of(language))
        _check_terminal()
        app.run()

    run(work)


@app.command()
def export(
    what: Annotated[
        list[str], typer.Argument(help="A replay (.json) or agents, then the file: .html, .txt, .svg, .gif or .mp4.")
    ],
    *,
    viewer: ViewerName = PUBLIC,
    all_seats: Annotated[bool, typer.Option("--all", help="Show everything, also what is hidden from all.")] = False,
    insight: Annotated[
        bool, typer.Option("--insight", help="Add probabilities and values of the agent to text and page.")
    ] = False,
    agent: Adviser = None,
    frame: Annotated[int, typer.Option(help=".svg: the number of the frame; -1 is the last.")] = -1,
    fps: Annotated[float, typer.Option(help=".gif, .mp4: frames per second.")] = 2.0,
    theme: Annotated[
        str, typer.Option(metavar="light|dark", help=".svg, .gif, .mp4: colours; .svg also auto.")
    ] = "light",
    language: Language = None,
    game: GameId = _DEFAULT_GAME,
    players: Players = None,
    preset: Preset = None,
    option: Changes = None,
    seed: Seed = None,
    trust: Trust = False,
) -> None:
    """Write a game to a file: a page to step through, text, a picture, an animation or a video."""

    def work() -> None:
        if len(what) < 2:
            raise AgentError(f"export: {' '.join(what)!r}, but a replay and a file are needed, as game.json game.html")
        from w51_env.play.export import Showing, check_output
        from w51_env.play.export import export as write

        *source, output = what
        path = Path(output)
        check_output(path, theme)
        _check_range("fps", fps, 0.1, 60)
        film = _film(_watched(source, agent, game, players, preset, option, seed, trust), agent, trust)
        while not film.complete:
            film.advance()
        _check_range("frame", frame, -len(film.frames), len(film.frames) - 1)
        shown_to = ALL if all_seats else parse_viewer(viewer, film.game)
        words = Words(language_of(language), film.names)
        showing = Showing(film, shown_to, words, insight, theme, fps, frame)
        status = StatusLine(console.file) if console.is_terminal else None
        write(showing, path, lambda done: status.show(f"{done} / {len(film.frames)}") if status else None)
        if status:
            status.clear()
        typer.echo(f"{path}: {path.stat().st_size:,} bytes")

    run(work)


@app.command()
def terminal(
    agents: Annotated[
        list[str] | None, typer.Argument(help="The other players, as in evaluate.py; repeated if there are too few.")
    ] = None,
    *,
    seat: Annotated[int, typer.Option(help="Your seat.")] = 0,
    name: Annotated[str | None, typer.Option(help="Your name at the table.")] = None,
    resume: Annotated[Path | None, typer.Option(help="Continue the game in this file.")] = None,
    allow: Annotated[
        list[str] | None, typer.Option(metavar="NAME", help="With --resume: code that the file names and that may run.")
    ] = None,
    folder: Folder = TABLES,
    language: Language = None,
    game: GameId = _DEFAULT_GAME,
    players: Players = None,
    preset: Preset = None,
    option: Changes = None,
    seed: Seed = None,
    trust: Trust = False,
) -> None:
    """Play in the terminal against agents. Each decision is kept at once; --resume continues the game."""

    def work() -> None:
        words = Words(language_of(language))
        module = _terminal("play")
        if resume is not None:
            source = f"table {resume}"
            journal, table = Journal.open(
                resume, lambda setup: check_code(setup.game, setup.seats, allow or [], source)
            )
            if PERSON not in table.setup.seats:
                raise AgentError(f"table {resume}: no seat of it is a person's; watch its replay")
            _check_terminal()
        else:
            bound = make_game(game, **game_options(players, preset, option or []))
            table = Table(_setup(game, bound, agents, seat, name, seed, words, trust))
            journal = _new_journal(folder, table)
        screen = module.PlayApp(table, journal, words.language, trust=trust)
        try:
            screen.run()
        finally:
            journal.close()
        if not table.over:
            code = code_names(table.setup.game, table.setup.seats)
            typer.echo(words("terminal.resume", command=resume_command("play terminal", journal.path, code, trust)))
        if screen.return_code:
            raise typer.Exit(screen.return_code)

    run(work)


@app.command()
def assistant(
    agents: Annotated[
        list[str] | None, typer.Argument(help="The other players, as in evaluate.py; repeated if there are too few.")
    ] = None,
    *,
    seat: Annotated[int, typer.Option(help="The assistant's seat.")] = 0,
    language: Language = None,
    game: GameId = _DEFAULT_GAME,
    players: Players = None,
    preset: Preset = None,
    option: Changes = None,
    seed: Seed = None,
    trust: Trust = False,
) -> None:
    """Serve a table to an assistant: an MCP server on standard input and output, with agents in the other seats."""

    def work() -> None:
        from w51_env.play.assistant import AssistantTable, make_server
        from w51_env.play.wire import Wire

        wire = Wire()  # before any code of others, which may print
        words = Words(language_of(language))
        bound = make_game(game, **game_options(players, preset, option or []))
        setup = _setup(game, bound, agents, seat, "Assistant", seed, words, trust)
        table = AssistantTable(setup, words.language, trust=trust)
        try:
            with wire.served():
                make_server(table).run()
        finally:
            table.close()

    run(work)


# ---- what the commands share


def _terminal(module: str) -> Any:
    with needs_extra("the terminal: needs Textual, which comes with", "play"):
        from importlib import import_module

        return import_module(f"w51_env.play.terminal.{module}")


def _check_terminal() -> None:
    """AgentError unless the streams that Textual uses are a terminal."""
    if not all(stream is not None and stream.isatty() for stream in (sys.__stdin__, sys.__stderr__)):
        raise AgentError("the terminal: standard input or error is not a terminal; `export` writes a game to a file")


def language_of(language: str | None) -> str:
    """The language of an option, or of the locale."""
    return locale_language() if language is None else check_language(language)


def parse_viewer(text: str, game: Game) -> int | str:
    """A viewer from its text: `public`, `all`, or a seat; OptionError if there is no such viewer."""
    if text in (PUBLIC, ALL):
        return text
    if text.isdecimal() and int(text) < game.num_players:
        return int(text)
    raise OptionError(
        f"--viewer {text!r}: allowed are {PUBLIC}, {ALL} and the seats 0 to {game.num_players - 1}"
        f"{nearest(text, (PUBLIC, ALL))}"
    )


def _watched(
    what: Sequence[str],
    adviser: str | None,
    game_id: str,
    players: int | None,
    preset: str | None,
    changes: list[str] | None,
    seed: int | None,
    trust: bool,
) -> Replay | Setup:
    """A replay, or a game that agents play now, whose agents can be made."""
    if len(what) == 1 and what[0].endswith(".json"):
        options = {"--players": players, "--preset": preset, "--option": changes or None}
        _check_not_given("with a replay, which has its own options", **options)
        replay = Replay.load(what[0])
        if adviser not in (None, _NO_AGENT):
            make_agent(adviser, replay.game(), trust=trust)
        return replay
    game = _game_for(len(what), game_id, game_options(players, preset, changes or []))
    seats = tuple(_seated(what, game, game.num_players))
    for agent in set(seats):
        make_agent(agent, game, trust=trust)
    return Setup(game_id, dict(game.options), _seed(seed), seats, known_names(seats, [""] * len(seats)))


def _game_of(watched: Replay | Setup) -> Game:
    """The game that is watched."""
    return watched.game() if isinstance(watched, Replay) else make_game(watched.game, **watched.options)


def _film(watched: Replay | Setup, adviser: str | None, trust: bool) -> Film:
    """The film of a replay, or of a game that agents play now."""
    if isinstance(watched, Setup):
        return Film.of_table(Table(watched), trust=trust)
    name = hint_agent(watched.game()) if adviser is None else adviser
    return Film.of_replay(watched, None if name == _NO_AGENT else name, trust=trust)


def _check_not_given(where: str, **options: Any) -> None:
    given = [name for name, value in options.items() if value is not None]
    if given:
        raise AgentError(f"{', '.join(given)}: not allowed {where}")


def _game_for(agents: int, game_id: str, options: dict[str, object]) -> Game:
    """The game with as many seats as agents, if it can have so few, and the options do not say how many."""
    game = make_game(game_id, **options)
    if "num_players" in options or agents in (1, game.num_players):
        return game
    try:
        return make_game(game_id, **options, num_players=agents)
    except OptionError:
        if agents > game.num_players:
            raise
        return game


def _seated(agents: Sequence[str], game: Game, count: int) -> list[str]:
    """The agent of each of `count` seats: the agents in turn; AgentError if there are too many."""
    if len(agents) > count:
        raise AgentError(f"agents: {len(agents)}, but {game.id} has {count} seats for them")
    return list(islice(cycle(agents), count))


def _setup(
    game_id: str,
    game: Game,
    agents: Sequence[str] | None,
    seat: int,
    name: str | None,
    seed: int | None,
    words: Words,
    trust: bool,
) -> Setup:
    """A new table with a person in one seat and agents, by default the one that gives hints, in the others."""
    _check_range("seat", seat, 0, game.num_players - 1)
    seats = _seated(agents or [hint_agent(game)], game, game.num_players - 1)
    for agent in set(seats):
        make_agent(agent, game, trust=trust)
    seats.insert(seat, PERSON)
    names = [""] * len(seats)
    names[seat] = name or words.seat(seat)
    return Setup(game_id, dict(game.options), _seed(seed), tuple(seats), known_names(seats, names))


def _new_journal(folder: Path, table: Table) -> Journal:
    with report_os_errors(f"folder {folder}: cannot be made"):
        folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{time.strftime('%Y-%m-%d-%H%M%S')}-{secrets.token_hex(2)}{SUFFIX}"
    check_writable(path)
    _check_terminal()
    return Journal.create(path, table)


def _seed(seed: int | None) -> int:
    return secrets.randbits(63) if seed is None else check_seed("seed", seed)


def _check_range(name: str, value: float, low: float, high: float) -> None:
    if not low <= value <= high:
        raise AgentError(f"--{name} {value}: but {low} to {high} is allowed")
