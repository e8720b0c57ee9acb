"""docs/rules_coverage.md: from each rule, effect kind, option and preset to its source, its code and its tests."""

import re
import tomllib
from collections.abc import Callable, Iterable
from dataclasses import dataclass, fields
from functools import cache
from importlib import import_module
from itertools import groupby
from pathlib import Path
from typing import Any

from docs import _tables
from docs._citations import Function, Test, all_functions, all_tests
from w51_env.core.errors import nearest
from w51_env.warehouse51.effect_kinds import EFFECT_KINDS, EffectKind
from w51_env.warehouse51.relics import load_relic_set

ROOT = Path(__file__).resolve().parents[2]
PAGE = "docs/rules_coverage.md"
COMMITTED = False  # over 100 kB
DATA = "docs/rules.toml"
MOST_NAMES = 12  # functions named one by one; of more, how many there are in each file

HEAD = """\
# Rules, code and tests

For each rule: what it says in our words, where it is known from, which functions cite it, and which tests hold it.
*en, fr, de, hu* are the English, French, German and Hungarian rulebooks; a *ruling* is ours, where all of them are silent.

This page is made by `python docs/generate.py` from [rules.toml](rules.toml), the docstrings and comments of the code, and
the comments of the tests; nobody edits it. A test names what it holds on its first line: `# T5, T9`,
`# effect: bid_cap`, `# option: pawn_limit`, `# preset: hu`.
"""


@dataclass(frozen=True)
class Entry:
    """A rule, effect kind, option or preset, and who cites it. `kind` is "rule", "effect", "option" or "preset"."""

    kind: str
    name: str
    statement: str
    source: str
    code: tuple[Function, ...]
    tests: tuple[Test, ...]


def pages() -> dict[str, str]:
    """The page, for both games."""
    return {PAGE: "\n".join([HEAD, *(_game_text(game, data) for game, data in _data().items())])}


def problems() -> list[str]:
    """What is cited by no test or no code, and citations of what does not exist."""
    found = []
    for game, data in _data().items():
        for entry in entries(game):
            if not entry.tests:
                found.append(f"{game}: no test cites {entry.kind} {entry.name}")
            if not entry.code and entry.kind != "preset":
                found.append(f"{game}: no code cites {entry.kind} {entry.name}")
        for kind, known in (("option", _option_names(game)), ("preset", _preset_names(game))):
            listed = data.get(f"{kind}s", {})
            if listed:
                found += [f"{DATA}: {game}: {kind} {name} is missing" for name in known if name not in listed]
                found += [
                    f"{DATA}: {game}: {kind} {name} does not exist{nearest(name, known)}"
                    for name in listed
                    if name not in known
                ]
    return found + _unknown_citations()


def entries(game: str) -> list[Entry]:
    """All that the page has of a game."""
    data = _data()[game]
    code = all_functions(ROOT, f"w51_env/{game}") + all_functions(ROOT, "w51_env/core")
    found = []
    for name, rule in data["rules"].items():
        citing = tuple(function for function in code if name in function.rules)
        found.append(
            Entry(
                "rule",
                name,
                rule["statement"],
                rule["source"],
                citing,
                tuple(test for test in _all_tests() if name in test.rules),
            )
        )
    if game == "warehouse51":
        for kind in EFFECT_KINDS:
            using = tuple(function for function in code if _uses_effect(function, kind.name))
            found.append(
                Entry(
                    "effect",
                    kind.name,
                    _effect_statement(kind),
                    _effect_source(kind),
                    using,
                    _marked(game, "effect", kind.name),
                )
            )
    meanings = {name: meaning for names, meaning in _tables._attributes(_rules_module(game).Options) for name in names}
    for name, option in data.get("options", {}).items():
        read = {
            f"{owner}.{attribute}"
            for owner in ("rules", "options", "chosen", "self")
            for attribute in (name, option.get("field", name))
        }
        using = tuple(function for function in code if function.names & read)
        found.append(
            Entry("option", name, meanings.get(name, ""), option["source"], using, _marked(game, "option", name))
        )
    for name, source in data.get("presets", {}).items():
        changes = ", ".join(
            f"{option} = {value!r}" for option, value in _rules_module(game).PRESETS.get(name, {}).items()
        )
        found.append(
            Entry(
                "preset",
                name,
                f"`{changes}`" if changes else "No option changed.",
                source,
                (),
                _marked(game, "preset", name),
            )
        )
    return found


# ---- finding


@cache
def _data() -> dict[str, Any]:
    return tomllib.loads((ROOT / DATA).read_text("utf-8"))


def _rules_module(game: str) -> Any:
    return import_module(f"w51_env.{game}.rules")


def _option_names(game: str) -> tuple[str, ...]:
    return tuple(field.name for field in fields(_rules_module(game).Options))


def _preset_names(game: str) -> tuple[str, ...]:
    return tuple(_rules_module(game).PRESETS)


@cache
def _all_tests() -> list[Test]:
    return all_tests(ROOT)


def _game_of(test: Test) -> str:
    """The game whose options, presets and effects a test means: that of its folder, else Warehouse 51."""
    return next((game for game in _data() if test.path.startswith(f"tests/{game}/")), "warehouse51")


def _marked(game: str, kind: str, name: str) -> tuple[Test, ...]:
    return tuple(test for test in _all_tests() if (kind, name) in test.marks and _game_of(test) == game)


def _uses_effect(function: Function, kind: str) -> bool:
    """It names the kind's constant, or its docstring the kind."""
    mention = rf"\b{kind}\b" if "_" in kind else rf"\b{kind}:"
    return kind.upper() in function.names or re.search(mention, function.text) is not None


def _effect_statement(kind: EffectKind) -> str:
    text = kind.text.format("n")
    return f"{text[0].upper()}{text[1:]} ({kind.timing.replace('_', ' ')}, {kind.alignment})."


def _effect_source(kind: EffectKind) -> str:
    """The relics that have it, and where that is known from."""
    having = [relic for relic in load_relic_set("reconstruction-1").relics if relic.effect == kind.name]
    return "; ".join(f"{relic.name['en']}: {relic.source('effect')}" for relic in having)


def _unknown_citations() -> list[str]:
    rules = [rule for data in _data().values() for rule in data["rules"]]
    letters = {rule[0] for rule in rules}
    found = []
    for test in _all_tests():
        game = _game_of(test)
        known = {
            "option": _option_names(game),
            "preset": _preset_names(game),
            "effect": tuple(kind.name for kind in EFFECT_KINDS),
        }
        found += [
            f"{test.path}: {test.name} cites {rule}, which is no rule"
            for rule in sorted(test.rules)
            if rule[0] in letters and rule not in rules
        ]
        found += [
            f"{test.path}: {test.name} cites {kind} {name}, which does not exist{nearest(name, known[kind])}"
            for kind, name in sorted(test.marks)
            if kind and name not in known[kind]
        ]
    return found


# ---- writing


def _game_text(game: str, data: dict[str, Any]) -> str:
    rules = [entry for entry in entries(game) if entry.kind == "rule"]
    parts = [f"## {data['title']}", "", _overview(rules), ""]
    for letter, title in data["chapters"].items():
        parts += [f"### {title}", "", *(_details(entry) for entry in rules if entry.name.startswith(letter))]
    for kind, title in (("effect", "Relic effects"), ("option", "Options"), ("preset", "Presets")):
        chosen = [entry for entry in entries(game) if entry.kind == kind]
        if chosen:
            parts += [f"### {title}", "", *map(_details, chosen)]
    return "\n".join(parts)


def _overview(rules: list[Entry]) -> str:
    rows = [(f"[{rule.name}](#{rule.name.lower()})", rule.source, len(rule.code), len(rule.tests)) for rule in rules]
    return _tables.table(("rule", "source", "functions", "tests"), rows)


def _details(entry: Entry) -> str:
    heading = entry.name if entry.kind == "rule" else f"`{entry.name}`"
    lines = [f"#### {heading}", "", entry.statement, "", f"- Source: {entry.source}"]
    if entry.code:
        lines.append(f"- Code: {_by_file(entry.code, 'w51_env/', lambda function: f'`{function.name}`')}")
    lines += [f"- Tests: {len(entry.tests)}", *_test_lines(entry.tests), ""]
    return "\n".join(lines)


def _by_file(cited: Iterable[Function], prefix: str, word: Callable[[Function], str]) -> str:
    """`file: names; file: names`, or how many where there are many."""
    cited = list(cited)
    parts = []
    for path, group in groupby(cited, key=lambda function: function.path):
        inside = list(group)
        names = ", ".join(word(function) for function in inside) if len(cited) <= MOST_NAMES else str(len(inside))
        parts.append(f"[{path.removeprefix(prefix)}](../{path}): {names}")
    return "; ".join(parts)


def _test_lines(cited: tuple[Test, ...]) -> list[str]:
    lines = []
    for path, group in groupby(cited, key=lambda test: test.path):
        lines.append(f"  - [{path.removeprefix('tests/')}](../{path}): {'; '.join(test.sentence for test in group)}")
    return lines
