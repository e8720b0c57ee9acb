"""Code by name, `module:object`, and which of it the user has allowed. No file causes an import by itself."""

import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from w51_env.core import imports

_ALLOWED: set[str] = set()


def allow_code(names: Iterable[str]) -> None:
    """Let checkpoints of this process name these classes; each is imported when a checkpoint names it."""
    _ALLOWED.update(names)


def is_allowed(name: str) -> bool:
    """Whether the user has allowed this class in this process."""
    return name in _ALLOWED


def import_object(name: str) -> Any:
    """The object `module:name`, whose module may also be in the working directory. Runs the code of the module.

    Raises:
        Exception: Whatever the module raises; ImportError or AttributeError if there is no such module or object.
    """
    if (here := str(Path.cwd())) not in sys.path:
        sys.path.append(here)
    return imports.import_object(name)
