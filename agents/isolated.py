"""Isolated agents, each in a process of its own that gets observations and masks, and nothing else.

So whatever the code of such an agent does, it cannot end, stop or change a match, and it cannot read the true state of
a game. `arena.referee` makes a forfeit of each failure. What runs in the process: `agent_process`.
"""

import json
import os
import select
import socket
import subprocess
import sys
import time
import weakref
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from w51_env.agents.agent import AgentError, BatchAgent, Infos
from w51_env.agents.agent_output import AgentOutput, PrintedTooMuchError
from w51_env.agents.agent_process import info_data, storable
from w51_env.agents.files import module_file
from w51_env.core.game import Game
from w51_env.system.processes import end_group, name_of_signal

MEMORY_LIMIT = 8.0  #  GiB for the data of an agent's process
START_SECONDS = 300.0  #  to make an agent, which may load a large network
RESET_SECONDS = 60.0
_GRACE = 2.0  #  seconds after a time limit until the process is killed
_SEND_SECONDS = 300.0  #  to send a message to a process that does not read
_LONGEST_MESSAGE = 1 << 20  #  bytes that are read from the agent's process, beside actions
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
        self._output = AgentOutput(origin.agent)
        self._process: _Process | None = None
        try:
            facts = self._begun().call({"do": "facts"}, RESET_SECONDS)
        except AgentFailure as failure:
            text = failure.message
            raise AgentError(text if text.startswith("agent ") else f"agent {origin.agent!r}: {text}") from None
        self.needs_determinizer, self.needs_view = (
            facts.get(f"needs_{what}") is True for what in ("determinizer", "view")
        )
        self.files = _own_files(origin.agent, facts.get("files"))

    def begin(self) -> None:
        """Forget everything: the next decisions are made by a new object, in a new process if the last one ended.

        Raises:
            AgentFailure: It cannot be made.
        """
        self._begun().call({"do": "begin"}, START_SECONDS)
        self._output.begin()

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
        data = None if infos is None else [info_data(info) for info in infos]
        message = {"do": "act", "count": len(observations), "seconds": seconds, "infos": data}
        arrays = [np.ascontiguousarray(array, np.int8) for array in (observations, action_masks)]
        return self._running().decide(message, seconds, arrays)

    @property
    def pid(self) -> int:
        """The id of its process."""
        return self._running().pid

    def close(self) -> None:
        """End its process."""
        if self._process is not None:
            self._process.end()
            self._process = None

    def _begun(self) -> "_Process":
        """The process, a new one if the last one ended."""
        if self._process is None or self._process.has_ended:
            self.close()
            self._process = _Process(self._origin, self._output)
        return self._process

    def _running(self) -> "_Process":
        """The process; AgentFailure if it has ended, since only `begin` starts another one."""
        if self._process is None or self._process.has_ended:
            raise AgentFailure("errors", "its process has ended", is_over=True)
        return self._process


class _Process:
    """The process of one agent, as its caller has it."""

    def __init__(self, origin: Origin, output: AgentOutput):
        self._socket, other = socket.socketpair()
        self._process = subprocess.Popen(
            [sys.executable, "-u", "-P", "-c", _START, json.dumps(sys.path), str(other.fileno()), str(os.getpid())],
            pass_fds=(other.fileno(),),
            stdin=subprocess.DEVNULL,
            env={**os.environ, **ONE_THREAD},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            start_new_session=True,  # Ctrl-C is handled by the caller
        )
        other.close()
        self._output = output
        self._printed = output.new_pipe(self._process)
        self._end = os.pidfd_open(self._process.pid)  # a child of the process may keep the socket open
        self._poll = select.poll()
        for number in (self._socket.fileno(), self._printed, self._end):
            self._poll.register(number, select.POLLIN)
        self.has_ended = False
        self._finalizer = weakref.finalize(self, _release, self._process, self._socket, self._end)
        self.call({"do": "make", **vars(origin), "options": dict(origin.options)}, START_SECONDS)

    @property
    def pid(self) -> int:
        return self._process.pid

    def call(self, message: Mapping[str, Any], seconds: float | None) -> dict[str, Any]:
        """The answer to a message; AgentFailure if the agent failed or its process ended."""
        return self._exchange(message, seconds)[0]

    def decide(self, message: Mapping[str, Any], seconds: float | None, arrays: Sequence[np.ndarray]) -> np.ndarray:
        """(count,) int64, the answer to a message with arrays, which has so many decisions; AgentFailure as `call`."""
        message = {**message, "bytes": sum(array.nbytes for array in arrays)}
        return np.frombuffer(self._exchange(message, seconds, arrays, 8 * message["count"])[1], np.int64)

    def _exchange(
        self, message: Mapping[str, Any], seconds: float | None, arrays: Sequence[np.ndarray] = (), more: int = 0
    ) -> tuple[dict[str, Any], bytearray]:
        """The answer and the bytes after it, `more` of them if the agent did not fail."""
        limit = None if seconds is None else time.monotonic() + seconds + _GRACE
        try:
            self._socket.settimeout(_SEND_SECONDS if seconds is None else min(seconds + _GRACE, _SEND_SECONDS))
            self._socket.sendall(json.dumps(message).encode() + b"\n")
            for array in arrays:
                self._socket.sendall(array.data.cast("B"))
            line, rest = self._line(limit)
            answer = json.loads(line)
            failed = answer.get("failed")
            while failed is None and len(rest) < more:
                rest += self._part(limit)
            if len(rest) != (more if failed is None else 0):
                raise ValueError("too long")
        except _NoAnswerError:
            self.end()
            late = f"{message['do']}: no answer in {seconds:g} s; its process was ended"
            raise AgentFailure("late", late, "", True) from None
        except PrintedTooMuchError as error:
            self.end()
            raise AgentFailure("errors", f"{error}; its process was ended", self._output.last(), True) from None
        except (OSError, EOFError, ValueError, AttributeError, RecursionError) as error:
            raise self._ended(error) from None
        if failed is not None:
            text, trace = (storable(str(answer.get(key, ""))) for key in ("message", "traceback"))
            raise AgentFailure(failed if failed in ("illegal", "late") else "errors", text, trace)
        return answer, rest

    def _line(self, limit: float | None) -> tuple[bytearray, bytearray]:
        """One line, and what came after it."""
        found = bytearray()
        while (end := found.find(b"\n")) < 0:
            if len(found) > _LONGEST_MESSAGE:
                raise ValueError("too long")
            found += self._part(limit)
        return found[:end], found[end + 1 :]

    def _part(self, limit: float | None) -> bytes:
        """Some bytes; EOFError if the process has ended, _NoAnswerError if there are none until the limit."""
        awaited = {self._socket.fileno(), self._end}
        ready: set[int] = set()
        while not ready & awaited:
            left = None if limit is None else limit - time.monotonic()
            if left is not None and left < 0:
                raise _NoAnswerError
            ready = {number for number, _ in self._poll.poll(None if left is None else 1000 * left)}
            if self._printed in ready and not self._output.read():
                self._poll.unregister(self._printed)
        part = self._socket.recv(_LONGEST_MESSAGE) if self._socket.fileno() in ready else b""
        if not part:
            raise EOFError
        return part

    def end(self) -> None:
        """Kill the process and its process group."""
        if not self.has_ended:
            with suppress(PrintedTooMuchError):
                self._output.read()
        self.has_ended = True
        self._finalizer()

    def _ended(self, error: Exception) -> AgentFailure:
        """The failure of a process that does not answer any more."""
        gone = select.poll()
        gone.register(self._end, select.POLLIN)
        has_ended = bool(gone.poll(1000))
        self.end()
        status = self._process.returncode
        how = f"ended with {name_of_signal(-status) if status < 0 else f'status {status}'}"
        text = how if has_ended else f"answers no more: {type(error).__name__}"
        return AgentFailure("errors", f"its process {text}", self._output.last(), True)


def _release(process: subprocess.Popen, link: socket.socket, end: int) -> None:
    end_group(process)
    assert process.stdout is not None
    process.stdout.close()
    link.close()
    os.close(end)


def _own_files(agent: str, files: Any) -> list[str]:
    """The files that an agent declares, of which results keep digests.

    Raises:
        AgentError: One is outside the working folder and the folder of the agent's module: its process could name any
            file of this machine.
    """
    paths = [str(path) for path in files] if isinstance(files, list) else []
    module = module_file(agent.partition(":")[0])
    folders = [Path.cwd().resolve(), *([] if module is None else [Path(module).resolve().parent])]
    for path in paths:
        if not any(Path(path).resolve().is_relative_to(folder) for folder in folders):
            allowed = " and ".join(map(str, folders))
            raise AgentError(f"agent {agent!r}: its `files` name {path!r}, but only files in {allowed} may be declared")
    return paths
