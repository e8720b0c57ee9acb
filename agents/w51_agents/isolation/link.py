"""Processes of isolated agents, seen from the caller: start, fork, call, end.

All that a process sends is untrusted and checked. What it prints goes to the standard error stream.
"""

import json
import os
import socket
import subprocess
import sys
import time
import weakref
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from w51_agents.agent.interface import AgentError, Infos
from w51_agents.agent.seeds import SECRET_VARIABLE
from w51_agents.isolation.messages import MAX_ANSWER, receive, send
from w51_agents.isolation.process import info_data, storable
from w51_agents.system.processes import exit_status, kill_group, name_of_signal
from w51_agents.system.stopping import started_deaf

START_SECONDS = 300.0  #  to make an agent, which may load a large network
_PROCESS_CLOCK = 2  #  the clock of a process by its id, as clock_getcpuclockid(3) computes it on Linux
_GRACE = 2.0  #  seconds after a time limit until the process is killed
_STANDARD_ERROR = 2
_START = (
    "import json, sys; sys.path[:] = json.loads(sys.argv[1]); from w51_agents.isolation.process import main; main()"
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


class AgentProcess:
    """A process that makes an agent and asks it, or a fork of one, which begins with the agent as it was made.

    Args:
        pid: Its process id.
        link: The caller's end of the socket.
        started: The process, if it is a child of this one.
        forked_from: The process that it is a fork of, if it is one.
    """

    def __init__(
        self,
        pid: int,
        link: socket.socket,
        started: subprocess.Popen | None = None,
        forked_from: "AgentProcess | None" = None,
    ):
        self.pid, self.has_ended = pid, False
        self._link, self._forked_from = link, forked_from
        self._ended_forks: list[int] = []  # which wait to be reaped, so that their ids stay their own
        self._finalizer = weakref.finalize(self, _release, os.getpid(), pid, link, started)

    @classmethod
    def start(cls) -> "AgentProcess":
        """A new process, which makes no agent yet.

        It has the search path, environment and working folder of this process, without the secret of a tournament.
        """
        if sys.platform != "linux":
            raise AgentError(f"an agent of others plays in a process of its own, which needs Linux, not {sys.platform}")
        environment = {name: value for name, value in os.environ.items() if name != SECRET_VARIABLE}
        callers_end, agents_end = socket.socketpair()
        with agents_end, started_deaf():
            process = subprocess.Popen(
                [sys.executable, "-u", "-P", "-c", _START, json.dumps(sys.path), str(agents_end.fileno())],
                pass_fds=(agents_end.fileno(),),
                stdin=subprocess.DEVNULL,
                stdout=_STANDARD_ERROR,
                env={**environment, **ONE_THREAD},
                start_new_session=True,  # Ctrl-C is handled by the caller
            )
        return cls(process.pid, callers_end, started=process)

    def make(self, agent: Mapping[str, Any], seconds: float = START_SECONDS) -> None:
        """Make an agent, or take the one made before; `agent`: the fields of `isolated.AgentSource`."""
        self.call({"do": "make", **agent}, seconds)

    def fork(self) -> "AgentProcess | None":
        """A new process with the agent as it was made; None if it has threads, which a fork would lose."""
        callers_end, agents_end = socket.socketpair()
        with agents_end:
            message = {"do": "fork", "ended": self._ended_forks}
            answer, _ = self._exchange(message, START_SECONDS, passed=agents_end)
        self._ended_forks.clear()
        if type(pid := answer.get("pid")) is int:
            return AgentProcess(pid, callers_end, forked_from=self)
        callers_end.close()
        return None

    def call(self, message: Mapping[str, Any], seconds: float | None) -> dict[str, Any]:
        """The answer to a message; AgentFailure if the agent failed or its process ended."""
        return self._exchange(message, seconds)[0]

    def reset(self, seed: int, seconds: float) -> None:
        """`reset` of the agent; AgentFailure as `call`."""
        self.call({"do": "reset", "seed": int(seed), "seconds": seconds}, seconds)

    def decide(
        self, observations: np.ndarray, masks: np.ndarray, infos: Infos = None, seconds: float | None = None
    ) -> np.ndarray:
        """(N,) int64, the actions of the agent, which may be illegal; AgentFailure as `call`."""
        content = self._asked("act", observations, masks, infos, seconds)[1]
        if len(content) != 8 * len(masks):
            raise self._ended(ValueError())
        return np.frombuffer(content, np.int64)

    def explain(
        self, observation: np.ndarray, mask: np.ndarray, info: Mapping[str, Any] | None, seconds: float | None
    ) -> Any:
        """The explanation of one decision, as plain data that nobody has checked; AgentFailure as `call`."""
        infos = None if info is None else [dict(info)]
        return self._asked("explain", observation[None], mask[None], infos, seconds)[0].get("explanation")

    @property
    def processor_seconds(self) -> float:
        """Processor time of all its threads so far; 0 if it has ended."""
        try:
            return 0.0 if self.has_ended else time.clock_gettime(~self.pid << 3 | _PROCESS_CLOCK)
        except OSError:  # it has ended just now
            return 0.0

    def kill(self) -> None:
        """Kill the process while another thread may wait for its answer; that thread then gets an AgentFailure."""
        if not self.has_ended:
            kill_group(self.pid)

    def end(self) -> None:
        """Kill the process and its process group."""
        if not self.has_ended and self._forked_from is not None:
            self._forked_from._ended_forks.append(self.pid)
        self.has_ended = True
        self._finalizer()

    def _asked(
        self, what: str, observations: np.ndarray, masks: np.ndarray, infos: Infos, seconds: float | None
    ) -> tuple[dict[str, Any], bytearray]:
        data = None if infos is None else [info_data(info) for info in infos]
        message = {"do": what, "count": len(masks), "seconds": seconds, "infos": data}
        return self._exchange(message, seconds, [np.ascontiguousarray(part, np.int8) for part in (observations, masks)])

    def _exchange(
        self,
        message: Mapping[str, Any],
        seconds: float | None,
        arrays: Sequence[np.ndarray] = (),
        passed: socket.socket | None = None,
    ) -> tuple[dict[str, Any], bytearray]:
        """The answer to a message with arrays and a socket, and the bytes after it; AgentFailure if there is none."""
        deadline = None if seconds is None else time.monotonic() + seconds + _GRACE
        try:
            send(self._link, message, *(array.data for array in arrays), deadline=deadline)
            if passed is not None:
                socket.send_fds(self._link, [b"-"], [passed.fileno()])
            answer, content = receive(self._link, deadline=deadline, max_bytes=MAX_ANSWER)
            failed = answer.get("failed")
        except TimeoutError:
            self.end()
            late = f"{message['do']}: no answer in {seconds:g} s; its process was ended"
            raise AgentFailure("late", late, "", True) from None
        except (OSError, EOFError, ValueError, AttributeError, RecursionError) as error:
            raise self._ended(error) from None
        if failed is not None:
            text, trace = (storable(str(answer.get(key, ""))) for key in ("message", "traceback"))
            raise AgentFailure(failed if failed in ("illegal", "late") else "errors", text, trace)
        return answer, content

    def _ended(self, error: Exception) -> AgentFailure:
        """The failure of a process that does not answer any more."""
        status = self._status()
        self.end()
        if status is None:
            how = f"answers no more: {type(error).__name__}"
        else:
            how = f"ended with {name_of_signal(-status) if status < 0 else f'status {status}'}"
        return AgentFailure("errors", f"its process {how}", "", True)

    def _status(self) -> int | None:
        """The exit status of the process, once it has ended; None if it goes on."""
        if self._forked_from is None:
            return exit_status(self.pid)
        try:
            status = self._forked_from.call({"do": "status", "pid": self.pid}, START_SECONDS).get("status")
        except AgentFailure:  # a fork ends with its parent
            return None
        return status if type(status) is int else None


def _release(owner: int, pid: int, link: socket.socket, started: subprocess.Popen | None) -> None:
    """Kill a process and its group, which it leads; not in a fork of the process `owner`, to which it belongs."""
    if os.getpid() == owner:
        kill_group(pid)
        link.close()
        if started is not None:
            started.wait()
