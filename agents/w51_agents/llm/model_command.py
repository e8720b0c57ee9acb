"""A model that is a program: it is started for each question."""

import os
import subprocess
import time
from collections.abc import Sequence
from tempfile import TemporaryFile
from typing import IO

from w51_agents.language.llm.models import MAX_BYTES, QUOTED, Message, ModelError, ModelReply, estimated_tokens
from w51_agents.system.errors import reason_of
from w51_agents.system.processes import end_group, exit_status, name_of_signal
from w51_agents.system.secrets import hidden

_LAST = 1 << 18  #  bytes of the standard error stream that are read
_MAX_ERRORS = 1 << 28  #  bytes of it, which are on the disk until the program ends
_LOOK_SECONDS = 0.05  #  between two looks at what it has written


class Command:
    """A program that is started for each question: the prompt on its standard input, the answer on its output.

    It ends with its process group, at its own end, at the time limit, or when its answer is too long.

    Args:
        words: The program and its arguments.
        timeout: Seconds for one answer.
    """

    def __init__(self, words: Sequence[str], timeout: float):
        self._words, self._timeout = words, timeout

    def ask(self, messages: Sequence[Message], choices: Sequence[str] = ()) -> ModelReply:
        name = self._words[0]
        with TemporaryFile() as prompt, TemporaryFile() as answer, TemporaryFile() as errors:
            text = "\n\n".join(message["content"] for message in messages) + "\n"
            prompt.write(text.encode(errors="replace"))
            prompt.seek(0)
            try:
                process = subprocess.Popen(self._words, stdin=prompt, stdout=answer, stderr=errors, process_group=0)
            except (OSError, ValueError) as error:  # ValueError: a character that no argument can have
                raise ModelError(f"{name}: {reason_of(error)}", is_reachable=False) from None
            try:
                problem = self._problem(process, answer, errors)
            finally:
                end_group(process)
            if problem:
                raise ModelError(f"{name}: {problem}")
            if status := process.returncode:
                how = name_of_signal(-status) if status < 0 else f"exit status {status}"
                last = hidden(_end_of(errors, _LAST)).strip().splitlines()[-1:]
                raise ModelError(f"{name}: {how}{''.join(f': {line[:QUOTED]}' for line in last)}")
            said = _end_of(answer, MAX_BYTES)
            return ModelReply(said, estimated_tokens(text), estimated_tokens(said))

    def _problem(self, process: subprocess.Popen, answer: IO[bytes], errors: IO[bytes]) -> str | None:
        """Wait for the end of the process; why there is no answer, or None."""
        until, has_ended = time.monotonic() + self._timeout, False
        while not has_ended:
            has_ended = exit_status(process.pid, _LOOK_SECONDS) is not None
            if _size(answer) > MAX_BYTES:
                return f"an answer of more than {MAX_BYTES:,} bytes"
            if not has_ended and (time.monotonic() > until or _size(errors) > _MAX_ERRORS):
                return f"no answer within {self._timeout:g} s"
        return None


def _size(file: IO[bytes]) -> int:
    return os.fstat(file.fileno()).st_size


def _end_of(file: IO[bytes], size: int) -> str:
    """The last bytes of a file as text."""
    file.seek(max(0, _size(file) - size))
    return file.read().decode(errors="replace")
