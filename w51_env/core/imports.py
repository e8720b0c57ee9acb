"""Objects by name, `module:object`, imported at first use."""

from importlib import import_module
from typing import Any


def import_object(path: str) -> Any:
    """The object of this name. Raises whatever its module does; ImportError or AttributeError if there is none."""
    module, _, name = path.partition(":")
    return getattr(import_module(module), name)
