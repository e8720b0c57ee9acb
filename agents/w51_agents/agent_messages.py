"""The caller's side of the process of an isolated agent: messages over one socket, and what it prints."""

import json
import os
import select
import socket
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any

import numpy as np

from w51_agents.agent_process import MAX_TEXT, storable

_SEND_SECONDS = 300.0  #  to take a message, which an agent does not see
_MAX_MESSAGE = 1 << 20  #  bytes of a line that are read from the agent's process
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


class NoAnswerError(Exception):
    """The process did not answer in time."""


class PrintedTooMuchError(Exception):
    """The process has printed more than MAX_PRINTED bytes."""


class AgentMessages:
    """The caller's side of the socket of one process.

    Args:
        link: The caller's end of the socket.
        end: Descriptor of the process, which is ready when it has ended.
        printed: Where what it prints is read.
        output: Takes what it prints.
    """

    def __init__(self, link: socket.socket, end: int, printed: int, output: AgentOutput):
        self._socket, self._end, self._printed, self._output = link, end, printed, output
        self._poll = select.poll()
        for number in (link.fileno(), printed, end):
            self._poll.register(number, select.POLLIN)

    def exchange(
        self,
        message: Mapping[str, Any],
        seconds: float | None,
        arrays: Sequence[np.ndarray],
        more: int,
        passed: Sequence[int],
    ) -> tuple[dict[str, Any], bytearray]:
        """Send a message with arrays after it, and wait for the answer.

        Args:
            message: Plain data.
            seconds: Time until the whole answer must be there; None: no limit.
            arrays: Arrays whose bytes follow.
            more: Number of bytes that follow the answer, unless it has `failed`.
            passed: Open files to pass.

        Returns:
            The answer and the bytes after it.

        Raises:
            NoAnswerError, PrintedTooMuchError: The process is late, or has printed too much.
            OSError, EOFError, ValueError, AttributeError, RecursionError: It has ended, or broke the protocol.
        """
        limit = None if seconds is None else time.monotonic() + seconds
        self._socket.settimeout(_SEND_SECONDS if seconds is None else min(seconds, _SEND_SECONDS))
        if passed:
            socket.send_fds(self._socket, [b" "], passed)
        self._socket.sendall(json.dumps(message).encode() + b"\n")
        for array in arrays:
            self._socket.sendall(array.data.cast("B"))
        line, rest = self._line(limit)
        answer = json.loads(line)
        awaited = more if answer.get("failed") is None else 0
        while len(rest) < awaited:
            rest += self._part(limit)
        if len(rest) != awaited:
            raise ValueError("too long")
        return answer, rest

    def _line(self, limit: float | None) -> tuple[bytearray, bytearray]:
        """One line, and what came after it."""
        received = bytearray()
        while (end := received.find(b"\n")) < 0:
            if len(received) > _MAX_MESSAGE:
                raise ValueError("too long")
            received += self._part(limit)
        return received[:end], received[end + 1 :]

    def _part(self, limit: float | None) -> bytes:
        """Some bytes; EOFError if the process has ended, NoAnswerError if there are none until the limit."""
        awaited = {self._socket.fileno(), self._end}
        ready: set[int] = set()
        while not ready & awaited:
            left = None if limit is None else limit - time.monotonic()
            if left is not None and left < 0:
                raise NoAnswerError
            ready = {number for number, _ in self._poll.poll(None if left is None else 1000 * left)}
            if self._printed in ready and not self._output.read():
                self._poll.unregister(self._printed)
            if self._output.is_too_much:
                raise PrintedTooMuchError
        part = self._socket.recv(_MAX_MESSAGE) if self._socket.fileno() in ready else b""
        if not part:
            raise EOFError
        return part
