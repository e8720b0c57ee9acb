"""The memory of a process that trains."""

import ctypes
import sys

_MMAP_THRESHOLD, _TRIM_THRESHOLD = -3, -1  #  of malloc.h
_LARGE, _ALL = 1 << 25, 1 << 30  # bytes; the first is the most that glibc takes


def keep_freed_memory() -> None:
    """Let glibc keep what is freed for the next arrays. Returning it and asking for it again, zeroed page by page, took
    3 to 6 % of a training, whose minibatches differ in size. Without glibc nothing changes.
    """
    if sys.platform == "linux" and (mallopt := getattr(ctypes.CDLL(None), "mallopt", None)) is not None:
        mallopt(_MMAP_THRESHOLD, _LARGE)
        mallopt(_TRIM_THRESHOLD, _ALL)
