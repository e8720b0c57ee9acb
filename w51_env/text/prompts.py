"""What a seat reads before it decides: the table, what happened and its legal actions, in limited space."""

from collections.abc import Sequence

from w51_env.core.view import Data, View
from w51_env.render.text import news_lines, table
from w51_env.text.answers import ranges

LONGEST = 4000  # characters of one turn
_ASK = "Answer with the name of one of these actions in square brackets, for example [{}]."
_EARLIER = "Before that (... where lines are left out):"


def turn_prompt(view: View, earlier: Sequence[str], longest: int = LONGEST) -> str:
    """The text for one decision, or at the end of the game.

    Args:
        view: What the seat may know.
        earlier: Sentences of the events before the news of the view, in order.
        longest: The most characters. The table and the actions are always whole; the oldest events are left out.

    Returns:
        Table, news, legal actions and earlier events.
    """
    parts = [table(view), *_section("Since your last decision:", news_lines(view))]
    actions = []
    if view.actions:
        actions = ["Your legal actions:", *_action_lines(view.actions), _ASK.format(view.actions[0]["name"])]
    room = longest - sum(len(line) + 1 for line in [*parts, *actions])
    if room < 0:
        parts, room = _shortened(parts, room), 0
    before = _section(_EARLIER, _latest(earlier, room - len(_EARLIER) - 5))
    return "\n".join([*before, *parts, *actions])


def _section(title: str, lines: Sequence[str]) -> list[str]:
    return [title, *(f"- {line}" for line in lines), ""] if lines else []


def _shortened(parts: list[str], room: int) -> list[str]:
    """Without the first lines of the news, so that `room` is not below 0; the table stays."""
    left_out = 0
    while room < 6 and len(parts) > 3:
        room += len(parts.pop(2)) + 1
        left_out += 1
    return [*parts[:2], "- ...", *parts[2:]] if left_out else parts


def _latest(lines: Sequence[str], room: int) -> list[str]:
    """The last lines that have room, each with a dash, a space and a line feed."""
    chosen: list[str] = []
    for line in reversed(lines):
        room -= len(line) + 3
        if room < 0:
            return ["...", *chosen] if chosen else []
        chosen.insert(0, line)
    return chosen


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
