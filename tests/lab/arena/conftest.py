"""A finished tournament, and copies of it to damage."""

import shutil
from pathlib import Path

import pytest

from tests.lab.arena.small import finish, plan_of
from w51_lab.arena.store import Store
from w51_lab.arena.tournament import TournamentResult

Finished = tuple[Path, TournamentResult]


@pytest.fixture(scope="session")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Finished:
    """Its folder, and its games."""
    plan = plan_of("heuristic", "random", games=12, replays=1, behaviour=True, surprising=1)
    store = Store.begin(tmp_path_factory.mktemp("cups"), "cup", plan)
    return store.folder, finish(plan, store)


@pytest.fixture
def folder(finished: Finished, tmp_path: Path) -> Path:
    """A copy of the folder."""
    return Path(shutil.copytree(finished[0], tmp_path / "cup"))
