"""What runs in the process of an isolated agent, and how it answers its caller.

All goes over one socket. A message is a line of JSON; observations and masks follow it as they are in memory, and
actions follow the answer. There is no memory that both processes could change, and nothing that comes from the agent's
process is unpickled.
"""

import base64
import ctypes
import faulthandler
import json
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

from w51_env.agents.agent import (
    AgentError,
    InvalidActionError,
    action_array,
    declared_files,
    needs_determinizer,
    needs_view,
)
from w51_env.agents.registry import make_agent
from w51_env.core.determinization import Determinizer
from w51_env.core.errors import FileError, MissingPackageError
from w51_env.core.game import Game
from w51_env.core.registry import make_game
from w51_env.system.secrets import hidden
from w51_env.views.view import View

LONGEST_TEXT = 20_000  #  characters of a traceback that are kept
_FRAMES = 20  #  of a traceback, at its beginning and at its end: the agent's own code and where it failed
_PR_SET_PDEATHSIG = 1
_OF_SETUP = (AgentError, FileError, MissingPackageError)  #  their messages stand alone


class TimeLimitError(BaseException):
    """Raised inside an agent at its time limit; no Exception, so that agents do not catch it by accident."""


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
        data["view"] = View.from_data(data["view"], game.presentation.rendering)
    if "determinizer" in data:
        seat, record = data["determinizer"]
        found = object.__new__(Determinizer)  # the record is redrawn already; the constructor would redraw it again
        found.game, found.seat = game, seat
        found._record = np.frombuffer(base64.b64decode(record), game.record).copy()
        data["determinizer"] = found
    return data


def main() -> None:
    """Answer messages until the caller is gone."""
    link, parent = map(int, sys.argv[2:])
    sys.argv[:], sys.orig_argv[:] = [""], [sys.executable]  # an agent's module has no command line
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:
        return
    faulthandler.enable(2)
    os.set_inheritable(link, False)
    connection = socket.socket(fileno=link)
    messages = connection.makefile("rb")
    server = _Server()
    for line in messages:
        message = json.loads(line)
        content = bytearray(message.get("bytes", 0))
        messages.readinto(content)
        answer = server.answer(message, content)
        actions = answer.pop("actions", b"")
        connection.sendall(json.dumps(answer).encode() + b"\n" + actions)


class _Server:
    """The agent and what it is asked."""

    def answer(self, message: dict[str, Any], content: bytearray) -> dict[str, Any]:
        """The answer to a message and what comes after it; what went wrong if the agent fails in any way."""
        begun, seconds = time.perf_counter(), message.get("seconds")
        try:
            with limited(seconds):
                found = getattr(self, f"_{message['do']}")(message, content) or {}
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

    def _make(self, message: dict[str, Any], _: object) -> None:
        limit = int(message["memory_limit"] * 2**30)
        resource.setrlimit(resource.RLIMIT_DATA, (limit, limit))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        self._game = make_game(message["game"], **message["options"])
        self._name, self._trust = message["agent"], message["trust"]
        self._new = make_agent(self._name, self._game, trust=self._trust)
        self._can_copy = True
        self._settings = Settings.now()
        self._begin()

    def _facts(self, *_: object) -> dict[str, Any]:
        return {
            "needs_determinizer": needs_determinizer(self._new),
            "needs_view": needs_view(self._new),
            "files": declared_files(self._new),
        }

    def _begin(self, *_: object) -> None:
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

    def _reset(self, message: dict[str, Any], _: object) -> None:
        self._agent.reset(message["seed"])

    def _act(self, message: dict[str, Any], content: bytearray) -> dict[str, Any]:
        count, size = message["count"], self._game.layout.size
        observations = np.frombuffer(content, np.int8, count * size).reshape(count, size)
        masks = np.frombuffer(content, np.int8, offset=count * size).reshape(count, -1)
        infos = None if message["infos"] is None else [_info(self._game, data) for data in message["infos"]]
        actions = self._agent.act_batch(observations, masks, infos)
        # The caller checks that they are legal.
        return {"actions": action_array(self._name, actions, count).astype(np.int64).tobytes()}


def storable(text: str) -> str:
    """A text of others as it can be kept: without secrets, not too long, and with escapes for what UTF-8 cannot say."""
    return hidden(text)[:LONGEST_TEXT].encode("utf-8", "backslashreplace").decode()


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
        text, half = hidden("".join(found.format())), LONGEST_TEXT // 2
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
