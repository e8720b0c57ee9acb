"""The site of the documentation: built without a warning, complete, and readable without a network."""

import re
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.commands import ROOT
from tests.table.web.browser.pages import CHROMIUM, NO_CHROMIUM

pytestmark = pytest.mark.slow
FOUND = {
    "make_vec": "w51_env.make_vec",
    "certificate_timing": "Warehouse 51: reference",
    "exploitability": "w51_agents.exact.exploitability",
    "MaskedCategorical": "TorchRL",
}
# What a page loads by itself; a link that a reader may follow is none of it.
LOADED = re.compile(r'<(?:script|img|iframe|source)[^>]*\bsrc="(\w+:)?//|<link[^>]*\bhref="(\w+:)?//|url\((\w+:)?//')


@pytest.fixture(scope="module")
def site() -> Path:
    done = subprocess.run(["bash", "bin/docs"], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return ROOT / "docs" / "_build" / "html"


@pytest.fixture(scope="module")
def page(site: Path) -> Iterator[Any]:
    playwright = pytest.importorskip("playwright.sync_api")
    with playwright.sync_playwright() as started:
        browser = started.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield browser.new_page()
        browser.close()


@pytest.mark.skipif(bool(NO_CHROMIUM), reason=NO_CHROMIUM)
@pytest.mark.parametrize(("word", "first"), FOUND.items())
def test_the_search_finds(site: Path, page: Any, word: str, first: str):
    requests: list[str] = []
    page.on("request", lambda request: requests.append(request.url))
    page.goto(f"file://{site}/search.html?q={word}")
    page.wait_for_selector("#search-results li a")
    assert first in page.inner_text("#search-results")
    assert all(request.startswith(("file:", "data:")) for request in requests)


def test_no_page_loads_anything_from_the_network(site: Path):
    for page in [*site.rglob("*.html"), *site.rglob("*.css")]:
        assert not LOADED.search(page.read_text("utf-8")), page


def test_every_public_class_and_function_has_an_entry(site: Path):
    from docs._site import api

    pages = "".join(page.read_text("utf-8") for page in (site / "api").glob("*.html"))
    missing = [
        f"{module.__name__}.{name}"
        for module in api.public_modules()
        for name in api.public_names(module)
        if f'id="{module.__name__}.{name}"' not in pages
    ]
    assert missing == []
