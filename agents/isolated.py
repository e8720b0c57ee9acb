"""Isolated agents, each in a process of its own that gets observations and masks, and nothing else.

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
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import numpy as np

from w51_env.agents.agent import AgentError, BatchAgent, Infos
from w51_env.agents.agent_process import LONGEST_TEXT, SharedMemory, info_data, storable
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
        files: Paths of the files that it declares.

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
        files = facts.get("files")
        self.files = [str(path) for path in files] if isinstance(files, list) else []

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
        data = None if infos is None else [info_data(info) for info in infos]
        process.memory.write(observations, action_masks)
        process.call({"do": "act", "count": len(observations), "seconds": seconds, "infos": data}, seconds)
        return process.memory.actions(len(observations)).copy()

    @property
    def pid(self) -> int:
        """The id of its process."""
        return self._running().pid

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


class _Process:
    """The process of one agent, as its caller has it."""

    def __init__(self, origin: Origin, game: Game):
        self._socket, other = socket.socketpair()
        descriptor = os.memfd_create("w51_env", os.MFD_ALLOW_SEALING)
        fcntl.fcntl(descriptor, fcntl.F_ADD_SEALS, fcntl.F_SEAL_SHRINK)  # else the agent could cut it off under us
        self._crash = os.memfd_create("w51_env crash")
        passed = (other.fileno(), descriptor, self._crash)
        self._process = subprocess.Popen(
            [sys.executable, "-P", "-c", _START, json.dumps(sys.path), *map(str, passed), str(os.getpid())],
            pass_fds=passed,
            stdin=subprocess.DEVNULL,
            env={**os.environ, **ONE_THREAD},
            stdout=2,  # what an agent prints is no output of the caller
            start_new_session=True,  # Ctrl-C is handled by the caller
        )
        other.close()
        end = os.pidfd_open(self._process.pid)  # a child of the process may keep the socket open
        self._poll = select.poll()
        for number in (self._socket.fileno(), end):
            self._poll.register(number, select.POLLIN)
        self.has_ended = False
        self.memory = SharedMemory(descriptor, game)
        descriptors = descriptor, self._crash, end
        self._finalizer = weakref.finalize(self, _release, self._process, self._socket, descriptors)
        self.call({"do": "make", **vars(origin), "options": dict(origin.options)}, START_SECONDS)

    @property
    def pid(self) -> int:
        return self._process.pid

    def call(self, message: Mapping[str, Any], seconds: float | None) -> dict[str, Any]:
        """The answer to a message; AgentFailure if the agent failed or its process ended."""
        try:
            self._socket.settimeout(START_SECONDS)
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


def _release(process: subprocess.Popen, link: socket.socket, descriptors: tuple[int, ...]) -> None:
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)
    process.kill()
    process.wait()
    link.close()
    for descriptor in descriptors:
        os.close(descriptor)
