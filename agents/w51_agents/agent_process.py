"""The process of an isolated agent: a server that answers the messages of its caller over one socket.

Observations and masks come as bytes after a message, and actions go back after the answer. A process that has made an
agent is forked for each of its players, which begin with the agent as it was made.
"""

import base64
import ctypes
import faulthandler
import gc
import json
import os
import signal
import socket
import sys
import time
import traceback
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import asdict
from functools import lru_cache
from pathlib import Path
from types import FrameType
from typing import Any

import numpy as np
import numpy.ma  # numpy loads it at its first use, which would be in each fork

from w51_agents.agent.infos import history_rows, needs_memory
from w51_agents.agent.interface import (
    Agent,
    AgentError,
    Infos,
    InvalidActionError,
    action_array,
    declared_files,
    needs_determinizer,
    needs_view,
)
from w51_agents.isolation.messages import receive, send
from w51_agents.named.explanation import explain_decision
from w51_agents.named.registry import make_agent
from w51_agents.system.processes import exit_status
from w51_agents.system.secrets import hidden
from w51_env.engine.determinization import Determinizer
from w51_env.engine.errors import FileError, MissingPackageError
from w51_env.engine.events import COLUMNS
from w51_env.engine.game import Game
from w51_env.engine.registry import make_game
from w51_env.views.view import View

MAX_TEXT = 20_000  #  characters of a traceback that are kept
_FRAMES = 20  #  of a traceback, at its beginning and at its end: the agent's own code and where it failed
_PR_SET_PDEATHSIG = 1
_OF_SETUP = (AgentError, FileError, MissingPackageError)  #  their messages stand alone


class TimeLimitError(BaseException):
    """Raised inside an agent at its time limit; no Exception, so that agents do not catch it by accident."""


def info_data(info: Mapping[str, Any]) -> dict[str, Any]:
    """The info of a decision as plain data: views are, and a determinizer holds nothing that its seat may not know."""
    data = dict(info)
    if "view" in data:
        data["view"] = data["view"].as_data()
    if "determinizer" in data:
        determinizer = data["determinizer"]
        data["determinizer"] = [determinizer.seat, base64.b64encode(determinizer.redrawn.tobytes()).decode()]
    if "history" in data:
        data["history"] = base64.b64encode(data["history"].tobytes()).decode()
    return data


def _info(game: Game, data: dict[str, Any]) -> dict[str, Any]:
    """The info that `info_data` wrote."""
    if "view" in data:
        data["view"] = View.from_data(data["view"], game.presentation.rendering)
    if "determinizer" in data:
        seat, record = data["determinizer"]
        data["determinizer"] = Determinizer.of_redrawn(game, np.frombuffer(base64.b64decode(record), game.record), seat)
    if "history" in data:
        data["history"] = np.frombuffer(base64.b64decode(data["history"]), np.int16).reshape(-1, COLUMNS)
    return data


def main() -> None:
    """Answer messages until the caller is gone."""
    link = socket.socket(fileno=int(sys.argv[2]))
    sys.argv[:], sys.orig_argv[:] = [""], [sys.executable]  # an agent's module has no command line
    os.set_inheritable(link.fileno(), False)
    faulthandler.enable()
    server = _AgentServer()
    while True:
        try:
            message, content = receive(link)
        except (EOFError, ConnectionError):
            os._exit(0)
        if message["do"] == "fork":
            answer = server.fork(message["ended"], link)
            if answer is None:
                link = server.link
                continue
        else:
            answer = server.answer(message, content)
        try:
            send(link, answer, answer.pop("actions", b""))
        except ConnectionError:
            os._exit(0)


class _AgentServer:
    """The agents that were made, of which the last one is asked; a method for each kind of message."""

    def fork(self, ended: list[int], link: socket.socket) -> dict[str, Any] | None:
        """The process id of a new fork, None for it if this process has threads; in the fork itself None.

        Args:
            ended: Forks that have ended.
            link: Gives the socket of the fork, which is `self.link` in it.
        """
        for pid in ended:
            with suppress(ChildProcessError):
                os.waitpid(pid, 0)
        _, (descriptor, *_), *_ = socket.recv_fds(link, 1, 1)
        parent, num_threads = os.getpid(), len(list(Path("/proc/self/task").iterdir()))
        new = os.fork() if num_threads == 1 else None
        if new != 0:
            os.close(descriptor)
            return {"pid": new}
        os.set_inheritable(descriptor, False)
        link.close()
        self.link = socket.socket(fileno=descriptor)
        os.setsid()  # so that it ends with all that it starts
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
        if os.getppid() != parent:
            os._exit(0)
        return None

    def answer(self, message: dict[str, Any], content: bytearray) -> dict[str, Any]:
        """The answer to a message and what comes after it; what went wrong if the agent fails in any way."""
        begun, seconds = time.perf_counter(), message.get("seconds")
        try:
            with limited(seconds):
                answer = getattr(self, f"_{message['do']}")(message, content) or {}
            if seconds is not None and time.perf_counter() - begun > seconds:
                raise TimeLimitError  # the agent caught the first one
            return answer
        except TimeLimitError as error:
            return {"failed": "late", "message": "over the time limit", "traceback": traceback_of(error)}
        except InvalidActionError as error:
            return {"failed": "illegal", "message": storable(str(error))}
        except BaseException as error:  # noqa: BLE001 - an agent's code can raise anything, also KeyboardInterrupt
            cause = error.__cause__ if isinstance(error, _OF_SETUP) and error.__cause__ is not None else error
            text = storable(str(error)) if isinstance(error, _OF_SETUP) else text_of(error)
            return {"failed": "errors", "message": text, "traceback": traceback_of(cause)}

    def _make(self, message: dict[str, Any], _: object) -> None:
        import resource  # which Windows has not; there no agent is isolated

        limit = int(message["memory_limit"] * 2**30)
        resource.setrlimit(resource.RLIMIT_DATA, (limit, limit))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        self._name = message["agent"]
        self._game, self._agent = _made(
            self._name, message["game"], json.dumps(message["options"], sort_keys=True), message["trust"]
        )

    def _status(self, message: dict[str, Any], _: object) -> dict[str, Any]:
        return {"status": exit_status(message["pid"])}

    def _facts(self, *_: object) -> dict[str, Any]:
        return {
            "needs_determinizer": needs_determinizer(self._agent),
            "needs_view": needs_view(self._agent),
            "needs_memory": needs_memory(self._agent),
            "needs_history": history_rows(self._agent),
            "is_slow": getattr(self._agent, "is_slow", None),
            "files": declared_files(self._agent),
        }

    def _reset(self, message: dict[str, Any], _: object) -> None:
        self._agent.reset(message["seed"])

    def _act(self, message: dict[str, Any], content: bytearray) -> dict[str, Any]:
        actions = self._agent.act_batch(*self._decisions(message, content))
        # The caller checks that they are legal.
        return {"actions": action_array(self._name, actions, message["count"]).astype(np.int64).tobytes()}

    def _explain(self, message: dict[str, Any], content: bytearray) -> dict[str, Any]:
        observations, masks, infos = self._decisions(message, content)
        info = None if infos is None else infos[0]
        explanation = explain_decision(self._name, self._agent, self._game, observations[0], masks[0], info)
        return {"explanation": asdict(explanation)}

    def _decisions(self, message: dict[str, Any], content: bytearray) -> tuple[np.ndarray, np.ndarray, Infos]:
        """Observations, masks and infos of a message."""
        count, size = message["count"], self._game.layout.size
        observations = np.frombuffer(content, np.int8, count * size).reshape(count, size)
        masks = np.frombuffer(content, np.int8, offset=count * size).reshape(count, -1)
        infos = None if message["infos"] is None else [_info(self._game, data) for data in message["infos"]]
        return observations, masks, infos


@lru_cache(maxsize=32)
def _made(agent: str, game_id: str, options: str, trust: bool) -> tuple[Game, Agent]:
    """A game and an agent for it, made once."""
    game = make_game(game_id, **json.loads(options))
    made = game, make_agent(agent, game, trust=trust)
    gc.freeze()  # so that forks share these objects, and a full collection does not go through all modules
    return made


def storable(text: str) -> str:
    """An untrusted text that can be stored: without secrets, not too long, with escapes for what UTF-8 cannot say."""
    return hidden(text)[:MAX_TEXT].encode("utf-8", "backslashreplace").decode()


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
        complete = traceback.TracebackException.from_exception(error)
        each: traceback.TracebackException | None = complete
        while each is not None:
            del each.stack[_FRAMES:-_FRAMES]
            each = each.__cause__ or each.__context__
        text, half = hidden("".join(complete.format())), MAX_TEXT // 2
        return storable(text if len(text) <= MAX_TEXT else text[: half - 5] + "\n...\n" + text[-half:])
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
