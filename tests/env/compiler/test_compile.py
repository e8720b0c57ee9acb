"""The cache of compiled code: every change of a rule renews it; a missing, damaged or shared cache costs time only."""

import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.env.engine.scripts import ROOT, finish, in_a_fork, run, run_here, start
from w51_env.compiler.compile import JIT_DISABLED

COMPILING = "w51_env: compiling the rules"

pytestmark = pytest.mark.skipif(JIT_DISABLED, reason="without the JIT nothing is compiled")

# Compiles one small entry, in the same way as the rules, and prints what it gives.
SMALL = """
import numpy as np
from w51_env.compiler.compile import entry, kernel

@kernel
def twice(record):
    return 2 * record.number

@entry("small")
def add_twice(numbers):
    return numbers[0].number + twice(numbers[1])

print(add_twice(np.array([(1,), (0,)], [("number", "i1")])))
"""


def copy_of_the_package(folder: Path) -> Path:
    shutil.copytree(ROOT / "w51_env", folder / "w51_env")
    return folder


@pytest.mark.slow
def test_a_change_of_a_game_in_another_package_is_noticed(tmp_path: Path):
    shutil.copytree(ROOT / "tests" / "env" / "third_game", tmp_path / "my_game")
    script = f"""
import sys; sys.path.insert(0, {str(tmp_path)!r})
import my_game, numpy as np
from w51_env.engine.batch import Batch
batch = Batch(my_game.make(2), 1, seed=0, autoreset="disabled")
batch.reset()
batch.games["worth"] = 9
batch.step(np.array([2])); batch.step(np.array([5]))
print(batch.games["scores"][0, :2].tolist())
"""
    printed, logged = run(script, W51_ENV_CACHE=str(tmp_path / "cache"))
    assert printed == "[0, 4]"
    assert COMPILING in logged
    assert run(script, W51_ENV_CACHE=str(tmp_path / "cache")) == ("[0, 4]", "")
    rules = tmp_path / "my_game" / "__init__.py"
    text = rules.read_text()
    rules.write_text(text.replace("game.worth[winner] - game.bids[winner]", "game.worth[winner]"))
    printed, logged = run(script, W51_ENV_CACHE=str(tmp_path / "cache"))
    assert printed == "[0, 9]"
    assert COMPILING in logged
    rules.write_text(text)
    assert run(script, W51_ENV_CACHE=str(tmp_path / "cache")) == ("[0, 4]", "")  # the first code is still there


def test_processes_that_start_at_once_all_succeed_and_write_nothing_into_the_installed_package(tmp_path: Path):
    package, cache = copy_of_the_package(tmp_path / "installed"), tmp_path / "cache"
    before = sorted(package.rglob("*"))
    for folder in [package, *package.rglob("*/")]:
        folder.chmod(0o555)
    processes = [start(SMALL, package, W51_ENV_CACHE=str(cache)) for _ in range(2)]
    assert [finish(process)[0] for process in processes] == ["1"] * 2
    assert {path.suffix for path in cache.iterdir()} == {".o"}
    assert run(SMALL, package, W51_ENV_CACHE=str(cache)) == ("1", "")  # the third process is silent
    assert sorted(package.rglob("*")) == before
    for folder in [package, *package.rglob("*/")]:
        folder.chmod(0o755)


@pytest.mark.slow
@pytest.mark.parametrize("variable", ["XDG_CACHE_HOME", "HOME", "TMPDIR"])
def test_the_cache_is_in_the_first_folder_that_can_be_written(tmp_path: Path, variable: str):
    nowhere = str(tmp_path / "file" / "folder")
    (tmp_path / "file").write_text("a file, so that no folder can be made in it")
    environment = {
        "W51_ENV_CACHE": nowhere,
        "XDG_CACHE_HOME": nowhere,
        "HOME": nowhere,
        "TMPDIR": nowhere,
        variable: str(tmp_path),
    }
    if variable == "HOME":
        environment["XDG_CACHE_HOME"] = ""
    printed, logged = run(SMALL, **environment)
    assert printed == "1"
    assert f"cached in {tmp_path}" in logged
    assert f", not in {nowhere} (" in logged
    assert list(tmp_path.rglob("*.o"))


@pytest.mark.slow
def test_without_any_writable_folder_the_rules_are_compiled_all_the_same():
    script = f"from w51_env.compiler import cache\ncache._cache_candidates = lambda: []\n{SMALL}"
    printed, logged = run(script)
    assert printed == "1"
    assert "compiled code is cached nowhere" in logged


def halve(path: Path) -> None:
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])


def overwrite(path: Path) -> None:
    path.write_bytes(b"not what was here" * 10)


def replace_by_a_folder(path: Path) -> None:
    path.unlink()
    path.mkdir()


@pytest.fixture(scope="module")
def filled_cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    cache = tmp_path_factory.mktemp("filled")
    assert COMPILING in run_here(SMALL, cache)[1]
    return cache


@pytest.mark.slow
@pytest.mark.parametrize("damage", [halve, Path.unlink, overwrite, replace_by_a_folder])
def test_a_damaged_cache_costs_one_compilation(filled_cache: Path, tmp_path: Path, damage: Callable[[Path], None]):
    cache = tmp_path / "cache"
    shutil.copytree(filled_cache, cache)
    (damaged,) = cache.rglob("*.o")
    damage(damaged)
    printed, logged = run(SMALL, W51_ENV_CACHE=str(cache))
    assert printed == "1"
    assert COMPILING in logged
    if damage is replace_by_a_folder:
        assert "could not be cached" in logged
    else:
        assert run(SMALL, W51_ENV_CACHE=str(cache)) == ("1", "")  # it was repaired


# One kernel, too long to be inlined, and one entry for records of several sizes; prints what it gives for each.
_LONG = "".join(
    f"        if row.values[i] > {k}: total += (total ^ {k}) * row.values[i] % {3 + k}\n" for k in range(12)
)
SIZES = f"""
import sys
import numpy as np
from w51_env.compiler.compile import entry, kernel

@kernel
def width(row):
    total = 0
    for i in range(row.values.shape[0]):
{_LONG}
    return row.values.shape[0] if total < 1000 else 0

@entry("sizes")
def widths(rows):
    return width(rows[0]) + width(rows[1]) + width(rows[2])

print([widths(np.zeros(3, [("values", "i1", (size,))])) for size in SIZES])
"""


def prints(script: str, cache: Path, expected: str) -> bool:
    printed, _ = run_here(script, cache)
    assert printed == expected
    return True


@pytest.mark.usefixtures("filled_cache")  # the forks begin with a Numba that has compiled
@pytest.mark.filterwarnings("ignore:.*multi-threaded.*fork:DeprecationWarning")
def test_code_that_two_processes_cached_is_not_mixed_up_in_a_third(tmp_path: Path):
    for sizes, expected in (((5,), "[15]"), ((8,), "[24]"), ((5, 8), "[15, 24]")):
        script = SIZES.replace("SIZES", str(sizes))
        if hasattr(os, "fork"):
            assert in_a_fork(lambda: prints(script, tmp_path, expected)) == 0  # noqa: B023
        else:
            assert run(script, W51_ENV_CACHE=str(tmp_path))[0] == expected


@pytest.mark.slow
def test_other_optimisation_settings_have_code_of_their_own(tmp_path: Path):
    for settings in ({}, {"NUMBA_OPT": "0"}, {"NUMBA_BOUNDSCHECK": "1"}):
        printed, logged = run(SMALL, W51_ENV_CACHE=str(tmp_path), **settings)
        assert printed == "1"
        assert COMPILING in logged


def test_an_index_out_of_bounds_is_an_error_if_it_is_checked(tmp_path: Path):
    script = SMALL.replace("numbers[1]", "numbers[2]").replace("print(", "try:\n    print(")
    script += "except IndexError as error:\n    print(error)\n"
    printed, _ = run_here(script, tmp_path, NUMBA_BOUNDSCHECK="1")
    assert printed == "index is out of bounds"
