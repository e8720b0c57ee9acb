"""Versions of the packages and the commit that a run was made with."""

import platform
import subprocess
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from w51_agents.language.prompts import PROMPTS
from w51_env import __version__

_PACKAGES = ("numpy", "numba", "torch", "gymnasium", "pettingzoo", "stable-baselines3", "sb3-contrib", "safetensors")


Versions = dict[str, str | bool | None]


def versions() -> Versions:
    """Versions of Python and of all packages that matter; the commit of the sources, None if unknown."""
    return {
        "w51_env": __version__,
        "prompts": PROMPTS,
        "commit": git("rev-parse", "HEAD") if _tracked() else None,
        "changed_since": _tracked() and bool(git("status", "--porcelain", "--untracked-files=no")),
        "python": platform.python_version(),
        "platform": platform.platform(),
        **{name: _version(name) for name in _PACKAGES},
    }


def git(*arguments: str) -> str | None:
    """The output of a git command in the repository of these sources; None where there is none."""
    try:
        answer = subprocess.run(
            ["git", *arguments], cwd=Path(__file__).parent, capture_output=True, text=True, timeout=10, check=True
        )
    except (OSError, subprocess.SubprocessError):
        return None
    return answer.stdout.strip()


@cache
def _tracked() -> bool:
    """Whether git tracks these sources: an installed package may be in the repository of another project."""
    return git("ls-files", "--error-unmatch", Path(__file__).name) is not None


@cache
def _version(package: str) -> str | None:
    try:
        return version(package)
    except PackageNotFoundError:
        return None
