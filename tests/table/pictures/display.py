"""A display of X without a screen: what it shows, and what its user does to a window."""

import ctypes
import os
import struct
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from ctypes.util import find_library
from pathlib import Path
from shutil import which

import numpy as np

MISSING = "" if which("Xvfb") and find_library("X11") else "needs Xvfb and libX11 (Debian: apt-get install xvfb)"
SIZE = (1280, 720)
_HEADER = struct.Struct(">25I")  # of the file that Xvfb draws into, as in X11/XWDFile.h
_CLIENT_MESSAGE = 33
_SECONDS = 10


class _Message(ctypes.Structure):
    """XClientMessageEvent, as long as an XEvent."""

    _fields_ = (
        ("type", ctypes.c_int),
        ("serial", ctypes.c_ulong),
        ("send_event", ctypes.c_int),
        ("display", ctypes.c_void_p),
        ("window", ctypes.c_ulong),
        ("message_type", ctypes.c_ulong),
        ("format", ctypes.c_int),
        ("data", ctypes.c_long * 5),
        ("rest", ctypes.c_long * 12),
    )


class _Text(ctypes.Structure):
    """XTextProperty."""

    _fields_ = (
        ("value", ctypes.c_char_p),
        ("encoding", ctypes.c_ulong),
        ("format", ctypes.c_int),
        ("length", ctypes.c_ulong),
    )


class Display:
    """A running Xvfb, whose screen has the size of a picture."""

    def __init__(self, name: str, file: Path):
        self.name = name
        self._file = file

    def pixels(self) -> np.ndarray:
        """(height, width, 3) uint8: what the screen shows."""
        content = self._file.read_bytes()
        header = _HEADER.unpack_from(content)
        height, row, begin = header[5], header[12], header[0] + 12 * header[19]
        return np.frombuffer(content, np.uint8, height * row, begin).reshape(height, -1, 4)[:, : SIZE[0], 2::-1]

    def comes_to(self, holds: Callable[[np.ndarray], bool]) -> bool:
        """Whether the screen fulfils a condition soon."""
        until = time.monotonic() + _SECONDS
        while not holds(self.pixels()):
            if time.monotonic() > until:
                return False
            time.sleep(0.02)
        return True

    def title(self, window: int) -> str:
        found = _Text()
        with self._connection() as (x, connection):
            name = x.XInternAtom(connection, b"_NET_WM_NAME", 0)
            x.XGetTextProperty(connection, ctypes.c_ulong(window), ctypes.byref(found), name)
        return (found.value or b"").decode()

    def resize(self, window: int, width: int, height: int) -> None:
        with self._connection() as (x, connection):
            x.XMoveResizeWindow(connection, ctypes.c_ulong(window), 0, 0, width, height)

    def ask_to_close(self, window: int) -> None:
        """What the cross of a window does."""
        with self._connection() as (x, connection):
            kind, wish = (x.XInternAtom(connection, name, 0) for name in (b"WM_PROTOCOLS", b"WM_DELETE_WINDOW"))
            message = _Message(type=_CLIENT_MESSAGE, window=window, message_type=kind, format=32)
            message.data[0] = wish
            x.XSendEvent(connection, ctypes.c_ulong(window), 0, 0, ctypes.byref(message))

    @contextmanager
    def _connection(self) -> Iterator[tuple[ctypes.CDLL, ctypes.c_void_p]]:
        x = ctypes.CDLL(find_library("X11"))
        x.XOpenDisplay.restype = ctypes.c_void_p
        connection = ctypes.c_void_p(x.XOpenDisplay(self.name.encode()))
        try:
            yield x, connection
            x.XSync(connection, 0)
        finally:
            x.XCloseDisplay(connection)


@contextmanager
def display(folder: Path) -> Iterator[Display]:
    """A new display; the folder is for the file that it draws into."""
    reading, writing = os.pipe()
    width, height = SIZE
    command = ["Xvfb", "-displayfd", str(writing), "-screen", "0", f"{width}x{height}x24", "-fbdir", str(folder)]
    with subprocess.Popen([*command, "-nolisten", "tcp"], pass_fds=[writing], stderr=subprocess.DEVNULL) as server:
        os.close(writing)
        with os.fdopen(reading) as file:
            number = file.readline().strip()
        try:
            yield Display(f":{number}", folder / "Xvfb_screen0")
        finally:
            server.terminate()
