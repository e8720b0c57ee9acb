"""A model that is a program: it is started for each question."""

import os
import selectors
import subprocess
import time
from collections.abc import Sequence

from w51_agents.llm.models import MAX_BYTES, QUOTED, Message, ModelError, ModelReply, estimated_tokens
from w51_agents.system.processes import end_group, name_of_signal
from w51_env.text.secrets import hidden

_PART = 1 << 16
_LAST = 4 * _PART  # bytes of the standard error stream that are kept


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
        prompt = "\n\n".join(message["content"] for message in messages) + "\n"
        try:
            process = subprocess.Popen(
                self._words,
                bufsize=0,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                process_group=0,
            )
        except (OSError, ValueError) as error:  # ValueError: a character that no argument can have
            reason = getattr(error, "strerror", None) or error
            raise ModelError(f"{name}: {reason}", is_reachable=False) from None
        talk = _Talk(process, prompt.encode(errors="replace"))
        try:
            problem = talk.listen(self._timeout)
        finally:
            talk.close()
        if problem:
            raise ModelError(f"{name}: {problem}")
        if status := process.returncode:
            how = name_of_signal(-status) if status < 0 else f"exit status {status}"
            last = hidden(talk.errors.decode(errors="replace")).strip().splitlines()[-1:]
            raise ModelError(f"{name}: {how}{''.join(f': {line[:QUOTED]}' for line in last)}")
        answer = talk.answer.decode(errors="replace")
        return ModelReply(answer, estimated_tokens(prompt), estimated_tokens(answer))


class _Talk:
    """One question to a process.

    Attributes:
        answer: What it wrote to its standard output.
        errors: The last of what it wrote to its standard error stream.
    """

    def __init__(self, process: subprocess.Popen, prompt: bytes):
        self.answer, self.errors = bytearray(), bytearray()
        self._process, self._left_to_write = process, memoryview(prompt)
        self._selector = selectors.DefaultSelector()
        self._end = os.pidfd_open(process.pid)
        self._selector.register(self._end, selectors.EVENT_READ, lambda _: False)
        for stream, event, work in (
            (process.stdin, selectors.EVENT_WRITE, self._write),
            (process.stdout, selectors.EVENT_READ, self._read_answer),
            (process.stderr, selectors.EVENT_READ, self._read_errors),
        ):
            assert stream is not None
            os.set_blocking(stream.fileno(), False)
            self._selector.register(stream, event, work)

    def listen(self, timeout: float) -> str | None:
        """Wait for the end of the process; why there is no answer, or None."""
        until = time.monotonic() + timeout
        while (left := until - time.monotonic()) > 0:
            ready = [key for key, _ in self._selector.select(left)]
            if [key.fileobj for key in ready] == [self._end]:  # and nothing more was written
                return None
            for key in ready:
                is_over = key.data(key.fd)
                if is_over:
                    self._selector.unregister(key.fileobj)
                    key.fileobj.close()  # type: ignore[union-attr]
            if len(self.answer) > MAX_BYTES:
                return f"an answer of more than {MAX_BYTES:,} bytes"
        return f"no answer within {timeout:g} s"

    def close(self) -> None:
        """End the process and its group."""
        end_group(self._process)
        self._selector.close()
        os.close(self._end)
        for stream in (self._process.stdin, self._process.stdout, self._process.stderr):
            if stream is not None:
                stream.close()

    def _write(self, descriptor: int) -> bool:
        try:
            self._left_to_write = self._left_to_write[os.write(descriptor, self._left_to_write) :]
        except BlockingIOError:
            return False
        except OSError:  # it does not read
            return True
        return not self._left_to_write

    def _read_answer(self, descriptor: int) -> bool:
        part = os.read(descriptor, _PART)
        self.answer += part
        return not part

    def _read_errors(self, descriptor: int) -> bool:
        part = os.read(descriptor, _PART)
        self.errors += part
        del self.errors[:-_LAST]
        return not part
