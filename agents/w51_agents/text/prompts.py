"""What a seat reads: the rules on one page; before a decision past lots, what happened, the table and legal actions."""

import re
import tomllib
from collections.abc import Sequence
from functools import cache
from importlib.resources import files

from w51_agents.language.answers import ranges
from w51_env.engine.game import Game
from w51_env.views.text_table import table
from w51_env.views.view import Data, View

VERSION = "v3"
PROMPTS = f"w51-prompts {VERSION}"  # version of all that a language model reads; a changed text needs a new one
MAX_TOKENS = 8000  # of one turn
LETTERS = 4  # that are counted as one token
_MIN_NEWS = 500  # characters that are kept for the latest events
_MAX_EVENT = 240  # characters of a line of events
_MIN_WIDTH = 40  # characters of a line that is cut
_NUMBER_AT_END = re.compile(r"(.*?)(\d[\d.,]*)")
_NAMED = re.compile(r"- [^:]+:....")  # name of an action, and room for dots


@cache
def wording(name: str) -> str:
    """A text of the file of this version, by its name in it."""
    text = files("w51_agents").joinpath("text", "wordings", f"{VERSION}.toml").read_text("utf-8")
    return str(tomllib.loads(text)[name]).strip()


def rules_page(game: Game) -> str:
    """The rules as plain English text, with the options and cards of this game; empty for a game that has no page."""
    page = game.presentation.rendering.rules_page
    return "" if page is None else page(game)


def system_prompt(game: Game, form: str = "text") -> str:
    """What a model reads before its first turn: the rules, and how to answer (`text`, `schema` or `tool`)."""
    return wording("system").format(rules=rules_page(game), ask=how_to_answer(form, wording("example")))


def how_to_answer(form: str, example: str) -> str:
    """The sentence that asks for an answer in a form, with the name of an action as an example."""
    return wording(f"ask_{form}").format(example=example)


def retry_prompt(reason: str, example: str, form: str = "text") -> str:
    """What a model reads after an answer that was refused: the reason, and how to answer."""
    return wording("again").format(reason=reason, ask=how_to_answer(form, example))


def turn_prompt(
    view: View,
    earlier: Sequence[Data],
    tokens: int = MAX_TOKENS,
    *,
    form: str = "text",
    notes: str = "",
    with_past: bool = True,
) -> str:
    """The text for one decision, or at the end of the game.

    Args:
        view: What the seat may know.
        earlier: The events before the news of the view, in order, in the form of `View.news`.
        tokens: The most tokens; 4 characters are counted as one. The oldest lots and events are left out first, and the
            prompt says how many. If the rest is too long, the ends of the longest lines are left out; names of actions
            are always whole.
        form: How to answer: `text`, `schema` or `tool`; empty: nothing is asked.
        notes: What the seat has noted for itself.
        with_past: Whether to tell of what came before the news, too.

    Returns:
        Seat, notes, past lots, news, the table with what follows from it, and legal actions.
    """
    longest = LETTERS * tokens
    brief = view.rendering.briefing and view.rendering.briefing(view, [*earlier, *view.news])
    costs = brief.costs if brief else {}
    lines = [wording("table"), *table(view).split("\n")]
    lines += [wording("lot").format(done=brief.lot)] if brief and brief.lot else []
    lines += brief.now if brief else []
    lines += ["", wording("actions"), *_action_lines(view.actions, costs)] if view.actions else []
    ask = f"\n\n{how_to_answer(form, view.actions[0]['name'])}" if view.actions and form else ""
    head = _head(view) + (f"{wording('notes')}\n{notes}\n\n" if notes else "")
    told = [event["text"] for event in view.news]
    room_for_news = min(_MIN_NEWS, len(_latest("news", told, longest, tokens)))
    fixed = _cut(lines, longest - len(head) - len(ask) - room_for_news) + ask
    news = _latest("news", told, longest - len(head) - len(fixed), tokens)
    room = longest - len(head) - len(fixed) - len(news) if with_past else 0
    if brief:
        past = _latest("lots", brief.lots[1:], room, tokens, headings=brief.lots[:1], mark="")
    else:
        past = _latest("earlier", [event["text"] for event in earlier], room, tokens)
    return f"{head}{past}{news}{fixed}"


def past_lots(view: View, earlier: Sequence[Data]) -> int:
    """How many lots are over; 0 in a game that has no `Briefing`."""
    briefing = view.rendering.briefing
    return max(0, len(briefing(view, [*earlier, *view.news]).lots) - 1) if briefing else 0


def _head(view: View) -> str:
    if not isinstance(view.viewer, int):
        return ""
    name = view.players[view.viewer]["name"]
    seat = wording("seat").format(name=name, seat=view.viewer, last=view.num_players - 1, decision=view.decision + 1)
    return f"{_cut_line(seat, _MAX_EVENT)}\n\n"


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


def _latest(
    section: str, lines: Sequence[str], room: int, tokens: int, headings: Sequence[str] = (), mark: str = "- "
) -> str:
    """The last lines that have room, under the title of a section and a line on those left out; empty if none has."""
    title = wording(section)
    lines = [f"{mark}{_cut_line(line, _MAX_EVENT) if mark else line}" for line in lines]
    for missing in range(len(lines)):
        said = [_left_out(missing, tokens)] if missing else []
        text = "\n".join([title, *headings, *said, *lines[missing:], "", ""])
        if len(text) <= room:
            return text
    return ""


def _left_out(count: int, tokens: int) -> str:
    return wording("left_out").format(count=count, tokens=f"{tokens:,}")


def _action_lines(actions: Sequence[Data], costs: dict[int, str]) -> list[str]:
    """A line for each action, `- bid_5: bid 5 (what it costs)`; for a run of numbers of the same cost one line."""
    by_name = {action["name"]: action for action in actions}
    lines = []
    for group in ranges(by_name):
        first, _, last = (by_name.get(name) for name in group.partition(" ... "))
        if first is None:
            continue
        cost = costs.get(first["id"], "")
        if last is not None and (costs.get(last["id"], "") != cost or not _counts_up(first["text"], last["text"])):
            run = actions[actions.index(first) : actions.index(last) + 1]
            lines += [_action_line(one["name"], one["text"], costs.get(one["id"], "")) for one in run]
        else:
            text = first["text"] if last is None else f"{first['text']} ... {last['text']}"
            lines.append(_action_line(group, text, cost))
    return lines


def _counts_up(first: str, last: str) -> bool:
    """Whether two texts are the same up to a number at the end that is higher in the last one: `bid 5`, `bid 9`."""
    texts = [_NUMBER_AT_END.fullmatch(text) for text in (first, last)]
    stems = [(match[1], int(match[2].replace(",", "").replace(".", ""))) for match in texts if match]
    return len(stems) == 2 and stems[0][0] == stems[1][0] and stems[0][1] < stems[1][1]


def _action_line(name: str, text: str, cost: str) -> str:
    return f"- {name}: {text}{f' ({cost})' if cost else ''}"
