"""Work for requests that takes some seconds: in a thread of its own, one at a time, and only while somebody waits."""

import asyncio
from collections import OrderedDict
from collections.abc import Callable
from concurrent.futures import CancelledError, Future, ThreadPoolExecutor
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Event
from typing import Any, TypeVar

from starlette.requests import ClientDisconnect, Request

from w51_env.engine.game import ALL
from w51_env.views.language import Words
from w51_table.play.export import ExportOptions, export
from w51_table.play.playback import Playback
from w51_table.play.table import PlayerError

MAX_WAITING = 100  # requests in a queue
_MAX_KEPT = 16  # files, of about a megabyte
_Found = TypeVar("_Found")


class Waiting:
    """Requests that wait for something, not too many at a time."""

    def __init__(self) -> None:
        self.limit = MAX_WAITING
        self._count = 0

    async def wait(self, request: Request, future: Future[_Found]) -> _Found:
        """The result of a future, which is cancelled if nobody waits for it any more.

        Raises:
            PlayerError: Too many are waiting.
            ClientDisconnect: The client is gone.
        """
        self._count += 1
        waited, gone = asyncio.wrap_future(future), asyncio.ensure_future(_gone(request))
        tasks: list[asyncio.Future[Any]] = [waited, gone]
        try:
            if self._count > self.limit:
                raise PlayerError("busy")
            await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
            if not waited.done():
                raise ClientDisconnect
            return waited.result()
        finally:
            self._count -= 1
            for task in tasks:
                task.cancel()


async def _gone(request: Request) -> None:
    while (await request.receive())["type"] != "http.disconnect":
        pass


class WorkQueue(Waiting):
    """Work of one kind, one at a time, in the order of the requests."""

    def __init__(self, name: str):
        super().__init__()
        self._thread = ThreadPoolExecutor(1, name)

    async def run(self, request: Request, work: Callable[[Event], _Found]) -> _Found:
        """What a function returns. It gets an event that is set when nobody waits for it any more; errors as `wait`."""
        stopped = Event()
        try:
            return await self.wait(request, self._thread.submit(work, stopped))
        finally:
            stopped.set()

    def close(self) -> None:
        """Begin no more work."""
        self._thread.shutdown(wait=False, cancel_futures=True)


class Exports(WorkQueue):
    """Finished games as files, with everything that was hidden. The latest files are kept."""

    def __init__(self) -> None:
        super().__init__("exports")
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
