"""Mutation of the rules: each condition, number, operator and statement is changed once, and the tests must fail.

Python executes the rules (NUMBA_DISABLE_JIT=1), so a change needs no compilation: one process collects all tests, and
for each mutant a fork of it replaces the code of one function and runs the tests that execute the changed line, until
one fails. Which test executes which line, and which test noticed a mutant the last time, is kept in a file.
"""

import hashlib
import itertools
import json
import math
import os
import random
import signal
import sys
import tempfile
import time
import tomllib
import traceback
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from typing import IO, Any

import coverage
import numpy as np
import pytest

from tests.soak.mutants import PACKAGES, Mutant, mutants
from tests.soak.record import ROOT, Budget, ProofError
from w51_env.agents.files import write_json

TESTS = (
    "tests/warehouse51", "tests/alles_futsch", "tests/properties/test_few_games.py",
    "tests/properties/test_visibility.py", "tests/playthroughs/test_playthroughs.py",
)  # fmt: skip
EXPLAINED = Path(__file__).with_name("survivors.toml")
SLOWEST = 4.0  #  seconds of a test that is used
_TIMES_LONGER = 4  #  than usual, and some seconds more: then a change has made a rule endless
_SECONDS_MORE = 4
_WEIGHT_OF_FUNCTION = 20
_BROKEN = 70  #  exit status of a fork whose work raised an error


def quick_records() -> None:
    """Make fields of numpy records several times as fast in Python; half of the time of all tests goes there."""
    slowly, item = np.record.__getattribute__, np.void.__getitem__

    def get(record: np.record, name: str) -> Any:
        try:
            found = item(record, name)
        except (ValueError, IndexError):  # no field
            return slowly(record, name)
        return slowly(record, name) if type(found) is np.void else found

    np.record.__getattribute__ = get  # type: ignore[method-assign, assignment]


class _Loop:
    """A pytest plugin: does something else with the collected tests than running them all once.

    Args:
        work: Called with the collected tests.
    """

    def __init__(self, work: Callable[[list[pytest.Item]], None]):
        self._work = work
        self.error: BaseException | None = None

    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        from hypothesis.internal.conjecture import engine

        engine.MAX_SHRINKING_SECONDS = 0  # a failure is enough
        session.config.option.tbstyle = "native"  # nobody reads it, and this style is made the quickest
        try:
            self._work(session.items)
        except BaseException as error:  # noqa: BLE001 - pytest would print it as an error of its own
            self.error = error
        return True


def with_tests(tests: Sequence[str], work: Callable[[list[pytest.Item]], None]) -> None:
    """Collect tests and call `work` with them."""
    options = ["-o", "addopts=", "-m", "not slow", "-s", "-p", "no:cacheprovider", "-p", "no:terminal"]
    quick_records()
    loop = _Loop(work)
    status = pytest.main([*options, *(str(ROOT / test) for test in tests)], plugins=[loop])
    if loop.error is not None:
        raise loop.error
    if status != pytest.ExitCode.OK:
        raise ProofError(f"the tests cannot be collected: {status!r}")


def first_failure(tests: Sequence[pytest.Item], seconds: dict[str, float]) -> str | None:
    """Run tests until one fails; its id. A test that takes far more processor time than usual ends the process."""
    session = tests[0].session
    for test, following in zip(tests, [*tests[1:], None], strict=True):
        usual = _TIMES_LONGER * seconds.get(test.nodeid, SLOWEST) + _SECONDS_MORE
        signal.setitimer(signal.ITIMER_PROF, usual)
        signal.alarm(int(20 * usual))  # it sleeps, or the machine is busy
        test.config.hook.pytest_runtest_protocol(item=test, nextitem=following)
        if session.testsfailed:
            return test.nodeid
    return None


# ---- forks


class Forks:
    """Works in forks of this process, some at a time. The output of a fork goes nowhere.

    Args:
        most: How many at a time.
    """

    def __init__(self, most: int):
        self._most = most
        self._running: dict[int, tuple[Any, IO[bytes]]] = {}

    def begin(self, key: Any, work: Callable[[], str | None]) -> None:
        """Call `work` in a fork."""
        result = tempfile.TemporaryFile()  # noqa: SIM115 - the parent reads it when the fork has ended
        child = os.fork()
        if child == 0:
            status = _BROKEN
            try:
                nowhere = os.open(os.devnull, os.O_RDWR)
                for number in (1, 2):
                    os.dup2(nowhere, number)
                found = work()
                result.write((found or "").encode())
                status = 0
            except BaseException:  # noqa: BLE001 - shown by the parent
                result.write(traceback.format_exc().encode())
            finally:
                result.flush()
                os._exit(status)
        self._running[child] = key, result

    def ended(self, at_end: bool = False) -> Iterator[tuple[Any, int, str]]:
        """The works that have to end before another can begin: key, exit status, result. At the end: all.

        Raises:
            ProofError: A work raised an error, which is no failing test.
        """
        while self._running and (at_end or len(self._running) >= self._most):
            child, code = os.waitpid(-1, 0)
            key, result = self._running.pop(child)
            with result:
                result.seek(0)
                text, status = result.read().decode(), os.waitstatus_to_exitcode(code)
            if status == _BROKEN:
                raise ProofError(f"{key}: {text}")
            yield key, status, text


# ---- which test executes which line


@dataclass
class Known:
    """What is known about the tests.

    Attributes:
        files: Of each file of tests, its digest, and the seconds and lines (`file:line`) of its tests.
        killers: The test that noticed a mutant the last time.
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

    def of(self, mutant: Mutant, most_seconds: float) -> list[str]:
        """Tests that execute the changed line, which take so long together.

        The one that noticed the mutant before is first, then those that notice most in a second, in this function above
        all.
        """
        line = mutant.line
        while f"{mutant.path}:{line}" not in self.tests and line > mutant.first_line:
            line -= 1  # a line that Python executes as part of an earlier one
        function = f"{mutant.path}: {mutant.place[0]}:"
        weights = Counter(self.killers.values())
        for name, test in self.killers.items():
            weights[test] += _WEIGHT_OF_FUNCTION * name.startswith(function)
        before = self.killers.get(mutant.name)
        found = self.tests.get(f"{mutant.path}:{line}", set())
        order = sorted(found, key=lambda test: (test != before, self.seconds[test] / (1 + weights[test]), test))
        order = [test for test in order if self.seconds[test] <= SLOWEST]
        until = itertools.accumulate(self.seconds[test] for test in order)
        return [test for test, seconds in zip(order, until, strict=True) if seconds <= most_seconds] or order[:1]


def known(cache: Path, items: list[pytest.Item], workers: int) -> Known:
    """What the file holds, after the tests whose files or rules have changed were traced again.

    Raises:
        ProofError: A test fails without any change.
    """
    content = json.loads(cache.read_text("utf-8")) if cache.exists() else {"files": {}, "killers": {}}
    by_file: dict[Path, list[pytest.Item]] = {}
    for item in items:
        by_file.setdefault(item.path, []).append(item)
    common = _digest(
        [ROOT / path for path in {mutant.path for mutant in mutants()}]
        + [path for test in TESTS for path in (ROOT / test).glob("*.py") if path not in by_file]
    )
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
    write_json({**content, "files": files}, cache)
    return Known(files, content["killers"])


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


# ---- mutants


def killer(mutant: Mutant, tests: list[pytest.Item], seconds: dict[str, float]) -> str | None:
    """The first test that fails with the change. To be called in a fork."""
    module, name = mutant.function
    getattr(import_module(module), name).__code__ = mutant.code()
    return first_failure(tests, seconds)


def mutate(
    number: int | None,
    minutes: float | None,
    seed: int,
    cache: Path,
    chosen: str = "",
    workers: int = 1,
    tests: Sequence[str] = TESTS,
    most_seconds: float = 60.0,
) -> dict[str, Any]:
    """Try mutants in random order until the time is up.

    Args:
        number: How many; None: all.
        minutes: Time limit.
        seed: Order of the mutants.
        cache: File of what is known about the tests.
        chosen: Only mutants whose name contains this.
        workers: Mutants at a time.
        tests: Files or folders of tests.
        most_seconds: Processor time of the tests of one mutant, as traced.

    Returns:
        Counts, the survivors, and the rate of mutants that are noticed, without those that are explained, with its
        95 % interval (Wilson) if not all were tried.
    """
    if not os.environ.get("NUMBA_DISABLE_JIT"):
        raise ProofError("NUMBA_DISABLE_JIT=1 is needed")
    found: dict[str, Any] = {}

    def work(items: list[pytest.Item]) -> None:
        found.update(_mutate(items, number, minutes, seed, cache, chosen, workers, most_seconds))

    with_tests(tests, work)
    return found


def _mutate(
    items: list[pytest.Item],
    number: int | None,
    minutes: float | None,
    seed: int,
    cache: Path,
    chosen: str,
    workers: int,
    most_seconds: float,
) -> dict[str, Any]:
    facts = known(cache, items, workers)
    by_name = {item.nodeid: item for item in items}
    explained = tomllib.loads(EXPLAINED.read_text("utf-8"))
    everything = [mutant for mutant in mutants() if chosen in mutant.name]
    random.Random(seed).shuffle(everything)
    wanted = everything[: number or len(everything)]
    counts: Counter[str] = Counter()
    survivors: list[str] = []
    forks = Forks(workers)
    with Budget("mutate", minutes, len(wanted), "mutants") as budget:

        def count(at_end: bool = False) -> None:
            for mutant, status, test in forks.ended(at_end):
                if test:
                    facts.killers[mutant.name] = test
                if test or status != 0:  # a change that ends or stops the process is noticed too
                    counts["noticed"] += 1
                else:
                    survivors.append(_survived(mutant))
                budget.advance(1)
                if budget.done % 50 == 0:
                    write_json({"files": facts.files, "killers": facts.killers}, cache)

        for mutant in wanted:
            if budget.over:
                break
            chosen_tests = [by_name[name] for name in facts.of(mutant, most_seconds)]
            if mutant.name in explained:
                counts["explained"] += 1
                budget.advance(1)
            elif not chosen_tests:
                survivors.append(_survived(mutant))
                budget.advance(1)
            else:
                forks.begin(mutant, lambda mutant=mutant, tests=chosen_tests: killer(mutant, tests, facts.seconds))  # type: ignore[misc]
                count()
        count(at_end=True)
    write_json({"files": facts.files, "killers": facts.killers}, cache)
    return {
        "possible": len(everything),
        **counts,
        "survived": len(survivors),
        **_rate(counts["noticed"], len(survivors), len(everything) - counts["explained"]),
        "survivors": sorted(survivors),
    }


def _survived(mutant: Mutant) -> str:
    text = f"{mutant.name} (line {mutant.line})"
    print(f"survived: {text}", file=sys.stderr, flush=True)
    return text


def _rate(noticed: int, survived: int, possible: int) -> dict[str, Any]:
    tried = noticed + survived
    if not tried:
        return {"rate": 1.0}
    rate, z = noticed / tried, 1.96
    if tried >= possible:
        return {"rate": round(rate, 4)}
    middle = rate + z * z / (2 * tried)
    half = z * math.sqrt(rate * (1 - rate) / tried + z * z / (4 * tried * tried))
    scale = 1 + z * z / tried
    return {"rate": round(rate, 4), "interval": [round((middle - half) / scale, 4), round((middle + half) / scale, 4)]}
