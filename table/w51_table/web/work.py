"""Work for requests that takes some seconds: one at a time, visitors in turn, and only while somebody waits."""

import asyncio
import time
from collections import Counter, OrderedDict, deque
from collections.abc import Callable
from concurrent.futures import CancelledError, Future, ThreadPoolExecutor
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Event, Lock
from typing import Any, TypeVar

from starlette.requests import ClientDisconnect, Request

from w51_env.engine.game import ALL
from w51_env.views.language import Words
from w51_table.play.export import ExportOptions, export
from w51_table.play.playback import Playback
from w51_table.play.table import PlayerError
from w51_table.web.limits import visitor_of

MAX_WAITING, MAX_OF_VISITOR = 100, 8  # requests that wait for agents
_FIRST_GUESS = 1.0  # seconds of work of which none was done yet
_WEIGHT = 0.2  # of the last work in the mean of its seconds
_MAX_KEPT = 16  # files, of about a megabyte
_Found = TypeVar("_Found")


def visitor_at(request: Request) -> str:
    """The visitor that a request is from."""
    return visitor_of(request.client.host if request.client else "")


async def wait_for(request: Request, future: Future[_Found]) -> _Found:
    """The result of a future, which is cancelled if nobody waits for it any more; ClientDisconnect if so."""
    waited, gone = asyncio.wrap_future(future), asyncio.ensure_future(_gone(request))
    tasks: list[asyncio.Future[Any]] = [waited, gone]
    try:
        await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        if not waited.done():
            raise ClientDisconnect
        return waited.result()
    finally:
        for task in tasks:
            task.cancel()


async def _gone(request: Request) -> None:
    while (await request.receive())["type"] != "http.disconnect":
        pass


class Waiting:
    """Requests that wait for agents, not too many at a time, neither of all nor of one visitor."""

    def __init__(self) -> None:
        self._counts: Counter[str] = Counter()

    async def wait(self, request: Request, ask: Callable[[], Future[_Found]]) -> _Found:
        """The result of the future that `ask` returns; PlayerError if too many wait, else the errors of `wait_for`."""
        visitor = visitor_at(request)
        if self._counts.total() >= MAX_WAITING or self._counts[visitor] >= MAX_OF_VISITOR:
            raise PlayerError("busy")
        self._counts[visitor] += 1
        try:
            return await wait_for(request, ask())
        finally:
            self._counts -= Counter([visitor])


class WorkQueue:
    """Work of one kind in a thread of its own: a piece of each visitor in turn, in the order of its requests.

    Args:
        name: Name of the thread.
        patience: Seconds that somebody may have to wait, as far as the work before tells; the work of one visitor may
            take half of them. More is refused at once.
    """

    def __init__(self, name: str, patience: float):
        self.patience = patience
        self._thread = ThreadPoolExecutor(1, name)
        self._seconds = _FIRST_GUESS  # of a piece of work
        self._lock = Lock()
        self._waiting: OrderedDict[str, deque[tuple[Future[Any], Callable[[], Any]]]] = OrderedDict()
        self._running: str | None = None

    def submit(self, visitor: str, work: Callable[[], _Found]) -> Future[_Found]:
        """Begin to work as soon as it is the visitor's turn; PlayerError if that would take too long."""
        future: Future[_Found] = Future()
        with self._lock:
            self._forget_cancelled()
            counts = Counter({one: len(waiting) for one, waiting in self._waiting.items()})
            counts.update([self._running] if self._running is not None else [])
            room = self.patience / self._seconds
            if counts.total() >= max(1.0, room) or counts[visitor] >= max(1.0, room / 2):
                raise PlayerError("busy")
            self._waiting.setdefault(visitor, deque()).append((future, work))
        self._thread.submit(self._work)
        return future

    async def run(self, request: Request, work: Callable[[Event], _Found]) -> _Found:
        """What a function returns. It gets an event that is set when nobody waits for it any more.

        Raises:
            PlayerError: As of `submit`.
            ClientDisconnect: The client is gone.
        """
        stopped = Event()
        try:
            return await wait_for(request, self.submit(visitor_at(request), partial(work, stopped)))
        finally:
            stopped.set()

    def close(self) -> None:
        """Begin no more work."""
        self._thread.shutdown(wait=False, cancel_futures=True)

    def _forget_cancelled(self) -> None:
        for visitor, waiting in list(self._waiting.items()):
            self._waiting[visitor] = deque(one for one in waiting if not one[0].cancelled())
            if not self._waiting[visitor]:
                del self._waiting[visitor]

    def _work(self) -> None:
        """Do a piece of work of the visitor whose turn it is, if one is left."""
        with self._lock:
            self._forget_cancelled()
            if not self._waiting:
                return
            self._running, waiting = self._waiting.popitem(last=False)
            future, work = waiting.popleft()
            if waiting:
                self._waiting[self._running] = waiting  # behind the others
        if future.set_running_or_notify_cancel():
            begun = time.monotonic()
            try:
                future.set_result(work())
            except BaseException as error:  # noqa: BLE001 - whoever waits gets it
                future.set_exception(error)
            self._seconds += _WEIGHT * (time.monotonic() - begun - self._seconds)
        self._running = None


class Exports(WorkQueue):
    """Finished games as files, with everything that was hidden. The latest files are kept."""

    def __init__(self) -> None:
        super().__init__("exports", 120.0)
        self._kept: OrderedDict[tuple[Playback, str, str, str], bytes] = OrderedDict()  # changed by the thread alone

    async def file(self, request: Request, playback: Playback, words: Words, suffix: str, theme: str) -> bytes:
        """The content of a file; the errors are those of `wait`."""
        key = playback, suffix, theme, words.language
        kept = self._kept.get(key)
        return kept if kept is not None else await self.run(request, partial(self._file, key, words))

    def _file(self, key: tuple[Playback, str, str, str], words: Words, stopped: Event) -> bytes:
        if key not in self._kept:
            playback, suffix, theme, _ = key
            self._kept[key] = _written(ExportOptions(playback, ALL, words, theme=theme), suffix, stopped)
        self._kept.move_to_end(key)
        if len(self._kept) > _MAX_KEPT:
            self._kept.popitem(last=False)
        return self._kept[key]


def _written(options: ExportOptions, suffix: str, stopped: Event) -> bytes:
    def check(frames: int) -> None:
        if stopped.is_set():
            raise CancelledError

    with TemporaryDirectory() as folder:
        path = Path(folder) / f"game{suffix}"
        export(options, path, check)
        return path.read_bytes()
