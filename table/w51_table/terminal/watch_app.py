"""Watching a playback in the terminal: forward, back, from lot to lot, with what agents report."""

from collections.abc import Callable
from functools import partial
from typing import ClassVar

from rich.text import Text
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.events import Key
from textual.timer import Timer

from w51_agents.named.explanation import Explanation
from w51_env.engine.game import ALL, PUBLIC
from w51_env.views.view import View
from w51_lab.replay_viewer.reports import report_of
from w51_table.play.playback import Performance
from w51_table.terminal.parts import NAMED, Panel, TerminalApp, report_text

_SPEEDS = (4.0, 2.0, 1.0, 0.5, 0.25, 0.1)  # seconds a frame


class WatchApp(TerminalApp):
    """Shows a playback.

    Args:
        performance: The playback; one that is not complete goes on as far as it is watched.
        viewer: Whose knowledge is shown first.
        language: Of all texts.
    """

    SECTION = "watch"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("left,h", "step(-1)", show=False),
        Binding("right,l", "step(1)", NAMED, key_display="←→"),
        Binding("pageup,left_square_bracket", "lot(-1)", show=False),
        Binding("pagedown,right_square_bracket", "lot(1)", NAMED, key_display="PgUp/PgDn"),
        Binding("home", "go(0)", show=False),
        Binding("end", "end", show=False),
        Binding("space", "play", NAMED, key_display="␣"),
        Binding("plus", "speed(1)", show=False),
        Binding("minus", "speed(-1)", show=False),
        Binding("v", "viewer", NAMED),
        Binding("e", "explain", NAMED),
        Binding("p", "points", NAMED),
        Binding("g", "language", NAMED),
        Binding("up", "table(-1)", show=False),
        Binding("down", "table(1)", show=False),
        Binding("enter", "typed", show=False),
        Binding("question_mark", "keys", NAMED, key_display="?"),
        Binding("q", "quit", NAMED),
    ]

    def __init__(self, performance: Performance, viewer: int | str, language: str):
        super().__init__(language, performance.playback.names)
        self.playback, self._performance = performance.playback, performance
        self.now = 0
        self.viewer = viewer
        self._speed = 2
        self._timer: Timer | None = None
        self._typed = ""
        self._busy = False

    def below(self) -> ComposeResult:
        yield Panel("report")

    def on_mount(self) -> None:
        self.name_keys()
        self.redraw()

    def view(self) -> View:
        """What the viewer may know of the current frame."""
        return self.playback.frames[self.now].view(self.viewer, self.words)

    def redraw(self) -> None:
        """Show the current frame, and what is known of its decision; the agent is asked in a thread."""
        playback, words = self.playback, self.words
        view = self.view()
        lots = self._lots()
        passed = sum(index <= self.now for index in lots)
        seen_by = words.seat(self.viewer) if isinstance(self.viewer, int) else words(f"terminal.{self.viewer}")
        end = f"{len(playback.frames) - 1}{'' if playback.complete else '+'}"
        viewer = words("terminal.viewer", viewer=seen_by)
        lot = f" · {words('terminal.lot', lot=passed, lots=len(lots))}" if lots else ""
        go_to = f" · {words('terminal.go_to', lot=self._typed)}" if self._typed else ""
        decision = words("terminal.decision", decision=self.now, decisions=end)
        self.show_view(view, f"{view.title}{go_to} · {decision}{lot} · {viewer}")
        self.show_news(event["text"] for event in view.news)
        self._show_report()

    def _lots(self) -> list[int]:
        """The frames at which a lot begins."""
        return [index for index, _ in self.playback.lots]

    def _show_report(self) -> None:
        panel, frame = self.query_one("#report", Panel), self.playback.frames[self.now]
        panel.border_title = self.words("terminal.agent")
        panel.show(Text())
        if frame.seat < 0:
            return
        if frame.action is not None:
            self._show_chosen(frame.action)
        elif not self.playback.complete:
            panel.border_title = self.words("terminal.thinks", seat=self.words.seat(frame.seat))
        explain = partial(self._performance.explanation, frame.number)  # unless the playback has moved on meanwhile
        self.background.ask(
            lambda: explain() if frame.number == self.now else None, partial(self._fill_report, frame.number)
        )

    def _show_chosen(self, chosen: int) -> None:
        """The action of the current frame as the title of the report."""
        frame, words = self.playback.frames[self.now], self.words
        text = frame.view(frame.seat, words).action_texts()[chosen]
        title = words("terminal.chose", seat=words.seat(frame.seat), action=text)
        self.query_one("#report", Panel).border_title = title

    def _fill_report(self, number: int, explanation: Explanation | None) -> None:
        if explanation is not None and number == self.now:
            if self.playback.frames[number].action is None and not self.playback.complete:
                self._show_chosen(explanation.action)
            text = report_text(report_of(explanation, self.playback.frames[number], self.words))
            self.query_one("#report", Panel).show(text)

    # ---- moving

    def action_step(self, frames: int) -> None:
        """Go forward or back; a playback that is played now is played on at its end."""
        self.action_go(self.now + frames)

    def action_go(self, index: int) -> None:
        if index >= len(self.playback.frames) and not self.playback.complete:
            self._play_on(lambda: len(self.playback.frames) > index)
            return
        index = max(0, min(len(self.playback.frames) - 1, index))
        if index != self.now:
            self.now = index
            self.query_one("#table", Panel).scroll_home(animate=False)
        self.redraw()

    def action_end(self) -> None:
        """Go to the end of the game; agents that play now play on to it."""
        if not self.playback.complete:
            self._play_on(lambda: False)
        else:
            self.action_go(len(self.playback.frames) - 1)

    def action_lot(self, change: int) -> None:
        """Go to the next lot, or to the one before."""
        lots = self._lots()
        if change < 0:
            self.action_go(max((index for index in lots if index < self.now), default=0))
        elif later := [index for index in lots if index > self.now]:
            self.action_go(later[0])
        elif self.playback.complete:
            self.action_end()
        else:
            self._play_on(lambda: len(self.playback.lots) > len(lots))

    def action_typed(self) -> None:
        """Go to the lot whose number was typed."""
        lots = self._lots()
        typed = self._typed
        self._typed = ""
        if typed and 0 < int(typed) <= len(lots):
            self.action_go(lots[int(typed) - 1])
        else:
            self.redraw()

    def on_key(self, event: Key) -> None:
        """Collect the digits of the number of a lot."""
        letter = event.character
        if letter and letter.isdecimal() and len(self._typed) < 3:
            self._typed += letter
            self.redraw()

    def action_viewer(self) -> None:
        """Show the knowledge of the next viewer: the public, each seat, everything."""
        viewers: list[int | str] = [PUBLIC, *range(self.playback.game.num_players), ALL]
        self.viewer = viewers[(viewers.index(self.viewer) + 1) % len(viewers)]
        self.redraw()

    # ---- playing

    def action_play(self) -> None:
        """Begin or stop to play the playback."""
        if self._timer is not None:
            self._timer.stop()
            self._timer = None
        else:
            self._timer = self.set_interval(_SPEEDS[self._speed], self._tick)

    def action_speed(self, change: int) -> None:
        """Play faster or slower."""
        self._speed = max(0, min(len(_SPEEDS) - 1, self._speed + change))
        if self._timer is not None:
            self.action_play()
            self.action_play()

    def _tick(self) -> None:
        if self.now < len(self.playback.frames) - 1 or not self.playback.complete:
            if not self._busy:
                self.action_step(1)
        elif self._timer is not None:
            self.action_play()

    def _play_on(self, enough: Callable[[], bool]) -> None:
        """Let the agents play until `enough()` or the end, and show the last frame."""
        if self._busy:
            return

        def play() -> None:
            try:
                while not self.playback.complete and not enough():
                    self._performance.advance()
            finally:  # an agent may fail, and the next key tries again
                self._busy = False

        self._busy = True
        self.query_one("#report", Panel).border_title = self.words("terminal.thinking")
        self.background.ask(play, lambda _: self.action_go(len(self.playback.frames) - 1))
