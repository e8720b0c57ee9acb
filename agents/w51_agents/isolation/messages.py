"""Messages between an agent's process and its caller, over a socket: JSON, and the bytes of arrays after it.

Nothing is unpickled, and no memory is shared. What comes from the agent's process is untrusted.
"""

import json
import socket
import struct
import time
from collections.abc import Mapping
from typing import Any

_SIZES = struct.Struct("<II")  # of the JSON and of the bytes
MAX_ANSWER = 1 << 26  #  bytes of an answer of an agent's process


def send(
    link: socket.socket, data: Mapping[str, Any], *arrays: bytes | memoryview, deadline: float | None = None
) -> None:
    """Send a message; TimeoutError if it is not taken until the deadline, a time of `time.monotonic`."""
    text, content = json.dumps(data).encode(), b"".join(arrays)
    _limit(link, deadline)
    link.sendall(_SIZES.pack(len(text), len(content)) + text + content)


def receive(
    link: socket.socket, *, deadline: float | None = None, max_bytes: int | None = None
) -> tuple[Any, bytearray]:
    """The data of the next message, and the bytes after it.

    Raises:
        EOFError: The other end is closed.
        TimeoutError: Not all of it has come by the deadline, a time of `time.monotonic`.
        ValueError, RecursionError: It is no message, or larger than `max_bytes`.
    """
    sizes = _SIZES.unpack(_received(link, _SIZES.size, deadline))
    if max_bytes is not None and sum(sizes) > max_bytes:
        raise ValueError(f"a message of {sum(sizes):,} bytes")
    text, content = (_received(link, size, deadline) for size in sizes)
    return json.loads(text), content


def _received(link: socket.socket, size: int, deadline: float | None) -> bytearray:
    received = bytearray()
    while len(received) < size:
        _limit(link, deadline)
        part = link.recv(min(size - len(received), 1 << 20))
        if not part:
            raise EOFError("its socket is closed")
        received += part
    return received


def _limit(link: socket.socket, deadline: float | None) -> None:
    left = None if deadline is None else deadline - time.monotonic()
    if left is not None and left <= 0:
        raise TimeoutError
    link.settimeout(left)
