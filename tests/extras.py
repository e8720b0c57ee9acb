"""This environment as `pip install '.[EXTRAS]'` would have made it: other packages cannot be imported."""

import re
import subprocess
import sys
from collections.abc import Iterable, Mapping
from functools import cache
from importlib import metadata
from typing import Any

from packaging.requirements import Requirement

from tests.commands import python


class _Without:
    """A finder of modules that finds those of some packages nowhere."""

    def __init__(self, finder: Any, packages: set[str]):
        self._finder = finder
        self._packages = packages

    def find_spec(self, name: str, *where: Any) -> Any:
        return None if name.partition(".")[0] in self._packages else self._finder.find_spec(name, *where)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._finder, name)


def only(extras: Iterable[str]) -> None:
    """From now on this process imports only what is installed with these extras of this package."""
    allowed = _needed("w51_env", frozenset(extras))
    hidden = {module for module, by in owners().items() if not any(_plain(owner) in allowed for owner in by)}
    sys.meta_path[:] = [_Without(finder, hidden) for finder in sys.meta_path]


@cache
def owners() -> Mapping[str, list[str]]:
    """The distributions that each importable module is of."""
    return metadata.packages_distributions()


def _plain(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def _needed(name: str, extras: frozenset[str]) -> set[str]:
    """The distributions that pip installs with this one, itself included."""
    found: set[str] = set()
    seen: set[tuple[str, frozenset[str]]] = set()
    todo = [(name, extras)]
    while todo:
        name, extras = todo.pop()
        if (name, extras) in seen:
            continue
        seen.add((name, extras))
        found.add(_plain(name))
        try:
            requirements = metadata.requires(name) or []
        except metadata.PackageNotFoundError:
            continue
        todo += [
            (requirement.name, frozenset(requirement.extras))
            for requirement in map(Requirement, requirements)
            if any(requirement.marker is None or requirement.marker.evaluate({"extra": one}) for one in extras | {""})
        ]
    return found


def run_with(extras: str, program: str, *arguments: object) -> subprocess.CompletedProcess[str]:
    """Run a program in a process of its own in which only the packages of these extras can be imported.

    Args:
        extras: Names of extras with commas between them; empty: none.
        program: Python source.
        *arguments: What the program finds in `sys.argv`.
    """
    start = f"from tests.extras import only; only({extras.split(',')!r})\n"
    return python("-c", start + program, *arguments)
