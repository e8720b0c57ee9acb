"""The folder of a tournament: its specification and each finished block; a killed tournament is resumed from it."""

import json
import sqlite3
import weakref
from collections.abc import Collection
from contextlib import ExitStack
from dataclasses import asdict, replace
from functools import cached_property
from pathlib import Path
from shutil import rmtree
from typing import Annotated, Any

from pydantic import BaseModel, Field, ValidationError

from w51_agents.agent.interface import AgentError
from w51_agents.agent.seeds import SECRET_PATTERN
from w51_agents.console.settings import mistakes_of
from w51_agents.console.terminal import resume_command
from w51_agents.named.files import check_files, file_data
from w51_agents.named.registry import check_code, code_names
from w51_agents.system.errors import report_os_errors
from w51_agents.system.files import (
    check_folder,
    check_writable,
    hold_folder,
    new_folder,
    read_text,
    release_folder,
    remove_unfinished,
    write_json,
)
from w51_agents.system.json_text import JsonObject, parse_json
from w51_agents.system.option_files import check_option_files, option_file_data
from w51_env import __version__
from w51_env.engine.errors import FileError
from w51_env.engine.registry import check_from_outside, registered_games
from w51_lab.arena.blocks import BlockResult
from w51_lab.arena.database import FILES, RESULTS, check_journal, close, reason_of
from w51_lab.arena.deals import DealFacts
from w51_lab.arena.plan import Plan, TournamentState
from w51_lab.arena.spec import parse_spec
from w51_lab.arena.stored_blocks import StoredTables, open_results, read_blocks, write_block

SPEC = "tournament.json"
ANSWERS = "answers"  #  of language models, as they come
_OLDER = "blocks"  #  a folder of Parquet files, in which earlier versions kept results
_MAX_BYTES = 10_000_000  #  of the specification


class _Stored(BaseModel):
    """The content of the file."""

    version: str
    spec: JsonObject
    seatings: str
    secret: Annotated[str, Field(pattern=f"^{SECRET_PATTERN}$")]
    slow: tuple[str, ...]
    option_files: Any  #  which `check_option_files` checks
    files: JsonObject
    deals: DealFacts


class Store:
    """The folder of a tournament, which this process has locked; `about` is what its specification's file has."""

    def __init__(self, folder: Path, plan: Plan, about: JsonObject):
        self.folder, self._about = folder, about
        self.results = folder / RESULTS
        self.plan = plan
        plan.keep_answers(folder / ANSWERS)

    @classmethod
    def begin(cls, parent: Path, name: str, plan: Plan) -> "Store":
        """Make a new folder for a tournament; FileError if it cannot be made."""
        stored = _Stored(
            version=__version__,
            spec=plan.spec.model_dump(),
            seatings=plan.seatings,
            **asdict(plan.state),
            option_files=option_file_data(plan.game),
            files=file_data(plan.files),
            deals=plan.deal_facts,
        )
        with ExitStack() as undo:
            folder = new_folder(parent, name, "tournament", FILES)
            undo.callback(rmtree, folder)
            undo.callback(release_folder, folder)
            store = cls(folder, plan, stored.model_dump(mode="json"))
            try:
                store._file  # noqa: B018 - makes it
            except sqlite3.Error as error:
                raise FileError(f"output {folder}: cannot be made: {reason_of(error)}") from None
            with report_os_errors(f"output {folder}: cannot be made"):
                write_json(store._about, folder / SPEC)
            undo.pop_all()
        return store

    @classmethod
    def resume(cls, folder: Path, allowed: Collection[str] = (), trust: bool = False) -> "Store":
        """Open the folder of a tournament.

        Args:
            folder: The folder.
            allowed: Names of games and agents of the tournament whose code may be imported.
            trust: Load pickled models, whatever the folder says.

        Raises:
            FileError: No tournament, one that another process uses, a folder with links or devices, or the file of an
                option has changed.
            AgentError: Damaged, of another version, the file of an agent or the deals have changed, or third-party code
                that is not allowed.
        """
        check_folder(folder, "tournament", SPEC)
        check_journal(folder)
        source = f"tournament {folder / SPEC}"
        data = read_object(folder / SPEC, "tournament", _MAX_BYTES)
        if data.get("version") != __version__:
            raise AgentError(f"tournament {folder}: made by w51_env {data.get('version')}, but this is {__version__}")
        if (folder / _OLDER).exists():
            remedy = "resume it with that version, or play it again in a new folder"
            raise AgentError(f"tournament {folder}: an older version keeps its results in {_OLDER}/: {remedy}")
        try:
            stored = _Stored.model_validate(data)
        except ValidationError as error:
            raise AgentError(f"{source}: damaged: {'; '.join(mistakes_of(error, _Stored))}") from None
        spec = parse_spec(stored.spec, source)
        check_code(spec.game, spec.agents, allowed, f"tournament {folder}")
        if spec.game in registered_games():
            check_from_outside(spec.game, spec.options)  # the folder holds what is in a file, not its path
        state = TournamentState(stored.secret, stored.slow)
        store = cls(folder, Plan(spec.model_copy(update={"trust": trust}), state), data)
        hold_folder(folder, "tournament")
        check_option_files(stored.option_files, store.plan.game, "tournament", folder)
        check_files(stored.files, store.plan.files, f"tournament {folder}")
        if stored.deals != (now := store.plan.deal_facts):
            was = stored.deals.digest
            raise AgentError(f"tournament {folder}: its deals have the digest {was}, but now it is {now.digest}")
        check_writable(folder / SPEC)
        for part in (folder, *filter(Path.is_dir, folder.iterdir())):
            remove_unfinished(part)
        return store

    @property
    def resumption(self) -> str:
        """The command line that continues the tournament."""
        spec = self.plan.spec
        return resume_command("evaluate", self.folder, code_names(spec.game, spec.agents), spec.trust)

    # ---- blocks

    def add(self, result: BlockResult) -> BlockResult:
        """Write a block in one transaction; FileError if it cannot be written.

        Returns:
            The block, whose behaviour tables are not in memory any more.
        """
        try:
            write_block(self._file, result)
        except sqlite3.Error as error:
            hint = f"earlier blocks are stored: continue with: {self.resumption}"
            raise FileError(f"results {self.results}: cannot be written: {reason_of(error)}; {hint}") from None
        return replace(result, behaviour=StoredTables(self.results, self.plan, result.block, len(result.deals)))

    def load(self) -> dict[int, BlockResult]:
        """Return the stored blocks, by number; AgentError if the file is damaged or of another tournament."""
        return read_blocks(self.results, self.plan, self._about) if self.results.exists() else {}

    @cached_property
    def _file(self) -> sqlite3.Connection:
        file = open_results(self.results, self.plan, json.dumps(self._about))
        weakref.finalize(self, close, file)
        return file


def read_object(path: Path, what: str, max_bytes: int) -> JsonObject:
    """The object in a JSON file of this package; AgentError that says what it is, if there is none."""
    try:
        data = parse_json(read_text(path, max_bytes))
    except OSError as error:
        raise AgentError(f"{what} {path}: cannot be read: {error.strerror or error}") from None
    except ValueError as error:
        raise AgentError(f"{what} {path}: damaged: {error}") from None
    if not isinstance(data, dict):
        raise AgentError(f"{what} {path}: damaged: {type(data).__name__}, but an object is needed")
    return data
