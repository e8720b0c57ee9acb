"""A server process, a real browser, and what a person does in it."""

import os
import re
import shutil
import socket
import socketserver
import threading
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from tests.commands import ROOT, start
from tests.table.play.games import played_at_random
from w51_env.pictures.seating import NARROW_SCREENS
from w51_table.play.table import Table

CHROMIUM = os.environ.get("CHROMIUM") or next(
    filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None
)
NO_CHROMIUM = "" if CHROMIUM else "there is no chromium on the PATH (apt-get install chromium)"
PHONE = {"width": 390, "height": 844}
SMALL_PHONE = {"width": 360, "height": 740}
NARROW = int(re.findall(r"\d+", NARROW_SCREENS)[0])  # pixels: the layout of a phone
PATIENCE = 20_000  # milliseconds for anything in a page
COMPUTING = 90_000  # for what the coach plays out, on two busy cores
PICTURES = ROOT / "runs" / "failed_pages"
TABLET = {"width": 820, "height": 1180}


class Server:
    """`play.py` as a process, on a free port that it keeps when it is started again.

    Args:
        folder: The folder of the tables.
        program: The script that serves the page.
        language: The first language of the page; None: that of the browser.
        options: Other arguments of the script.
    """

    def __init__(self, folder: Path, program: str = "play.py", language: str | None = "en", options: tuple = ()):
        self.folder, self.program = folder, program
        self.log = folder.parent / "server.log"
        self.options = [*options, *([] if language is None else ["--language", language])]
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self.address = f"http://127.0.0.1:{self.port}/"
        self.begin()

    def begin(self) -> None:
        """Start the process and wait until it listens."""
        arguments = (self.program, "--port", self.port, "--folder", self.folder, *self.options)
        with self.log.open("a", encoding="utf-8") as errors:
            self.process = start(*arguments, errors=errors)
        assert self.process.stdout is not None
        assert self.address in self.process.stdout.readline()

    def kill(self) -> None:
        """End the process without any chance to save."""
        self.process.kill()
        self.process.communicate()


class OpenPages:
    """The pages of a test, and what they and the server said: what a failed test shows."""

    def __init__(self, server: Server):
        self._server = server
        self._pages: list[Any] = []
        self._said: list[str] = []
        self.errors: list[str] = []

    def add(self, page: Any) -> None:
        """Follow a page."""
        self._pages.append(page)
        page.set_default_timeout(PATIENCE)
        page.on("pageerror", lambda error: self.errors.append(str(error)))
        page.on("console", lambda message: self._said.append(f"{message.type}: {message.text}"))

    def shown(self, test: str) -> str:
        """The address and the words of each page, its pictures as files, the console, and the server's log."""
        parts = []
        for number, page in enumerate(self._pages):
            picture = PICTURES / f"{re.sub(r'[^A-Za-z0-9]+', '_', test)}_{number}.png"
            with suppress(Exception):  # the page may be closed, or hang
                parts.append(f"page {number}: {page.url}\npicture: {picture}\n{page.inner_text('body', timeout=2000)}")
                page.screenshot(path=picture, full_page=True, timeout=5000)
        log = self._server.log.read_text("utf-8")
        said = [("errors", self.errors), ("console", self._said), ("server", [log])]
        return "\n\n".join([*parts, *(f"{name}:\n" + "\n".join(lines) for name, lines in said if any(lines))])


class Proxy(socketserver.ThreadingTCPServer):
    """A reverse proxy: what begins with a prefix goes to a server, without it and with the server's Host.

    Args:
        server: The server.
        prefix: The prefix of the path, such as `/w51`.
        port: The port that it listens on.
    """

    allow_reuse_address = daemon_threads = True

    def __init__(self, server: Server, prefix: str, port: int):
        self.upstream, self.prefix = ("127.0.0.1", server.port), prefix
        super().__init__(("127.0.0.1", port), _Proxied)
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def close(self) -> None:
        """End it."""
        self.shutdown()
        self.server_close()


class _Proxied(socketserver.StreamRequestHandler):
    server: Proxy

    def handle(self) -> None:
        lines = iter(self.rfile.readline, b"\r\n")
        first, *head = [line for line in lines if not line.lower().startswith(b"host:")]
        method, path, version = first.split(b" ")
        assert path.startswith(self.server.prefix.encode() + b"/"), path
        if not any(line.lower().startswith(b"upgrade:") for line in head):
            head = [*(line for line in head if not line.lower().startswith(b"connection:")), b"Connection: close\r\n"]
        host = b"Host: %s:%d\r\n" % (self.server.upstream[0].encode(), self.server.upstream[1])
        first = b" ".join((method, path.removeprefix(self.server.prefix.encode()), version))
        with socket.create_connection(self.server.upstream) as upstream:
            upstream.sendall(b"".join([first, host, *head, b"\r\n"]))
            threading.Thread(target=_copy, args=(self.rfile.read1, upstream), daemon=True).start()
            _copy(lambda: upstream.recv(65536), self.connection)


def _copy(read: Callable[[], bytes], to: socket.socket) -> None:
    with suppress(OSError):
        while part := read():
            to.sendall(part)
        to.shutdown(socket.SHUT_WR)


def set_up(
    page: Any,
    game: str = "warehouse51_v1",
    preset: str = "",
    seats: tuple[str, ...] = (),
    pace: str = "0",
    click: Callable[[str], None] | None = None,
    begin: str = "#begin",
) -> None:
    """Fill in the form of a new table and begin."""
    page.wait_for_selector("#watch")
    page.select_option("#game", game)
    if preset:
        page.select_option("#preset", preset)
    if seats:
        page.select_option("#players", str(len(seats)))
    for seat, holder in enumerate(seats):
        page.select_option(f"#seat{seat}", holder)
    page.select_option("#pace", pace)
    (click or page.click)(begin)
    page.wait_for_selector(".picture svg")


def take_action(page: Any, press: Callable[[Any], None] = lambda button: button.click()) -> bool:
    """Wait for the own turn and take one of the actions; False if the game is over."""
    page.wait_for_selector(".actions.yours button[data-action], .actions.yours .tap, .review:not([hidden])")
    if page.is_visible(".review"):
        return False
    before = page.get_attribute(".actions", "data-decision")
    if page.viewport_size["width"] <= NARROW:
        page.wait_for_timeout(200)  # what the picture stands for has no button any more
    buttons = page.query_selector_all(".actions.yours button[data-action]")
    press(buttons[int(before) % len(buttons)] if buttons else page.locator(".picture .open:visible").first)
    if not buttons and page.is_visible(".popup button[data-action]"):
        press(page.query_selector(".popup button[data-action]"))
    confirm(page, before, press)
    return True


def confirm(page: Any, before: str | None, press: Callable[[Any], None] = lambda button: button.click()) -> bool:
    """Wait until decision `before` is made; whether the page asked about it again, once the coach had answered."""
    decided = "document.querySelector('.actions').dataset.decision !== before"
    page.wait_for_function(f"before => {decided} || document.querySelector('[data-confirm=yes]')", arg=before)
    if is_asked := page.is_visible("[data-confirm=yes]"):
        press(page.query_selector("[data-confirm=yes]"))
    page.wait_for_function(f"before => {decided}", arg=before)
    return is_asked


def play_to(page: Any, control: str) -> None:
    """Take actions until a control is there at the own turn."""
    for _ in range(200):
        page.wait_for_selector(".actions.yours")
        if page.is_visible(control):
            return
        take_action(page)
    raise AssertionError(f"{control}: not reached")


def play_to_the_end(page: Any, most: int = 400) -> None:
    """Take actions until the game is over and the review is shown."""
    for _ in range(most):
        if not take_action(page):
            break
    page.wait_for_selector(".actions.ending a[href^='#/replay/']")


def open_replay(page: Any, folder: Path) -> Table:
    """Choose the file of a finished game in the form, and wait for its page."""
    table = played_at_random(seed=4)
    table.replay().save(folder / "game.json")
    page.wait_for_selector("#replay")
    page.set_input_files("#replay", folder / "game.json")
    page.wait_for_selector(".controls #step")
    page.wait_for_selector(".picture svg")
    return table


def check_width(page: Any) -> None:
    """The page must not be wider than the screen."""
    wide = page.evaluate("() => [document.documentElement.scrollWidth, document.documentElement.clientWidth]")
    assert wide[0] <= wide[1], f"the page is {wide[0]} wide on a screen of {wide[1]}"


def axe_core() -> str:
    """The script of axe-core, which axe-playwright-python brings along."""
    package = pytest.importorskip("axe_playwright_python", reason="needs the extra 'test'")
    return (Path(package.__file__).parent / "axe.min.js").read_text("utf-8")


def findings(page: Any, script: str, where: str) -> list[str]:
    """What axe-core finds on a page, best practices included, as sentences."""
    page.evaluate(script)
    found = page.evaluate("async () => (await axe.run()).violations")
    return [f"{where}: {one['id']}: {one['help']} {[node['html'][:160] for node in one['nodes'][:3]]}" for one in found]
