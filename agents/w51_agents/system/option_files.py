"""Options that were given as the path of a file, as results keep them.

Results keep what the game kept of the file (`Game.kept_options`), so they need it no more. A file that has changed
since is refused, as the one who goes on may expect its new content to count.
"""

import hashlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from w51_env.engine.errors import FileError, W51Error
from w51_env.engine.game import Game


def option_file_data(game: Game) -> dict[str, dict[str, str]]:
    """`path` and `sha256` of the file of each option that was given as one; plain data for `check_option_files`."""
    return {
        name: {"path": path, "sha256": option_digest(game.options[name])} for name, path in game.option_files.items()
    }


def option_digest(value: Any) -> str:
    """SHA-256 of what a game keeps of a file: independent of the path, and of all in the file that does not count."""
    return hashlib.sha256(str(value).encode()).hexdigest()


def check_option_files(stored: Any, game: Game, what: str, folder: Path) -> None:
    """Refuse a file that has other content than the game, which was made from the options in a folder.

    A file that is not there any more is no error: the folder keeps its content.

    Args:
        stored: What `option_file_data` returned when the folder was made; untrusted.
        game: The game.
        what: What it is the folder of: `tournament`.
        folder: The folder.

    Raises:
        FileError: A file has changed.
    """
    if not isinstance(stored, Mapping):
        raise FileError(f"{what} {folder}: damaged: option_files is {type(stored).__name__}, but an object is needed")
    for name, facts in stored.items():
        path = facts.get("path") if isinstance(facts, Mapping) else None
        if name not in game.options or not isinstance(path, str):
            raise FileError(f"{what} {folder}: damaged: option_files.{name} is not the file of an option")
        was, now = option_digest(game.options[name]), _digest_now(name, path, game)
        if now not in (was, None):
            raise FileError(
                f"{what} {folder}: the file {path} of the option {name} has changed: the SHA-256 of its content was "
                f"{was} and is now {now}. To go on with what the {what} began with, restore the file, or move it "
                f"away: the folder keeps its content. For the new content begin another {what}"
            )


def _digest_now(name: str, path: str, game: Game) -> str | None:
    """The digest of what the game would keep of a file now; None if there is no file."""
    try:
        if not Path(path).is_file():
            return None
        return option_digest(game.make(**{**game.options, name: path}).options[name])
    except (W51Error, OSError, ValueError):  # its content is none for this option
        return "none, as it cannot be used"
