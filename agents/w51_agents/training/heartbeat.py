"""Signs of life of the ranks of a training, so that one that is killed or hangs ends the others within seconds.

An exchange among ranks may wait long for good reasons, such as a slow opponent, so its time has no limit. Instead a
thread of each rank counts up a number in the store where the ranks have met; the first rank watches all of them, and
all others watch the first one.
"""

import os
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from typing import Any

BEAT_SECONDS, SILENT_SECONDS = 1.0, 12.0
_STOPPED_SECONDS = 4.0  #  between two beats; a rank that was stopped itself waits anew for the others
_GRACE_SECONDS = 3.0  #  in which a rank that learns of a loss may end by itself
_LOST = "lost"
_AGENT_SECONDS = 8  #  in which `torchrun` may end by itself
_GONE = "this machine is cut off, or the one where the processes meet is gone"
# A process of its own, as `torchrun` ends the ranks first, and then may wait for a machine that is gone.
_END_AGENT = f"""
import os, select, signal, sys
agent = os.pidfd_open(int(sys.argv[1]))
if not select.select([agent], [], [], {_AGENT_SECONDS})[0]:
    signal.pidfd_send_signal(agent, signal.SIGKILL)
"""


class Heartbeat:
    """The thread of a rank.

    Args:
        store: Where all ranks write.
        number, count: As of `Ranks`.

    Attributes:
        resumption: The command that goes on with the training, for messages.
    """

    def __init__(self, store: Any, number: int, count: int):
        self._store, self._number, self._count = store, number, count
        self.resumption = ""
        self._lost, self._stopped = "", threading.Event()
        store.set(f"host {number}", socket.gethostname())
        store.set(f"beat {number}", "0")

    def start(self) -> None:
        """Begin, after all ranks have met."""
        self._answered = time.monotonic()
        for work in (self._beat, self._watch_store):
            threading.Thread(target=work, name="heartbeat", daemon=True).start()

    def stop(self) -> None:
        """End: this rank has done its work."""
        self._stopped.set()

    def lost_in_words(self, error: str) -> str:
        """Which rank is lost, after an exchange with it failed; waits until that is known.

        Args:
            error: How it failed, if that is never known.
        """
        until = time.monotonic() + SILENT_SECONDS + _GRACE_SECONDS
        while not self._lost and time.monotonic() < until:
            time.sleep(BEAT_SECONDS / 10)
        return self._lost or self._message(f"the connection to another process is lost ({error[:200]})")

    def _watch_store(self) -> None:
        """End if the store does not answer: where this machine is cut off, a call of it may never return."""
        for was_stopped in self._beats():
            if was_stopped:
                self._answered = time.monotonic()
            elif time.monotonic() - self._answered > SILENT_SECONDS:
                self._end(_GONE)

    def _beats(self) -> Iterator[bool]:
        """Until the end: whether this process was stopped since the last beat, perhaps with all others."""
        begun = time.monotonic()
        while not self._stopped.wait(BEAT_SECONDS):
            yield time.monotonic() - begun > _STOPPED_SECONDS
            begun = time.monotonic()

    def _beat(self) -> None:
        """Tell that this rank lives, and look after others."""
        watched = range(1, self._count) if self._number == 0 else [0]
        seen = dict.fromkeys(watched, b"0")
        heard = dict.fromkeys(watched, time.monotonic())
        for beats, was_stopped in enumerate(self._beats(), 1):
            try:
                self._store.set(f"beat {self._number}", str(beats))
                found = {number: self._store.get(f"beat {number}") for number in watched}
                if self._number and self._store.check([_LOST]):
                    return self._end(self._store.get(_LOST).decode())
            except RuntimeError:  # the store is at the first rank, or at the head of `torchrun`
                return self._end(_GONE)
            self._answered = now = time.monotonic()
            for number in watched:
                if was_stopped or found[number] != seen[number]:
                    seen[number], heard[number] = found[number], now
                elif now - heard[number] > SILENT_SECONDS:
                    host = self._store.get(f"host {number}").decode()
                    lost = f"process {number} of {self._count} (on {host}) was killed, hangs or is cut off"
                    if self._number == 0:
                        self._store.set(_LOST, lost)
                    return self._end(lost)
        return None

    def _end(self, lost: str) -> None:
        """End this process, if it does not end by itself: it waits for the lost rank, perhaps for ever."""
        self._lost = self._message(lost)
        if _is_last_try() and sys.platform == "linux":
            line = [sys.executable, "-I", "-c", _END_AGENT, str(os.getppid())]
            subprocess.Popen(line, start_new_session=True, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
        if not self._stopped.wait(_GRACE_SECONDS):
            print(f"error: {self._lost}", file=sys.stderr, flush=True)
            os._exit(1)

    def _message(self, lost: str) -> str:
        on = f"; the last checkpoint is intact, continue from it with: {self.resumption}" if self.resumption else ""
        return f"{lost}{on}"


def _is_last_try() -> bool:
    """Whether `torchrun` started this process, and will not do so again."""
    restarts = (int(os.environ.get(f"TORCHELASTIC_{name}", "-1")) for name in ("RESTART_COUNT", "MAX_RESTARTS"))
    return next(restarts) == next(restarts) >= 0
