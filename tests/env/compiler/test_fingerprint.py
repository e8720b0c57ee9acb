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
import sys
for folder in sys.argv[1:]:
    sys.path.insert(0, folder)
    import w51_env
    from w51_env.engine import loops
    entries = loops.build("warehouse51", w51_env.make_game("warehouse51_v1").kernels)
    late = entries.step_all.late_kernels
    print(*(f"{name}={code.fingerprint}" for name, code in [*vars(entries).items(), *late.items()]))
    for name in [name for name in sys.modules if name.partition(".")[0] == "w51_env"]:
        del sys.modules[name]
"""

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


def fingerprints(*folders: Path) -> list[dict[str, str]]:
    """Of the entries of Warehouse 51, in a process that imports the package in each of these folders."""
    environment = os.environ | {"PYTHONDONTWRITEBYTECODE": "1", "PYTHONHASHSEED": "random"}
    done = subprocess.run(
        [sys.executable, "-P", "-c", ENTRIES, *folders],
        env=environment, cwd=folders[0], capture_output=True, text=True, check=True,
    )  # fmt: skip
    return [dict(part.split("=") for part in line.split()) for line in done.stdout.splitlines()]


def fingerprint(function: Callable[..., object]) -> str:
    return fingerprint_and_constants(function)[0]


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> list[dict[str, str]]:
    """Of the package as it is, and with each of CHANGES."""
    folders = []
    for changes, compiled in [([], set()), *CHANGES]:
        folders.append(tmp_path_factory.mktemp("copy"))
        package = shutil.copytree(ROOT / "w51_env", folders[-1] / "w51_env")
        for file, text, changed in changes:
            original = (package / file).read_text()
            assert text in original
            (package / file).write_text(original.replace(text, changed, -1 if compiled else 1))
    return fingerprints(*folders)


@pytest.mark.skipif(JIT_DISABLED, reason="nothing is compiled")
@pytest.mark.parametrize(("number", "compiled"), [*enumerate((compiled for _, compiled in CHANGES), start=1)])
def test_only_what_a_compiled_rule_does_leads_to_a_new_compilation(
    found: list[dict[str, str]], number: int, compiled: set[str]
):
    differ = {name for name in found[0] if found[number][name] != found[0][name]}
    assert compiled <= differ
    assert compiled or not differ
    assert ("step_all" in differ) == ("step_all" in compiled)


@pytest.mark.skipif(JIT_DISABLED, reason="nothing is compiled")
def test_the_fingerprint_is_the_same_in_every_process_and_folder(found: list[dict[str, str]]):
    for _ in range(2):  # each with another order of sets
        assert fingerprints(ROOT) == found[:1]
    assert len(set(found[0].values())) == len(found[0])


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
