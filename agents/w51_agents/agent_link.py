"""Processes of isolated agents, seen from the caller: start, fork, call, end.

All that a process sends is untrusted and checked.
"""

import json
import os
import select
import signal
import socket
import subprocess
import sys
import threading
import time
import weakref
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np

from w51_agents.agent_messages import MAX_PRINTED, AgentMessages, AgentOutput, NoAnswerError, PrintedTooMuchError
from w51_agents.agent_process import storable
from w51_agents.system.processes import kill_group, name_of_signal
from w51_env.adapters.agent_seeds import SECRET_VARIABLE

START_SECONDS = 300.0  #  to make an agent, which may load a large network
_PROCESS_CLOCK = 2  #  the clock of a process by its id, as clock_getcpuclockid(3) computes it on Linux
_GRACE = 2.0  #  seconds after a time limit until the process is killed
_START = "import json, sys; sys.path[:] = json.loads(sys.argv[1]); from w51_agents.agent_process import main; main()"
# Results of sums depend on the number of threads.
ONE_THREAD = dict.fromkeys(("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS"), "1")

Wait = Callable[[float], int | None]  # (seconds) -> exit status of a process; None if it goes on


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
    """The process of one agent.

    Args:
        pid: Its process id.
        wait: Waits for its exit status.
        link: The caller's end of the socket.
        printed: Where what it prints is read; this object closes it.
        output: What the agent prints.
    """

    def __init__(self, pid: int, wait: Wait, link: socket.socket, printed: int, output: AgentOutput):
        self.pid, self._wait, self._output = pid, wait, output
        self._end = os.pidfd_open(pid)  # a child of the process may keep the socket open
        output.follow(printed)
        self._messages = AgentMessages(link, self._end, printed, output)
        self.has_ended = False
        self._turn = threading.Lock()  # one message at a time
        self._speaker: int | None = None  # the thread that has the turn
        self._finalizer = weakref.finalize(self, _release, os.getpid(), pid, wait, link, printed, self._end)

    @classmethod
    def start(cls, output: AgentOutput) -> "AgentProcess":
        """A new process, which makes no agent yet: a fork of one that has loaded this package and no third-party code.

        It has the search path, environment and working folder of this process, without the secret of a tournament.
        """
        environment = {name: value for name, value in os.environ.items() if name != SECRET_VARIABLE}
        surroundings = os.getpid(), tuple(sys.path), str(Path.cwd()), frozenset(environment.items())
        with _nursery_lock:
            nursery = _nursery.get(surroundings)
            if nursery is None or nursery.has_ended:
                nursery = cls._spawn(AgentOutput("nursery"), environment, parent=0)
                _nursery.clear()  # one that has forks lives on with them
                _nursery[surroundings] = nursery
            with suppress(AgentFailure):  # killed by someone
                if (process := nursery.fork(output)) is not None:
                    return process
        return cls._spawn(output, environment, parent=os.getpid())

    @classmethod
    def _spawn(cls, output: AgentOutput, environment: Mapping[str, str], parent: int) -> "AgentProcess":
        """A new process of Python; it ends with the process `parent`, or if that is 0, when the socket is closed."""
        callers_end, agents_end = socket.socketpair()
        printed, printing = os.pipe()
        arguments = json.dumps(sys.path), str(agents_end.fileno()), str(parent)
        process = subprocess.Popen(
            [sys.executable, "-u", "-P", "-c", _START, *arguments],
            pass_fds=(agents_end.fileno(),),
            stdin=subprocess.DEVNULL,
            env={**environment, **ONE_THREAD},
            stdout=printing,
            stderr=printing,
            start_new_session=True,  # Ctrl-C is handled by the caller
        )
        agents_end.close()
        os.close(printing)
        return cls(process.pid, _waiting(process), callers_end, printed, output)

    def make(self, agent: Mapping[str, Any], seconds: float = START_SECONDS) -> None:
        """Make an agent, or take the one made before; `agent`: the fields of `isolated.AgentSource`."""
        self.call({"do": "make", **agent}, seconds)

    def fork(self, output: AgentOutput) -> "AgentProcess | None":
        """A new process with the agent as it was made; None if it has threads, which a fork would lose."""
        callers_end, agents_end = socket.socketpair()
        printed, printing = os.pipe()
        pid = None
        try:
            pid = self.call({"do": "fork"}, START_SECONDS, passed=(agents_end.fileno(), printing)).get("pid")
            if pid is not None and (type(pid) is not int or _parent_of(pid) != self.pid):
                pid = None
                raise AgentFailure("errors", "fork: its process answered with a process that is not its own")
        finally:
            agents_end.close()
            os.close(printing)
            if pid is None:
                callers_end.close()
                os.close(printed)
        return None if pid is None else AgentProcess(pid, self._waiting_for(pid), callers_end, printed, output)

    def call(self, message: Mapping[str, Any], seconds: float | None, passed: Sequence[int] = ()) -> dict[str, Any]:
        """The answer to a message, sent with open files; AgentFailure if the agent failed or its process ended."""
        return self._exchange(message, seconds, passed=passed)[0]

    def decide(self, message: Mapping[str, Any], seconds: float | None, arrays: Sequence[np.ndarray]) -> np.ndarray:
        """(count,) int64 actions, the answer to a message with arrays of `count` decisions; AgentFailure as `call`."""
        message = {"do": "act", **message, "bytes": sum(array.nbytes for array in arrays)}
        return np.frombuffer(self._exchange(message, seconds, arrays, more=8 * message["count"])[1], np.int64)

    def explain(self, message: Mapping[str, Any], seconds: float | None, arrays: Sequence[np.ndarray]) -> Any:
        """The explanation of one decision, as plain data that nobody has checked; AgentFailure as `call`."""
        message = {"do": "explain", **message, "bytes": sum(array.nbytes for array in arrays)}
        return self._exchange(message, seconds, arrays)[0].get("explanation")

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
            with suppress(OSError):  # it has ended
                signal.pidfd_send_signal(self._end, signal.SIGKILL)

    def end(self) -> None:
        """Kill the process and its process group."""
        if not self.has_ended:
            self._output.read()
        self.has_ended = True
        self._finalizer()

    def _exchange(
        self,
        message: Mapping[str, Any],
        seconds: float | None,
        arrays: Sequence[np.ndarray] = (),
        *,
        more: int = 0,
        passed: Sequence[int] = (),
    ) -> tuple[dict[str, Any], bytearray]:
        """The answer and the bytes after it, `more` of them if the agent did not fail."""
        with self._turn:
            self._speaker = threading.get_ident()
            try:
                limit = None if seconds is None else seconds + _GRACE
                answer, rest = self._messages.exchange(message, limit, arrays, more, passed)
            except NoAnswerError:
                self.end()
                late = f"{message['do']}: no answer in {seconds:g} s; its process was ended"
                raise AgentFailure("late", late, "", True) from None
            except PrintedTooMuchError:
                self.end()
                text = f"printed more than {MAX_PRINTED >> 20} MiB; its process was ended"
                raise AgentFailure("errors", text, self._output.last(), True) from None
            except (OSError, EOFError, ValueError, AttributeError, RecursionError) as error:
                raise self._ended(error) from None
            finally:
                self._speaker = None
        if (failed := answer.get("failed")) is not None:
            text, trace = (storable(str(answer.get(key, ""))) for key in ("message", "traceback"))
            raise AgentFailure(failed if failed in ("illegal", "late") else "errors", text, trace)
        return answer, rest

    def _ended(self, error: Exception) -> AgentFailure:
        """The failure of a process that does not answer any more."""
        gone = select.poll()
        gone.register(self._end, select.POLLIN)
        status = self._wait(1.0) if gone.poll(1000) else None
        self.end()
        if status is None:
            how = f"answers no more: {type(error).__name__}"
        else:
            how = f"ended with {name_of_signal(-status) if status < 0 else f'status {status}'}"
        return AgentFailure("errors", f"its process {how}", self._output.last(), True)

    def _waiting_for(self, pid: int) -> Wait:
        """Waits for the exit status of a fork of this process, through this process, its parent."""

        def wait(seconds: float) -> int | None:
            if self.has_ended:
                return -signal.SIGKILL  # a fork ends with its parent
            if self._speaker == threading.get_ident():
                return None  # the fork was collected as garbage in the midst of a message
            try:
                status = self.call({"do": "wait", "pid": pid, "for": seconds}, seconds).get("status")
            except AgentFailure:
                return -signal.SIGKILL
            return status if type(status) is int else None

        return wait


_nursery: dict[tuple, AgentProcess] = {}  # by its surroundings, at most one
_nursery_lock = threading.Lock()


def _waiting(process: subprocess.Popen) -> Wait:
    def wait(seconds: float) -> int | None:
        try:
            return process.wait(seconds)
        except subprocess.TimeoutExpired:
            return None

    return wait


def _parent_of(pid: int) -> int | None:
    """The process id of the parent of a process; None if there is no such process."""
    try:
        return int(Path(f"/proc/{pid}/stat").read_text("utf-8", "replace").rpartition(")")[2].split()[1])
    except (OSError, ValueError, IndexError):
        return None


def _release(owner: int, pid: int, wait: Wait, link: socket.socket, printed: int, end: int) -> None:
    """Kill a process and its group, which it leads. Its id stays its own until the wait at the end.

    Nothing is done in a fork of the process `owner`, to which it belongs.
    """
    if os.getpid() != owner:
        return
    with suppress(ProcessLookupError):  # it may end at any moment
        signal.pidfd_send_signal(end, 0)  # an error if it was waited for
        kill_group(pid)
        signal.pidfd_send_signal(end, signal.SIGKILL)
    wait(_GRACE)
    for descriptor in (printed, end):
        os.close(descriptor)
    link.close()
