"""The folder of a tournament: its specification and each finished block; a killed tournament is resumed from it."""

import re
from collections.abc import Collection
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from w51_agents.agent import AgentError
from w51_agents.console.terminal import resume_command
from w51_agents.files import check_files, file_data
from w51_agents.registry import check_code, code_names
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
from w51_env import __version__
from w51_env.adapters.agent_seeds import SECRET_PATTERN
from w51_env.engine.errors import report_os_errors
from w51_env.engine.option_files import check_option_files, option_file_data
from w51_env.engine.plain_data import parse_json
from w51_lab.arena.block_files import BLOCKS, REPLAYS, StoredTables, block_path, pyarrow, read_block, write_block
from w51_lab.arena.blocks import BlockResult
from w51_lab.arena.plan import Plan, TournamentState
from w51_lab.arena.spec import TournamentSpec, parse_spec

SPEC = "tournament.json"
_MAX_BYTES = 10_000_000  #  of the specification


class Store:
    """The folder of a tournament.

    Args:
        folder: The folder, made by `begin`.
        plan: The tournament.

    Raises:
        FileError: Another process uses the folder.
        MissingPackageError: pyarrow is missing.
    """

    def __init__(self, folder: Path, plan: Plan):
        pyarrow()
        self.folder = folder
        self.plan = plan
        hold_folder(folder, "tournament")

    @classmethod
    def begin(cls, parent: Path, name: str, plan: Plan) -> "Store":
        """Make a new folder for a tournament; FileError if it cannot be made."""
        pyarrow()
        store = cls(folder := new_folder(parent, name, "tournament", (BLOCKS, REPLAYS)), plan)
        release_folder(folder)  # the store has locked it, too
        stored: dict[str, Any] = {"version": __version__, "spec": plan.spec.model_dump(), "seatings": plan.seatings}
        stored |= asdict(plan.state)
        with report_os_errors(f"output {store.folder}: cannot be made"):
            for part in (BLOCKS, REPLAYS):
                (store.folder / part).mkdir()
            stored |= {"option_files": option_file_data(plan.game), "files": file_data(plan.files)}
            write_json({**stored, "deals": plan.deal_facts}, store.folder / SPEC)
        return store

    @classmethod
    def resume(cls, folder: Path, allowed: Collection[str] = (), trust: bool = False) -> "Store":
        """Open the folder of a tournament.

        Args:
            folder: The folder.
            allowed: Names of games and agents of the tournament whose code may be imported.
            trust: Load pickled models, whatever the folder says.

        Raises:
            FileError: No tournament, a folder with links or devices, or the file of an option has changed.
            AgentError: Damaged, of another version, the file of an agent or the deals have changed, or third-party code
                that is not allowed.
        """
        check_folder(folder, "tournament", SPEC)
        stored = read_object(folder / SPEC, "tournament", _MAX_BYTES)
        needed = ("version", "spec", "seatings", "option_files", "files", "deals", "secret")
        missing = [key for key in needed if key not in stored]
        if missing:
            raise AgentError(f"tournament {folder / SPEC}: damaged: {', '.join(missing)} missing")
        for key in ("spec", "files", "deals"):
            if not isinstance(stored[key], dict):
                kind = type(stored[key]).__name__
                raise AgentError(f"tournament {folder / SPEC}: damaged: {key} is {kind}, but an object is needed")
        if stored["version"] != __version__:
            raise AgentError(f"tournament {folder}: made by w51_env {stored['version']}, but this is {__version__}")
        spec = parse_spec(stored["spec"], f"tournament {folder / SPEC}")
        check_code(spec.game, spec.agents, allowed, f"tournament {folder}")
        store = cls(folder, Plan(spec.model_copy(update={"trust": trust}), _state_of(stored, spec, folder)))
        check_option_files(stored["option_files"], store.plan.game, "tournament", folder)
        check_files(stored["files"], store.plan.files, f"tournament {folder}")
        now = store.plan.deal_facts
        if stored["deals"] != now:
            was = stored["deals"].get("digest")
            raise AgentError(f"tournament {folder}: its deals have the digest {was}, but now it is {now['digest']}")
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
        """Write a block atomically; FileError if it cannot be written.

        Returns:
            The block, whose behaviour tables are not in memory any more.
        """
        hint = f"; earlier blocks are stored: continue with: {self.resumption}"
        path = block_path(self.folder, result.block)
        with report_os_errors(f"results {path}: cannot be written", hint):
            write_block(self.folder, result)
        return replace(result, behaviour=StoredTables(path, self.plan, result.block))

    def load(self) -> dict[int, BlockResult]:
        """Return the stored blocks, by number.

        Raises:
            AgentError: A block is damaged or belongs to another tournament. If its file is removed, it is played again.
        """
        paths = sorted((self.folder / BLOCKS).glob("*.parquet"))
        return {result.block.number: result for result in (read_block(path, self.plan) for path in paths)}


def _state_of(data: dict[str, Any], spec: TournamentSpec, folder: Path) -> TournamentState:
    """What a tournament keeps, in the data of its file."""
    secret, slow = data["secret"], data.get("slow")
    if not isinstance(secret, str) or not re.fullmatch(SECRET_PATTERN, secret):
        raise AgentError(f"tournament {folder / SPEC}: damaged: secret is not of 64 hexadecimal digits")
    if not isinstance(slow, list) or not all(name in spec.agents for name in slow):
        raise AgentError(f"tournament {folder / SPEC}: damaged: slow is not a list of agents of this tournament")
    return TournamentState(secret, tuple(slow))


def read_object(path: Path, what: str, max_bytes: int) -> dict[str, Any]:
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
