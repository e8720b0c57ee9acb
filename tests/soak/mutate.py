"""Mutation of the rules: each condition, number, operator and statement is changed once, and the tests must fail.

Python executes the rules (NUMBA_DISABLE_JIT=1), so a change needs no compilation: one process collects all tests, and
for each mutant a fork of it replaces the code of one function and runs the tests that execute the changed line, until
one fails. Which test executes which line, and which test noticed which mutant, is kept in a file: a later run goes on
from there. What a changed test found, or all of it after a change of a rule, is found again.
"""

import os
import random
import signal
import sys
import tomllib
from collections import Counter
from collections.abc import Callable, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from scipy import stats  # type: ignore[import-untyped]

from tests.soak.forks import Forks
from tests.soak.mutants import Mutant, mutants
from tests.soak.record import ROOT, Budget, ProofError
from tests.soak.traced import known
from w51_agents.system.files import write_json

TESTS = (
    "tests/env/warehouse51", "tests/env/alles_futsch", "tests/env/properties/test_few_games.py",
    "tests/env/properties/test_visibility.py", "tests/env/playthroughs/test_playthroughs.py",
)  # fmt: skip
CACHE = ROOT / "runs" / "mutate.json"
EXPLAINED = Path(__file__).with_name("survivors.toml")
_TIMES_LONGER = 4  #  than usual, and some seconds more: then a change has made a rule endless
_SECONDS_MORE = 4


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
        usual = _TIMES_LONGER * seconds[test.nodeid] + _SECONDS_MORE
        signal.setitimer(signal.ITIMER_PROF, usual)
        signal.alarm(int(20 * usual))  # it sleeps, or the machine is busy
        test.config.hook.pytest_runtest_protocol(item=test, nextitem=following)
        if session.testsfailed:
            return test.nodeid
    return None


def killer(mutant: Mutant, tests: list[pytest.Item], seconds: dict[str, float]) -> str | None:
    """The first test that fails with the change. To be called in a fork."""
    module, name = mutant.function
    getattr(import_module(module), name).__code__ = mutant.code()
    return first_failure(tests, seconds)


def mutate(
    number: int | None,
    minutes: float | None,
    seed: int,
    cache: Path = CACHE,
    chosen: str = "",
    workers: int = 1,
    tests: Sequence[str] = TESTS,
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

    Returns:
        Counts, the survivors, and the rate of mutants that are noticed, without those that are explained, with its
        95 % interval (Wilson) if not all were tried.
    """
    if not os.environ.get("NUMBA_DISABLE_JIT"):
        raise ProofError("NUMBA_DISABLE_JIT=1 is needed")
    cache.parent.mkdir(parents=True, exist_ok=True)
    found: dict[str, Any] = {}

    def work(items: list[pytest.Item]) -> None:
        found.update(_mutate(items, number, minutes, seed, cache, chosen, workers))

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
    budget = Budget("mutate", minutes, len(wanted), "mutants")

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
        chosen_tests = [by_name[name] for name in facts.of(mutant)]
        if mutant.name in explained or mutant.name in facts.killers:
            counts["explained" if mutant.name in explained else "noticed"] += 1
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
    rate = {"rate": round(noticed / tried, 4) if tried else 1.0}
    if tried >= possible or not tried:
        return rate
    interval = stats.binomtest(noticed, tried).proportion_ci(method="wilson")
    return {**rate, "interval": [round(float(end), 4) for end in interval]}
