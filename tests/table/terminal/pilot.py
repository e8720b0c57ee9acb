"""A terminal of Textual's pilot: keys that are pressed, and what is on the screen."""

import asyncio
import time
from collections.abc import Awaitable, Callable

import pytest

pytest.importorskip("textual")
from textual.pilot import Pilot

from w51_table.terminal import play_app
from w51_table.terminal.parts import Panel, TerminalApp

NARROW, WIDE = (80, 24), (140, 40)
MINI = {"preset": "mini"}
play_app.KEYS_AHEAD = play_app.USUAL_DELAY = 0.0  # a test knows that the actions are there
PATIENCE = 120.0  # seconds: the rules may have to be compiled first


def played(app: TerminalApp, script: Callable[[Pilot], Awaitable[None]], size: tuple[int, int] = NARROW) -> str:
    """The screen after a script of keys."""

    async def run() -> str:
        async with app.run_test(size=size) as pilot:
            await pilot.pause()
            await script(pilot)
            await pilot.pause()
            return screen(app)

    return asyncio.run(run())


def screen(app: TerminalApp) -> str:
    return "\n".join("".join(part.text for part in strip) for strip in app.screen._compositor.render_strips())


async def until(pilot: Pilot, happened: Callable[[], bool]) -> None:
    begun = time.monotonic()
    while time.monotonic() - begun < PATIENCE:
        await pilot.pause(0.02)
        if happened():
            return
    raise AssertionError("it did not happen")


def text_of(app: TerminalApp, panel: str) -> str:
    return app.query_one(f"#{panel}", Panel)._text.content.text.plain


def no_idea(*decision: object) -> int:
    raise RuntimeError("no idea")
