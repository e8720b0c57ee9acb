"""Texts from outside take time in proportion to their length: every regular expression, and every reader of text."""

import ast
import importlib
import pkgutil
import re
import time
from collections.abc import Callable, Iterator
from re import _constants, _parser  # type: ignore[attr-defined]

import pytest

import w51_agents
import w51_env
import w51_lab
from tests.commands import ROOT
from w51_agents.language.answers import AnswerError, AnswerReader
from w51_agents.system import secrets
from w51_env.engine.batch import Batch
from w51_env.engine.errors import nearest
from w51_env.engine.registry import make_game

PACKAGES = [w51_env, w51_agents, w51_lab]
LETTERS = (" ", "\n", *"aA50.-_,</:\"'\\[{(*é人")
NOT_FROM_OUTSIDE = {  # texts of this package; or searched from one place alone, as `match` and `fullmatch` do
    r"(.+) (\d+)",
    r",(?![^\[{]*[\]}])",
    r"([^=:,/\\]*)=(.+)",
    r"[\w.]+:",
    r"(.*?)(\d[\d.,]*)",
    r"[A-Za-z_][\w.]*:[A-Za-z_]\w*,",
    r"(\w+)_(\d+)",
    r"(\d+)\.(\d+)",
    r"\d+$",
    r"<script>(.*?)</script>",
    r"<(/?)[^>]*>",
}
SECONDS = 1.0  # for 100,000 letters; the square of their number would take minutes


def patterns() -> Iterator[re.Pattern[str]]:
    """Every regular expression of the packages: those of modules, and those in calls of `re`."""
    for package in (*PACKAGES, pytest.importorskip("w51_table", reason="needs the extra 'play'")):
        for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
            try:
                values = list(vars(importlib.import_module(module.name)).values())
            except ImportError:  # of an extra that is not installed
                continue
            parts = (part for value in values for part in (value if isinstance(value, tuple) else (value,)))
            yield from (part for part in parts if isinstance(part, re.Pattern) and isinstance(part.pattern, str))
    for folder in ("w51_env", "agents/w51_agents", "lab/w51_lab", "table/w51_table"):
        for path in (ROOT / folder).rglob("*.py"):
            for node in ast.walk(ast.parse(path.read_text("utf-8"))):
                if isinstance(node, ast.Call) and ast.unparse(node.func).startswith("re.") and node.args:
                    first = node.args[0]
                    if isinstance(first, ast.Constant) and isinstance(first.value, str):
                        yield re.compile(first.value)


def literals(tree: object) -> Iterator[str]:
    """The texts that a regular expression names."""
    text = ""
    for operation, value in tree:  # type: ignore[attr-defined]
        if operation is _constants.LITERAL:
            text += chr(value)
            continue
        yield text
        text = ""
        parts = value if isinstance(value, tuple | list) else ()
        for part in parts[1] if operation is _constants.BRANCH else parts:
            if isinstance(part, _parser.SubPattern):
                yield from literals(part)
    yield text


def seconds(read: Callable[[str], object], text: str) -> float:
    begun = time.process_time()
    read(text)
    return time.process_time() - begun


def slow_on(pattern: re.Pattern[str]) -> str:
    """A text for which a search takes too long; empty if none was found."""
    named = sorted(set(filter(None, literals(_parser.parse(pattern.pattern)))), key=len)[-6:]
    for repeated in (*LETTERS, *named):
        for before in ("", *named[:2]):
            for after in ("", ";x"):
                text = before + repeated * (3000 // len(repeated)) + after
                if seconds(lambda text: sum(1 for _ in pattern.finditer(text)), text) > 0.015:
                    return f"{before!r} + {repeated!r} * n + {after!r}"
    return ""


def test_no_regular_expression_takes_the_square_of_the_length_of_a_text():
    tried = {(pattern.pattern, pattern.flags): pattern for pattern in patterns()}
    assert len(tried) > 60
    slow = {text: slow_on(one) for (text, _), one in tried.items() if text not in NOT_FROM_OUTSIDE}
    assert {text: found for text, found in slow.items() if found} == {}


def assert_linear(read: Callable[[str], object], *parts: str, before: str = "") -> None:
    """100,000 letters of each class, and of each part, are read at once."""
    for repeated in (*LETTERS, *parts):
        text = before + repeated * (100_000 // len(repeated)) + "think"
        assert seconds(read, text) < SECONDS, text[:20]


@pytest.fixture(scope="module")
def read_answer() -> Callable[[str], int | None]:
    batch = Batch(make_game("warehouse51_v1"), 1, autoreset="disabled")
    batch.reset()
    reader, legal = AnswerReader(batch.game.actions), batch.view(0, int(batch.seat[0])).actions

    def read(answer: str) -> int | None:
        try:
            return reader.read(answer, legal)
        except AnswerError:
            return None

    return read


@pytest.mark.parametrize("before", ["<action>", "I ", "action:", '{"a":[', '{"action":'])
def test_an_answer_of_a_model_that_degenerates_is_read_at_once(read_answer, before):
    assert_linear(read_answer, "\n\n ", "action\n", "bid_5 or ", before, before=before)


def test_an_answer_of_a_thousand_nested_objects_names_no_action(read_answer):
    assert read_answer('{"action":' * 1400 + '"pass"' + "}" * 1400) is None


def test_secrets_are_looked_for_in_any_text_at_once(monkeypatch):
    monkeypatch.setattr(secrets, "_secrets", {})
    secrets.keep_secret("sk-abcdef-123456")
    secrets.keep_secret("\\x'longer")
    assert_linear(secrets.hidden, "sk-", "%25", "&#0", "\\u", "\\x")
    assert secrets.hidden(r"a \\sk\-abcdef-123456 b") == "a *** b"


def test_a_long_word_is_compared_with_known_ones_at_once():
    assert_linear(lambda text: nearest(text, ("num_players", "a" * 40)), "num_players")
