"""Work for requests that takes some seconds: in a thread of its own, one at a time, and only while somebody waits."""

import asyncio
from collections import OrderedDict
from collections.abc import Callable
from concurrent.futures import CancelledError, ThreadPoolExecutor
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


class WorkQueue:
    """Work of one kind, one at a time, in the order of the requests.

    Args:
        name: Of its thread.
    """

    def __init__(self, name: str):
        self._thread = ThreadPoolExecutor(1, name)
        self._waiting = 0

    async def run(self, request: Request, work: Callable[[Event], _Found]) -> _Found:
        """What a function returns. It gets an event that is set when nobody waits for it any more.

        Raises:
            PlayerError: Too many are waiting.
            ClientDisconnect: The client is gone.
        """
        if self._waiting >= MAX_WAITING:
            raise PlayerError("busy")
        self._waiting += 1
        stopped = Event()
        try:
            return await while_connected(request, asyncio.wrap_future(self._thread.submit(work, stopped)))
        finally:
            stopped.set()
            self._waiting -= 1

    def close(self) -> None:
        """Begin no more work."""
        self._thread.shutdown(wait=False, cancel_futures=True)


async def while_connected(request: Request, future: asyncio.Future[_Found]) -> _Found:
    """The result of a future, which is cancelled, with ClientDisconnect, when the client of the request is gone."""
    gone = asyncio.ensure_future(_gone(request))
    waited: list[asyncio.Future[Any]] = [future, gone]
    try:
        await asyncio.wait(waited, return_when=asyncio.FIRST_COMPLETED)
        if not future.done():
            raise ClientDisconnect
        return future.result()
    finally:
        future.cancel()
        gone.cancel()


async def _gone(request: Request) -> None:
    while (await request.receive())["type"] != "http.disconnect":
        pass


class Exports:
    """Finished games as files, with everything that was hidden. The latest files are kept."""

    def __init__(self) -> None:
        self._queue = WorkQueue("exports")
        self._kept: OrderedDict[tuple[Playback, str, str, str], bytes] = OrderedDict()  # changed by the thread alone

    async def file(self, request: Request, playback: Playback, words: Words, suffix: str, theme: str) -> bytes:
        """The content of a file; the errors are those of `WorkQueue.run`."""
        key = playback, suffix, theme, words.language
        kept = self._kept.get(key)
        return kept if kept is not None else await self._queue.run(request, partial(self._file, key, words))

    def _file(self, key: tuple[Playback, str, str, str], words: Words, stopped: Event) -> bytes:
        if key not in self._kept:
            playback, suffix, theme, _ = key
            self._kept[key] = _written(ExportOptions(playback, ALL, words, theme=theme), suffix, stopped)
        self._kept.move_to_end(key)
        if len(self._kept) > _MAX_KEPT:
            self._kept.popitem(last=False)
        return self._kept[key]

    def close(self) -> None:
        """Begin no more files."""
        self._queue.close()


def _written(options: ExportOptions, suffix: str, stopped: Event) -> bytes:
    def check(frames: int) -> None:
        if stopped.is_set():
            raise CancelledError

    with TemporaryDirectory() as folder:
        path = Path(folder) / f"game{suffix}"
        export(options, path, check)
        return path.read_bytes()
