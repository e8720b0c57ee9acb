"""Scripts in processes of their own, with a package and a cache of their own."""

import os
import subprocess
import sys
from pathlib import Path

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
