"""Works in forks of this process, some at a time."""

import os
import signal
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


def reported(work: Callable[[Callable[[str], object]], None], number: int, seconds: int) -> tuple[str, str]:
    """Work that reports letters, in a fork of this process.

    Args:
        work: Called with a function that takes a letter.
        number: Of the letters.
        seconds: The most for each letter.

    Returns:
        What it has reported, and why that is not all; "" if it is.
    """
    report, ours = os.pipe()

    def tell(text: str) -> None:
        signal.alarm(seconds)
        os.write(ours, text.encode())

    child = os.fork()
    if child == 0:
        try:
            os.close(report)
            tell("")
            work(tell)
        except BaseException:  # noqa: BLE001 - shown by the parent
            tell("!" + traceback.format_exc())
        finally:
            os._exit(0)  # also after an error: the fork must not return into the parent's code
    os.close(ours)
    with os.fdopen(report, encoding="utf-8") as pipe:
        letters, _, error = pipe.read().partition("!")
    status = os.waitpid(child, 0)[1]
    if not error and (status or len(letters) != number):
        error = f"it died or took more than {seconds} s (status {status})"
    return letters, error
