"""Objects by name, `module:object`, imported at first use."""

import sys
from importlib import import_module
from pathlib import Path
from typing import Any

_PACKAGE = __name__.partition(".")[0]


def import_object(name: str) -> Any:
    """The object `module:name`, whose module may also be in the working directory. Runs the code of the module.

    Raises:
        Exception: Whatever the module raises; ImportError or AttributeError if there is no such module or object.
    """
    module, _, attribute = name.partition(":")
    if module.partition(".")[0] != _PACKAGE and (here := str(Path.cwd())) not in sys.path:
        sys.path.append(here)
    return getattr(import_module(module), attribute)
