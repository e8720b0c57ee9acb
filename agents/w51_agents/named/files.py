"""Files that agents read, and their digests, so that results detect a changed file."""

import hashlib
import os
import shlex
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from importlib.machinery import ModuleSpec, PathFinder
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from w51_agents.agent.imports import split_arguments
from w51_agents.agent.interface import AgentError, declared_files
from w51_agents.language.llm.llm_settings import is_llm
from w51_agents.language.llm.llm_settings import parse_settings as llm_settings
from w51_agents.named.composed import is_composed, parts_of
from w51_agents.named.registry import (
    RLLIB,
    SB3,
    is_class,
    is_path,
    is_pickled,
    registered_agents,
    split_form,
    third_party_network,
)
from w51_agents.networks.load import PRETRAINED, SHIPPED, checkpoint_of
from w51_agents.search.players import members
from w51_agents.search.search_settings import is_champion, is_search
from w51_agents.search.search_settings import parse_settings as search_settings
from w51_agents.system.files import exists, is_file, is_folder, open_file
from w51_env.engine.game import Game
from w51_env.engine.registry import registered_games

_MAX_FILES = 10_000  #  of one agent
_MAX_BYTES = 64 * 2**30  #  of all files of one agent
_PART = 1 << 20
_GAME = "game "  #  before the name of a game, among those of agents


@dataclass(frozen=True)
class FileDigest:
    """A file or folder that an agent reads.

    Attributes:
        path: As the agent has it.
        sha256: Of the content; of a folder, of the names and contents of all files in it.
    """

    path: str
    sha256: str


def files_of(name: str, game: Game, agent: Any = None) -> list[FileDigest]:
    """The files that an agent reads, in a fixed order.

    Args:
        name: Name of the agent, as for `make_agent`: of its checkpoint, its model, its module, its command.
        game: The game it plays.
        agent: The agent, if it is made; it may declare more `files`.

    Raises:
        AgentError: A file that it declares cannot be read.
    """
    paths = [*_named(name, game), *([] if agent is None else declared_files(agent))]
    budget = [_MAX_FILES, _MAX_BYTES]
    try:
        return [FileDigest(path, _digest(Path(path), budget)) for path in dict.fromkeys(paths)]
    except (OSError, ValueError) as error:
        raise AgentError(f"agent {name!r}: one of its files cannot be read: {error}") from None


def files_of_game(game_id: str) -> dict[str, list[FileDigest]]:
    """The file of a game that is not registered, `{"game module:function": ...}`."""
    file = None if game_id in registered_games() else module_file(game_id.partition(":")[0])
    digests = [] if file is None else [FileDigest(file, _digest(Path(file), [_MAX_FILES, _MAX_BYTES]))]
    return {f"{_GAME}{game_id}": digests}


def stamps(files_by_agent: Mapping[str, Sequence[FileDigest]]) -> list[tuple[str, int, int, int]]:
    """Path, inode, size and time of each file, which change with it and need no reading; -1 if it is gone."""
    paths = [Path(file.path) for files in files_by_agent.values() for file in files]
    return [_stamp(path) for base in paths for path in (_sorted_files(base) if is_folder(base) else [base])]


def _stamp(path: Path) -> tuple[str, int, int, int]:
    try:
        status = path.stat()
    except OSError:
        return str(path), -1, -1, -1
    return str(path), status.st_ino, status.st_size, status.st_mtime_ns


def file_data(files_by_agent: Mapping[str, Sequence[FileDigest]]) -> dict[str, list[dict[str, str]]]:
    """The digests of the files of agents, by name of the agent, as plain data; agents without files are left out."""
    return {name: [asdict(file) for file in files] for name, files in files_by_agent.items() if files}


def check_files(stored: Any, current: Mapping[str, Sequence[FileDigest]], what: str) -> None:
    """AgentError if the files of an agent or a game are not those that `file_data` returned before.

    Args:
        stored: What `file_data` returned; untrusted.
        current: The files of each agent now.
        what: What the agents played in, for the message: `tournament runs/cup`.
    """
    stored = stored if isinstance(stored, dict) else {}
    for name, files in current.items():
        owner = name if name.startswith(_GAME) else f"agent {name!r}"
        entries = stored.get(name)
        before = [file for file in entries if isinstance(file, dict)] if isinstance(entries, list) else []
        for number, now in enumerate(files):
            was = before[number].get("sha256") if number < len(before) else "none"
            if was != now.sha256:
                raise AgentError(
                    f"{what}: the file of {owner} has changed since: the SHA-256 of {now.path} was {was} and is now "
                    f"{now.sha256}. Restore the file to go on, or begin anew with the changed one"
                )
        if len(before) > len(files):
            gone = ", ".join(str(file.get("path")) for file in before[len(files) :])
            raise AgentError(
                f"{what}: the file of {owner} is gone: {gone} is not found from {Path.cwd()}. Go on in the folder "
                "where it was begun, or restore the file"
            )


def module_file(module: str) -> str | None:
    """The file of a module that can be imported by this name; none of its code runs. None if it has no file."""
    spec = _module_spec(module)
    file = spec.origin if spec is not None else getattr(sys.modules.get(module), "__file__", None)
    return file if file and is_file(file) else None


def _module_spec(module: str) -> ModuleSpec | None:
    names = module.split(".")
    if not all(names):
        return None
    loaded = sys.modules.get(names[0])
    if loaded is not None and getattr(loaded, "__spec__", None) is None:  # a script, `__main__`
        return None
    spec = find_spec(names[0]) or PathFinder.find_spec(names[0], [str(Path.cwd())])
    for count in range(2, len(names) + 1):
        if spec is None or spec.submodule_search_locations is None:  # no package
            return None
        spec = PathFinder.find_spec(".".join(names[:count]), spec.submodule_search_locations)
    return spec


def _named(name: str, game: Game) -> list[str]:
    """The files that the name of an agent stands for; those of registered agents are of this package."""
    name, _ = split_form(name)
    if is_champion(name):
        return _named(PRETRAINED, game)
    if name not in SHIPPED and name in registered_agents(game):
        return []
    return next((files(name, game) for is_of_form, files in _FORMS if is_of_form(name)), [])


def _of_parts(name: str, game: Game) -> list[str]:
    return [path for part in parts_of(name) for path in _named(part, game)]


def _of_search(name: str, game: Game) -> list[str]:
    settings = search_settings(name)
    players = members(settings.playout_bot, game) if settings.playout_bot else []
    return [path for one in (settings.prior, *players) if one for path in _named(one, game)]


def _of_model(name: str, _: Game) -> list[str]:
    """A file with fields of requests, and those of a command."""
    model = llm_settings(name)
    fields = [model.fields] if model.fields is not None and exists(model.fields) else []
    return fields if model.is_server else [*_of_command(model.address), *fields]


def _of_pickled(name: str, _: Game) -> list[str]:
    path = name.removeprefix(SB3).removeprefix(RLLIB)
    return [str(Path(path))] if exists(path) else []


def _of_checkpoint(name: str, game: Game) -> list[str]:
    """The checkpoint, and the module of its network if that is of others."""
    checkpoint, network = checkpoint_of(name, game), third_party_network(name, game)
    return [*([str(checkpoint)] if exists(checkpoint) else []), *([] if network is None else _of_class(network))]


def _of_class(name: str, _: Game | None = None) -> list[str]:
    """The file of the module of `module:Class`, and the files that its arguments name."""
    base, arguments = split_arguments(name)
    file = module_file(base.partition(":")[0])
    named = [value for value in arguments.values() if isinstance(value, str) and exists(value)]
    return [*([] if file is None else [file]), *named]


def _of_command(command: str) -> list[str]:
    """The words of a command that are files: a script, a prompt, weights."""
    try:
        words = shlex.split(command)
    except ValueError:
        return []
    return [word for word in words if is_file(word)]


# Forms of names as `make_agent` tells them apart, in its order, and the files of each.
_FORMS: Sequence[tuple[Callable[[str], bool], Callable[[str, Game], list[str]]]] = (
    (is_composed, _of_parts),
    (is_search, _of_search),
    (is_llm, _of_model),
    (is_class, _of_class),
    (is_pickled, _of_pickled),
    (lambda name: name in SHIPPED or is_path(name), _of_checkpoint),
)


def _digest(path: Path, budget: list[int]) -> str:
    """SHA-256 of a file or a folder; OSError if it cannot be read, ValueError if it is too much."""
    if not is_folder(path):
        if exists(path) and not is_file(path):
            raise ValueError(f"{path}: a file or a folder is needed")
        return _digest_of_file(path, budget)
    digest = hashlib.sha256()
    for inner in _sorted_files(path):
        digest.update(os.fsencode(f"{inner.relative_to(path)}\0{_digest_of_file(inner, budget)}\n"))
    return digest.hexdigest()


def _sorted_files(folder: Path) -> Iterable[Path]:
    return sorted(path for path in folder.rglob("*") if path.is_file() and "__pycache__" not in path.parts)


def _digest_of_file(path: Path, budget: list[int]) -> str:
    budget[0] -= 1
    with os.fdopen(open_file(path), "rb") as file:
        digest = hashlib.sha256()
        while part := file.read(_PART):
            budget[1] -= len(part)
            if min(budget) < 0:
                raise ValueError(f"{path}: more than {_MAX_FILES:,} files or {_MAX_BYTES:,} bytes")
            digest.update(part)
    return digest.hexdigest()
