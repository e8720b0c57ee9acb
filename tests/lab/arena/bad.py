"""Agents that misbehave, each in its own way, at every seventh decision."""

import ctypes
import gc
import os
import signal
import socket
import struct
import sys
import time
from collections import deque
from collections.abc import Callable
from itertools import repeat

import numpy as np

from w51_agents.agent.interface import SingleAgent


class Bad(SingleAgent):
    """The last legal action; misbehaves where the observation adds up to a multiple of seven."""

    def __init__(self, game):
        self.game = game

    def act(self, observation, action_mask, info=None) -> int:
        if int(observation.astype(int).sum()) % 7 == 0:
            self.misbehave()
        return int(np.flatnonzero(action_mask)[-1])

    def misbehave(self) -> None:
        raise NotImplementedError


def bad(action: Callable[[], object]) -> type[Bad]:
    """An agent that misbehaves by this function."""

    def misbehave(self) -> None:
        action()

    return type("Bad_", (Bad,), {"misbehave": misbehave})


def raises(error: BaseException) -> type[Bad]:
    def misbehave(self) -> None:
        raise error

    return type("Raises", (Bad,), {"misbehave": misbehave})


def hog() -> None:
    kept = []
    while True:
        kept.append(bytearray(b"x") * 2**28)


def hang() -> None:
    while True:
        time.sleep(0.01)


def hang_in_c() -> None:
    """Stays inside one C function, so that no signal handler of Python runs."""
    deque(repeat(None), maxlen=0)


def deep(depth: int) -> None:
    if depth == 0:
        raise ValueError("deep in a library")
    deep(depth - 1)


Panics = raises(type("PanicException", (BaseException,), {})("a panic of Rust"))
Interrupts = raises(KeyboardInterrupt())
Exits = raises(SystemExit(0))
Leaves = bad(lambda: os._exit(0))
Segfaults = bad(lambda: ctypes.string_at(0))
Killed = bad(lambda: os.kill(os.getpid(), signal.SIGKILL))
Hogs = bad(hog)
Closes = bad(lambda: os.closerange(0, 100))
Lone = raises(ValueError("bad \udcff"))
Long = raises(ValueError("x" * 2_000_000))
Orphans = bad(lambda: os.system("sleep 30 &") or os._exit(3))  #  a child keeps open what it inherits
Hangs, HangsInC = bad(hang), bad(hang_in_c)
RealTime = bad(lambda: os.kill(os.getpid(), 35))


def link() -> socket.socket:
    """The socket to the match, which the code of an agent can find."""
    gc.unfreeze()  # which hides objects
    return next(o for o in gc.get_objects() if isinstance(o, socket.socket) and o.fileno() >= 0)


Babbles = bad(lambda: link().sendall(b'{"forged": true}' * 3))
Nests = bad(lambda: link().sendall(struct.pack("<II", 2**19, 0) + b"[" * 2**19))


class Deep(Bad):
    """Fails in a library, many calls below its own code."""

    def misbehave(self) -> None:
        deep(300)


class Sets(Bad):
    """Changes settings of its process, and fails where they are not those of its beginning."""

    def __init__(self, game):
        super().__init__(game)
        self._folder = os.getcwd()  # noqa: PTH109

    def reset(self, seed: int) -> None:
        assert np.geterr()["divide"] == "warn"
        assert os.getcwd() == self._folder  # noqa: PTH109
        assert "BAD" not in os.environ

    def misbehave(self) -> None:
        np.seterr(all="raise")
        os.chdir("/")
        os.environ["BAD"] = "1"


class BadReset(Bad):
    def reset(self, seed: int) -> None:
        hang()


class Spy(Bad):
    """Looks for the true states and for the command line, and plays an illegal action if it finds some."""

    def act(self, observation, action_mask, info=None) -> int:
        print("I think.")
        found = [
            o for o in gc.get_objects() if isinstance(o, np.ndarray) and o.dtype.names and "stream" in o.dtype.names
        ]
        frame, names = sys._getframe(), set()
        while frame is not None:
            names |= set(frame.f_locals)
            frame = frame.f_back
        arguments = sys.argv == [""] and sys.orig_argv == [sys.executable]
        if found or "batch" in names or "decisions" in names or not arguments:
            return 10**6
        return int(np.flatnonzero(action_mask)[-1])


class Searcher(Bad):
    """Plays the action that is legal most often in determinizations, and checks what it is given."""

    needs_determinizer = needs_view = True

    def act(self, observation, action_mask, info=None) -> int:
        info = info or {}
        assert info["view"].viewer == info["determinizer"].seat
        states = info["determinizer"].draw(3, seed=1)
        assert len(states) == 3
        return int(np.flatnonzero(action_mask)[0])
