"""What runs in the process of an isolated agent, and what it shares with its caller.

The two processes share a block of memory: the caller writes observations and masks into it, the agent's process writes
actions. Short messages (JSON) go over a socket. Nothing that comes from the agent's process is unpickled.
"""

import base64
import ctypes
import faulthandler
import json
import mmap
import os
import resource
import signal
import socket
import sys
import time
import traceback
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from copy import deepcopy
from dataclasses import dataclass
from pathlib import Path
from types import FrameType
from typing import Any

import numpy as np

from w51_env.agents.agent import AgentError, InvalidActionError, action_array, needs_determinizer, needs_view
from w51_env.agents.registry import make_agent, source_of
from w51_env.core.determinization import Determinizer
from w51_env.core.errors import FileError, MissingPackageError
from w51_env.core.game import Game
from w51_env.core.registry import make_game
from w51_env.core.view import View

LONGEST_TEXT = 20_000  #  characters of a traceback that are kept
_FRAMES = 20  #  of a traceback, at its beginning and at its end: the agent's own code and where it failed
_PR_SET_PDEATHSIG = 1
_OF_SETUP = (AgentError, FileError, MissingPackageError)  #  their messages stand alone


class TimeLimitError(BaseException):
    """Raised inside an agent at its time limit; no Exception, so that agents do not catch it by accident."""


class SharedMemory:
    """Memory that two processes share: actions, observations and masks of at most `count` decisions.

    Args:
        descriptor: The file in memory.
        game: The game.
    """

    def __init__(self, descriptor: int, game: Game):
        self._descriptor = descriptor
        self._sizes = (game.layout.size, len(game.actions))
        self._map: mmap.mmap | None = None

    def write(self, observations: np.ndarray, masks: np.ndarray) -> None:
        """Write the arguments of a call; the memory grows if it is too small."""
        count = len(observations)
        if os.fstat(self._descriptor).st_size < self._bytes(count):
            os.ftruncate(self._descriptor, self._bytes(count))
        for target, values in zip(self.arguments(count), (observations, masks), strict=True):
            target[:] = values

    def actions(self, count: int) -> np.ndarray:
        """(count,) int64, a view."""
        return np.frombuffer(self._mapped(count), np.int64, count)

    def arguments(self, count: int) -> tuple[np.ndarray, np.ndarray]:
        """(count, size) and (count, num_actions) int8, views."""
        size, num_actions = self._sizes
        bytes_of_actions = 8 * count
        mapped = self._mapped(count)
        observations = np.frombuffer(mapped, np.int8, count * size, bytes_of_actions)
        masks = np.frombuffer(mapped, np.int8, count * num_actions, bytes_of_actions + count * size)
        return observations.reshape(count, size), masks.reshape(count, num_actions)

    def _mapped(self, count: int) -> mmap.mmap:
        if self._map is None or len(self._map) < self._bytes(count):
            self._map = mmap.mmap(self._descriptor, os.fstat(self._descriptor).st_size)
        return self._map

    def _bytes(self, count: int) -> int:
        return max(1, count) * (8 + sum(self._sizes))


@dataclass(frozen=True)
class Settings:
    """Settings of the process that an agent's code may change, so that no block of games depends on those before it.

    Attributes:
        folder: The working folder.
        environment: The environment variables.
        numpy_errors: What numpy does at a division by zero and the like.
    """

    folder: str
    environment: dict[str, str]
    numpy_errors: dict[str, Any]

    @classmethod
    def now(cls) -> "Settings":
        """The present ones."""
        return cls(str(Path.cwd()), dict(os.environ), dict(np.geterr()))

    def restore(self) -> None:
        """Make them the present ones again."""
        os.chdir(self.folder)
        if os.environ != self.environment:
            os.environ.clear()
            os.environ.update(self.environment)
        np.seterr(**self.numpy_errors)


def info_data(info: Mapping[str, Any]) -> dict[str, Any]:
    """The info of a decision as plain data: views are, and a determinizer holds nothing that its seat may not know."""
    data = dict(info)
    if "view" in data:
        data["view"] = data["view"].as_data()
    if "determinizer" in data:
        determinizer = data["determinizer"]
        record = base64.b64encode(determinizer._record.tobytes()).decode()
        data["determinizer"] = [determinizer.seat, record]
    return data


def _info(game: Game, data: dict[str, Any]) -> dict[str, Any]:
    """The info that `info_data` wrote."""
    if "view" in data:
        data["view"] = View.from_data(data["view"], game.rendering)
    if "determinizer" in data:
        seat, record = data["determinizer"]
        found = object.__new__(Determinizer)  # the record is redrawn already; the constructor would redraw it again
        found.game, found.seat = game, seat
        found._record = np.frombuffer(base64.b64decode(record), game.record).copy()
        data["determinizer"] = found
    return data


def main() -> None:
    """Answer messages until the caller is gone."""
    link, memory, crash, parent = map(int, sys.argv[2:])
    _end_with(parent)
    faulthandler.enable(crash)
    for descriptor in (link, memory, crash):
        os.set_inheritable(descriptor, False)
    _serve(_Server(memory), socket.socket(fileno=link))


def _end_with(parent: int) -> None:
    """Let this process end when its parent does."""
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:
        os._exit(0)


def _serve(server: "_Server", connection: socket.socket) -> None:
    """Answer the messages of a connection; in a fork those of a connection of its own."""
    for message, passed in _messages(connection):
        answer = server.forked(passed) if message["do"] == "fork" else server.answer(message)
        if answer is None:
            connection.close()
            _serve(server, socket.socket(fileno=passed[0]))
            os._exit(0)
        connection.sendall(json.dumps(answer).encode() + b"\n")


def _messages(connection: socket.socket) -> Iterator[tuple[dict[str, Any], list[int]]]:
    """Messages, one line each, and the files that came with them."""
    line, passed = bytearray(), []
    while True:
        part, found, *_ = socket.recv_fds(connection, 1 << 20, 3)
        if not part:
            return
        for descriptor in found:
            os.set_inheritable(descriptor, False)
        line += part
        passed += found
        if line.endswith(b"\n"):
            yield json.loads(line), passed
            line, passed = bytearray(), []


class _Server:
    """The agent and what it is asked.

    Args:
        descriptor: The shared memory.
    """

    def __init__(self, descriptor: int):
        self._descriptor = descriptor
        self._forks: set[int] = set()

    def forked(self, passed: list[int]) -> dict[str, Any] | None:
        """The process id of a new fork, None for it if this process has threads; in the fork itself None.

        Args:
            passed: The fork's socket, shared memory, and file for crashes.
        """
        for forked in list(self._forks):
            self._wait({"pid": forked, "for": 0.0})
        own, threads = os.getpid(), len(list(Path("/proc/self/task").iterdir()))
        pid = os.fork() if threads == 1 else None
        if pid == 0:
            os.setsid()  # so that it ends with all that it starts
            _end_with(own)
            _, memory, crash = passed
            faulthandler.enable(crash)
            os.close(self._descriptor)
            self._descriptor, self._memory, self._forks = memory, SharedMemory(memory, self._game), set()
            return None
        for descriptor in passed:
            os.close(descriptor)
        if pid is not None:
            self._forks.add(pid)
        return {"pid": pid}

    def answer(self, message: dict[str, Any]) -> dict[str, Any]:
        """The answer to a message; what went wrong if the agent fails in any way."""
        begun, seconds = time.perf_counter(), message.get("seconds")
        try:
            with limited(seconds):
                found = getattr(self, f"_{message['do']}")(message) or {}
            if seconds is not None and time.perf_counter() - begun > seconds:
                raise TimeLimitError  # the agent caught the first one
            return found
        except TimeLimitError as error:
            return {"failed": "late", "message": "over the time limit", "traceback": traceback_of(error)}
        except InvalidActionError as error:
            return {"failed": "illegal", "message": storable(str(error))}
        except BaseException as error:  # noqa: BLE001 - an agent's code can raise anything, also KeyboardInterrupt
            cause = error.__cause__ if isinstance(error, _OF_SETUP) and error.__cause__ is not None else error
            text = storable(str(error)) if isinstance(error, _OF_SETUP) else text_of(error)
            return {"failed": "errors", "message": text, "traceback": traceback_of(cause)}

    def _make(self, message: dict[str, Any]) -> None:
        limit = int(message["memory_limit"] * 2**30)
        resource.setrlimit(resource.RLIMIT_DATA, (limit, limit))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        self._game = make_game(message["game"], **message["options"])
        self._memory = SharedMemory(self._descriptor, self._game)
        self._name, self._trust = message["agent"], message["trust"]
        self._new = make_agent(self._name, self._game, trust=self._trust)
        self._can_copy = True
        self._settings = Settings.now()
        self._agent = self._new

    def _wait(self, message: dict[str, Any]) -> dict[str, Any]:
        """The exit status of a fork; None if it goes on."""
        pid, until = int(message["pid"]), time.monotonic() + message["for"]
        while pid in self._forks:
            found, status = os.waitpid(pid, os.WNOHANG)
            if found:
                self._forks.discard(pid)
                return {"status": os.waitstatus_to_exitcode(status)}
            if time.monotonic() >= until:
                break
            time.sleep(0.001)
        return {"status": None}

    def _facts(self, _: object) -> dict[str, Any]:
        source = source_of(self._name)
        return {
            "needs_determinizer": needs_determinizer(self._new),
            "needs_view": needs_view(self._new),
            "is_slow": getattr(self._new, "is_slow", None),
            "source": str(source) if source else None,
        }

    def _begin(self, _: object = None) -> None:
        """A copy of the new object, as `reset` may keep what it remembers; one with a lock or a file is made anew."""
        self._settings.restore()
        if self._can_copy:
            with suppress(BaseException):  # the agent's own code may be called
                copy = deepcopy(self._new)
                if isinstance(copy, type(self._new)):
                    self._agent = copy
                    return
            self._can_copy = False
        self._agent = make_agent(self._name, self._game, trust=self._trust)

    def _reset(self, message: dict[str, Any]) -> None:
        self._agent.reset(message["seed"])

    def _act(self, message: dict[str, Any]) -> None:
        count = message["count"]
        observations, masks = (array.copy() for array in self._memory.arguments(count))
        infos = None if message["infos"] is None else [_info(self._game, data) for data in message["infos"]]
        # The caller checks that they are legal.
        self._memory.actions(count)[:] = action_array(
            self._name, self._agent.act_batch(observations, masks, infos), count
        )


def storable(text: str) -> str:
    """A text of others as it can be kept: not too long, and with escapes for what UTF-8 cannot say."""
    return text[:LONGEST_TEXT].encode("utf-8", "backslashreplace").decode()


def text_of(error: BaseException) -> str:
    """Type and message of an exception, whose `__str__` may itself raise."""
    try:
        text = storable(str(error))
        return f"{type(error).__name__}: {text}" if text else type(error).__name__
    except BaseException:  # noqa: BLE001 - see above
        return type(error).__name__


def traceback_of(error: BaseException) -> str:
    """The traceback of an exception, with its first and last frames; "" if it cannot be printed."""
    try:
        found = traceback.TracebackException.from_exception(error)
        each: traceback.TracebackException | None = found
        while each is not None:
            del each.stack[_FRAMES:-_FRAMES]
            each = each.__cause__ or each.__context__
        text, half = "".join(found.format()), LONGEST_TEXT // 2
        return storable(text if len(text) <= LONGEST_TEXT else text[: half - 5] + "\n...\n" + text[-half:])
    except BaseException:  # noqa: BLE001 - it calls code of the exception
        return ""


@contextmanager
def limited(seconds: float | None) -> Iterator[None]:
    """Raise TimeLimitError inside after so many seconds; only in the main thread."""
    if seconds is None:
        yield
        return

    def stop(number: int, frame: FrameType | None) -> None:
        raise TimeLimitError

    before = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0.0)
        signal.signal(signal.SIGALRM, before)
