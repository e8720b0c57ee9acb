"""Screenshots: the web table in an auction (README.md), and the report of a small tournament (docs/arena.md).

They are taken with Chromium through Playwright (extra `test`), where both are installed; elsewhere the images stay as
they are. They are taken again when one is missing, or when the drawing of the table or the network of `pretrained`
changes: `screenshots.json` has their digests.
"""

import hashlib
import io
import json
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from docs._generators.pictures import FOLDER, NAMES, SEED, STILLS, compressed, is_contested, owned
from w51_agents.networks.load import checkpoint_of
from w51_env import make_game
from w51_env.pictures.svg import draw
from w51_env.views.language import ENGLISH, Words
from w51_table.play.game_log import SUFFIX, GameLog
from w51_table.play.playback import played
from w51_table.play.table import PERSON, Setup, Table

ROOT = Path(__file__).resolve().parents[2]
CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
GAME = "warehouse51_v1"
TABLE, REPORT = f"{FOLDER}/web_table.png", f"{FOLDER}/report.png"
FILES = (TABLE, REPORT)
SOURCES = f"{FOLDER}/screenshots.json"
TABLE_SIZE, REPORT_SIZE = (1280, 752), (780, 404)  # of the windows
NAME, TOKEN = "pictureofatable0", "ada"  # a name has 16 characters
TOURNAMENT = (
    "pretrained",
    "heuristic",
    "random",
    "--format",
    "groups",
    "--players",
    "3",
    "--games",
    "600",
    "--ratings",
)


def pages() -> dict[str, str]:
    """The digests of the drawing and of the network; where no screenshots can be taken, that of the last ones."""
    if not _can_take():
        return {SOURCES: (ROOT / SOURCES).read_text("utf-8")}
    table = _table()
    svg = draw(table.view(0, Words(ENGLISH, NAMES), table.last_decision(0)))
    network = checkpoint_of(TOURNAMENT[0], make_game(GAME)).read_bytes()
    digests = {path: hashlib.sha256(data).hexdigest()[:16] for path, data in ((TABLE, svg.encode()), (REPORT, network))}
    return {SOURCES: json.dumps(digests, indent=2) + "\n"}


def files() -> dict[str, bytes]:
    """The images by their path in the repository; none where there is no browser."""
    if not _can_take():
        print("screenshots: Chromium or Playwright is missing; the images stay as they are")
        return {}
    with TemporaryDirectory() as folder:
        return {TABLE: _web_table(Path(folder)), REPORT: _report(Path(folder))}


@cache
def _can_take() -> bool:
    return bool(CHROMIUM) and find_spec("playwright") is not None


@cache
def _table() -> Table:
    """A table of a person and three bots; the person is to bid for a contested lot."""
    bots = Setup(GAME, {"num_players": len(NAMES)}, SEED, ("heuristic",) * len(NAMES), NAMES)
    playback = played(bots)
    views = [frame.view(0) for frame in playback.frames]
    wanted = [view.seat == 0 and is_contested(view) and owned(view) >= STILLS[GAME] for view in views]
    table = Table(replace(bots, seats=(PERSON, *bots.seats[1:])))
    for frame in playback.frames[: wanted.index(True)]:
        assert frame.action is not None
        table.play(frame.action)
    return table


def _web_table(folder: Path) -> bytes:
    """The page of the table, as its person sees it."""
    tokens = [TOKEN, *[""] * (len(NAMES) - 1)]
    GameLog.create(folder / f"{NAME}{SUFFIX}", _table(), {"tokens": tokens, "invitation": NAME}).close()
    command: list[str | Path] = [
        sys.executable,
        ROOT / "play.py",
        "--port",
        "0",
        "--folder",
        folder,
        "--language",
        ENGLISH,
    ]
    server = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    try:
        assert server.stdout is not None
        address = re.search(r"http://\S+", server.stdout.readline())
        assert address is not None
        with _page(TABLE_SIZE) as page:
            page.goto(f"{address[0]}#/table/{NAME}/{TOKEN}")
            page.wait_for_selector(".actions.yours button[data-action]")
            return _screenshot(page)
    finally:
        server.kill()
        server.communicate()


def _report(folder: Path) -> bytes:
    """The beginning of the report of a tournament of three agents."""
    command: list[str | Path] = [
        sys.executable,
        ROOT / "evaluate.py",
        *TOURNAMENT,
        "--workers",
        "2",
        "--out",
        folder / "cup",
    ]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    with _page(REPORT_SIZE) as page:
        page.goto(f"file://{folder}/cup/report.html")
        return _screenshot(page)


@contextmanager
def _page(size: tuple[int, int]) -> Iterator[Any]:
    """A page of the browser with a window of this size, in light colours."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        try:
            yield browser.new_page(
                viewport={"width": size[0], "height": size[1]},
                color_scheme="light",
                reduced_motion="reduce",
                locale="en",
            )
        finally:
            browser.close()


def _screenshot(page: Any) -> bytes:
    from PIL import Image

    page.wait_for_timeout(1000)
    return compressed(Image.open(io.BytesIO(page.screenshot())).convert("RGB"))
