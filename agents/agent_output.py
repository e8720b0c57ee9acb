"""Output of an isolated agent: its beginning is shown, its end is stored, and its size is limited."""

import os
from contextlib import suppress

from w51_env.agents.agent_process import MAX_TEXT, storable

MAX_SHOWN = 1 << 16  #  bytes that go on to the standard error stream, of all processes of the agent together
MAX_PRINTED = 1 << 26  #  bytes of one process
_STANDARD_ERROR = 2
_PART = 1 << 16


class AgentOutput:
    """What the processes of one agent print, one process after the other.

    Args:
        name: Name of the agent.
    """

    def __init__(self, name: str):
        self._name = name
        self._shown = [0]  # bytes, shared by all copies
        self._count = 0
        self._last = bytearray()
        self._pipe: int | None = None

    def copy(self) -> "AgentOutput":
        """The output of another process of the agent; one limit holds for what is shown of all."""
        other = AgentOutput(self._name)
        other._shown = self._shown
        return other

    def follow(self, pipe: int) -> None:
        """Read the output of a new process from this pipe."""
        self._pipe = pipe
        os.set_blocking(pipe, False)
        self._count = 0
        self._last.clear()

    def read(self) -> bool:
        """Read one part of the output; False at its end."""
        assert self._pipe is not None
        try:
            part = os.read(self._pipe, _PART)
        except BlockingIOError:
            return True
        self._show(part)
        self._count += len(part)
        self._last += part
        del self._last[:-MAX_TEXT]
        return bool(part)

    @property
    def is_too_much(self) -> bool:
        """Whether the process has printed more than MAX_PRINTED bytes."""
        return self._count > MAX_PRINTED

    def last(self) -> str:
        """The last lines of the output, with the trace of a crash."""
        text = self._last.decode(errors="replace")
        return storable(text.partition("\n")[2] if self._count > MAX_TEXT else text)

    def _show(self, part: bytes) -> None:
        shown = part[: MAX_SHOWN - self._shown[0]]
        if not shown:
            return
        self._shown[0] += len(shown)
        if self._shown[0] == MAX_SHOWN:
            shown += f"\nagent {self._name!r}: the rest of what it prints is not shown\n".encode()
        with suppress(OSError):  # the stream is closed, as its reader may be
            os.write(_STANDARD_ERROR, shown)
