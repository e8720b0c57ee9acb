"""Late kernels: compiled when they are called first, kept apart from the code that calls them."""

import shutil
from pathlib import Path

import pytest

from tests.env.compiler.test_compile import COMPILING
from tests.env.engine.scripts import run, run_here
from w51_env.compiler.compile import JIT_DISABLED

pytestmark = pytest.mark.skipif(JIT_DISABLED, reason="without the JIT nothing is compiled")

# An entry with a kernel that is compiled when it is called first: with numbers above 0.
LATE = """
import numpy as np
from w51_env.compiler.compile import entry, late

@late("small")
def double(record, times):
    record.number *= 2
    record.wide += times

@entry("small")
def double_some(numbers):
    for index in range(numbers.shape[0]):
        if numbers[index].number > 0:
            double(numbers[index], index)

numbers = np.array([(-3, 0), (0, 0)], np.dtype([("number", "i1"), ("wide", "i8")], align=True))
double_some(numbers)
print(numbers["number"].tolist(), flush=True)
numbers["number"] = 1, 2
double_some(numbers)
print(numbers.tolist(), end="")
"""

# Numba asks for the type of this name, and finds that somebody pressed Ctrl-C.
INTERRUPTED = """
class Interrupted:
    @property
    def _numba_type_(self):
        raise KeyboardInterrupt

interrupted = Interrupted()
"""
TRIED = """
try:
    double_some(numbers)
except BaseException as error:
    print(type(error).__name__, error)
"""

# Two threads call the kernel first, at the same time.
IN_THREADS = """
import threading, time
from w51_env.compiler import machine_code

obtain, obtained = machine_code.obtain, []

def slowly(name, *arguments):
    time.sleep(0.2)
    obtained.append(name)
    return obtain(name, *arguments)

machine_code.obtain = slowly
numbers["number"] = 1
threads = [threading.Thread(target=double_some, args=[numbers.copy()]) for _ in range(2)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
print(obtained)
"""


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A cache that holds `double_some` alone: its kernel was not called."""
    cache = tmp_path_factory.mktemp("late")
    printed, _ = run_here(LATE.replace("= 1, 2", "= -1, -2"), cache)
    assert printed.splitlines() == ["[-3, 0]", "[(-1, 0), (-2, 0)]"]
    assert [path.name.partition("-")[0] for path in cache.iterdir()] == ["small.double_some"]
    return cache


@pytest.fixture
def cache(filled: Path, tmp_path: Path) -> Path:
    """A copy of this cache."""
    return shutil.copytree(filled, tmp_path / "cache")


def test_a_late_kernel_is_compiled_when_it_is_called_first_and_kept(cache: Path):
    printed, logged = run_here(LATE, cache)
    assert printed.splitlines() == ["[-3, 0]", "[(2, 0), (4, 1)]"]
    assert COMPILING in logged
    assert run(LATE, W51_ENV_CACHE=str(cache)) == (printed, "")  # another process, without Numba
    printed, logged = run_here(LATE.replace("*= 2", "*= 3"), cache)
    assert printed.splitlines() == ["[-3, 0]", "[(3, 0), (6, 1)]"]
    names = sorted(path.name.partition("-")[0] for path in cache.iterdir())
    assert names == ["small.double", "small.double", "small.double_some"]


def test_a_copy_of_a_module_has_late_kernels_of_its_own(cache: Path):
    printed, _ = run_here(f"__name__ = 'copied'\n{LATE}", cache)
    assert printed == "[-3, 0]\n[(2, 0), (4, 1)]"


@pytest.mark.parametrize("mistake", ["nothing_of_this_name", "record.number *= interrupted()"])
def test_a_late_kernel_that_can_not_be_compiled_is_an_error(cache: Path, mistake: str):
    script = f"{INTERRUPTED}{LATE.replace('record.number *= 2', mistake)}"
    script = script.replace("\ndouble_some(numbers)\nprint(numbers.tolist(), end=", f"\n{TRIED}\nprint(end=")
    printed, logged = run_here(script, cache)
    assert printed.splitlines() == ["[-3, 0]", "RuntimeError a kernel could not be compiled, as the log says"]
    assert "double could not be compiled" in logged
    assert ("KeyboardInterrupt" in logged) == ("interrupted" in mistake)


def test_a_late_kernel_that_two_threads_call_first_is_loaded_once(cache: Path):
    """A second one would replace code that runs."""
    run_here(LATE, cache)
    before, _ = LATE.split('numbers["number"] = 1, 2')
    printed, _ = run(before + IN_THREADS, W51_ENV_CACHE=str(cache))  # a process of its own, which may crash
    assert printed.splitlines() == ["[-3, 0]", "['small.double']"]
