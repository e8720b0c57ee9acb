"""What an isolated agent prints: the beginning is shown, the end is kept, and it fills neither memory nor a disk."""

import os
import subprocess
from contextlib import suppress

from w51_env.agents.agent_process import LONGEST_TEXT, storable

SHOWN = 1 << 16  #  bytes that go on to the standard error stream, of all processes of the agent together
MOST_PRINTED = 1 << 26  #  bytes from one `begin` to the next
_STANDARD_ERROR = 2
_PART = 1 << 16


class PrintedTooMuchError(Exception):
    """The agent has printed more than MOST_PRINTED bytes."""


class AgentOutput:
    """What the processes of one agent print, one process after the other.

    Args:
        name: Name of the agent.
    """

    def __init__(self, name: str):
        self._name = name
        self._shown = self._count = 0
        self._last = bytearray()
        self._pipe: int | None = None

    def new_pipe(self, process: subprocess.Popen) -> int:
        """Read what this process prints from now on; the descriptor, for a poll."""
        assert process.stdout is not None
        self._pipe = process.stdout.fileno()
        os.set_blocking(self._pipe, False)
        self.begin()
        return self._pipe

    def begin(self) -> None:
        """Forget what was printed so far."""
        self.read()
        self._count = 0
        self._last.clear()

    def read(self) -> bool:
        """Read what there is, at most a part; False at the end.

        Raises:
            PrintedTooMuchError: It is more than MOST_PRINTED since `begin`.
        """
        assert self._pipe is not None
        try:
            part = os.read(self._pipe, _PART)
        except BlockingIOError:
            return True
        self._show(part)
        self._count += len(part)
        self._last += part
        del self._last[:-LONGEST_TEXT]
        if self._count > MOST_PRINTED:
            raise PrintedTooMuchError(f"printed more than {MOST_PRINTED >> 20} MiB")
        return bool(part)

    def last(self) -> str:
        """The end of what was printed since `begin`, in whole lines: the trace of a crash, too."""
        text = self._last.decode(errors="replace")
        return storable(text.partition("\n")[2] if self._count > LONGEST_TEXT else text)

    def _show(self, part: bytes) -> None:
        shown = part[: SHOWN - self._shown]
        if not shown:
            return
        self._shown += len(shown)
        if self._shown == SHOWN:
            shown += f"\nagent {self._name!r}: the rest of what it prints is not shown\n".encode()
        with suppress(OSError):  # the stream is closed, as its reader may be
            os.write(_STANDARD_ERROR, shown)
