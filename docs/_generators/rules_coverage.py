"""docs/rules_coverage.md: from each rule, effect kind, option and preset to its source, its code and its tests."""

import re
import tomllib
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, fields
from functools import cache
from importlib import import_module
from itertools import groupby
from pathlib import Path
from typing import Any

from docs import _tables
from docs._citations import Function, Test, all_functions, all_tests
from w51_env.engine.errors import nearest
from w51_env.views.language import Words
from w51_env.warehouse51.effect_kinds import EFFECT_KINDS, EffectKind
from w51_env.warehouse51.relics import load_relic_set

ROOT = Path(__file__).resolve().parents[2]
PAGE = "docs/rules_coverage.md"
COMMITTED = False  # large, and changes with most commits
DATA = "docs/rules.toml"
MAX_NAMES = 12  # functions named one by one; of more, how many there are in each file

HEAD = """\
# Rules, code and tests

For each rule: its statement in our words, its source, the functions that cite it and the files of its tests.
*en, fr, de, hu* are the English, French, German and Hungarian rulebooks; a *ruling* is ours, where all are silent.

`python docs/generate.py` makes this page from [rules.toml](rules.toml), the docstrings and comments of the code, and
the comments of the tests; do not edit it. A test cites in a comment between its `def` and its first statement:
`# T5, T9`, `# effect: bid_cap`, `# option: pawn_limit`, `# preset: hu`. `grep -rn "# .*T5" tests` lists the tests of
a rule.
"""


@dataclass(frozen=True)
class CitedEntry:
    """A rule, effect kind, option or preset with the code and tests that cite it; `kind` says which of the four."""

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
    """Entries without a test or without code, and citations of entries that do not exist."""
    sentences = []
    for game, data in _data().items():
        for entry in entries(game):
            if not entry.tests:
                sentences.append(f"{game}: no test cites {entry.kind} {entry.name}")
            if not entry.code and entry.kind != "preset":
                sentences.append(f"{game}: no code cites {entry.kind} {entry.name}")
        for kind, known in (("option", _option_names(game)), ("preset", _preset_names(game))):
            listed = data.get(f"{kind}s", {})
            if listed:
                sentences += [f"{DATA}: {game}: {kind} {name} is missing" for name in known if name not in listed]
                sentences += [
                    f"{DATA}: {game}: {kind} {name} does not exist{nearest(name, known)}"
                    for name in listed
                    if name not in known
                ]
    return sentences + _unknown_citations()


def entries(game: str) -> list[CitedEntry]:
    """All entries of a game."""
    code = all_functions(ROOT, f"w51_env/{game}") + all_functions(ROOT, "w51_env/engine")
    return [*_rules(game, code), *_effects(game, code), *_options(game, code), *_presets(game)]


def _rules(game: str, code: list[Function]) -> Iterator[CitedEntry]:
    for name, rule in _data()[game]["rules"].items():
        citing = tuple(function for function in code if name in function.rules)
        tests = tuple(test for test in _all_tests() if name in test.rules)
        yield CitedEntry("rule", name, rule["statement"], rule["source"], citing, tests)


def _effects(game: str, code: list[Function]) -> Iterator[CitedEntry]:
    for kind in EFFECT_KINDS if game == "warehouse51" else ():
        using = tuple(function for function in code if _uses_effect(function, kind.name))
        tests = _marked(game, "effect", kind.name)
        yield CitedEntry("effect", kind.name, _effect_statement(kind), _effect_source(kind), using, tests)


def _options(game: str, code: list[Function]) -> Iterator[CitedEntry]:
    meanings = {name: meaning for names, meaning in _tables._attributes(_options_class(game)) for name in names}
    for name, option in _data()[game].get("options", {}).items():
        read = {
            f"{owner}.{attribute}"
            for owner in ("rules", "options", "chosen", "self")
            for attribute in (name, option.get("field", name))
        }
        using = tuple(function for function in code if function.names & read)
        yield CitedEntry("option", name, meanings.get(name, ""), option["source"], using, _marked(game, "option", name))


def _presets(game: str) -> Iterator[CitedEntry]:
    for name, source in _data()[game].get("presets", {}).items():
        changed = _rules_module(game).PRESETS.get(name, {})
        changes = ", ".join(f"{option} = {value!r}" for option, value in changed.items())
        statement = f"`{changes}`" if changes else "No option changed."
        yield CitedEntry("preset", name, statement, source, (), _marked(game, "preset", name))


# ---- finding


@cache
def _data() -> dict[str, Any]:
    return tomllib.loads((ROOT / DATA).read_text("utf-8"))


def _rules_module(game: str) -> Any:
    return import_module(f"w51_env.{game}.rules")


def _options_class(game: str) -> Any:
    return next(value for name, value in vars(_rules_module(game)).items() if name.endswith("Options"))


def _option_names(game: str) -> tuple[str, ...]:
    return tuple(field.name for field in fields(_options_class(game)))


def _preset_names(game: str) -> tuple[str, ...]:
    return tuple(_rules_module(game).PRESETS)


@cache
def _all_tests() -> list[Test]:
    return all_tests(ROOT)


def _game_of(test: Test) -> str:
    """The game of the options, presets and effects that a test cites: that of its folder, else Warehouse 51."""
    return next((game for game in _data() if test.path.startswith(f"tests/env/{game}/")), "warehouse51")


def _marked(game: str, kind: str, name: str) -> tuple[Test, ...]:
    return tuple(test for test in _all_tests() if (kind, name) in test.marks and _game_of(test) == game)


def _uses_effect(function: Function, kind: str) -> bool:
    """Whether it uses the kind's constant, or its docstring names the kind."""
    mention = rf"\b{kind}\b" if "_" in kind else rf"\b{kind}:"
    return f"EFFECT.{kind.upper()}" in function.names or re.search(mention, function.text) is not None


def _effect_statement(kind: EffectKind) -> str:
    text = Words()(f"warehouse51.effect.{kind.name}", amount="n")
    return f"{text[0].upper()}{text[1:]} ({kind.timing.replace('_', ' ')}, {kind.alignment})."


def _effect_source(kind: EffectKind) -> str:
    """The built-in relics that have it, with the source of that."""
    having = [relic for relic in load_relic_set("reconstruction-1").relics if relic.effect == kind.name]
    relics = "; ".join(f"{relic.name['en']}: {relic.source('effect')}" for relic in having)
    return relics or "for relic files; no relic of `reconstruction-1` has it"


def _unknown_citations() -> list[str]:
    rules = [rule for data in _data().values() for rule in data["rules"]]
    letters = {rule[0] for rule in rules}
    sentences = []
    for test in _all_tests():
        game = _game_of(test)
        known = {
            "option": _option_names(game),
            "preset": _preset_names(game),
            "effect": tuple(kind.name for kind in EFFECT_KINDS),
        }
        sentences += [
            f"{test.path}: {test.name} cites {rule}, which is no rule"
            for rule in sorted(test.rules)
            if rule[0] in letters and rule not in rules
        ]
        sentences += [
            f"{test.path}: {test.name} cites {kind} {name}, which does not exist{nearest(name, known[kind])}"
            for kind, name in sorted(test.marks)
            if kind and name not in known[kind]
        ]
    return sentences


# ---- writing


def _game_text(game: str, data: dict[str, Any]) -> str:
    cited = entries(game)
    rules = [entry for entry in cited if entry.kind == "rule"]
    parts = [f"## {data['title']}", "", _overview(rules), ""]
    for letter, title in data["chapters"].items():
        parts += [f"### {title}", "", *(_details(entry) for entry in rules if entry.name.startswith(letter))]
    for kind, title in (("effect", "Relic effects"), ("option", "Options"), ("preset", "Presets")):
        if chosen := [entry for entry in cited if entry.kind == kind]:
            parts += [f"### {title}", "", *map(_details, chosen)]
    return "\n".join(parts)


def _overview(rules: list[CitedEntry]) -> str:
    rows = [(f"[{rule.name}](#{rule.name.lower()})", rule.source) for rule in rules]
    return _tables.table(("rule", "source"), rows)


def _details(entry: CitedEntry) -> str:
    heading = entry.name if entry.kind == "rule" else f"`{entry.name}`"
    lines = [f"#### {heading}", "", entry.statement, "", f"- Source: {entry.source}"]
    if entry.code:
        lines.append(f"- Code: {_by_file(entry.code, 'w51_env/', lambda function: f'`{function.name}`')}")
    paths = sorted({test.path for test in entry.tests})
    links = ", ".join(f"[{path}](../{path})" for path in paths)
    return "\n".join([*lines, f"- Tests: {links}", ""])


def _by_file(cited: Iterable[Function], prefix: str, word: Callable[[Function], str]) -> str:
    """`file: names; file: names`, or how many where there are many."""
    cited = list(cited)
    parts = []
    for path, group in groupby(cited, key=lambda function: function.path):
        inside = list(group)
        names = ", ".join(word(function) for function in inside) if len(cited) <= MAX_NAMES else str(len(inside))
        parts.append(f"[{path.removeprefix(prefix)}](../{path}): {names}")
    return "; ".join(parts)
