"""How soon the page shows what a person does, in a real browser: `python -m benchmarks.web_clicks`.

It starts `play.py` as a process and Debian's chromium without a window. A quick game of Warehouse 51 is begun some
times: from the click on Begin to the first own turn. Then one person plays against three bots at the usual pace: from a
click on an action to the next picture in the page, which does not dwell on what happened.
"""

import shutil
import tempfile
import time
from pathlib import Path
from typing import Annotated, Any

import typer

from benchmarks.measure import Result, headline, machine, show, wide_console, write_json
from benchmarks.web_server import server
from benchmarks.web_tables import times

_CLICK = """() => new Promise((done) => {
  const before = document.querySelector('.picture svg');
  const begun = performance.now();
  new MutationObserver((changes, observer) => {
    if (document.querySelector('.picture svg') === before) return;
    observer.disconnect();
    done((performance.now() - begun) / 1000);
  }).observe(document.querySelector('.picture'), { childList: true });
  [...document.querySelectorAll('.actions.yours button[data-action]')].at(-1).click();
})"""
_TURN = ".actions.yours button[data-action], .review:not([hidden])"


def begin(page: Any, address: str) -> float:
    """Seconds from the click on Begin to the first own turn."""
    page.goto(f"{address}#/")
    page.wait_for_selector("#begin")
    page.wait_for_timeout(1000)
    begun = time.perf_counter()
    page.click("#begin")
    page.wait_for_selector(_TURN)
    return time.perf_counter() - begun


def click(page: Any) -> float | None:
    """Seconds from a click on an action to the next picture; None if the game is over."""
    page.wait_for_selector(_TURN)
    if page.is_visible(".review"):
        return None
    seconds: float = page.evaluate(_CLICK)
    page.wait_for_timeout(200)
    return seconds


def main(
    clicks: Annotated[int, typer.Option(min=2, help="Number of clicks.")] = 100,
    games: Annotated[int, typer.Option(min=1, help="Number of games that are begun.")] = 5,
    json: Annotated[Path | None, typer.Option(help="Where the figures are written.")] = None,
) -> None:
    """Measure, print and write the figures."""
    from playwright.sync_api import sync_playwright

    console, facts = wide_console(), machine()
    console.print(headline(facts))
    with tempfile.TemporaryDirectory() as folder, server(Path(folder)) as (address, _), sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=shutil.which("chromium"))
        page = browser.new_page()
        page.add_init_script("localStorage['w51.staging'] = '\"off\"'; localStorage['w51.confirm'] = 'false'")
        begun = [begin(page, address) for _ in range(games)]
        milliseconds: list[float] = []
        while len(milliseconds) < clicks:
            seconds = click(page)
            if seconds is None:
                begin(page, address)
            else:
                milliseconds.append(seconds)
        browser.close()
    rows = [
        ("clicks", "clicks", float(len(milliseconds))),
        *times("click to picture", milliseconds),
        *times("Begin to first turn", begun),
    ]
    results = [Result("one person, three bots", name, unit, value, value, value, 1) for name, unit, value in rows]
    show(console, results)
    if json is not None:
        write_json(json, facts, results)


if __name__ == "__main__":
    typer.run(main)
