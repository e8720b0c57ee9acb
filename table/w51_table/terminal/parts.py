"""The parts of the terminal's screens: panels of text, and pages over the screen."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from functools import partial
from queue import SimpleQueue
from threading import Thread
from typing import Any, ClassVar

from rich.cells import cell_len, set_cell_size
from rich.console import Console, ConsoleOptions, RenderResult
from rich.text import Text
from textual.app import App, ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.screen import ModalScreen
from textual.widgets import Footer, Static

from w51_agents.language.score_table import score_lines, score_of
from w51_env.engine.errors import W51Error
from w51_env.views.language import LANGUAGES, Words
from w51_env.views.text_table import explanation, table
from w51_env.views.view import View
from w51_lab.replay_viewer.reports import Report
from w51_table.play.table import printable

NAMED = "named in the language"  # description of a key that the footer shows
_WIDE = 116  # columns from which panels stand side by side
_BAR = 10  # characters of a full bar


class Wrapped:
    """Lines of text; what does not fit into a line goes on below it, indented by two more characters."""

    def __init__(self, text: Text):
        self.text = text

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        for line in self.text.split(allow_blank=True):
            indent = len(line.plain) - len(line.plain.lstrip()) + 2
            begin = line[:indent]
            for part in line[indent:].wrap(console, max(1, options.max_width - indent)):
                yield begin + part
                begin = Text(" " * indent)


class Panel(VerticalScroll, can_focus=False):
    """A titled panel of lines that scrolls."""

    def __init__(self, panel_id: str, text: str = ""):
        super().__init__(id=panel_id)
        self._text = Static(Wrapped(Text(text)))

    def compose(self) -> ComposeResult:
        yield self._text

    def show(self, text: Text, *, to_end: bool = False) -> None:
        """Replace the text."""
        self._text.update(Wrapped(text))
        if to_end:
            self.scroll_end(animate=False)


def news_text(sentences: Iterable[str]) -> Text:
    """A line for each sentence."""
    return Text("\n".join(f"• {printable(sentence, len(sentence))}" for sentence in sentences))


def score_grid(view: View) -> str:
    """The points of all seats if the game ended now, a column for each; empty if the game has no table of points."""
    if (score := score_of(view)) is None:
        return ""
    rows = [(label, *(cell.text + "*" * cell.doubtful for cell in cells)) for label, cells in score.rows]
    columns = list(zip(("", *(player["name"] for player in view.players)), *rows, strict=True))
    cut = [[set_cell_size(text, max(map(cell_len, column))) for text in column] for column in columns]
    return "\n".join(["", "", score.title, *map("  ".join, zip(*cut, strict=True)), "", *score.lot])


def report_text(report: Report) -> Text:
    """What an agent reports of a decision, with bars."""
    text = Text()
    text.append(report.title, "bold")
    if report.value:
        text.append(f"\n{report.value}")
    for label, fraction, action in report.rows:
        full = round(_BAR * fraction)
        text.append("\n")
        if label:
            text.append(f"{'█' * full}{'░' * (_BAR - full)} {label} ", "dim")
        text.append(action)
    return text


class Page(ModalScreen[None]):
    """A page of text over the screen; closed by Escape, Enter, q, or the key that opened it."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,enter,q,e,h,p,question_mark", "dismiss", show=False),
        Binding("up,k", "scroll(-1)", show=False),
        Binding("down,j", "scroll(1)", show=False),
        Binding("pageup", "scroll(-15)", show=False),
        Binding("pagedown,space", "scroll(15)", show=False),
    ]

    def __init__(self, title: str, lines: Sequence[str], hint: str):
        super().__init__()
        self._title, self._lines, self._hint = title, lines, hint

    def compose(self) -> ComposeResult:
        panel = Panel("page", "\n".join(self._lines))
        panel.border_title, panel.border_subtitle = self._title, self._hint
        yield panel

    def action_scroll(self, lines: int) -> None:
        self.query_one(Panel).scroll_relative(y=lines, animate=False)


class Background:
    """A thread in which agents decide, one decision after the other, so that the screen goes on."""

    def __init__(self, app: App[Any]):
        self._app = app
        self._tasks: SimpleQueue[tuple[Callable[[], Any], Callable[[Any], None]]] = SimpleQueue()
        Thread(target=self._work, daemon=True).start()

    def ask(self, work: Callable[[], Any], done: Callable[[Any], None]) -> None:
        """Run `work()` in the thread, then `done(result)` where the screen is drawn."""
        self._tasks.put((work, done))

    def _work(self) -> None:
        while True:
            work, done = self._tasks.get()
            try:
                result = work()
            except Exception as error:  # noqa: BLE001 - an agent's code can fail in any way
                message = str(error) if isinstance(error, W51Error) else f"{type(error).__name__}: {error}"
                self._call(partial(self._app.notify, message, severity="error", timeout=20, markup=False))
            else:
                self._call(partial(done, result))

    def _call(self, function: Callable[[], Any]) -> None:
        if self._app.is_running:  # else the program ends
            self._app.call_from_thread(function)


class TerminalApp(App[Any]):
    """What playing and watching share."""

    CSS_PATH = "style.tcss"
    ENABLE_COMMAND_PALETTE = False
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (_WIDE, "-wide")]  # noqa: RUF012 - as in its base class
    SECTION = ""  # of the language files: the names of the keys

    def __init__(self, language: str, names: Sequence[str]):
        super().__init__()
        self.words = Words(language, names)
        self.background = Background(self)

    def compose(self) -> ComposeResult:
        yield Static(id="headline", markup=False)
        yield Panel("table")
        yield Panel("news")
        yield from self.below()
        yield Footer(compact=True, show_command_palette=False)

    def below(self) -> ComposeResult:
        """The panels below table and news."""
        raise NotImplementedError

    def show_view(self, view: View, headline: str) -> None:
        """Show the table of a view, in colour; where there is room also the points."""
        points = score_grid(view) if self.size.width >= _WIDE and not view.over else ""
        self.query_one("#headline", Static).update(headline)
        self.query_one("#table", Panel).show(Text.from_ansi(table(view, colour=True) + points))

    def show_news(self, sentences: Iterable[str], *, to_end: bool = False) -> None:
        """Show sentences in the panel of news."""
        panel = self.query_one("#news", Panel)
        panel.border_title = self.words("terminal.news")
        panel.show(news_text(sentences), to_end=to_end)

    def name_keys(self) -> None:
        """Show the keys in the footer in the language."""
        for key, bindings in self._bindings.key_to_bindings.items():
            self._bindings.key_to_bindings[key] = [
                replace(binding, description=self.words(f"terminal.key.{binding.action.split('(')[0]}"))
                if binding.show
                else binding
                for binding in bindings
            ]
        self.refresh_bindings()

    def action_language(self) -> None:
        """Take the next language."""
        following = LANGUAGES[(LANGUAGES.index(self.words.language) + 1) % len(LANGUAGES)]
        self.words = Words(following, self.words.names)
        self.name_keys()
        self.redraw()

    def redraw(self) -> None:
        """Show everything again."""
        raise NotImplementedError

    def action_table(self, lines: int) -> None:
        """Scroll the table, or the page over it."""
        self.screen.query_one("#page, #table", Panel).scroll_relative(y=lines, animate=False)

    def show_page(self, key: str, lines: Sequence[str]) -> None:
        """Open a page of text; `key` names its title."""
        self.push_screen(Page(self.words(f"terminal.{key}"), lines, self.words("terminal.close")))

    def action_explain(self) -> None:
        """The rules in short, and every relic or card of the game."""
        self.show_page("explain", explanation(self.view()))

    def action_points(self) -> None:
        """The points of all seats if the game ended now."""
        self.show_page("points", score_lines(self.view()))

    def view(self) -> View:
        """What is shown."""
        raise NotImplementedError

    def action_help_quit(self) -> None:
        """What ctrl+c says."""
        self.notify(self.words("terminal.to_quit"))

    def action_keys(self) -> None:
        """All keys."""
        self.show_page("keys", self.words(f"terminal.help_{self.SECTION}").splitlines())
