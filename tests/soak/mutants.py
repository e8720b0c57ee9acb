"""Mutants: the rules with one comparison, operator, number, condition or statement changed."""

import ast
from collections import Counter
from collections.abc import Iterator
from copy import deepcopy
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from types import CodeType
from typing import Any

from tests.soak.record import ROOT

PACKAGES = ("w51_env/warehouse51", "w51_env/alles_futsch")
# Modules and kernels that are no rules: `read_amount` is for bots, `validity` is a check of what callers give.
NO_RULES = {"bots", "behaviour_kernels", "read_amount", "validity"}

_COMPARISONS = {
    ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq, ast.NotEq: ast.Eq,
    ast.In: ast.NotIn, ast.NotIn: ast.In,
}  # fmt: skip
_OPERATORS = {ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.FloorDiv, ast.FloorDiv: ast.Mult, ast.Mod: ast.Add}
_CALLS = {"min": "max", "max": "min"}
_STATEMENTS = (ast.Assign, ast.AugAssign, ast.Break, ast.Continue)


@dataclass(frozen=True)
class Mutant:
    """A module with one change.

    Attributes:
        path: File of the module, from the root.
        line: Line of the change.
        what: The change, as text.
        place: Name of the function, position of the changed node in it, number of the change of this node.
        first_line: Line of the function.
    """

    path: str
    line: int
    what: str
    place: tuple[str, int, int]
    first_line: int

    @property
    def name(self) -> str:
        """For people, and for `survivors.toml`; lines move, so a mutant is named by its function and change."""
        return f"{self.path}: {self.what}"

    @property
    def function(self) -> tuple[str, str]:
        """Module and name of the changed function."""
        return self.path.removesuffix(".py").replace("/", "."), self.place[0]

    def tree(self) -> ast.FunctionDef:
        """The changed function, without decorators."""
        name, position, number = self.place
        tree = ast.parse((ROOT / self.path).read_text("utf-8"))
        function = next(part for part in tree.body if isinstance(part, ast.FunctionDef) and part.name == name)
        target = list(_nodes(function))[position]
        _replace(function, target, list(_changes(target))[number][1])
        function.decorator_list = []
        return ast.fix_missing_locations(function)

    def code(self) -> CodeType:
        """The changed function, compiled."""
        names = dict(vars(import_module(self.function[0])))
        exec(compile(ast.Module([self.tree()], []), str(ROOT / self.path), "exec"), names)
        code: CodeType = names[self.place[0]].__code__
        return code


def mutants() -> list[Mutant]:
    """All mutants of the kernels of both games."""
    found = []
    for package in PACKAGES:
        for path in sorted((ROOT / package).glob("*.py")):
            if path.stem not in NO_RULES:
                found += list(_mutants_of(path))
    return found


def _mutants_of(path: Path) -> Iterator[Mutant]:
    name = str(path.relative_to(ROOT))
    for function in ast.parse(path.read_text("utf-8")).body:
        if not isinstance(function, ast.FunctionDef) or function.name in NO_RULES:
            continue
        if any(ast.unparse(mark).partition("(")[0] in ("kernel", "late") for mark in function.decorator_list):
            known: Counter[str] = Counter()
            for position, node in enumerate(_nodes(function)):
                for number, (what, _) in enumerate(_changes(node)):
                    known[what] += 1
                    again = f" ({known[what]})" if known[what] > 1 else ""
                    text = f"{function.name}: {what}{again}"
                    yield Mutant(name, node.lineno, text, (function.name, position, number), function.lineno)


def _nodes(function: ast.FunctionDef) -> Iterator[Any]:
    """Statements and expressions of a function, without its docstring and decorators."""
    body = function.body[1:] if ast.get_docstring(function) else function.body
    for statement in body:
        yield from (node for node in ast.walk(statement) if isinstance(node, ast.stmt | ast.expr))


def _changes(node: ast.AST) -> Iterator[tuple[str, ast.AST]]:
    """Changes of one node: a text and the new node each."""
    text = ast.unparse(node).split("\n")[0]
    new: Any
    if isinstance(node, ast.Compare) and type(node.ops[0]) in _COMPARISONS:
        new = deepcopy(node)
        new.ops[0] = _COMPARISONS[type(node.ops[0])]()
        yield f"{text} -> {ast.unparse(new)}", new
    elif isinstance(node, ast.BoolOp):
        new = deepcopy(node)
        new.op = ast.Or() if isinstance(node.op, ast.And) else ast.And()
        yield f"{text} -> {ast.unparse(new)}", new
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        yield f"{text} -> {ast.unparse(node.operand)}", node.operand
    elif isinstance(node, ast.BinOp) and type(node.op) in _OPERATORS:
        new = deepcopy(node)
        new.op = _OPERATORS[type(node.op)]()
        yield f"{text} -> {ast.unparse(new)}", new
    elif isinstance(node, ast.Call) and getattr(node.func, "id", "") in _CALLS:
        new = deepcopy(node)
        new.func.id = _CALLS[new.func.id]
        yield f"{text} -> {ast.unparse(new)}", new
    elif isinstance(node, ast.Constant) and type(node.value) is int:
        yield f"{text} -> {node.value + 1}", ast.Constant(node.value + 1)
    elif isinstance(node, ast.Constant) and type(node.value) is bool:
        yield f"{text} -> {not node.value}", ast.Constant(not node.value)
    elif isinstance(node, _STATEMENTS) or (isinstance(node, ast.Expr) and isinstance(node.value, ast.Call)):
        yield f"without {text}", ast.Pass()


def _replace(function: ast.AST, target: ast.AST, replacement: ast.AST) -> None:
    for parent in ast.walk(function):
        for name, value in ast.iter_fields(parent):
            if value is target:
                setattr(parent, name, replacement)
                return
            if isinstance(value, list):
                for index, item in enumerate(value):
                    if item is target:
                        value[index] = replacement
                        return
    raise ValueError("the node is not in the function")
