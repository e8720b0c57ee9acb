"""The environment variable MPLBACKEND: programs started from a notebook inherit a backend they may not have."""

import os
from importlib.util import find_spec

VARIABLE = "MPLBACKEND"


def drop_missing_backend() -> None:
    """Remove the variable if it names a package that is not installed, with which Matplotlib refuses its import.

    The figures of this package are files, which need no backend.
    """
    backend = os.environ.get(VARIABLE, "")
    module = "matplotlib_inline" if backend == "inline" else backend.removeprefix("module://")
    if module != backend and find_spec(module.partition(".")[0]) is None:
        del os.environ[VARIABLE]
