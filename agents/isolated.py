"""Isolated agents, each in a process of its own that gets observations and masks, and nothing else.

A first process makes the agent and never plays. Each time that the agent begins, this process is forked, so that
nothing of the agent meets games that it has met before.

So whatever the code of such an agent does, it cannot end, stop or change a match, and it cannot read the true state of
a game. `arena.referee` makes a forfeit of each failure. What runs in the process: `agent_process`.
"""

import fcntl
import json
import os
import select
import signal
import socket
import subprocess
import sys
import time
import weakref
from collections.abc import Mapping, Sequence
from contextlib import suppress
from copy import copy
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from w51_env.agents.agent import AgentError, BatchAgent, Infos
from w51_env.agents.agent_process import LONGEST_TEXT, SharedMemory, info_data, storable
from w51_env.core.agent_seeds import SECRET_VARIABLE
from w51_env.core.game import Game

MEMORY_LIMIT = 8.0  #  GiB for the data of an agent's process
START_SECONDS = 300.0  #  to make an agent, which may load a large network
RESET_SECONDS = 60.0
_GRACE = 2.0  #  seconds after a time limit until the process is killed
_LONGEST_MESSAGE = 1 << 20  #  bytes that are read from the agent's process
_START = (
    "import json, sys; sys.path[:] = json.loads(sys.argv[1]); from w51_env.agents.agent_process import main; main()"
)
# Results of sums depend on the number of threads.
ONE_THREAD = dict.fromkeys(("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS"), "1")


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


class _NoAnswerError(Exception):
    """The process did not answer in time."""


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
        is_slow: Whether its class says that it decides slowly; None: it says nothing.
        source: The file of its module; None if it has none.

    Raises:
        AgentError: The agent cannot be made.
    """

    def __init__(self, origin: Origin, game: Game):
        self._origin = origin
        self._game = game
        self._maker: list[_Process] = []  # at most one, which copies of this agent share
        self._process: _Process | None = None
        try:
            facts = self._made().call({"do": "facts"}, RESET_SECONDS)
        except AgentFailure as failure:
            text = failure.message
            raise AgentError(text if text.startswith("agent ") else f"agent {origin.agent!r}: {text}") from None
        self.needs_determinizer, self.needs_view = (
            bool(facts.get(f"needs_{what}")) for what in ("determinizer", "view")
        )
        self.is_slow = None if facts.get("is_slow") is None else bool(facts["is_slow"])
        self.source = Path(str(facts["source"])) if facts.get("source") else None

    def copy(self) -> "IsolatedAgent":
        """The same agent once more, which plays in another process."""
        other = copy(self)
        other._process = None
        return other

    def begin(self) -> None:
        """Forget everything: the next decisions are made by a new object in a new process.

        Raises:
            AgentFailure: It cannot be made.
        """
        self.end()
        self._process = self._made().fork() or _Process(self._game, *_started(), origin=self._origin)
        self._process.call({"do": "begin"}, START_SECONDS)

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
        data = None if infos is None else [info_data(info) for info in infos]
        process.memory.write(observations, action_masks)
        process.call({"do": "act", "count": len(observations), "seconds": seconds, "infos": data}, seconds)
        return process.memory.actions(len(observations)).copy()

    @property
    def pid(self) -> int:
        """The id of the process that makes it, whose children play."""
        return self._made().pid

    def end(self) -> None:
        """End the process in which it plays."""
        if self._process is not None:
            self._process.end()
            self._process = None

    def close(self) -> None:
        """End its processes, also those of its copies; they start again if they are needed."""
        self.end()
        for maker in self._maker:
            maker.end()
        self._maker.clear()

    def _running(self) -> "_Process":
        if self._process is None or self._process.has_ended:
            self.begin()
        assert self._process is not None
        return self._process

    def _made(self) -> "_Process":
        if not self._maker or self._maker[0].has_ended:
            self._maker[:] = [_Process(self._game, *_started(), origin=self._origin)]
        return self._maker[0]


class _Link(NamedTuple):
    """What a process and its caller share.

    Attributes:
        socket: The caller's end of a pair of sockets.
        memory, crash: Files in memory: `SharedMemory`, and what `faulthandler` writes.
    """

    socket: socket.socket
    memory: int
    crash: int


def _linked() -> tuple[_Link, socket.socket]:
    """A new link, and the other end of its sockets."""
    own, other = socket.socketpair()
    memory = os.memfd_create("w51_env", os.MFD_ALLOW_SEALING)
    fcntl.fcntl(memory, fcntl.F_ADD_SEALS, fcntl.F_SEAL_SHRINK)  # else the agent could cut it off under us
    return _Link(own, memory, os.memfd_create("w51_env crash")), other


def _started() -> "tuple[subprocess.Popen, _Link]":
    """A new process of Python that waits for messages."""
    link, other = _linked()
    passed = (other.fileno(), link.memory, link.crash)
    with other:
        process = subprocess.Popen(
            [sys.executable, "-P", "-c", _START, json.dumps(sys.path), *map(str, passed), str(os.getpid())],
            pass_fds=passed,
            stdin=subprocess.DEVNULL,
            env={**{name: value for name, value in os.environ.items() if name != SECRET_VARIABLE}, **ONE_THREAD},
            stdout=2,  # what an agent prints is no output of the caller
            start_new_session=True,  # Ctrl-C is handled by the caller
        )
    return process, link


class _Fork:
    """A fork of a maker's process, with those methods of `subprocess.Popen` that are needed.

    Args:
        maker: The maker, which is its parent.
        pid: Its process id.
    """

    def __init__(self, maker: "_Process", pid: int):
        self._maker, self.pid = maker, pid

    def wait(self, timeout: float) -> int:
        """Its exit status; TimeoutExpired if it goes on."""
        if self._maker.has_ended:
            return -signal.SIGKILL  # it ends with its parent
        try:
            status = self._maker.call({"do": "wait", "pid": self.pid, "for": timeout}, timeout).get("status")
        except AgentFailure:  # the maker has ended, and its forks with it
            status = -signal.SIGKILL
        if not isinstance(status, int):
            raise subprocess.TimeoutExpired("agent", timeout)
        return status


class _Process:
    """The process of one agent, as its caller has it.

    Args:
        game: The game it plays.
        process: The process.
        link: What is shared with it.
        origin: How it makes the agent; None: it has made it.
    """

    def __init__(self, game: Game, process: subprocess.Popen | _Fork, link: _Link, origin: Origin | None = None):
        self._game, self._process = game, process
        self._socket, descriptor, self._crash = link
        end = os.pidfd_open(self._process.pid)  # a child of the process may keep the socket open
        self._poll = select.poll()
        for number in (self._socket.fileno(), end):
            self._poll.register(number, select.POLLIN)
        self.has_ended = False
        self.memory = SharedMemory(descriptor, game)
        self._finalizer = weakref.finalize(self, _release, self._process, link, end)
        if origin is not None:
            self.call({"do": "make", **vars(origin), "options": dict(origin.options)}, START_SECONDS)

    def fork(self) -> "_Process | None":
        """A new process with the agent as it was made; None if it has threads, which a fork would lose."""
        link, other = _linked()
        pid = None
        try:
            with other:
                passed = [other.fileno(), link.memory, link.crash]
                pid = self.call({"do": "fork"}, START_SECONDS, passed).get("pid")
        finally:
            if pid is None:
                _close(link)
        if pid is None:
            return None
        return _Process(self._game, _Fork(self, int(pid)), link)

    @property
    def pid(self) -> int:
        return self._process.pid

    def call(self, message: Mapping[str, Any], seconds: float | None, passed: Sequence[int] = ()) -> dict[str, Any]:
        """The answer to a message, sent with open files; AgentFailure if the agent failed or its process ended."""
        try:
            self._socket.settimeout(START_SECONDS)
            if passed:
                socket.send_fds(self._socket, [b" "], passed)
            self._socket.sendall(json.dumps(message).encode() + b"\n")
            answer = json.loads(self._received(seconds))
            failed = answer.get("failed")
        except _NoAnswerError:
            self.end()
            late = f"{message['do']}: no answer in {seconds:g} s; its process was ended"
            raise AgentFailure("late", late, "", True) from None
        except (OSError, EOFError, ValueError, AttributeError, RecursionError) as error:
            raise self._ended(error) from None
        if failed is not None:
            text, trace = (storable(str(answer.get(key, ""))) for key in ("message", "traceback"))
            raise AgentFailure(failed if failed in ("illegal", "late") else "errors", text, trace)
        return answer

    def _received(self, seconds: float | None) -> bytearray:
        """One line; EOFError if the process has ended, _NoAnswerError if it takes longer than so many seconds."""
        limit = None if seconds is None else time.monotonic() + seconds + _GRACE
        line = bytearray()
        while not line.endswith(b"\n"):
            left = None if limit is None else max(0.0, limit - time.monotonic())
            ready = [number for number, _ in self._poll.poll(None if left is None else 1000 * left)]
            if not ready:
                raise _NoAnswerError
            part = self._socket.recv(_LONGEST_MESSAGE) if self._socket.fileno() in ready else b""
            line += part
            if not part:
                raise EOFError
            if len(line) > _LONGEST_MESSAGE:
                raise ValueError("too long")
        return line

    def end(self) -> None:
        """Kill the process and its process group."""
        self.has_ended = True
        self._finalizer()

    def _ended(self, error: Exception) -> AgentFailure:
        """The failure of a process that does not answer any more."""
        try:
            status: int | None = self._process.wait(1.0)
        except subprocess.TimeoutExpired:
            status = None
        text = os.pread(self._crash, LONGEST_TEXT, 0).decode(errors="replace")
        self.end()
        if status is None:
            return AgentFailure("errors", f"its process answers no more: {type(error).__name__}", text, True)
        name = f"signal {signal.Signals(-status).name}" if status < 0 else f"status {status}"
        return AgentFailure("errors", f"its process ended with {name}", text, True)


def _release(process: subprocess.Popen | _Fork, link: _Link, end: int) -> None:
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)
    with suppress(ProcessLookupError):
        signal.pidfd_send_signal(end, signal.SIGKILL)
    with suppress(subprocess.TimeoutExpired):
        process.wait(timeout=_GRACE)
    os.close(end)
    _close(link)


def _close(link: _Link) -> None:
    link.socket.close()
    os.close(link.memory)
    os.close(link.crash)
