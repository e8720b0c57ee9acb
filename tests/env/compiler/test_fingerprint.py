"""What compiled code depends on: what must lead to a new compilation, and what must not."""

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from w51_env.compiler.compile import JIT_DISABLED, kernel
from w51_env.compiler.fingerprint import fingerprint_and_constants

ROOT = Path(__file__).resolve().parents[3]

ENTRIES = """
import w51_env
from w51_env.engine import loops
entries = loops.build("warehouse51", w51_env.make_game("warehouse51_v1").kernels)
print(*(f"{name}={code.fingerprint}" for name, code in vars(entries).items()))
print(*(f"{title}={late.fingerprint}" for title, late in entries.step_all.late_kernels.items()))
"""

# (file, text, what it becomes, what must be compiled anew)
# Changes, as (file, text, what it becomes), and the entries that must be compiled anew; all others are as they were.
CHANGES: list[tuple[list[tuple[str, str, str]], set[str]]] = [
    (
        [
            ("warehouse51/show/view.py", "def ", "# another comment\ndef "),
            ("warehouse51/show/text.py", '"""', '"""Another docstring. '),
            ("engine/batch.py", "def reset(", "def reset_(self):\n        pass\n\n    def reset("),
            ("warehouse51/scoring.py", '"""', '"""Another docstring. '),
            ("warehouse51/auction.py", "@kernel\n", "# another comment\n@kernel\n"),
        ],
        set(),
    ),
    (
        [
            ("warehouse51/scoring.py", "POINTS_PER_SET = 5 ", "POINTS_PER_SET = 7 "),
            ("warehouse51/bots/weights.py", "BLIND_NOISE = 1.0 ", "BLIND_NOISE = 1.5 "),
        ],
        {"w51_env.warehouse51.ending.next_turn", "w51_env.warehouse51.bots.choose"},  # compiled apart
    ),
    ([("engine/rng.py", "range(10)", "range(9)")], {"step_all"}),
    ([("engine/episodes.py", "    game: Any\n    raw: Any\n", "    raw: Any\n    game: Any\n")], {"step_all"}),
    ([("compiler/primitives.py", '"seq_cst"', '"monotonic"')], {"step_all"}),
    ([("compiler/compiler.py", 'error_model="numpy"', 'error_model="python"')], {"step_all"}),
]


def fingerprints(folder: Path) -> dict[str, str]:
    """Of the entries of Warehouse 51, in a process that imports the package in this folder."""
    environment = os.environ | {"PYTHONPATH": str(folder), "PYTHONDONTWRITEBYTECODE": "1", "PYTHONHASHSEED": "random"}
    done = subprocess.run(
        [sys.executable, "-P", "-c", ENTRIES], env=environment, cwd=folder, capture_output=True, text=True, check=True
    )
    return dict(part.split("=") for part in done.stdout.split())


def fingerprint(function: Callable[..., object]) -> str:
    return fingerprint_and_constants(function)[0]


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("copy")
    shutil.copytree(ROOT / "w51_env", folder / "w51_env", ignore=shutil.ignore_patterns("__pycache__"))
    return folder


@pytest.fixture(scope="module")
def unchanged(copy: Path) -> dict[str, str]:
    return fingerprints(copy)


@pytest.mark.skipif(JIT_DISABLED, reason="nothing is compiled")
@pytest.mark.parametrize(("changes", "compiled"), CHANGES)
def test_only_what_a_compiled_rule_does_leads_to_a_new_compilation(
    copy: Path, unchanged: dict[str, str], changes: list[tuple[str, str, str]], compiled: set[str]
):
    originals = {path: path.read_text() for path in (copy / "w51_env" / file for file, _, _ in changes)}
    try:
        for (path, original), (_, text, changed) in zip(originals.items(), changes, strict=True):
            assert text in original
            path.write_text(original.replace(text, changed, -1 if compiled else 1))
        found = fingerprints(copy)
    finally:
        for path, original in originals.items():
            path.write_text(original)
    differ = {name for name in unchanged if found[name] != unchanged[name]}
    assert compiled <= differ
    assert compiled or not differ
    assert ("step_all" in differ) == ("step_all" in compiled)


@pytest.mark.skipif(JIT_DISABLED, reason="nothing is compiled")
def test_the_fingerprint_is_the_same_in_every_process_and_folder(unchanged: dict[str, str]):
    assert fingerprints(ROOT) == unchanged
    assert len(set(unchanged.values())) == len(unchanged)


TABLE = np.arange(4)
LIMIT = 3


@kernel
def limited(value):
    return min(value, LIMIT)


def read_table(value: int) -> int:
    return int(TABLE[value])


def calls(function: Callable[[int], int]) -> Callable[[int], int]:
    def caller(value: int) -> int:
        return function(value) + 1

    return caller


def test_it_follows_closures_kernels_and_constants(monkeypatch: pytest.MonkeyPatch):
    through_closure, through_table = calls(limited), calls(read_table)
    before = fingerprint(through_closure), fingerprint(through_table)
    assert before == (fingerprint(calls(limited)), fingerprint(calls(read_table)))
    assert before[0] != before[1]
    monkeypatch.setitem(globals(), "LIMIT", 4)
    assert fingerprint(through_closure) != before[0]
    assert fingerprint(through_table) == before[1]
    monkeypatch.setitem(globals(), "TABLE", np.arange(1, 5))
    assert fingerprint(through_table) != before[1]


def test_values_of_equal_text_and_other_type_differ(monkeypatch: pytest.MonkeyPatch):
    found = []
    for value in (3, 3.0, True, np.int8(3), (3,), [3]):
        monkeypatch.setitem(globals(), "LIMIT", value)
        found.append(fingerprint(limited))
    assert len(set(found)) == len(found)


def test_two_functions_made_alike_of_others_do_not_change_places_unnoticed():
    first, second = calls(limited), calls(read_table)

    def both(one: Callable[[int], int], other: Callable[[int], int]) -> Callable[[int], int]:
        return lambda value: one(value) - other(value)

    assert fingerprint(both(first, second)) != fingerprint(both(second, first))
