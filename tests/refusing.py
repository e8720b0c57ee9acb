"""Programs whose system refuses some calls, as file systems of networks and small containers do, with seccomp."""

import platform
import subprocess
import sys

import pytest

from tests.commands import ROOT

# Numbers of system calls on x86-64.
_FLOCK, _FCNTL, _MMAP = 73, 72, 9
FLOCK = f"[({_FLOCK}, None, 38)]"  # ENOSYS
LOCKS = f"[({_FLOCK}, None, 38), ({_FCNTL}, (1, 6), 38)]"  # also F_SETLK
POSIX_LOCKS = f"[({_FCNTL}, (1, 6), 38)]"
SHARED_MEMORY = f"[({_MMAP}, (3, 1), 19)]"  # of files, as MAP_SHARED: ENODEV
needs_seccomp = pytest.mark.skipif(
    sys.platform != "linux" or platform.machine() != "x86_64", reason="seccomp, with numbers of x86-64"
)

_PROGRAM = """
import ctypes, runpy, struct, sys
line = []
for call, argument, error in {refused}:  # load the number; unless it is this one, skip; the same for an argument
    line += [(0x20, 0, 0, 0), (0x15, 0, 3 if argument else 1, call)]
    if argument:
        line += [(0x20, 0, 0, 16 + 8 * argument[0]), (0x15, 0, 1, argument[1])]
    line += [(0x06, 0, 0, 0x00050000 | error)]
line += [(0x06, 0, 0, 0x7FFF0000)]
code = ctypes.create_string_buffer(b"".join(struct.pack("HBBI", *step) for step in line))
filter = ctypes.create_string_buffer(struct.pack("HxxxxxxP", len(line), ctypes.addressof(code)))
libc = ctypes.CDLL(None, use_errno=True)
assert libc.prctl(38, 1, 0, 0, 0) == 0 and libc.prctl(22, 2, filter) == 0, ctypes.get_errno()
sys.argv = sys.argv[1:]
runpy.run_path(sys.argv[0], run_name="__main__")
"""


def run_refusing(refused: str, script: str, *arguments: object) -> tuple[int, str, str]:
    """Exit status, output and errors of a script of the repository's root in such a process."""
    line = [sys.executable, "-c", _PROGRAM.format(refused=refused), str(ROOT / script), *map(str, arguments)]
    done = subprocess.run(line, cwd=ROOT, capture_output=True, text=True, check=False, timeout=300)
    return done.returncode, done.stdout, done.stderr
