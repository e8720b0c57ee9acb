"""Objects by name, `module:object`, imported at first use."""

import sys
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

HOUSES = ("w51_env", "w51_agents", "w51_lab", "w51_table")  # the packages of this distribution


def import_object(name: str) -> Any:
    """The object `module:name`, whose module may also be in the working directory. Runs the code of the module.

    Raises:
        Exception: Whatever the module raises; ImportError or AttributeError if there is no such module or object.
    """
    module, _, attribute = name.partition(":")
    if not is_own(module) and (here := str(Path.cwd())) not in sys.path:
        sys.path.append(here)
    try:
        imported = import_module(module)
    except ModuleNotFoundError as error:
        if error.name != module or is_own(module):  # a package that the module imports
            raise
        raise ModuleNotFoundError(f"{error} in the working directory or on PYTHONPATH", name=module) from None
    return getattr(imported, attribute)


def is_own(module: str) -> bool:
    """Whether a module is one of this distribution, by its name."""
    return module.partition(".")[0] in HOUSES


def by_name(path: str) -> Callable[..., Any]:
    """The function `module:function`, imported when it is called: so a lower layer names what is above it."""

    def call(*args: Any, **keywords: Any) -> Any:
        return import_object(path)(*args, **keywords)

    return call
