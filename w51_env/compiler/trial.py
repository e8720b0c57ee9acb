"""Whether the rules can be compiled with the Numba that is installed.

The compiler uses insides of Numba, which another version may have changed; LLVM then may end the process in place of an
error. So with a version that nobody tried, a child process compiles and calls some kernels (`sample.py`) before this
process compiles any. If the child fails, the rules run as plain Python: the same games, slower. The verdict is kept in
the folder of compiled code.
"""

import hashlib
import os
import re
import signal
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

from w51_env.compiler.cache import cache_folder, read, warn_once, write

# The first and the last version of Numba with which the fast tests and the slow ones of the compiler passed.
TRIED = ((0, 62), (0, 68))
VERSIONS = tuple(f"{package} {version(package)}" for package in ("numba", "llvmlite", "numpy"))

_SECONDS = 120  # that a child may take; it takes some 3
_CHILD = """
import sys
sys.path[:] = {path}
from w51_env.compiler import cache, trial
cache.cache_folder, trial.can_compile = lambda: (None, ""), lambda: True
from w51_env.compiler import sample
sample.check()
"""


def can_compile() -> bool:
    """Whether this Numba compiles kernels. For a version that was not tried, the log says what was found."""
    found = version("numba")
    numbers = re.match(r"(\d+)\.(\d+)", found)
    if numbers and TRIED[0] <= tuple(map(int, numbers.groups())) <= TRIED[1]:
        return True
    first, last = (".".join(map(str, numbers)) for numbers in TRIED)
    folder, _ = cache_folder()
    path = None if folder is None else folder / f"numba-{found}-{_key()}.trial"
    kept = None if path is None else read(path)
    try:
        failure = _try() if kept is None else kept.decode()
        if path is not None and kept is None:
            write(path, failure.encode())
    except (OSError, subprocess.TimeoutExpired) as error:  # another process may try again
        failure = f"{type(error).__name__}: {error}"
    beside = f"numba {found} is installed, and versions {first} to {last} were tried"
    if failure:
        warn_once(
            f"{beside}. A process that compiled a kernel with it failed ({failure}), so the rules run as plain Python: "
            f"the same games, thousands of times slower. pip install 'numba=={last}.*' has them compiled"
        )
    elif kept is None:
        warn_once(f"{beside}. A process that compiled a kernel with it did well, so the rules are compiled")
    return not failure


def _key() -> str:
    """A digest of what a verdict depends on beside the version of Numba."""
    sources = [path.read_bytes() for path in sorted(Path(__file__).parent.glob("*.py"))]
    return hashlib.sha256(b"\0".join([repr((VERSIONS, sys.version)).encode(), *sources])).hexdigest()[:20]


def _try() -> str:
    """What went wrong in a child process that compiles a kernel; empty if nothing."""
    program = _CHILD.format(path=[os.path.abspath(folder) for folder in sys.path])  # noqa: PTH100 (may be relative)
    done = subprocess.run(
        [sys.executable, "-P", "-c", program], cwd=Path(__file__).parent, stdin=subprocess.DEVNULL,
        capture_output=True, text=True, errors="replace", timeout=_SECONDS, check=False,
    )  # fmt: skip
    if done.returncode < 0:
        return f"it was ended by {signal.Signals(-done.returncode).name}"
    return (done.stderr.strip().splitlines() or ["no message"])[-1] if done.returncode else ""
