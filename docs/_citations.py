"""Citations of rules, effect kinds, options and presets in the functions of the code and of the tests.

A test cites on the line of its `def`, in a comment: `# T5, T9`, `# effect: bid_cap`, `# option: pawn_limit`,
`# preset: hu`. Code cites rules in docstrings and comments, ranges too: `S1 to S5`.
"""

import ast
import io
import re
import tokenize
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache, cached_property
from pathlib import Path

RULE = re.compile(r"\b([A-Z])([1-9])(?: to ([A-Z])([1-9]))?\b")
MARK = re.compile(r"(?:(effect|option|preset): )?(\w+)")


@dataclass(frozen=True)
class Function:
    """A function or class of the code.

    Attributes:
        path: File, relative to the repository.
        name: Name, without the enclosing function or class.
        text: Docstring and comments.
        names: Variables that it reads, and attributes as `rules.pawn_limit`.
    """

    path: str
    name: str
    text: str
    names: frozenset[str]

    @cached_property
    def rules(self) -> frozenset[str]:
        """Ids of the cited rules."""
        return frozenset(_rule_ids(self.text))


@dataclass(frozen=True)
class Test:
    """A test function and the citations in the comment on its `def` line.

    Attributes:
        path: File, relative to the repository.
        name: Name of the function.
        rules: Ids of the cited rules.
        marks: Cited (kind, name), as ("effect", "bid_cap"); the kind is "" where the comment has none.
    """

    path: str
    name: str
    rules: frozenset[str] = field(default_factory=frozenset)
    marks: frozenset[tuple[str, str]] = field(default_factory=frozenset)


def _rule_ids(text: str) -> Iterator[str]:
    """Every rule id in a text; `S1 to S3` is S1, S2, S3."""
    for letter, first, last_letter, last in RULE.findall(text):
        yield letter + first
        if last_letter == letter:
            yield from (f"{letter}{number}" for number in range(int(first) + 1, int(last) + 1))
        elif last_letter:
            yield last_letter + last


def all_functions(root: Path, folder: str) -> list[Function]:
    """All functions and classes of the Python files of a folder."""
    return [function for path in sorted((root / folder).rglob("*.py")) for function in _functions_of(root, path)]


def all_tests(root: Path, folder: str = "tests") -> list[Test]:
    """All test functions of a folder."""
    return [test for path in sorted((root / folder).rglob("test_*.py")) for test in _tests_of(root, path)]


@cache
def _functions_of(root: Path, path: Path) -> tuple[Function, ...]:
    source = path.read_text("utf-8")
    nodes = [node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.FunctionDef | ast.ClassDef)]
    comments = _comments(source)
    texts = {node: ast.get_docstring(node) or "" for node in nodes}
    for line, comment in comments.items():
        around = [node for node in nodes if node.lineno <= line <= (node.end_lineno or node.lineno)]
        if around:
            texts[max(around, key=lambda node: node.lineno)] += "\n" + comment
    return tuple(Function(str(path.relative_to(root)), node.name, texts[node], _names(node)) for node in nodes)


def _names(function: ast.FunctionDef | ast.ClassDef) -> frozenset[str]:
    """Names read in the body, without those of functions inside it."""
    names = set()
    waiting: list[ast.AST] = list(function.body)
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            if isinstance(function, ast.FunctionDef):
                continue
        elif isinstance(node, ast.Name):
            names.add(node.id)
        elif isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            names.add(f"{node.value.id}.{node.attr}")
        waiting += ast.iter_child_nodes(node)
    return frozenset(names)


def _comments(source: str) -> dict[int, str]:
    """Comments by line number, without `#`."""
    if "#" not in source:
        return {}
    tokens = tokenize.generate_tokens(io.StringIO(source).readline)
    return {token.start[0]: token.string.lstrip("# ") for token in tokens if token.type == tokenize.COMMENT}


@cache
def _tests_of(root: Path, path: Path) -> tuple[Test, ...]:
    source = path.read_text("utf-8")
    lines, module = source.splitlines(), ast.parse(source)
    tests = []
    for node in [node for block in (module, *module.body) for node in getattr(block, "body", ())]:
        if isinstance(node, ast.FunctionDef) and node.name.startswith("test_"):
            head = lines[node.lineno - 1 : max(node.lineno, node.body[0].lineno - 1)]
            rules, marks = _cited(", ".join(_comments("\n".join(head)).values()))
            tests.append(Test(str(path.relative_to(root)), node.name, rules, marks))
    return tuple(sorted(tests, key=lambda test: test.name))


def _cited(comment: str) -> tuple[frozenset[str], frozenset[tuple[str, str]]]:
    """Rule ids and (kind, name) of a comment; commas separate its items."""
    items = [item.strip() for item in comment.split(",")]
    rules = {rule for item in items if RULE.fullmatch(item) for rule in _rule_ids(item)}
    marks = {match.groups(default="") for item in items if not RULE.fullmatch(item) and (match := MARK.fullmatch(item))}
    return frozenset(rules), frozenset((str(kind), str(name)) for kind, name in marks)
