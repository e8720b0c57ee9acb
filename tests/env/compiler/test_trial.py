"""A Numba that nobody tried: a child process tries it first, and the games are the same whatever it finds."""

import tomllib
from pathlib import Path

import pytest

from tests.env.compiler.fingerprints import play_through
from tests.env.compiler.test_compile import COMPILING, SMALL
from tests.env.engine.scripts import ROOT, run
from w51_env import make_game
from w51_env.compiler.compile import JIT_DISABLED
from w51_env.compiler.trial import TRIED

GAMES = {"alles_futsch_v1": (2, "mini"), "warehouse51_v1": (3, "nano")}
PLAY = """
from tests.env.compiler.test_trial import digests
print(digests())
"""

# Python imports this module at its start. The lowering of this Numba ends the process, as LLVM does where it finds an
# error, and leaves a line.
ABORTS = """
import os, sys

class Aborts:
    def find_spec(self, name, path=None, target=None):
        if name == "numba.core.lowering":
            open({log!r}, "a").write("aborted\\n")
            os.abort()

sys.meta_path.insert(0, Aborts())
"""


def digests() -> list[str]:
    """Of a small game of each kind, with a bot that is compiled apart where the rules are compiled."""
    games = [make_game(id, num_players=players, preset=preset) for id, (players, preset) in GAMES.items()]
    return [play_through(game, ["external", "heuristic", "random"][: game.num_players], 1) for game in games]


@pytest.fixture
def unknown(tmp_path: Path) -> dict[str, str]:
    """The environment of a process that finds Numba 9.9."""
    (tmp_path / "numba-9.9.dist-info").mkdir()
    (tmp_path / "numba-9.9.dist-info" / "METADATA").write_text("Metadata-Version: 2.1\nName: numba\nVersion: 9.9\n")
    return {"PYTHONPATH": f"{tmp_path}:{ROOT}", "W51_ENV_CACHE": str(tmp_path / "cache")}


def assert_one_warning(logged: str, end: str) -> None:
    (line,) = (line for line in logged.splitlines() if "is installed" in line)
    assert line.startswith("w51_env: numba 9.9 is installed, and versions 0.62 to 0.68 were tried. ")
    assert end in line


def test_with_a_numba_whose_lowering_ends_the_process_the_same_games_are_played(
    tmp_path: Path, unknown: dict[str, str]
):
    log, expected = tmp_path / "log", str(digests())
    (tmp_path / "sitecustomize.py").write_text(ABORTS.format(log=str(log)))
    for _ in range(2):
        printed, logged = run(PLAY, **unknown)
        assert printed == expected
        assert_one_warning(logged, "failed (it was ended by SIGABRT), so the rules run as plain Python")
    assert log.read_text() == "aborted\n"  # it was tried once: the verdict is kept


@pytest.mark.skipif(JIT_DISABLED, reason="nothing is compiled")
def test_a_numba_that_nobody_tried_is_used_if_a_child_process_can_use_it(unknown: dict[str, str]):
    printed, logged = run(SMALL, **unknown)
    assert printed == "1"
    assert COMPILING in logged
    assert_one_warning(logged, "did well, so the rules are compiled")
    assert run(SMALL, **unknown) == ("1", "")


@pytest.mark.slow  # compiles the rules
def test_with_a_numba_that_nobody_tried_the_same_games_are_played(unknown: dict[str, str]):
    assert run(PLAY, **unknown)[0] == str(digests())


def test_what_was_tried_is_what_the_package_asks_for_and_what_is_locked():
    first, last = (".".join(map(str, numbers)) for numbers in TRIED)
    asked = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["dependencies"]
    assert f"numba>={first}" in asked
    locked = tomllib.loads((ROOT / "uv.lock").read_text("utf-8"))["package"]
    assert [package["version"].rpartition(".")[0] for package in locked if package["name"] == "numba"] == [last]
