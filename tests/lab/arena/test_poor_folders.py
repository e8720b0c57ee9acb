"""Folders without locks or without shared memory, and systems without `/dev/shm`: as real processes meet them."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.commands import ROOT, invoke, refused, succeeded
from tests.lab.arena.small import finish, plan_of
from tests.refusing import FLOCK, LOCKS, POSIX_LOCKS, SHARED_MEMORY, needs_seccomp, run_refusing
from w51_lab.arena.database import RESULTS
from w51_lab.arena.store import Store
from w51_lab.commands.evaluate import app

MATCH = ("heuristic", "random", "--preset", "mini", "--games", 40, "--seed", 1, "--workers", 1)


@needs_seccomp
@pytest.mark.parametrize("missing", [FLOCK, LOCKS], ids=["flock", "all"])
def test_a_folder_without_locks_is_refused_in_words_and_nothing_is_left(tmp_path: Path, missing: str):
    result = run_refusing(missing, "evaluate.py", *MATCH, "--out", tmp_path / "cup")
    refused(result, "has no locks (Function not implemented): name a folder on another one")
    assert not list(tmp_path.iterdir())


@needs_seccomp
@pytest.mark.slow
def test_a_training_without_locks_is_refused_in_words_and_nothing_is_left(tmp_path: Path):
    result = run_refusing(FLOCK, "train.py", "--config", "quick", f"runs={tmp_path}")
    refused(result, "has no locks (Function not implemented): name a folder on another one")
    assert not list(tmp_path.iterdir())


@needs_seccomp
def test_a_folder_whose_locks_sqlite_cannot_use_is_refused_in_words_and_nothing_is_left(tmp_path: Path):
    result = run_refusing(POSIX_LOCKS, "evaluate.py", *MATCH, "--out", tmp_path / "cup")
    refused(result, "cannot be made: ", "if the file system has no locks, name a folder on another one")
    assert not list(tmp_path.iterdir())


@needs_seccomp
@pytest.mark.slow
def test_a_tournament_without_shared_memory_is_written_resumed_and_leaves_the_same_files(tmp_path: Path):
    results = [succeeded(run_refusing(SHARED_MEMORY, "evaluate.py", *MATCH, "--out", tmp_path / "cup"))]
    results.append(succeeded(run_refusing(SHARED_MEMORY, "evaluate.py", "--resume", tmp_path / "cup")))
    succeeded(invoke(app, *MATCH, "--out", tmp_path / "usual"))
    summaries = [(tmp_path / name / "summary.json").read_text() for name in ("cup", "usual")]
    assert results[0][0].split("Report")[0] == results[1][0].split("Report")[0]
    assert summaries[0].split('"seconds"')[0] == summaries[1].split('"seconds"')[0]
    names = [{path.name for path in (tmp_path / name).iterdir()} for name in ("cup", "usual")]
    assert names[0] == names[1]


@needs_seccomp
@pytest.mark.slow
def test_what_was_written_ahead_is_read_without_shared_memory(tmp_path: Path):
    """A killed tournament whose folder is copied to such a file system."""
    store = Store.begin(tmp_path, "cup", plan_of("heuristic", "random", games=40))
    finish(store.plan, store)
    copy = Path(shutil.copytree(store.folder, tmp_path / "copy"))  # while it is open
    assert (copy / f"{RESULTS}-wal").stat().st_size > 0
    (copy / f"{RESULTS}-shm").unlink()
    assert (copy / RESULTS).read_bytes()[18] == 2
    succeeded(run_refusing(SHARED_MEMORY, "evaluate.py", "--resume", copy))
    assert not list(copy.glob(f"{RESULTS}-*"))
    assert not list(copy.glob(".unfinished*"))


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0 or not shutil.which("unshare"), reason="needs root")
def test_workers_without_shared_memory_are_refused_in_words_and_one_needs_none(tmp_path: Path):
    line = f"mount -t tmpfs -o ro none /dev/shm && exec {sys.executable} {ROOT / 'evaluate.py'} pretrained heuristic"
    line += f" --games 3000 --seed 1 --out {tmp_path / 'cup'}"

    def run(more: str) -> tuple[int, str, str]:
        done = subprocess.run(
            ["unshare", "-m", "sh", "-c", f"{line} {more}"], capture_output=True, text=True, check=False, timeout=300
        )
        return done.returncode, done.stdout, done.stderr

    refused(run("--workers 2"), "/dev/shm, in which processes share locks, cannot be written", "--workers 1")
    succeeded(run("--workers 1 --games 40"))
