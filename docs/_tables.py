"""Markdown tables of the pages of every game, made from the code."""

import dataclasses
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from w51_env.engine.events import EventType
from w51_env.engine.game import ActionTable, Game
from w51_env.engine.layout import Layout, Slice
from w51_env.engine.options import REWARDS
from w51_env.views.language import Words

_BLOCK = re.compile(r"(<!-- table: ([\w-]+) -->\n).*?(<!-- end -->)", re.DOTALL)
_FIGURE = re.compile(r"(<!-- figure: ([\w-]+) -->)[^<\n]*(<!-- end -->)")


def fill(page: str, tables: Mapping[str, str]) -> str:
    """The page with each block `<!-- table: name --> ... <!-- end -->` holding the table of that name.

    A figure within a sentence is `<!-- figure: name -->...<!-- end -->`.

    Raises:
        KeyError: A block of the page has no table, or a table no block.
    """
    names = [match[2] for kind in (_BLOCK, _FIGURE) for match in kind.finditer(page)]
    if sorted(names) != sorted(tables):
        raise KeyError(f"the page has blocks for {sorted(names)}, but the tables are {sorted(tables)}")
    page = _FIGURE.sub(lambda match: f"{match[1]}{tables[match[2]]}{match[3]}", page)
    return _BLOCK.sub(lambda match: f"{match[1]}\n{tables[match[2]]}\n\n{match[3]}", page)


def fill_pages(root: Path, paths: Sequence[str], tables: Mapping[str, str]) -> dict[str, str]:
    """Several pages that share tables, each filled with those of its blocks; by path.

    Raises:
        KeyError: A block has no table, or a table no block in any of the pages.
    """
    texts = {path: (root / path).read_text("utf-8") for path in paths}
    blocks = {path: {match[2] for match in _BLOCK.finditer(text)} for path, text in texts.items()}
    if missing := set(tables) - set().union(*blocks.values()):
        raise KeyError(f"no page of {', '.join(paths)} has a block for {sorted(missing)}")
    return {path: fill(text, {name: tables[name] for name in blocks[path]}) for path, text in texts.items()}


def measured(machine: Mapping[str, Any], cells: Sequence[Mapping[str, Any]] = ()) -> str:
    """Where, with what and of which commit figures were measured, from the facts in a file of results."""
    versions = f"Python {machine['python']}, numba {machine['packages']['numba']}"
    return f"{machine['processor']}, {machine['cores']} cores, {versions}; {made(machine, cells)}"


def made(machine: Mapping[str, Any], cells: Sequence[Mapping[str, Any]] = ()) -> str:
    """When and of which commits figures were measured, for those that do not depend on the machine.

    `run_again` says which part gave the same numbers on the named commit, if the figures were measured before it.
    """
    again = f", where {machine['run_again']} gave the same again" if "run_again" in machine else ""
    apart = Counter(cell["commit"] for cell in cells if "commit" in cell)
    others = "".join(f", {count} of {len(cells)} at `{commit}`" for commit, count in apart.items())
    return f"{machine['date']}, `{machine['commit']}`{again}{others}"


def table(header: Sequence[str], rows: Iterable[Sequence[Any]], note: str = "") -> str:
    """A Markdown table, with a note below it; columns of numbers are aligned right."""
    cells = [[str(cell).replace("|", "\\|") for cell in row] for row in rows]
    numeric = [
        all(re.fullmatch(r"-?[\d,.]*", row[column].strip("*")) for row in cells) for column in range(len(header))
    ]
    rule = ["--:" if right else "---" for right in numeric]
    lines = [f"| {' | '.join(row)} |" for row in [list(header), rule, *cells]]
    return "\n".join([*lines, "", note] if note else lines)


def facts(game: Game, players: str, presets: Iterable[str], *more: tuple[str, str]) -> str:
    """The facts table at the top of a game's page; `more` are rows of this game alone."""
    return table(
        ("", ""),
        [
            ("id", f"`{game.id}`"),
            ("players", players),
            ("action space", f"`Discrete({len(game.actions)})`, with an exact mask"),
            ("observation", f"`int8 ({game.layout.size},)`, or the same as `float32` in [-1, 1]"),
            ("rewards", _rewards(game)),
            ("bots", _code(game.bots)),
            ("presets", _code(presets)),
            *more,
            ("state", f"{game.record.itemsize} bytes a game"),
        ],
    )


def _rewards(game: Game) -> str:
    default = game.options["reward"]
    others = [reward for reward in game.choices.get("reward", REWARDS) if reward != default]
    own = "" if default in REWARDS else f" but for `{default}`"
    return f"`{default}` (default), {_code(others)}; at the end of the game, zero-sum{own}"


def options(kind: type, presets: Mapping[str, Mapping[str, Any]]) -> str:
    """A row for each option: default, meaning (from the docstring), and the presets that change it."""
    defaults = {field.name: field.default for field in dataclasses.fields(kind)}
    rows = []
    for names, meaning in _attributes(kind):
        changes = [
            f"{preset}: {', '.join(f'`{changed[name]!r}`' for name in names if name in changed)}"
            for preset, changed in presets.items()
            if any(name in changed for name in names)
        ]
        rows.append(
            (_code(names), ", ".join(f"`{defaults.pop(name)!r}`" for name in names), meaning, "; ".join(changes))
        )
    if defaults:
        raise KeyError(f"the docstring of {kind.__name__} has nothing on {', '.join(defaults)}")
    return table(("option", "default", "meaning", "presets that differ"), rows)


def _code(names: Iterable[str]) -> str:
    return ", ".join(f"`{name}`" for name in names)


def _attributes(kind: type) -> list[tuple[list[str], str]]:
    """The `Attributes:` of a class docstring: (names, text); `a, b: text` is about both."""
    text = (kind.__doc__ or "").partition("Attributes:")[2]
    entries = [entry.partition(": ") for entry in re.split(r"\n        (?=\S)", text)[1:]]
    return [([name.strip() for name in names.split(",")], " ".join(meaning.split())) for names, _, meaning in entries]


def attributes(kind: type) -> str:
    """A row for each entry under `Attributes:` in the docstring of a class."""
    return table(("field", "content"), [(_code(names), meaning) for names, meaning in _attributes(kind)])


def observation(layout: Layout) -> str:
    """Every slice of an observation: indices, shape, range, meaning."""
    rows = [
        (f"`{part.name}`", _range(part), _shape(part), f"{part.low}..{part.high}", part.meaning)
        for part in layout.values()
    ]
    return table(("slice", "at", "shape", "range", "meaning"), rows)


def _range(part: Slice) -> str:
    return f"{part.start}" if part.stop == part.start + 1 else f"{part.start}..{part.stop - 1}"


def _shape(part: Slice) -> str:
    return " x ".join(map(str, part.shape))


def actions(table_of_actions: ActionTable, groups: Sequence[tuple[int, str]]) -> str:
    """The action table in groups of (first id, when its actions are legal). A group ends where the next begins."""
    starts = [start for start, _ in groups]
    if starts[0] != 0 or starts != sorted(set(starts)):
        raise ValueError(f"groups start at {starts}, but must start at 0 and rise")
    rows = []
    for (start, when), stop in zip(groups, [*starts[1:], len(table_of_actions)], strict=True):
        first, last = table_of_actions[start], table_of_actions[stop - 1]
        ids = f"{start}" if stop == start + 1 else f"{start}..{stop - 1}"
        names = f"`{first.name}`" if stop == start + 1 else f"`{first.name}` .. `{last.name}`"
        rows.append((ids, names, first.text, when))
    return table(("ids", "names", "text of the first", "legal"), rows)


def events(game: str, kinds: Sequence[EventType]) -> str:
    """Every event type of a game: its number in a history, its fields, its sentence, and who may know it.

    Fields that count like seats are marked; a field in brackets is known to the seat alone, and only in histories.
    """
    words = Words().section(f"{game}.event")
    rows = [
        (number, f"`{kind.name}`", _event_fields(kind), words[kind.name], "the seat alone" if kind.private else "all")
        for number, kind in enumerate(kinds, 1)
    ]
    return table(("history", "event", "fields", "sentence", "known to"), rows)


def _event_fields(kind: EventType) -> str:
    marked = [f"`{field}`{'*' if field in kind.seats else ''}" for field in kind.fields]
    return ", ".join([*marked, *(f"(`{field}`)" for field in kind.secret)])
