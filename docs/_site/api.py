"""The pages of the API reference: one for each package, from the docstrings of its public classes and functions."""

import importlib
import inspect
import pkgutil
import re
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

from sphinx.ext.autodoc.mock import mock

# Libraries of adapters that `bash bin/set_up dev` does not install.
ABSENT = ["ray.rllib", "tree"]
FOLDER = "api"
_STARS = re.compile(r"(?<![`*\w])\*\*(\w)")
# What a package is for; packages that are not named here come after these.
PACKAGES = {
    "w51_env": "games by their ids, environments in one line",
    "w51_env.adapters": "PettingZoo, Gymnasium, Stable-Baselines3, OpenSpiel, RLlib",
    "w51_agents": "agents by name, networks, trainers, search, language models, exact solutions",
    "w51_agents.language": "games in words: prompts, answers",
    "w51_lab.arena": "matches and tournaments",
    "w51_lab.report": "tables and figures of a tournament",
    "w51_lab.benchmark": "the protocol w51-bench, entries, leaderboard",
    "w51_env.views": "what a seat may know, as plain data",
    "w51_lab.behaviour": "what agents do, as tables",
    "w51_lab.datasets": "games as data for learning",
    "w51_env.pictures": "pictures",
    "w51_lab.replays": "games as files",
    "w51_table.play": "tables for people: terminal and web",
    "w51_env.engine": "the engine: batches, states, observations, the contract of a game",
    "w51_env.warehouse51": "the rules of Warehouse 51",
    "w51_env.alles_futsch": "the rules of Alles Futsch!",
    "w51_env.auctions": "the rules of auctions",
    "w51_agents.exact.auctions": "auctions with known answers",
}


def setup(app: Any) -> None:
    """Write the pages when a build begins."""
    app.connect("builder-inited", lambda app: write_pages(Path(app.srcdir)))
    app.connect("autodoc-process-docstring", _to_rest, priority=400)  # before napoleon reads the sections


def write_pages(source: Path) -> None:
    """Write the pages that differ on disk, and remove those of modules that are gone."""
    pages = {f"{FOLDER}/{name}.md": text for name, text in _pages().items()}
    for path in (source / FOLDER).glob("*.md"):
        if f"{FOLDER}/{path.name}" not in pages:
            path.unlink()
    for name, text in pages.items():
        path = source / name
        path.parent.mkdir(exist_ok=True)
        if not path.exists() or path.read_text("utf-8") != text:
            path.write_text(text, "utf-8")


def _to_rest(app: Any, what: str, name: str, value: Any, options: Any, lines: list[str]) -> None:
    """Change a docstring in place: fenced code becomes a code block, and `**options` is no bold text."""
    result: list[str] = []
    in_code = False
    for line in lines:
        if line.startswith("```"):
            result += [] if in_code else [".. code-block:: python", ""]
            in_code = not in_code
        else:
            result.append(f"    {line}" if in_code else _STARS.sub(r"\\*\\*\1", line))
    lines[:] = result


def public_modules() -> Iterator[ModuleType]:
    """All modules of the packages that define a public class or function, in the order of their names."""
    names: list[str] = []
    for package in ("w51_env", "w51_agents", "w51_lab", "w51_table"):
        below = pkgutil.walk_packages(importlib.import_module(package).__path__, f"{package}.")
        names += [package, *sorted(info.name for info in below)]
    for name in names:
        if not any(part.startswith("_") for part in name.split(".")):
            with mock(ABSENT):
                module = importlib.import_module(name)
            if public_names(module):
                yield module


def public_names(module: ModuleType) -> list[str]:
    """Names of the public classes and functions that a module defines."""
    return [
        name
        for name, value in vars(module).items()
        if not name.startswith("_")
        and (inspect.isclass(value) or inspect.isroutine(value))
        and getattr(value, "__module__", None) == module.__name__
    ]


def _pages() -> dict[str, str]:
    """The text of each page by its name: one for each package with its modules, and the index."""
    modules: dict[str, list[str]] = defaultdict(list)
    for module in public_modules():
        package = module.__name__ if hasattr(module, "__path__") else module.__name__.rpartition(".")[0]
        modules[package].append(module.__name__)
    pages = {package: _package_page(package, names) for package, names in modules.items()}
    lines = ["# API reference", "", "Each package, with the public classes and functions of its modules."]
    listed = {"w51_env"}
    for package, purpose in PACKAGES.items():
        names = [name for name in modules if name == package or (name.startswith(f"{package}.") and name not in listed)]
        names = ["w51_env"] if package == "w51_env" else names
        listed.update(names)
        lines += _section(f"`{package}`", f"{purpose[0].upper()}{purpose[1:]}.", names)
    lines += _section("Others", "Parts that programs seldom import.", [name for name in modules if name not in listed])
    return {**pages, "index": "\n".join(lines) + "\n"}


def _section(title: str, text: str, names: list[str]) -> list[str]:
    return ["", f"## {title}", "", text, "", "```{toctree}", ":titlesonly:", "", *names, "```"]


def _package_page(package: str, modules: list[str]) -> str:
    parts = [f"# {package}"]
    for name in modules:
        parts += [f"## {name}", f"```{{eval-rst}}\n.. automodule:: {name}\n   :members:\n   :ignore-module-all:\n```"]
    return "\n\n".join(parts) + "\n"
