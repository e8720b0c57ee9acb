"""Works in forks of this process, some at a time."""

import os
import tempfile
import traceback
from collections.abc import Callable, Iterator
from typing import IO, Any

from tests.soak.record import ProofError

_BROKEN = 70  #  exit status of a fork whose work raised an error


class Forks:
    """Works in forks of this process, some at a time. The output of a fork goes nowhere.

    Args:
        most: How many at a time.
    """

    def __init__(self, most: int):
        self._most = most
        self._running: dict[int, tuple[Any, IO[bytes]]] = {}

    def begin(self, key: Any, work: Callable[[], str | None]) -> None:
        """Call `work` in a fork."""
        result = tempfile.TemporaryFile()  # noqa: SIM115 - the parent reads it when the fork has ended
        child = os.fork()
        if child == 0:
            status = _BROKEN
            try:
                nowhere = os.open(os.devnull, os.O_RDWR)
                for number in (1, 2):
                    os.dup2(nowhere, number)
                found = work()
                result.write((found or "").encode())
                status = 0
            except BaseException:  # noqa: BLE001 - shown by the parent
                result.write(traceback.format_exc().encode())
            finally:
                result.flush()
                os._exit(status)
        self._running[child] = key, result

    def ended(self, at_end: bool = False) -> Iterator[tuple[Any, int, str]]:
        """The works that have to end before another can begin: key, exit status, result. At the end: all.

        Raises:
            ProofError: A work raised an error, which is no failing test.
        """
        while self._running and (at_end or len(self._running) >= self._most):
            child, code = os.waitpid(-1, 0)
            key, result = self._running.pop(child)
            with result:
                result.seek(0)
                text, status = result.read().decode(), os.waitstatus_to_exitcode(code)
            if status == _BROKEN:
                raise ProofError(f"{key}: {text}")
            yield key, status, text


def reported(work: Callable[[Callable[[bytes], object]], None]) -> tuple[bytes, int]:
    """Work that reports bytes, in a fork of this process.

    Args:
        work: Called with a function that takes bytes.

    Returns:
        All that it has reported, at the end `!` and the traceback of an error, and the status with which it ended.
    """
    report, ours = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            os.close(report)
            work(lambda content: os.write(ours, content))
        except BaseException:  # noqa: BLE001 - shown by the parent
            os.write(ours, b"!" + traceback.format_exc().encode())
        finally:
            os._exit(0)  # also after an error: the fork must not return into the parent's code
    os.close(ours)
    with os.fdopen(report, "rb") as pipe:
        found = pipe.read()
    return found, os.waitpid(child, 0)[1]
