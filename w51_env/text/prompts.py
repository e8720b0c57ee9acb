"""What a seat reads: the rules on one page; before a decision the table, what happened and the legal actions."""

import re
from collections.abc import Sequence

from w51_env.engine.game import Game
from w51_env.text.answers import ranges
from w51_env.text.table import news_lines, table
from w51_env.views.view import Data, View

PROMPTS = "w51-prompts v2"  # version of all that a language model reads; a changed text needs a new one
MAX_PROMPT = 4000  # characters of one turn
_MIN_NEWS = 500  # characters that are kept for the latest events
_MAX_EVENT = 240  # characters of the sentence of an event
_MIN_WIDTH = 40  # characters of a line that is cut
_NAMED = re.compile(r"\d+(?: to \d+)?\. [^:]+:....")  # number and name of an action, and room for dots
_ASK = "Answer with the name of one of these actions in square brackets, for example [{}]."
_DOTS = "- ...\n"  # for events that are left out
_EARLIER = "Earlier events:"
_NEWS = "Events since your last decision:"


def rules_page(game: Game) -> str:
    """The rules as plain English text, with the options and cards of this game; empty for a game that has no page."""
    page = game.presentation.rendering.rules_page
    return "" if page is None else page(game)


def turn_prompt(view: View, earlier: Sequence[str], longest: int = MAX_PROMPT) -> str:
    """The text for one decision, or at the end of the game.

    Args:
        view: What the seat may know.
        earlier: Sentences of the events before the news of the view, in order.
        longest: The most characters. The oldest events are left out first. If the rest is too long, the ends of the
            longest lines are left out; names of actions are always whole.

    Returns:
        Table, news, legal actions and earlier events.
    """
    actions = ["", "Your legal actions:", *_action_lines(view.actions)] if view.actions else []
    ask = "\n" + _ASK.format(view.actions[0]["name"]) if view.actions else ""
    room_for_news = min(_MIN_NEWS, len(_latest(_NEWS, news_lines(view), longest)) + len(_DOTS))
    fixed = _cut([*table(view).split("\n"), *actions], longest - len(ask) - room_for_news) + ask
    news = _latest(_NEWS, news_lines(view), longest - len(fixed))
    before = _latest(_EARLIER, earlier, longest - len(fixed) - len(news))
    return f"{before}{news}{fixed}"


def _cut(lines: Sequence[str], room: int) -> str:
    """Lines as one text. If it has no room, the longest lines are cut to one width, and end in dots."""
    whole = [max(_MIN_WIDTH, len(match[0]) if (match := _NAMED.match(line)) else 0) for line in lines]
    width, over = max(map(len, lines)), len("\n".join(lines)) - room
    while over > 0 and width > _MIN_WIDTH:
        width -= 1
        over -= sum(len(line) > max(width, shortest) for line, shortest in zip(lines, whole, strict=True))
    return "\n".join(_cut_line(line, max(width, shortest)) for line, shortest in zip(lines, whole, strict=True))


def _cut_line(line: str, width: int) -> str:
    return line if len(line) <= width else f"{line[: width - 3]}..."


def _latest(title: str, lines: Sequence[str], room: int) -> str:
    """The last lines that have room, under a title and with dots for those left out; empty if there are none."""
    size, count = len(f"{title}\n{_DOTS}\n"), 0
    lines = [_cut_line(line, _MAX_EVENT) for line in lines]
    for line in reversed(lines):
        size += len(f"- {line}\n")
        if size > room:
            break
        count += 1
    if not count:
        return ""
    chosen = [*(["..."] if count < len(lines) else []), *lines[len(lines) - count :]]
    return "\n".join([title, *(f"- {line}" for line in chosen), "", ""])


def _action_lines(actions: Sequence[Data]) -> list[str]:
    """A line for each action, `9. bid_5: bid 5`; for a run of numbers one line."""
    by_name = {action["name"]: action for action in actions}
    lines = []
    for group in ranges(by_name):
        first, _, last = (by_name.get(name) for name in group.partition(" ... "))
        if first is None:
            continue
        if last is None:
            lines.append(f"{first['id']}. {first['name']}: {first['text']}")
        else:
            lines.append(f"{first['id']} to {last['id']}. {group}: {first['text']} ... {last['text']}")
    return lines
