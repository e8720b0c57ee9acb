"""Isolated agents, each in a process of its own that gets observations and masks, and nothing else.

So whatever the code of such an agent does, it cannot end, stop or change a match, and it cannot read the true state of
a game. `arena.referee` makes a forfeit of each failure.

The two processes share a block of memory: the caller writes observations and masks into it, the agent's process writes
actions. Short messages (JSON) go over a socket. Nothing that comes from the agent's process is unpickled.
"""

import base64
import ctypes
import faulthandler
import fcntl
import json
import mmap
import os
import resource
import signal
import socket
import subprocess
import sys
import time
import traceback
import weakref
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from copy import deepcopy
from dataclasses import dataclass
from multiprocessing.connection import Connection
from pathlib import Path
from types import FrameType
from typing import Any

import numpy as np

from w51_env.agents.agent import (
    AgentError,
    BatchAgent,
    Infos,
    InvalidActionError,
    action_array,
    needs_determinizer,
    needs_view,
)
from w51_env.agents.registry import make_agent, source_of
from w51_env.core.determinization import Determinizer
from w51_env.core.errors import FileError, MissingPackageError
from w51_env.core.game import Game
from w51_env.core.registry import make_game
from w51_env.core.view import View

MEMORY_LIMIT = 8.0  #  GiB for the data of an agent's process
START_SECONDS = 300.0  #  to make an agent, which may load a large network
RESET_SECONDS = 60.0
_GRACE = 2.0  #  seconds after a time limit until the process is killed
_LONGEST_MESSAGE = 1 << 20  #  bytes that are read from the agent's process
_LONGEST_TEXT = 20_000  #  characters of a traceback that are kept
_FRAMES = 20  #  of a traceback, at its beginning and at its end: the agent's own code and where it failed
_START = "import json, sys; sys.path[:] = json.loads(sys.argv[1]); from w51_env.agents.isolated import main; main()"
# Results of sums depend on the number of threads.
ONE_THREAD = dict.fromkeys(("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS"), "1")
_PR_SET_PDEATHSIG = 1
_OF_SETUP = (AgentError, FileError, MissingPackageError)  #  their messages stand alone


class TimeLimitError(BaseException):
    """Raised inside an agent at its time limit; no Exception, so that agents do not catch it by accident."""


class AgentFailure(Exception):  # noqa: N818 - what the agent did, not an error of this package
    """What an isolated agent did in place of its decisions.

    Attributes:
        kind: `errors`, `illegal` or `late`.
        message: The first line: type and message of the exception, or how the process ended.
        traceback: The traceback in its process; "" if there is none.
        is_over: Whether its process has ended, so that the agent has lost its memory.
    """

    def __init__(self, kind: str, message: str, traceback: str = "", is_over: bool = False):
        super().__init__(message)
        self.kind, self.message, self.traceback, self.is_over = kind, message, traceback, is_over


@dataclass(frozen=True)
class Origin:
    """How an agent's process makes the agent.

    Attributes:
        agent: Its name, as for `make_agent`.
        game, options: Id and options of the game, as for `make_game`.
        trust: Load pickled models.
        memory_limit: GiB for the data of the process.
    """

    agent: str
    game: str
    options: Mapping[str, Any]
    trust: bool = False
    memory_limit: float = MEMORY_LIMIT


class IsolatedAgent(BatchAgent):
    """An isolated agent, in a process of its own, which starts when it is needed.

    Args:
        origin: How the agent is made.
        game: The game it plays.

    Attributes:
        needs_determinizer, needs_view: Whether it needs `info["determinizer"]`, `info["view"]`.
        source: The file of its module; None if it has none.

    Raises:
        AgentError: The agent cannot be made.
    """

    def __init__(self, origin: Origin, game: Game):
        self._origin = origin
        self._game = game
        self._process: _Process | None = None
        try:
            facts = self._running().call({"do": "facts"}, RESET_SECONDS)
        except AgentFailure as failure:
            text = failure.message
            raise AgentError(text if text.startswith("agent ") else f"agent {origin.agent!r}: {text}") from None
        self.needs_determinizer, self.needs_view = (
            bool(facts.get(f"needs_{what}")) for what in ("determinizer", "view")
        )
        self.source = Path(str(facts["source"])) if facts.get("source") else None

    def begin(self) -> None:
        """Forget everything: the next decisions are made by a new object, in a new process if the last one ended.

        Raises:
            AgentFailure: It cannot be made.
        """
        self._running().call({"do": "begin"}, START_SECONDS)

    def reset(self, seed: int) -> None:
        """`reset` of the agent; AgentFailure if that fails or takes more than RESET_SECONDS."""
        self._running().call({"do": "reset", "seed": int(seed), "seconds": RESET_SECONDS}, RESET_SECONDS)

    def act_batch(self, observations: np.ndarray, action_masks: np.ndarray, infos: Infos = None) -> np.ndarray:
        """(N,) int64, action ids that may be illegal; AgentFailure if the agent fails."""
        return self.act_within(None, observations, action_masks, infos)

    def act_within(
        self, seconds: float | None, observations: np.ndarray, action_masks: np.ndarray, infos: Infos = None
    ) -> np.ndarray:
        """`act_batch`, which may take so many seconds; None for no limit."""
        process = self._running()
        told = None if infos is None else [_info_data(info) for info in infos]
        process.memory.write(observations, action_masks)
        process.call({"do": "act", "count": len(observations), "seconds": seconds, "infos": told}, seconds)
        return process.memory.actions(len(observations)).copy()

    def close(self) -> None:
        """End its process."""
        if self._process is not None:
            self._process.end()
            self._process = None

    def _running(self) -> "_Process":
        if self._process is None or self._process.has_ended:
            self.close()
            self._process = _Process(self._origin, self._game)
        return self._process


class _Memory:
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


class _Process:
    """The process of one agent, as its caller has it."""

    def __init__(self, origin: Origin, game: Game):
        own, other = socket.socketpair()
        descriptor = os.memfd_create("w51_env", os.MFD_ALLOW_SEALING)
        fcntl.fcntl(descriptor, fcntl.F_ADD_SEALS, fcntl.F_SEAL_SHRINK)  # else the agent could cut it off under us
        self._crash = os.memfd_create("w51_env crash")
        passed = (other.fileno(), descriptor, self._crash)
        self._process = subprocess.Popen(
            [sys.executable, "-c", _START, json.dumps(sys.path), *map(str, passed), str(os.getpid())],
            pass_fds=passed,
            stdin=subprocess.DEVNULL,
            env={**os.environ, **ONE_THREAD},
            stdout=2,  # what an agent prints is no output of the caller
            start_new_session=True,  # Ctrl-C is handled by the caller
        )
        other.close()
        self._connection = Connection(own.detach())
        self.has_ended = False
        self.memory = _Memory(descriptor, game)
        self._finalizer = weakref.finalize(self, _release, self._process, self._connection, (descriptor, self._crash))
        self.call({"do": "make", **vars(origin), "options": dict(origin.options)}, START_SECONDS)

    def call(self, message: Mapping[str, Any], seconds: float | None) -> dict[str, Any]:
        """The answer to a message; AgentFailure if the agent failed or its process ended."""
        try:
            self._connection.send_bytes(json.dumps(message).encode())
            if seconds is not None and not self._connection.poll(seconds + _GRACE):
                self.end()
                late = f"{message['do']}: no answer in {seconds:g} s; its process was ended"
                raise AgentFailure("late", late, "", True)
            answer = json.loads(self._connection.recv_bytes(_LONGEST_MESSAGE))
            failed = answer.get("failed")
        except (OSError, EOFError, ValueError, AttributeError, RecursionError) as error:
            raise self._ended(error) from None
        if failed is not None:
            text, trace = (str(answer.get(key, ""))[:_LONGEST_TEXT] for key in ("message", "traceback"))
            raise AgentFailure(failed if failed in ("illegal", "late") else "errors", text, trace)
        return answer

    def end(self) -> None:
        """Kill the process and all that it started."""
        self.has_ended = True
        self._finalizer()

    def _ended(self, error: Exception) -> AgentFailure:
        """The failure of a process that does not answer any more."""
        try:
            status: int | None = self._process.wait(1.0)
        except subprocess.TimeoutExpired:
            status = None
        text = os.pread(self._crash, _LONGEST_TEXT, 0).decode(errors="replace")
        self.end()
        if status is None:
            return AgentFailure("errors", f"its process answers no more: {type(error).__name__}", text, True)
        name = f"signal {signal.Signals(-status).name}" if status < 0 else f"status {status}"
        return AgentFailure("errors", f"its process ended with {name}", text, True)


def _release(process: subprocess.Popen, connection: Connection, descriptors: tuple[int, ...]) -> None:
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)
    process.kill()
    process.wait()
    connection.close()
    for descriptor in descriptors:
        os.close(descriptor)


# ---- in the process of the agent


def main() -> None:
    """Answer messages until the caller is gone."""
    link, memory, crash, parent = map(int, sys.argv[2:])
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:
        return
    faulthandler.enable(crash)
    connection = Connection(link)
    server = _Server(memory)
    while True:
        try:
            message = json.loads(connection.recv_bytes())
        except EOFError:
            return
        connection.send_bytes(json.dumps(server.answer(message)).encode())


class _Server:
    """The agent and what it is asked.

    Args:
        descriptor: The shared memory.
    """

    def __init__(self, descriptor: int):
        self._descriptor = descriptor

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
            return {"failed": "illegal", "message": str(error)}
        except BaseException as error:  # noqa: BLE001 - an agent's code can raise anything, also KeyboardInterrupt
            cause = error.__cause__ if isinstance(error, _OF_SETUP) and error.__cause__ is not None else error
            text = str(error) if isinstance(error, _OF_SETUP) else text_of(error)
            return {"failed": "errors", "message": text, "traceback": traceback_of(cause)}

    def _make(self, message: dict[str, Any]) -> None:
        limit = int(message["memory_limit"] * 2**30)
        resource.setrlimit(resource.RLIMIT_DATA, (limit, limit))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        self._game = make_game(message["game"], **message["options"])
        self._memory = _Memory(self._descriptor, self._game)
        self._name, self._trust = message["agent"], message["trust"]
        self._new = make_agent(self._name, self._game, trust=self._trust)
        self._can_copy = True
        self._begin()

    def _facts(self, _: object) -> dict[str, Any]:
        source = source_of(self._name)
        return {
            "needs_determinizer": needs_determinizer(self._new),
            "needs_view": needs_view(self._new),
            "source": str(source) if source else None,
        }

    def _begin(self, _: object = None) -> None:
        """A copy of the new object, as `reset` may keep what it remembers; one with a lock or a file is made anew."""
        if self._can_copy:
            try:
                self._agent = deepcopy(self._new)
                return
            except Exception:  # noqa: BLE001 - the agent's own code may be called
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


def _info_data(info: Mapping[str, Any]) -> dict[str, Any]:
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
    """The info that `_info_data` wrote."""
    if "view" in data:
        data["view"] = View.from_data(data["view"], game.rendering)
    if "determinizer" in data:
        seat, record = data["determinizer"]
        found = object.__new__(Determinizer)  # the record is redrawn already; the constructor would redraw it again
        found.game, found.seat = game, seat
        found._record = np.frombuffer(base64.b64decode(record), game.record).copy()
        data["determinizer"] = found
    return data


def text_of(error: BaseException) -> str:
    """Type and message of an exception, whose `__str__` may itself raise."""
    try:
        return f"{type(error).__name__}: {error}"
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
        return "".join(found.format())[-_LONGEST_TEXT:]
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
