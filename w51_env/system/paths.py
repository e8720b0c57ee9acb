"""What is at a path, for names from outside: one that no file can have, such as a longer one, is nothing."""

from collections.abc import Callable
from pathlib import Path


def exists(path: str | Path) -> bool:
    """Whether there is anything."""
    return _asked(Path.exists, path)


def is_file(path: str | Path) -> bool:
    """Whether there is a file."""
    return _asked(Path.is_file, path)


def is_folder(path: str | Path) -> bool:
    """Whether there is a folder."""
    return _asked(Path.is_dir, path)


def _asked(question: Callable[[Path], bool], path: str | Path) -> bool:
    try:
        return question(Path(path))
    except (OSError, ValueError):  # a name too long, a folder that may not be read, a null byte
        return False
