"""Playing a game in the terminal: one person against agents, by keyboard."""

import time
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import ClassVar

from rich.text import Text
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.events import Key
from textual.widgets import OptionList
from textual.widgets.option_list import Option

from w51_agents.named.explanation import Explanation
from w51_env.engine.game import ALL
from w51_env.views.view import View
from w51_lab.replay_viewer.frames import Frame
from w51_lab.replay_viewer.reports import report_of
from w51_table.play.advice import advice_sentences, bid_of
from w51_table.play.agent_pool import AgentPool, Answer, Question, hint_agent, next_question
from w51_table.play.coach import COACH, Coach
from w51_table.play.game_log import GameLog
from w51_table.play.table import PERSON, USUAL_DELAY, Table, TableError
from w51_table.terminal.parts import NAMED, Panel, TerminalApp, report_text

_NEWS_KEPT = 200  # sentences
KEYS_AHEAD = 0.3  # seconds after a decision in which Enter was meant for something before it
_TWICE = 2  # times the own bids so far: a higher one is unusual, as on the page


class PlayApp(TerminalApp):
    """A table at which one person sits.

    Args:
        table: The table; one seat is a person's.
        game_log: Its file, to which each decision is added at once.
        language: Of all texts.
        pool: Where the agents decide.
    """

    SECTION = "play"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("h", "hint", NAMED),
        Binding("e", "explain", NAMED),
        Binding("p", "points", NAMED),
        Binding("u", "undo", NAMED),
        Binding("g", "language", NAMED),
        Binding("pageup", "table(-8)", show=False, priority=True),
        Binding("pagedown", "table(8)", NAMED, key_display="PgUp/PgDn", priority=True),
        Binding("question_mark", "keys", NAMED, key_display="?"),
        Binding("q", "quit", NAMED),
    ]

    def __init__(self, table: Table, game_log: GameLog, language: str, pool: AgentPool):
        super().__init__(language, table.setup.names)
        self.table = table
        self.game_log = game_log
        self.seat = table.setup.seats.index(PERSON)
        self._pool, self._coach = pool, Coach()
        self._typed = ""
        self._shown = -KEYS_AHEAD  # when the last decision was made, by the monotonic clock
        self._bids: dict[int, int] = {}  # the amounts of the bids that are possible now
        self._usual = 0  # the highest own bid so far
        self._asked = -1  # the bid that was asked about
        self._undone = 0  # decisions that were taken back

    def below(self) -> ComposeResult:
        yield OptionList(id="actions", markup=False)

    def on_mount(self) -> None:
        self.name_keys()
        self.query_one("#actions").focus()
        self._go_on()

    def view(self) -> View:
        """What the person may know; everything when the game is over."""
        return self.table.frame().view(ALL if self.table.over else self.seat, self.words)

    def redraw(self) -> None:
        view, words = self.view(), self.words
        place = words("terminal.at", seat=words.seat(self.seat), decision=self.table.decision)
        seats = list(zip(self.table.setup.names, self.table.setup.seats, strict=True))
        kinds = dict.fromkeys(kind for _, kind in seats if kind != PERSON)
        agents = (f"{', '.join(name for name, agent in seats if agent == kind)}: {kind}" for kind in kinds)
        self.show_view(view, f"{view.title} · {place} · {', '.join(agents)}")
        events = list(self.table.events(self.seat))[-_NEWS_KEPT:]
        self.show_news((self.table.game.event_text(event, words) for event in events), to_end=True)
        self._show_actions(view)

    def _show_actions(self, view: View) -> None:
        options = self.query_one("#actions", OptionList)
        options.clear_options()
        if self.table.over:
            options.border_title = self.words("terminal.over")
        elif self.table.seat != self.seat:
            options.border_title = self.words("terminal.thinks", seat=self.words.seat(self.table.seat))
        else:
            options.border_title = self.words("terminal.your_turn")
            actions = sorted(view.actions, key=lambda action: action["kind"] in view.rendering.confirmed)
            options.add_options(Option(action["text"], id=str(action["id"])) for action in actions)
            options.highlighted = 0
            self._bids = {action["id"]: bid_of(action) for action in view.actions}
            self._asked = -1

    # ---- decisions

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        """Play the chosen action; an unusual bid the next time it is chosen."""
        self._typed = ""
        if self.table.seat != self.seat or event.option.id is None or time.monotonic() < self._shown + KEYS_AHEAD:
            return
        action, text = int(event.option.id), str(event.option.prompt)
        amount, most = self._bids[action], max(self._bids.values())
        is_only = sum(bid > 0 for bid in self._bids.values()) == 1
        is_high = amount == most or (amount > _TWICE * self._usual and 2 * amount > most)
        if action == self._asked or amount <= 1 or is_only or not is_high:
            self._decide(action)
        elif amount == most:
            self._ask_again("all_in", action, text)
        else:
            frame, setup = self.table.frame(), self.table.setup
            first_sight = partial(self._pool.explain, frame, hint_agent(self.table.game), setup.game, setup.seed)
            self.background.ask(lambda: first_sight().likeliest().action, partial(self._compare, frame, action, text))

    def _compare(self, frame: Frame, action: int, text: str, advised: int) -> None:
        """Play a bid that is no higher than the one that is advised; ask again about any other."""
        if frame.number == self.table.decision and self._bids[action] <= self._bids[advised]:
            self._decide(action)
        elif frame.number == self.table.decision:
            self._ask_again("high", action, text)

    def _decide(self, action: int) -> None:
        self._usual = max(self._usual, self._bids[action])
        self._play(action)

    def _ask_again(self, key: str, action: int, text: str) -> None:
        self._asked = action
        self.notify(self.words(f"terminal.{key}", action=text), markup=False)

    def action_undo(self) -> None:
        """Take back the last decision, if nothing hidden was shown and nobody has answered."""
        if count := self.table.retractable(self.seat):
            self._undone += 1
            self.game_log.undo(self.table, count)
            self._go_on()
        else:
            self.notify(self.words("terminal.no_undo"))

    def _play(self, action: int) -> None:
        """Write a decision to the file, then play it; if it cannot be written, end with the reason."""
        try:
            self.game_log.play(self.table, action)
        except TableError as error:
            self.exit(return_code=2, message=Text(str(error)))
            return
        self._typed, self._shown = "", time.monotonic()
        self._go_on()

    def _go_on(self) -> None:
        """Show the table, and ask the agent that is to move."""
        self.redraw()
        if (name := self.table.agent_to_move()) is not None:
            asked = partial(self._agent_answer, next_question(self.table, name))
            self.background.ask(asked, partial(self._answer, self._undone))
        elif self.table.over:
            self._finish()

    def _agent_answer(self, question: Question) -> Answer:
        """The answer of an agent, after the time to take one's own decision back."""
        time.sleep(max(0.0, self._shown + USUAL_DELAY - time.monotonic()))
        return self._pool.ask(question).result()

    def _answer(self, undone: int, answer: Answer) -> None:
        """Play what an agent has answered, unless the decision before was taken back meanwhile."""
        if undone != self._undone:
            return
        if answer.failure is not None:
            text = self.words("error.agent_failed", agent=self.table.agent_to_move(), reason=answer.failure)
            self.notify(text, severity="error", timeout=20, markup=False)
        self._play(answer.action)

    def _finish(self) -> None:
        """Show the scores, with which the table of a finished game begins, and write the replay."""
        self.query_one("#table", Panel).scroll_home(animate=False)
        path = self.game_log.path.with_suffix(".json")
        try:
            self.table.replay().save(path)
        except OSError as error:
            self.notify(f"{path}: {error.strerror or error}", severity="error", timeout=30, markup=False)
        else:
            self.notify(self.words("terminal.saved", path=path), timeout=30, markup=False)

    # ---- keys

    def on_key(self, event: Key) -> None:
        """Highlight the action with the typed number."""
        if event.key == "backspace":
            self._typed = self._typed[:-1]
        elif event.character and event.character.isdecimal():
            self._typed += event.character
        else:
            return
        options = self.query_one("#actions", OptionList)
        texts = [str(option.prompt) for option in options.options]
        options.highlighted = find_number(self._typed, texts)  # None: Enter then does nothing
        if not any(self._typed in text for text in texts):
            self._typed = ""

    def action_hint(self) -> None:
        """What the coach advises, from what the person may know."""
        if self.table.seat == self.seat:
            frame, seed = self.table.frame(), self.table.setup.seed
            self.query_one("#actions").border_title = self.words("terminal.hint_comes")
            self.background.ask(lambda: self._coach.conclude(frame, seed), partial(self._show_hint, frame))

    def _show_hint(self, frame: Frame, explanation: Explanation) -> None:
        self.query_one("#actions").border_title = self.words("terminal.your_turn")
        named = replace(explanation, agent=self.words(f"page.agent_{COACH}"))
        report = report_text(report_of(named, frame, self.words)).plain.splitlines()
        why = advice_sentences(explanation, frame.view(self.seat, self.words), self.words)
        self.show_page("hint", [*report, "", *why])


def find_number(typed: str, texts: Sequence[str]) -> int | None:
    """The index of the first text with this number as a word; None if there is none."""
    for index, text in enumerate(texts):
        if typed in "".join(letter if letter.isalnum() else " " for letter in text).split():
            return index
    return None
