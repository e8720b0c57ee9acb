"""Scripts with a cache of their own: in processes of their own, with a package of their own, or in this process."""

import logging
import os
import subprocess
import sys
import time
import traceback
from collections.abc import Callable
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path

import pytest

from w51_env.compiler import cache

ROOT = Path(__file__).resolve().parents[3]


def start(script: str, package: Path, **environment: str) -> subprocess.Popen[str]:
    """Run a script in its own process with the package in this folder."""
    inherited = {name: value for name, value in os.environ.items() if not name.startswith(("W51_ENV", "NUMBA"))}
    return subprocess.Popen(
        [sys.executable, "-B", "-W", "error", "-c", script],
        cwd=package,
        env={**inherited, "PYTHONPATH": str(package), **environment},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def finish(process: subprocess.Popen[str]) -> tuple[str, str]:
    """What it printed, and what it logged."""
    printed, logged = process.communicate(timeout=300)
    assert process.returncode == 0, logged
    return printed.strip(), logged


def run(script: str, package: Path = ROOT, **environment: str) -> tuple[str, str]:
    return finish(start(script, package, **environment))


def run_here(script: str, folder: Path, **environment: str) -> tuple[str, str]:
    """As `run`, with this folder for the cache, in this process: each process that compiles imports Numba for a second.

    Nothing that was compiled or loaded before is used, as the script makes all entries and kernels anew.
    """
    logger, logged = logging.getLogger("w51_env"), StringIO()
    handler = logging.StreamHandler(logged)
    logger.addHandler(handler)
    cached = (cache.cache_folder, cache.warn_once)
    try:
        with pytest.MonkeyPatch.context() as patch, redirect_stdout(StringIO()) as printed:
            for name, value in {"W51_ENV_CACHE": str(folder), **environment}.items():
                patch.setenv(name, value)
            for function in cached:
                function.cache_clear()
            exec(script, {"__name__": "__main__"})
    finally:
        logger.removeHandler(handler)
        for function in cached:
            function.cache_clear()
    return printed.getvalue().strip(), logged.getvalue()


def in_a_fork(work: Callable[[], bool]) -> int:
    """The exit status of a forked process; 0 if `work` returned True within a minute."""
    if not hasattr(os, "fork"):
        pytest.skip("Windows has no fork")
    child = os.fork()
    if child == 0:
        try:
            os._exit(0 if work() else 1)
        finally:  # after an error
            traceback.print_exc()
            os._exit(2)
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            return os.waitstatus_to_exitcode(status)
        time.sleep(0.01)
    os.kill(child, 9)
    os.waitpid(child, 0)
    raise AssertionError("the forked process did not end")
