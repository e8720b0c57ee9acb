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
CHANGES = [
    ("warehouse51/show/view.py", "def ", "# another comment\ndef ", "nothing"),
    ("warehouse51/show/text.py", '"""', '"""Another docstring. ', "nothing"),
    ("engine/batch.py", "def reset(", "def reset_(self):\n        pass\n\n    def reset(", "nothing"),
    ("warehouse51/scoring.py", '"""', '"""Another docstring. ', "nothing"),
    ("warehouse51/auction.py", "@kernel\n", "# another comment\n@kernel\n", "nothing"),
    ("warehouse51/scoring.py", "POINTS_PER_SET = 5 ", "POINTS_PER_SET = 7 ", "w51_env.warehouse51.ending.next_turn"),
    ("engine/rng.py", "range(10)", "range(9)", "step_all"),
    ("engine/episodes.py", "    game: Any\n    raw: Any\n", "    raw: Any\n    game: Any\n", "step_all"),
    ("compiler/primitives.py", '"seq_cst"', '"monotonic"', "step_all"),
    ("compiler/compiler.py", 'error_model="numpy"', 'error_model="python"', "step_all"),
    ("warehouse51/bots/weights.py", "BLIND_NOISE = 1.0 ", "BLIND_NOISE = 1.5 ", "w51_env.warehouse51.bots.choose"),
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
    hidden = shutil.ignore_patterns("__pycache__")
    shutil.copytree(ROOT / "w51_env", folder / "w51_env", symlinks=False, ignore=hidden)
    return folder


@pytest.fixture(scope="module")
def unchanged(copy: Path) -> dict[str, str]:
    return fingerprints(copy)


@pytest.mark.skipif(JIT_DISABLED, reason="nothing is compiled")
@pytest.mark.parametrize(("file", "text", "changed", "compiled"), CHANGES)
def test_only_what_a_compiled_rule_does_leads_to_a_new_compilation(
    copy: Path, unchanged: dict[str, str], file: str, text: str, changed: str, compiled: str
):
    path = copy / "w51_env" / file
    original = path.read_text()
    assert text in original
    path.write_text(original.replace(text, changed, 1) if compiled == "nothing" else original.replace(text, changed))
    try:
        found = fingerprints(copy)
    finally:
        path.write_text(original)
    if compiled == "nothing":
        assert found == unchanged
    else:
        assert found[compiled] != unchanged[compiled]
    if compiled != "step_all":  # bots and the end of a game are compiled apart
        assert found["step_all"] == unchanged["step_all"]


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
