"""Machine code of entries: kept and freed alone, loaded without Numba, with arrays that share memory."""

import functools
import os
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest

from tests.env.engine.scripts import run, run_here
from w51_env import make_vec
from w51_env.compiler import cache, machine_code
from w51_env.compiler.compile import JIT_DISABLED, NUMBA_SETTINGS, entry, rows
from w51_env.engine import rng
from w51_env.engine.errors import FileError

pytestmark = pytest.mark.skipif(JIT_DISABLED, reason="without the JIT nothing is compiled")


# An entry whose kernel does not allocate an array, and one whose kernel does, which takes Numba's runtime.
ALLOCATES = """
import sys
import numpy as np
from w51_env.compiler.compile import entry, kernel, scratch

memory = scratch(3, np.int64)

@kernel
def total(number):
    values = memory()
    values[:] = number
    return values.sum()

@kernel
def total_of_new(number):
    values = np.empty(3, np.int64)
    values[:] = number
    return values.sum()

@entry("memory")
def total_of(numbers):
    return total(numbers[0])

@entry("new memory")
def new_total_of(numbers):
    return total_of_new(numbers[0])

for function in (total_of, new_total_of):
    print(function(np.array([5])), "numba" in sys.modules)
"""


def test_code_that_is_no_longer_needed_is_freed_alone():
    for number in range(3):

        @entry(f"tests_{number}")
        def add(numbers):
            numbers[0] += 1

        numbers = np.zeros(1, np.int64)
        add(numbers)
        assert numbers == 1
        del add


def test_code_is_loaded_without_numba_unless_a_kernel_allocates(tmp_path: Path):
    assert run_here(ALLOCATES, tmp_path)[0] == "15 True\n15 True"  # it compiles
    assert run(ALLOCATES, W51_ENV_CACHE=str(tmp_path)) == ("15 False\n15 True", "")


class Written(NamedTuple):
    games: np.ndarray
    values: np.ndarray


@entry("tests")
def write_ten(written, row):
    written.games[1].place[2] = 10
    written.values[1].numbers[0] = row


def test_records_and_rows_share_memory_with_the_array():
    games = np.zeros(3, np.dtype([("place", "i1", (4,))]))
    numbers = np.zeros((2, 5), np.int16)
    write_ten(Written(games, rows(numbers, "numbers")), number=7)
    assert games["place"].tolist() == [[0] * 4, [0, 0, 10, 0], [0] * 4]
    assert numbers.tolist() == [[0] * 5, [7, 0, 0, 0, 0]]


def test_equal_batches_share_their_dtypes_so_that_calls_take_the_fast_way():
    of_both = [make_vec("warehouse51_v1", 1).buffers.step_arguments for _ in range(2)]
    arrays = [(rules, *played, settings) for rules, played, settings in of_both]
    assert all(one.dtype is other.dtype for one, other in zip(*arrays, strict=True))


def test_a_kernel_in_code_of_numba_is_refused_by_name():
    import numba

    def uniform():
        return rng.random_bits(np.uint64(1), np.uint64(2))

    with pytest.raises((TypeError, numba.TypingError), match="kernel random_bits"):
        numba.njit(uniform)()


# ---- code that another user can have written

STRANGER = 12345
NUMBERS = np.zeros(1, np.int64)
needs_root = pytest.mark.skipif(not hasattr(os, "getuid") or os.getuid() != 0, reason="only root can give files away")


def right(numbers):
    return numbers[0] + 1


def planted(numbers):
    return numbers[0] + 666


@functools.cache
def compiled(function: Callable[..., int]) -> machine_code.Objects:
    from w51_env.compiler import compiler

    return compiler.compile_entry(function, ((NUMBERS.dtype, 1),))


def answer(function: Callable[..., int], monkeypatch: pytest.MonkeyPatch, **environment: str) -> int:
    """What code of one name and key gives, which is this function if it is compiled now."""
    for name in ("W51_ENV_CACHE", "XDG_CACHE_HOME"):
        monkeypatch.delenv(name, raising=False)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    cache.cache_folder.cache_clear()
    cache.warn_once.cache_clear()
    try:
        code = machine_code.obtain("answer", "key", lambda: compiled(function), lambda title, types: 0)
        return code.bind([NUMBERS])(0)
    finally:
        cache.cache_folder.cache_clear()


def mode(name: str, bits: int) -> Callable[[Path], None]:
    return lambda cache: (cache / name).chmod(bits)


def file_is_a_link(cache: Path) -> None:
    (cache / "answer.o").symlink_to((cache / "answer.o").rename(cache.parent / "file"))


def file_is_a_pipe(cache: Path) -> None:
    (cache / "answer.o").unlink()
    os.mkfifo(cache / "answer.o", 0o600)


def link_to_an_open_folder(cache: Path) -> None:
    cache.symlink_to(cache.rename(cache.parent / "other"))
    cache.chmod(0o777)


def owner(name: str) -> Callable[[Path], None]:
    return lambda cache: os.chown(cache / name, STRANGER, STRANGER)


def link_of_a_stranger(cache: Path) -> None:
    cache.symlink_to(cache.rename(cache.parent / "other"))
    os.lchown(cache, STRANGER, STRANGER)


OPEN = {
    "a folder for all": mode(".", 0o777),
    "a sticky folder": mode(".", 0o1777),
    "a folder for the group": mode(".", 0o770),
    "a folder in a folder for all": mode("..", 0o777),
    "a file for all": mode("answer.o", 0o666),
    "a file for the group": mode("answer.o", 0o660),
    "a link to a file": file_is_a_link,
    "a pipe": file_is_a_pipe,
    "a link to a folder for all": link_to_an_open_folder,
}
STRANGERS = {
    "the file of a stranger": owner("answer.o"),
    "the folder of a stranger": owner("."),
    "a folder in the folder of a stranger": owner(".."),
    "the link of a stranger": link_of_a_stranger,
}


@pytest.mark.parametrize("change", [*OPEN, *(pytest.param(name, marks=needs_root) for name in STRANGERS)])
def test_code_that_another_user_can_have_written_is_not_run(  # docs/security.md
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, change: str
):
    monkeypatch.setattr(machine_code, "_file_name", lambda name, key: f"{name}.o")
    cache = tmp_path / "above" / "cache"
    cache.parent.mkdir()
    places = {"W51_ENV_CACHE": str(cache), "HOME": str(tmp_path / "home"), "TMPDIR": str(tmp_path)}
    assert answer(planted, monkeypatch, **places) == 666
    assert answer(right, monkeypatch, **places) == 666  # of this user alone, it is run
    (OPEN | STRANGERS)[change](cache)
    assert answer(right, monkeypatch, **places) == 1


@pytest.mark.parametrize(
    ("place", "variables"),
    [
        (".", {"W51_ENV_CACHE": "."}),
        ("cache", {"W51_ENV_CACHE": "cache"}),
        ("cache/w51_env", {"XDG_CACHE_HOME": "cache"}),
        (".cache/w51_env", {"HOME": "."}),
        ("~/.cache/w51_env", {"HOME": "~"}),
        ("~/cache", {"W51_ENV_CACHE": "~/cache"}),
    ],
)
def test_code_in_the_working_directory_is_not_run(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    place: str,
    variables: dict[str, str],
):
    monkeypatch.setattr(machine_code, "_file_name", lambda name, key: f"{name}.o")
    working, elsewhere = tmp_path / "working", tmp_path / "elsewhere"
    (working / place).mkdir(parents=True, mode=0o700)
    elsewhere.mkdir()
    monkeypatch.chdir(working)
    assert answer(planted, monkeypatch, W51_ENV_CACHE=str(working / place)) == 666
    before = sorted(working.rglob("*"))
    kept = {"HOME": str(tmp_path / "nowhere"), "TMPDIR": str(elsewhere)}
    caplog.clear()
    assert answer(right, monkeypatch, **{**kept, **variables}) == 1
    assert sorted(working.rglob("*")) == before
    assert "a relative path" in caplog.text
    assert "W51_ENV_CACHE can name a folder" in caplog.text


@pytest.mark.parametrize("temporary", [".", "temporary", "/nowhere"])
def test_the_working_directory_is_no_temporary_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, temporary: str):
    monkeypatch.chdir(tmp_path)
    for name, value in {"W51_ENV_CACHE": "", "XDG_CACHE_HOME": "", "HOME": "/nowhere", "TMPDIR": temporary}.items():
        monkeypatch.setenv(name, value)
    folder, _ = cache.cache_folder.__wrapped__()
    assert folder is None or folder.parent in (Path("/tmp"), Path("/var/tmp"))
    assert not list(tmp_path.rglob("*"))
    assert not Path("/nowhere").exists()


def test_a_folder_of_the_cache_is_private_whatever_the_umask(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    before = os.umask(0)
    try:
        assert answer(right, monkeypatch, XDG_CACHE_HOME=str(tmp_path / "cache")) == 1
    finally:
        os.umask(before)
    made = sorted((tmp_path / "cache").rglob("*"))
    assert [path.stat().st_mode & 0o777 for path in (tmp_path / "cache", *made)] == [0o700, 0o700, 0o600]


def test_nothing_is_compiled_with_settings_of_the_working_directory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
):
    monkeypatch.chdir(tmp_path)
    (tmp_path / NUMBA_SETTINGS).write_text("chrome_trace: written\nopt: 1\n")
    with pytest.raises(FileError, match=r"\.numba_config\.yaml in the working directory"):
        entry("settings")(right)(NUMBERS)
    assert "compiled code is cached" not in caplog.text


def test_the_log_says_that_code_is_cached_only_if_it_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
):
    assert answer(right, monkeypatch, W51_ENV_CACHE=str(tmp_path)) == 1
    assert f"compiled code is cached in {tmp_path}\n" in caplog.text
    caplog.clear()
    next(tmp_path.glob("*.o")).unlink()

    def fail(*paths: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "replace", fail)
    assert answer(right, monkeypatch, W51_ENV_CACHE=str(tmp_path)) == 1
    assert f"could not be cached in {tmp_path}: No space left on device" in caplog.text
    assert "is cached" not in caplog.text
