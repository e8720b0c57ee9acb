"""Mutation of the rules: each condition, number, operator and statement is changed once, and the tests must fail.

Python executes the rules (NUMBA_DISABLE_JIT=1), so a change needs no compilation. A map of which test executes which
line is made once. For each mutant a fork of a process that has imported the libraries imports the changed module and
runs the tests of the line, the quickest first, until one fails.
"""

import ast
import contextlib
import importlib.abc
import importlib.machinery
import importlib.util
import io
import json
import os
import random
import signal
import sys
import time
import tomllib
from collections import Counter
from collections.abc import Iterator, Sequence
from copy import deepcopy
from dataclasses import dataclass
from pathlib import Path
from types import CodeType
from typing import Any

import coverage
import pytest

from tests.soak.record import ROOT, Budget, ProofError

PACKAGES = ("w51_env/warehouse51", "w51_env/alles_futsch")
NO_RULES = {"bots", "behaviour_kernels"}  #  modules whose kernels are no rules
TESTS = (
    "tests/warehouse51", "tests/alles_futsch", "tests/properties/test_scoring.py", "tests/properties/test_masks.py",
    "tests/properties/test_invariants.py", "tests/properties/test_resample.py",
)  # fmt: skip
EXPLAINED = Path(__file__).with_name("survivors.toml")
SLOWEST = 20.0  #  seconds of a test that is used
_PATIENCE = 60  #  seconds of a mutant's tests, beyond three times their usual time

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
    """

    path: str
    line: int
    what: str
    place: tuple[str, int, int]

    @property
    def name(self) -> str:
        """For people, and for `survivors.toml`; lines move, so a mutant is named by its function and change."""
        return f"{self.path}: {self.what}"

    def tree(self) -> ast.Module:
        """The changed module."""
        tree = ast.parse((ROOT / self.path).read_text("utf-8"))
        name, position, number = self.place
        function = next(part for part in tree.body if isinstance(part, ast.FunctionDef) and part.name == name)
        target = list(_nodes(function))[position]
        _replace(function, target, list(_changes(target))[number][1])
        return ast.fix_missing_locations(tree)


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
        if isinstance(function, ast.FunctionDef) and any(
            ast.unparse(mark) == "kernel" for mark in function.decorator_list
        ):
            known: Counter[str] = Counter()
            for position, node in enumerate(_nodes(function)):
                for number, (what, _) in enumerate(_changes(node)):
                    known[what] += 1
                    again = f" ({known[what]})" if known[what] > 1 else ""
                    yield Mutant(
                        name, node.lineno, f"{function.name}: {what}{again}", (function.name, position, number)
                    )


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


# ---- which test executes which line


@dataclass(frozen=True)
class LineMap:
    """Attributes: seconds: of each test, by its id; tests: the tests that execute a line, by file and line."""

    seconds: dict[str, float]
    tests: dict[str, list[str]]


class _Tracer:
    """A pytest plugin: the time of each test and the lines of the rules that it executes, by coverage.py."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}
        self._coverage = coverage.Coverage(
            data_file=None, config_file=False, include=[str(ROOT / package / "*") for package in PACKAGES]
        )
        self._coverage.start()

    @pytest.hookimpl(hookwrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Iterator[None]:
        self._coverage.switch_context(item.nodeid)
        begun = time.perf_counter()
        yield
        self.seconds[item.nodeid] = time.perf_counter() - begun

    def tests(self) -> dict[str, list[str]]:
        """The tests that execute a line, by file and line."""
        self._coverage.stop()
        data = self._coverage.get_data()
        found = {}
        for path in data.measured_files():
            for line, names in data.contexts_by_lineno(path).items():
                found[f"{os.path.relpath(path, ROOT)}:{line}"] = sorted(filter(None, names))
        return found


def line_map(path: Path, tests: Sequence[str] = TESTS) -> LineMap:
    """Run the tests once, traced, in a fork; kept in a file.

    Raises:
        ProofError: A test fails without any change.
    """
    if not path.exists():
        status = _in_fork(lambda: _trace(path, tests), patience=None)
        if status != 0:
            raise ProofError(f"the tests fail without any change; see {path.with_suffix('.txt')}")
    return LineMap(**json.loads(path.read_text("utf-8")))


def _trace(path: Path, tests: Sequence[str]) -> int:
    tracer = _Tracer()
    output = io.StringIO()
    with contextlib.redirect_stdout(output):
        status = pytest.main(["-q", "-p", "no:cacheprovider", *tests], plugins=[tracer])
    path.with_suffix(".txt").write_text(output.getvalue(), "utf-8")
    if status == 0:
        path.write_text(json.dumps({"seconds": tracer.seconds, "tests": tracer.tests()}), "utf-8")
    return int(status)


# ---- one mutant


class _Loader(importlib.abc.MetaPathFinder, importlib.machinery.SourceFileLoader):  # type: ignore[misc]
    """Loads one module from a changed tree."""

    def __init__(self, mutant: Mutant):
        super().__init__(mutant.path.removesuffix(".py").replace("/", "."), str(ROOT / mutant.path))
        self._tree = mutant.tree()

    def find_spec(self, fullname: str, path: Any = None, target: Any = None) -> Any:
        return (
            importlib.util.spec_from_file_location(fullname, self.path, loader=self) if fullname == self.name else None
        )

    def get_code(self, fullname: str) -> CodeType:
        return compile(self._tree, self.path, "exec")


def is_noticed(mutant: Mutant, lines: LineMap, most_seconds: float) -> bool:
    """Whether a test fails with the change. No test at all executes a line: not noticed."""
    tests = sorted(lines.tests.get(f"{mutant.path}:{mutant.line}", []), key=lines.seconds.__getitem__)
    tests = [test for test in tests if lines.seconds[test] <= SLOWEST]
    if not tests:
        return False
    usual = 0.0
    chosen = []
    for test in tests:  # the tracing makes tests several times slower, so this is on the safe side
        if usual + lines.seconds[test] > most_seconds:
            break
        usual += lines.seconds[test]
        chosen.append(test)
    return _in_fork(lambda: _run(mutant, chosen or tests[:1]), patience=3 * usual + _PATIENCE) != 0


def _run(mutant: Mutant, tests: list[str]) -> int:
    sys.meta_path.insert(0, _Loader(mutant))
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        return int(pytest.main(["-x", "-q", "--no-header", "-p", "no:cacheprovider", *tests]))


def _in_fork(work: Any, patience: float | None) -> int:
    """Exit status of `work` in a fork; 1 if it did not end in time, as a change may make a rule endless."""
    child = os.fork()
    if child == 0:
        status = 1
        try:
            if patience is not None:
                signal.alarm(int(patience))
            status = work()
        finally:
            os._exit(status)
    _, code = os.waitpid(child, 0)
    return abs(os.waitstatus_to_exitcode(code))


def mutate(
    number: int | None, minutes: float | None, seed: int, most_seconds: float, cache: Path, chosen: str = ""
) -> dict[str, Any]:
    """Try mutants in random order until the time is up.

    Args:
        number: How many; None: all.
        minutes: Time limit.
        seed: Order of the mutants.
        most_seconds: Time of the tests for one mutant, as traced.
        cache: File of the map of lines.
        chosen: Only mutants whose name contains this.

    Returns:
        Counts, the survivors, and the rate of mutants that are noticed, without those that are explained.
    """
    if not os.environ.get("NUMBA_DISABLE_JIT"):
        raise ProofError("NUMBA_DISABLE_JIT=1 is needed")
    lines = line_map(cache)
    explained = tomllib.loads(EXPLAINED.read_text("utf-8")) if EXPLAINED.exists() else {}
    everything = [mutant for mutant in mutants() if chosen in mutant.name]
    random.Random(seed).shuffle(everything)
    counts: Counter[str] = Counter()
    survivors = []
    with Budget("mutate", minutes, min(number or len(everything), len(everything)), "mutants") as budget:
        for mutant in everything:
            if budget.over:
                break
            if mutant.name in explained:
                counts["explained"] += 1
            elif is_noticed(mutant, lines, most_seconds):
                counts["noticed"] += 1
            else:
                counts["survived"] += 1
                survivors.append(f"{mutant.name} (line {mutant.line})")
                print(f"survived: {survivors[-1]}", file=sys.stderr, flush=True)
            budget.advance(1)
    tried = counts["noticed"] + counts["survived"]
    rate = counts["noticed"] / tried if tried else 1.0
    return {"possible": len(everything), **counts, "rate": round(rate, 4), "survivors": sorted(survivors)}
