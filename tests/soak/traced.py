"""Which test executes which line of the rules, and which test noticed which mutant, kept in a file."""

import hashlib
import json
import os
import sys
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import coverage
import pytest

from tests.soak.forks import Forks
from tests.soak.mutants import PACKAGES, Mutant, mutants
from tests.soak.record import ROOT, ProofError
from w51_agents.system.files import write_json

_WEIGHT_OF_FUNCTION = 20


@dataclass
class Known:
    """What is known about the tests.

    Attributes:
        files: Of each file of tests, its digest, and the seconds and lines (`file:line`) of its tests.
        killers: The test that noticed a mutant, in an earlier run or in this one.
        seconds: Processor time of each test, traced.
        tests: Tests that execute a line.
    """

    files: dict[str, dict[str, Any]] = field(default_factory=dict)
    killers: dict[str, str] = field(default_factory=dict)
    seconds: dict[str, float] = field(init=False)
    tests: dict[str, set[str]] = field(init=False)

    def __post_init__(self) -> None:
        self.seconds, self.tests = {}, {}
        for entry in self.files.values():
            self.seconds |= entry["seconds"]
            for test, lines in entry["lines"].items():
                for line in lines:
                    self.tests.setdefault(line, set()).add(test)

    def of(self, mutant: Mutant) -> list[str]:
        """Tests that execute the changed line.

        Those that notice most mutants in a second are first, those of this function above all.
        """
        line = mutant.line
        while f"{mutant.path}:{line}" not in self.tests and line > mutant.first_line:
            line -= 1  # a line that Python executes as part of an earlier one
        function = f"{mutant.path}: {mutant.place[0]}:"
        weights = Counter(self.killers.values())
        for name, test in self.killers.items():
            weights[test] += _WEIGHT_OF_FUNCTION * name.startswith(function)
        found = self.tests.get(f"{mutant.path}:{line}", set())
        return sorted(found, key=lambda test: (self.seconds[test] / (1 + weights[test]), test))


def known(cache: Path, items: list[pytest.Item], workers: int) -> Known:
    """What the file holds and is still true: tests whose files or rules have changed are traced again.

    Raises:
        ProofError: A test fails without any change.
    """
    content = json.loads(cache.read_text("utf-8")) if cache.exists() else {"files": {}, "killers": {}}
    by_file: dict[Path, list[pytest.Item]] = {}
    for item in items:
        by_file.setdefault(item.path, []).append(item)
    helpers = {path for file in by_file for path in file.parent.glob("*.py") if not path.name.startswith("test_")}
    common = _digest([*(ROOT / path for path in {mutant.path for mutant in mutants()}), *helpers])
    old, files = content["files"], {}
    forks = Forks(workers)

    def keep(at_end: bool = False) -> None:
        for name, status, result in forks.ended(at_end):
            if status != 0 or not result:
                raise ProofError(f"{name} fails without any change of a rule")
            files[name] = json.loads(result)
            print(f"mutate: lines of {name}", file=sys.stderr, flush=True)
            write_json({**content, "files": {**old, **files}}, cache)

    for path, tests in by_file.items():
        name, digest = str(path.relative_to(ROOT)), _digest([path]) + common
        if old.get(name, {}).get("digest") == digest:
            files[name] = old[name]
        else:
            forks.begin(name, lambda tests=tests, digest=digest: json.dumps({"digest": digest, **_trace(tests)}))  # type: ignore[misc]
            keep()
    keep(at_end=True)
    same = {name for name, entry in files.items() if old.get(name, {}).get("digest") == entry["digest"]}
    killers = {name: test for name, test in content["killers"].items() if test.partition("::")[0] in same}
    write_json({"files": files, "killers": killers}, cache)
    return Known(files, killers)


def _digest(paths: list[Path]) -> str:
    return hashlib.sha256(b"".join(path.read_bytes() for path in sorted(paths))).hexdigest()[:16]


def _trace(tests: Sequence[pytest.Item]) -> dict[str, Any]:
    """The seconds of each test and the lines of the rules that it executes."""
    tracer = coverage.Coverage(data_file=None, config_file=False, include=[f"{ROOT / part}/*" for part in PACKAGES])
    tracer.set_option("run:disable_warnings", ["no-data-collected"])  # a file of tests that executes no rule
    seconds = {}
    tracer.start()
    for test, following in zip(tests, [*tests[1:], None], strict=True):
        tracer.switch_context(test.nodeid)
        begun = time.process_time()
        test.config.hook.pytest_runtest_protocol(item=test, nextitem=following)
        seconds[test.nodeid] = round(time.process_time() - begun, 4)
    tracer.stop()
    if tests[0].session.testsfailed:
        raise ProofError("a test fails")
    data = tracer.get_data()
    lines: dict[str, list[str]] = {}
    for path in data.measured_files():
        for line, names in data.contexts_by_lineno(path).items():
            for name in filter(None, names):
                lines.setdefault(name, []).append(f"{os.path.relpath(path, ROOT)}:{line}")
    return {"seconds": seconds, "lines": lines}
